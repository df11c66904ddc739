/* The options: one row each, from which the parser and every --help are made. */
#define _GNU_SOURCE /* getopt_long */

#include "cli.h"

#include "base/secret.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

typedef struct option_row option_row;
struct option_row {
    const char *name;
    char letter;          /* 0: none */
    const char *argument; /* NULL: takes none */
    uint64_t bit;
    const char *help;
    const char *one; /* help where one is taken at a time; NULL: the same */
    int (*apply)(const option_row *row, cli_options *options, const char *word); /* NULL: the bit says it all */
    size_t at; /* which member of cli_options it sets */
    uint64_t least, most;
    const char *range; /* least and most in words */
};

bool cli_list_add(cli_list *list, const char *word)
{
    const char **grown = realloc(list->at, (list->count + 1) * sizeof *grown);
    if (grown == NULL)
        return false;
    list->at = grown;
    list->at[list->count++] = word;
    return true;
}

bool cli_list_has(const cli_list *list, const char *word)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->at[i] != NULL && strcmp(list->at[i], word) == 0)
            return true;
    }
    return false;
}

static int add(cli_list *list, const char *word)
{
    return cli_list_add(list, word) ? CLI_OK : cli_wrong_usage("no memory");
}

/* ---- what each option does ----------------------------------------------- */

static void *member(const option_row *row, cli_options *options)
{
    return (char *)options + row->at;
}

static int apply_word(const option_row *row, cli_options *options, const char *word)
{
    if (word[0] == '\0')
        return cli_wrong_usage("--%s: a name is needed, and '' is none; leave the option out for the default",
                               row->name);
    return add(member(row, options), word);
}

/* One of several between commas, which lives as long as the options. */
static int add_piece(cli_list *list, const char *word, size_t length, cli_options *options)
{
    char *piece = strndup(word, length);
    if (piece == NULL || !cli_list_add(&options->own, piece)) {
        free(piece);
        return cli_wrong_usage("no memory");
    }
    return add(list, piece);
}

/* "naive,tile-1d" is two names. */
static int apply_words(const option_row *row, cli_options *options, const char *word)
{
    int status = CLI_OK;
    if (strchr(word, ',') == NULL)
        return apply_word(row, options, word);
    while (status == CLI_OK) {
        const size_t length = strcspn(word, ",");
        if (length == 0)
            return apply_word(row, options, "");
        status = add_piece(member(row, options), word, length, options);
        if (word[length] == '\0')
            break;
        word += length + 1;
    }
    return status;
}

static int apply_name(const option_row *row, cli_options *options, const char *word)
{
    const char **name = member(row, options);
    *name = word;
    return CLI_OK;
}

static int apply_file(const option_row *row, cli_options *options, const char *word)
{
    if (word[0] == '\0')
        return cli_wrong_usage("--%s: the name of the file is empty", row->name);
    return apply_name(row, options, word);
}

static int apply_dtype_once(cli_options *options, plx_dtype dtype)
{
    for (size_t i = 0; i < options->dtype_count; i++) {
        if (options->dtypes[i] == dtype)
            return CLI_OK;
    }
    options->dtypes[options->dtype_count++] = dtype;
    return CLI_OK;
}

/* "f32,f64" is two types. */
static int apply_dtype(const option_row *row, cli_options *options, const char *words)
{
    plx_dtype dtype;
    char word[24];
    const size_t length = strcspn(words, ",");
    (void)snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), words);
    if (!plx_dtype_from_name(cli_dtype_alias(word), &dtype))
        return cli_unknown(&cli_dtype_names, word);
    const int status = apply_dtype_once(options, dtype);
    return status == CLI_OK && words[length] == ',' ? apply_dtype(row, options, words + length + 1) : status;
}

static int apply_input(const option_row *row, cli_options *options, const char *word)
{
    (void)row;
    return plx_input_from_name(word, &options->input) ? CLI_OK : cli_unknown(&cli_input_names, word);
}

static int apply_real(const option_row *row, cli_options *options, const char *word)
{
    char *end;
    double value = strtod(word, &end), *number = member(row, options);
    if (end == word || *end != '\0')
        return cli_wrong_usage("--%s: '%s' is no number", row->name, word);
    if (!(value > 0 && value <= (double)row->most))
        return cli_wrong_usage("--%s: '%s' is %s", row->name, word, row->range);
    *number = value;
    return CLI_OK;
}

static int apply_percentage(const option_row *row, cli_options *options, const char *word)
{
    int status = apply_real(row, options, word);
    double *number = member(row, options);
    *number /= 100;
    return status;
}

/* "200ms", "45s", "10m", "2h", or seconds. */
static int apply_duration(const option_row *row, cli_options *options, const char *word)
{
    static const struct unit {
        const char *name;
        double seconds;
    } units[] = {{"", 1}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}, {"d", 86400}};
    char *end;
    double value = strtod(word, &end), *seconds = member(row, options);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (end == word || strcmp(end, units[i].name) != 0)
            continue;
        if (!(value > 0 && value * units[i].seconds <= (double)row->most))
            return cli_wrong_usage("--%s: '%s' is %s", row->name, word, row->range);
        *seconds = value * units[i].seconds;
        return CLI_OK;
    }
    return cli_wrong_usage("--%s: '%s' is no time such as 0.5, 200ms, 45s, 15m or 8h", row->name, word);
}

static int apply_flag(const option_row *row, cli_options *options, const char *word)
{
    bool *flag = member(row, options);
    (void)word;
    *flag = true;
    return CLI_OK;
}

static int apply_whole(const option_row *row, cli_options *options, const char *word)
{
    char *end;
    uint64_t *number = member(row, options);
    errno = 0;
    unsigned long long value = strtoull(word, &end, 0);
    const char *at = word;
    int64_t written;
    if (*end != '\0' && cli_number(&at, &written) && *at == '\0') { /* 1e6 */
        value = (unsigned long long)written;
        end += strlen(end);
    }
    if (word[0] < '0' || word[0] > '9' || *end != '\0' || errno != 0 || value < row->least || value > row->most)
        return cli_wrong_usage("--%s: '%s' is no number %s", row->name, word, row->range);
    *number = value;
    return CLI_OK;
}

static int apply_pack(const option_row *row, cli_options *options, const char *word)
{
    (void)word;
    *(strcmp(row->name, "pack") == 0 ? &options->pack : &options->unpack) = true;
    return CLI_OK;
}

/* Kept by the library, which writes most of the files. */
static int apply_anonymous(const option_row *row, cli_options *options, const char *word)
{
    (void)row;
    (void)options;
    (void)word;
    plx_results_anonymous(true);
    return CLI_OK;
}

static int apply_promise(const option_row *row, cli_options *options, const char *word)
{
    plx_error error = {""};
    return plx_promise_set(&options->promise, row->name, word, &error) == PLX_OK ? CLI_OK
                                                                                 : cli_wrong_usage("%s", error.text);
}

/* ---- the rows ------------------------------------------------------------ */

#define INTO(function, field) .apply = function, .at = offsetof(cli_options, field)

_Static_assert(PLX_MAX_QUEUES == 8, "as --queues says");

static const option_row listed[] = {
    {"backend", 'b', "NAME[:DEVICE]", OPT_BACKEND, "a backend, or all; may be repeated",
     .one = "a backend; auto: the best device", INTO(apply_words, backends)},
    {"kernel", 'k', "NAME", OPT_KERNEL,
     "kernels, best, or all; several with blanks or commas between them, or repeated",
     .one = "a kernel; best: what the backend chooses", INTO(apply_words, kernels)},
    {"shape", 's', "SHAPE", OPT_SHAPE, "1024, 300x200, 64 64 64, 1e6, 64Ki, 2^20; may be repeated",
     .one = "1024, 300x200, 64 64 64, 1e6, 64Ki, 2^20", INTO(apply_word, shapes)},
    {"dtype", 't', "TYPE", OPT_DTYPE, "of elements; several with commas between them, or repeated",
     .apply = apply_dtype},
    {.bit = OPT_SETTINGS}, /* here stand those of the operations */
    {"in", 'i', "FILE.npy", OPT_IN, "an operand, in their order; may be repeated", INTO(apply_word, in)},
    {"axis", 0, "N", OPT_AXIS, "of --in, along which reduce works; from the last one on it is -1",
     INTO(apply_file, axis)},
    {"result", 'r', "FILE.npy", OPT_RESULT, "the result to be judged", INTO(apply_word, results)},
    {"out", 'o', "FILE.npy", OPT_OUT, "where the result goes", INTO(apply_file, out)},
    {"out", 'o', "FILE", OPT_REPORT, "where the page or plot goes (standard output)", INTO(apply_file, out)},
    {"out", 'o', "DIR", OPT_CHALLENGE, "where the challenge goes; made if need be", INTO(apply_file, out)},
    {"batches", 0, NULL, OPT_CHALLENGE, "with batches, and reductions along an axis", INTO(apply_flag, batches)},
    {"input", 0, "CLASS", OPT_INPUT, "which data to generate", .apply = apply_input},
    {"seed", 0, "N", OPT_SEED, "of the generated data (drawn, where it is timed; else 1)", INTO(apply_whole, seed),
     .most = UINT64_MAX, .range = "from 0 to 2^64 - 1"},
    {"no-timing", 0, NULL, OPT_NO_TIMING, "validate only", .apply = NULL},
    {"seconds", 0, "S", OPT_SECONDS, "time limit for measuring each kernel (0.5)", INTO(apply_duration, seconds),
     .most = 86400, .range = "not between 0 and a day"},
    {"budget", 0, "S", OPT_BUDGET, "time limit for the search of all configurations (60)", INTO(apply_duration, budget),
     .most = 86400, .range = "not between 0 and a day"},
    {"budget", 0, "S", OPT_TIME_LIMIT, "kernels that are not begun after S seconds are left out (no limit)",
     INTO(apply_duration, budget), .most = 86400, .range = "not between 0 and a day"},
    {"budget", 0, "TIME", OPT_SCREEN, "how long, everything included: 10s, 45s, 15m, 8h (45s)",
     INTO(apply_duration, budget), .most = 2592000, .range = "not between 0 and 30 days"},
    {"budget", 0, "TIME", OPT_SEAL, "how long at most (5m)", INTO(apply_duration, budget), .most = 2592000,
     .range = "not between 0 and 30 days"},
    {"device", 0, "WORD", OPT_SCREEN | OPT_SEAL,
     "all, or one by its UUID or PCI address (accelerators; without any, the processor)", INTO(apply_name, device)},
    {"against", 0, "SEAL", OPT_SCREEN, "hold results against those that 'parallax seal' wrote",
     INTO(apply_file, against)},
    {"self-test", 0, NULL, OPT_SCREEN, "flip bits of results, to see that each is noticed",
     INTO(apply_flag, self_test)},
    {"fail-on", 0, "WHAT", OPT_FAIL_ON, "isolate, degraded or any: the status is 1 then, else 0",
     INTO(apply_name, fail_on)},
    {"format", 0, "NAME", OPT_SCREEN, "of standard output: table, json or ocptv (table)", INTO(apply_name, format)},
    {"in-process", 0, NULL, OPT_SCREEN, "without a process of its own for each device; for debuggers",
     INTO(apply_flag, in_process)},
    {"copies", 0, NULL, OPT_SCREEN, "copies between the devices alone", INTO(apply_flag, copies)},
    {"begun", 0, "S", OPT_SCREEN, "when the budget began, by the monotonic clock in seconds (now)",
     INTO(apply_real, begun), .most = UINT64_C(1) << 52, .range = "no time"},
    {"out", 0, "DIR", OPT_SCREEN, "a file of JSON for this host and rank there; made if need be",
     INTO(apply_file, folder)},
    {"expect", 0, "HOSTS", OPT_FLEET, "hosts that there must be, node[01-16]; may be repeated",
     INTO(apply_word, expected)},
    {"page", 0, "FILE", OPT_FLEET, "write a page of HTML", INTO(apply_file, page)},
    {"all", 0, NULL, OPT_ALL, "every kernel of every operation that both APIs have", .apply = NULL},
    {"hot", 0, NULL, OPT_HOT, "time the same operands over and over, caches and all", .apply = NULL},
    {"queues", 0, "N", OPT_QUEUES, "timed launches go to N queues in turn, and may overlap (1)",
     INTO(apply_whole, queues), .least = 1, .most = PLX_MAX_QUEUES, .range = "from 1 to 8"},
    {"counters", 0, NULL, OPT_COUNTERS, "count transactions, DRAM bytes, bank conflicts, occupancy", .apply = NULL},
    {"quick", 0, NULL, OPT_QUICK, "the fewest cases or points that see every kernel", .apply = NULL},
    {"full", 0, NULL, OPT_FULL, "every shape, class and transposition", .apply = NULL},
    {"set", 0, "NAME", OPT_SET,
     "a set of shapes, random:SEED[:COUNT], drawn8:SEED[:COUNT], layers[:PLACE][:LAYOUT], file:PATH, or list; may be "
     "repeated",
     INTO(apply_word, sets)},
    {"rates", 0, "DIR", OPT_RATES, "fit the models' rates, and write them there", INTO(apply_file, rates)},
    {"runs", 0, "N", OPT_RUNS, "bench in N processes, one after the other; the noise is that between them (1)",
     INTO(apply_whole, runs), .least = 1, .most = 1000, .range = "from 1 to 1000"},
    {"restart", 0, NULL, OPT_RESTART, "begin anew, whatever is in the file of --json", .apply = NULL},
    {"threshold", 0, "PERCENT", OPT_THRESHOLD, "ignore changes of time that are smaller (2)",
     INTO(apply_percentage, threshold), .most = 1000000, .range = "no percentage above 0"},
    {"allow-missing", 0, NULL, OPT_ALLOW_MISSING,
     "what is in OLD.json alone, or has a time there alone, is no regression", .apply = NULL},
    {"case", 0, "N", OPT_CASE, "this case of one operation and dtype alone", INTO(apply_whole, only_case), .least = 1,
     .most = SIZE_MAX, .range = "from 1 on"},
    {"repeats", 0, "N", OPT_REPEATS, "repeat a case at most N times to compare its bits; 0: run each once",
     INTO(apply_whole, repeats), .most = SIZE_MAX, .range = "from 0 on"},
    {"sums", 0, "any|sequential|pairwise|DEPTH", OPT_PROMISE, "in which order terms were added (any)",
     .apply = apply_promise},
    {"accumulator", 0, "TYPE", OPT_PROMISE, "what sums were kept in (f32; of f64 f64)", .apply = apply_promise},
    {"no-units", 0, NULL, OPT_PROMISE, "sums were made in no matrix units", .apply = apply_promise},
    {"flushes", 0, NULL, OPT_PROMISE, "subnormals of f32 may have been taken for 0", .apply = apply_promise},
    {"narrow-parts", 0, "N", OPT_PROMISE, "N partial sums were rounded to the result's type (none)",
     .apply = apply_promise},
    {"typical", 0, NULL, OPT_PROMISE, "what is like something less exact than was promised is wrong",
     .apply = apply_promise},
    {"recipe", 0, "FILE", OPT_KERNEL_FILE,
     "how a kernel is launched: a file of JSON, doc/recipe.md (the source's name with .json)",
     INTO(apply_file, recipe)},
    {"recipe", 0, "DIR", OPT_EXPORT, "write the kernel, for the problem, as device code and recipe into this directory",
     INTO(apply_file, recipe)},
    {"source", 0, "FILE", OPT_KERNEL_FILE,
     "a kernel's device code, which its recipe launches: .cl .spv .cu .ptx .cubin; or a function: .so .py",
     INTO(apply_file, source)},
    {"entry", 0, "NAME", OPT_KERNEL_FILE, "its entry, where the recipe has one launch (what the recipe says)",
     INTO(apply_file, entry)},
    {"against", 0, "RECORD.json", OPT_AGAINST, "exit status 6 where it is slower than in this record of --json",
     INTO(apply_file, against)},
    {"processes", 0, "N", OPT_JUDGED, "processes that time it in turn, from 1 on; the interval has their spread (3)",
     INTO(apply_whole, processes), .least = 1, .most = 32, .range = "from 1 to 32"},
    {"best-of", 0, "N", OPT_JUDGED, "it was the best of N: measure its claim anew, also on shapes that nobody chose",
     INTO(apply_whole, best_of), .least = 1, .most = UINT64_MAX, .range = "from 1 on"},
    {"replay", 0, "RECORD.json", OPT_JUDGED,
     "judge again what this record of --json is about, with its options and seed", INTO(apply_file, replay)},
    {"explain", 0, NULL, OPT_JUDGED, "of the first failure show the element, its bound and the launches",
     INTO(apply_flag, explain)},
    {"sanitize", 0, NULL, OPT_JUDGED,
     "run device code under compute-sanitizer's four tools, or Oclgrind, as well; the verdict stays what it is",
     INTO(apply_flag, sanitize)},
    {"compile-only", 0, NULL, OPT_COMPILE_ONLY, "compile the source for --device, and run nothing", .apply = NULL},
    {"source", 0, NULL, OPT_SOURCE, "the kernel's text, line by line against the step before", .apply = NULL},
    {"measured", 0, NULL, OPT_MEASURED, "the gains that were recorded, with their device", .apply = NULL},
    {"instructions", 0, NULL, OPT_INSTRUCTIONS, "instructions by what they do, with kernels as columns", .apply = NULL},
    {"print", 0, NULL, OPT_PRINT, "show the recipe's launches for each shape, on a device that need not be here",
     .apply = NULL},
    {"device", 0, "NAME[,KEY=N...]", OPT_RECIPE,
     "that device, in words: h100, a100, l4, v100, processor, or cc, sms, warp, shared_max, l2 (h100)",
     INTO(apply_file, device)},
    {"draft", 0, "FILE", OPT_DRAFT, "write a first recipe for the source's kernel, by the names of its parameters",
     INTO(apply_file, draft)},
    {"tunable", 0, "NAME=N", OPT_KERNEL_FILE, "a value of the recipe's; may be repeated (the first that is right)",
     INTO(apply_word, tunables)},
    {"save-failure", 0, "DIR", OPT_SAVE_FAILURE, "keep the operands of what failed", INTO(apply_file, save_failure)},
    {"json", 'j', "FILE", OPT_JSON, "write JSON; - is standard output", INTO(apply_file, json)},
    {"anonymous", 0, NULL, OPT_JSON, "leave out of files which host, job and chip it was", .apply = apply_anonymous},
    {"csv", 0, "FILE", OPT_CSV, "write CSV; - is standard output", INTO(apply_file, csv)},
    {"junit", 0, "FILE", OPT_JUNIT, "write JUnit's XML; - is standard output", INTO(apply_file, junit)},
    {"plot", 0, "FILE", OPT_PLOT, "draw with gnuplot; FILE ends in .svg or .png", INTO(apply_file, plot)},
    {"plot", 0, "NAME", OPT_REPORT, "this plot alone: answer, ladder-gemm, sweep-gemm, accuracy-gemm",
     INTO(apply_file, plot)},
    {"pack", 0, NULL, OPT_REPORT, "the same file in a tenth of its bytes, one line a record", .apply = apply_pack},
    {"unpack", 0, NULL, OPT_REPORT, "what --pack wrote, its records written out", .apply = apply_pack},
    {"manifest", 0, NULL, OPT_REPORT, "what each file is of, as JSON of one line a file", INTO(apply_flag, manifest)},
    {"markdown", 0, NULL, OPT_MARKDOWN, "a table in Markdown on standard output", .apply = NULL},
    {"section", 0, "NAME", OPT_REPORT,
     "of the tables one section: peers, twins, ladders, attribution, probes, aims or without",
     INTO(apply_name, section)},
    {"history", 0, NULL, OPT_REPORT, "the files as before and after: what became slower or faster",
     INTO(apply_flag, history)},
    {"plugin-dir", 0, "DIR", OPT_PLUGIN_DIR, "look for plugins here first; may be repeated",
     INTO(apply_word, plugin_dirs)},
    {"require", 0, "BACKEND,...", OPT_REQUIRE, "backends without which this is a failure; may be repeated",
     INTO(apply_word, required)},
    {"strict", 0, NULL, OPT_STRICT, "what a vendor's library does wrong decides the status, too", .apply = NULL},
    {"annotate", 0, NULL, OPT_ANNOTATE, "annotations of GitHub's kind for what is wrong", .apply = NULL},
    {"across", 0, NULL, OPT_ACROSS, "compare two devices: by backend, kernel and problem", .apply = NULL},
    {"verbose", 'v', NULL, OPT_VERBOSE, "say more", .apply = NULL},
    {"quiet", 'q', NULL, OPT_QUIET, "say less", .apply = NULL},
};

enum { MOST_ROWS = 128 };
_Static_assert(sizeof listed / sizeof listed[0] < MOST_ROWS, "a table of options has room for each");

/* All rows, in the order of --help. */
static option_row rows[MOST_ROWS];
static int row_count;

static bool is_row(const char *name)
{
    for (int i = 0; i < row_count; i++)
        if (strcmp(rows[i].name, name) == 0)
            return true;
    return false;
}

static void add_row(option_row row)
{
    if (row_count < MOST_ROWS)
        rows[row_count++] = row;
}

/* Operations share the options that have one name. */
static void add_settings(void)
{
    plx_setting setting;
    for (unsigned op = 0; op < PLX_OP_COUNT; op++)
        for (size_t i = 0; plx_op_setting((plx_op)op, i, &setting); i++)
            if (!is_row(setting.name))
                add_row((option_row){
                    .name = setting.name, .argument = setting.argument, .bit = OPT_SETTINGS, .help = setting.help});
}

static void make_rows(void)
{
    row_count = 0;
    for (size_t i = 0; i < sizeof listed / sizeof listed[0]; i++) {
        if (listed[i].name != NULL)
            add_row(listed[i]);
        else
            add_settings();
    }
}

/* Values of getopt_long for options without a letter. */
enum { HELP = 256, VERSION, FIRST_ROW };

/* ---- parsing --------------------------------------------------------------- */

/* The table and the letters that getopt_long wants, of one verb's options. */
typedef struct option_table {
    struct option long_options[MOST_ROWS + 3];
    char letters[2 * MOST_ROWS + 8];
    size_t count;
} option_table;

static void make_table(const cli_verb *verb, option_table *table)
{
    /* '-': other words are handed out in their place, whatever POSIXLY_CORRECT says;
     * ':': a missing argument is told from an unknown option. */
    size_t letter = 0;
    memset(table, 0, sizeof *table);
    table->letters[letter++] = '-';
    table->letters[letter++] = ':';
    table->letters[letter++] = 'h';
    for (int i = 0; i < row_count; i++) {
        if (!(verb->options & rows[i].bit))
            continue;
        table->long_options[table->count++] = (struct option){
            .name = rows[i].name,
            .has_arg = rows[i].argument != NULL ? required_argument : no_argument,
            .val = FIRST_ROW + i,
        };
        if (rows[i].letter != 0)
            table->letters[letter++] = rows[i].letter;
        if (rows[i].letter != 0 && rows[i].argument != NULL)
            table->letters[letter++] = ':';
    }
    table->long_options[table->count++] = (struct option){.name = "help", .val = HELP};
    table->long_options[table->count++] = (struct option){.name = "version", .val = VERSION};
}

/* The row that a value of getopt_long stands for; NULL when it is none. */
static const option_row *row_of(int value)
{
    if (value >= FIRST_ROW && value < FIRST_ROW + row_count)
        return &rows[value - FIRST_ROW];
    for (int i = 0; i < row_count; i++) {
        if (value != 0 && rows[i].letter == value)
            return &rows[i];
    }
    return NULL;
}

/* The long options that begin with the word. */
static size_t matches(const option_table *table, const char *word, size_t length)
{
    size_t found = 0;
    for (size_t i = 0; i < table->count; i++)
        found += strncmp(table->long_options[i].name, word, length) == 0;
    return found;
}

/* Says what is wrong with the word that getopt_long refused. */
static int refuse(const option_table *table, const char *word)
{
    char dashed[MOST_ROWS + 2][24];
    const char *names[MOST_ROWS + 2];
    if (word[0] != '-' || word[1] != '-')
        return cli_wrong_usage("unknown option '-%c'; see '%s --help'", optopt, cli_who);
    size_t length = strcspn(word + 2, "=");
    size_t found = matches(table, word + 2, length);
    if (found > 1)
        return cli_wrong_usage("'%.*s' may be one of %zu options; write more of it", (int)length + 2, word, found);
    if (found == 1)
        return cli_wrong_usage("'%.*s' takes no argument", (int)length + 2, word);
    for (size_t i = 0; i < table->count; i++) {
        (void)snprintf(dashed[i], sizeof dashed[i], "--%.20s", table->long_options[i].name);
        names[i] = dashed[i];
    }
    char typed[64];
    (void)snprintf(typed, sizeof typed, "--%.*s", (int)(length < 60 ? length : 60), word + 2);
    cli_say_unknown("option", typed, names, table->count);
    return CLI_USAGE;
}

/* A word that goes on with the option before it: a size of a shape, or one more kernel. */
static int apply_operand(cli_options *options, const char *word)
{
    plx_op op;
    const option_row *row = options->last > 0 ? &rows[options->last - 1] : NULL;
    if (row != NULL && row->bit == OPT_SHAPE && cli_is_number(word) && cli_list_add(&options->more_sizes, word))
        return add(&options->shapes, word);
    if (row != NULL && row->bit == OPT_KERNEL && options->operands.count > 0 && (word[0] < '0' || word[0] > '9') &&
        !plx_op_from_name(word, &op))
        return row->apply(row, options, word);
    options->last = 0;
    return add(&options->operands, word);
}

static int apply(int value, const char *word, const option_table *table, cli_options *options)
{
    if (value == 1)
        return apply_operand(options, optarg);
    if (value == 'h' || value == HELP || value == VERSION) {
        options->help = options->help || value != VERSION;
        options->version = options->version || value == VERSION;
        return CLI_OK;
    }
    if (value == ':')
        return cli_wrong_usage("'%s' needs an argument", word);
    const option_row *row = row_of(value);
    if (row == NULL)
        return refuse(table, word);
    options->given |= row->bit;
    options->last = (int)(row - rows) + 1;
    if (row->bit == OPT_SETTINGS)
        return add(&options->settings, row->name) == CLI_OK ? add(&options->settings, optarg) : CLI_USAGE;
    return row->apply != NULL ? row->apply(row, options, optarg) : CLI_OK;
}

/* Pairs that contradict each other. */
static int check_pairs(const cli_options *options)
{
    static const struct {
        uint64_t bits;
        const char *names;
    } pairs[] = {
        {OPT_QUICK | OPT_FULL, "--quick and --full"},
        {OPT_VERBOSE | OPT_QUIET, "--verbose and --quiet"},
        {OPT_IN | OPT_SHAPE, "--in and --shape"},
        {OPT_IN | OPT_INPUT, "--in and --input"},
        {OPT_NO_TIMING | OPT_SECONDS, "--no-timing and --seconds"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if ((options->given & pairs[i].bits) == pairs[i].bits)
            return cli_wrong_usage("%s contradict each other", pairs[i].names);
    }
    if (cli_is_stdout(options->json) && cli_is_stdout(options->csv))
        return cli_wrong_usage("--json and --csv can't both be standard output");
    return CLI_OK;
}

/* What takes one problem shows its time in files alone. */
static bool is_timed(const cli_verb *verb, const cli_options *options)
{
    return verb->times && (options->given & OPT_NO_TIMING) == 0 &&
           (!verb->takes_one || options->json != NULL || options->csv != NULL);
}

int cli_options_read(const cli_verb *verb, int argc, char **argv, cli_options *options)
{
    option_table table;
    int status = CLI_OK;
    make_rows();
    make_table(verb, &table);
    *options = (cli_options){.seed = 1, .effort = PLX_NORMAL, .words = argv, .word_count = argc};
    opterr = 0;
    optind = 1;
    while (status == CLI_OK) {
        const char *word = argv[optind < argc ? optind : argc - 1];
        int value = getopt_long(argc, argv, table.letters, table.long_options, NULL);
        if (value == -1)
            break;
        status = apply(value, word, &table, options);
    }
    options->ended = optind > 1 && optind <= argc && strcmp(argv[optind - 1], "--") == 0;
    options->before_end = options->operands.count;
    for (int i = optind; i < argc && status == CLI_OK; i++)
        status = add(&options->operands, argv[i]);
    if (options->given & (OPT_QUICK | OPT_FULL))
        options->effort = options->given & OPT_QUICK ? PLX_QUICK : PLX_FULL;
    if (is_timed(verb, options) && (options->given & OPT_SEED) == 0)
        options->seed = plx_secret();
    options->drawn_seed = (options->given & OPT_SEED) != 0 ? options->seed : plx_secret();
    if (status == CLI_OK && !options->help && !options->version)
        status = check_pairs(options);
    return status;
}

void cli_options_free(cli_options *options)
{
    free(options->operands.at);
    free(options->backends.at);
    for (size_t i = 0; i < options->own.count; i++)
        free((void *)options->own.at[i]);
    free(options->own.at);
    free(options->more_sizes.at);
    free(options->kernels.at);
    free(options->shapes.at);
    free(options->sets.at);
    free(options->settings.at);
    free(options->in.at);
    free(options->results.at);
    free(options->plugin_dirs.at);
    free(options->tunables.at);
    free(options->required.at);
    plx_kernel_file_free(options->kernel);
    free(options->expected.at);
    cli_work_free(&options->work);
}

/* ---- help ------------------------------------------------------------------ */

void cli_each_option(const cli_verb *verb, cli_option_visitor *visit, void *data)
{
    make_rows();
    for (int i = 0; i < row_count; i++)
        if (verb->options & rows[i].bit)
            visit(data, &(cli_option){verb->name, rows[i].name, rows[i].letter, rows[i].argument,
                                      verb->takes_one && rows[i].one != NULL ? rows[i].one : rows[i].help});
    visit(data, &(cli_option){verb->name, "help", 'h', NULL, "this text"});
    visit(data, &(cli_option){verb->name, "version", 0, NULL, "the version"});
}

/* "; f32, f64, ..." of an option whose words are names that are listed elsewhere. */
static void add_values(plx_table *table, const char *option)
{
    static const struct {
        const char *option;
        const cli_names *names;
    } listed_elsewhere[] = {{"dtype", &cli_dtype_names}, {"input", &cli_input_names}};
    for (size_t i = 0; i < sizeof listed_elsewhere / sizeof listed_elsewhere[0]; i++)
        for (size_t j = 0;
             strcmp(option, listed_elsewhere[i].option) == 0 && listed_elsewhere[i].names->name_of(j) != NULL; j++)
            plx_table_rest(table, "%s%s", j == 0 ? ": " : ", ", listed_elsewhere[i].names->name_of(j));
}

static void add_option(void *data, const cli_option *option)
{
    plx_table *table = data;
    char shown[8] = "    ";
    if (option->letter != 0)
        (void)snprintf(shown, sizeof shown, "-%c, ", option->letter);
    plx_table_row(table);
    plx_table_cell(table, 0, "%s--%s%s%s", shown, option->name, option->argument != NULL ? " " : "",
                   option->argument != NULL ? option->argument : "");
    plx_table_rest(table, "%s", option->help);
    add_values(table, option->name);
}

void cli_verb_help(const cli_verb *verb)
{
    plx_table table = {.columns = 1, .left = 1, .indent = "  "};
    (void)fprintf(cli_out(), "Usage: parallax %s\n\n", verb->usage);
    cli_put_text(cli_out(), verb->help);
    (void)fprintf(cli_out(), "\nOptions:\n");
    cli_each_option(verb, add_option, &table);
    cli_table_finish(&table);
}
