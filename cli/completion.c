/* completion: a script by which a shell completes what is typed, from the verbs and the
 * table of options. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* What may stand where a usage or an option has `form`: words, files or directories. */
typedef struct follow {
    char words[512];    /* with a space between them */
    const char *asked;  /* "kernels": the program is asked for the words while they are typed; NULL: none are */
    const char *suffix; /* of the files: ".json"; NULL: any */
    bool files, directories;
} follow;

static void add_word(follow *to, const char *word, size_t length)
{
    size_t used = strlen(to->words);
    (void)snprintf(to->words + used, sizeof to->words - used, "%s%.*s", used > 0 ? " " : "", (int)length, word);
}

static void add_names(follow *to, const cli_names *names)
{
    const char *name;
    for (size_t i = 0; (name = names->name_of(i)) != NULL; i++)
        add_word(to, name, strlen(name));
}

static bool is_form(const char *form, size_t length, const char *known)
{
    return length == strlen(known) && strncmp(form, known, length) == 0;
}

/* One word of a usage: "plugins" stands for itself, "TYPE" for the names of element types. */
static void add_form(follow *to, const char *form, size_t length)
{
    static const char lower[] = "abcdefghijklmnopqrstuvwxyz-";
    const char *dot = memchr(form, '.', length);
    if (is_form(form, length, "OPERATION"))
        add_names(to, &cli_op_names);
    else if (is_form(form, length, "PROBE"))
        add_names(to, &cli_probe_names);
    else if (is_form(form, length, "TYPE"))
        add_names(to, &cli_dtype_names);
    else if (is_form(form, length, "HOW"))
        add_names(to, &cli_reduction_names);
    else if (is_form(form, length, "any|sequential|pairwise|DEPTH"))
        for (unsigned sums = 0; sums < PLX_SUMS_DEPTH; sums++)
            add_word(to, plx_sums_name((plx_sums)sums), strlen(plx_sums_name((plx_sums)sums)));
    else if (is_form(form, length, "CLASS"))
        add_names(to, &cli_input_names);
    else if (is_form(form, length, "DIR"))
        to->directories = true;
    else if (dot != NULL && length - (size_t)(dot - form) == 5 && strncmp(dot, ".json", 5) == 0) {
        to->files = true;
        to->suffix = ".json";
    } else if (is_form(form, length, "FILE") || (dot != NULL && dot[1] >= 'a' && dot[1] <= 'z'))
        to->files = true;
    else if (length > 0 && strspn(form, lower) >= length)
        add_word(to, form, length);
}

/* The operands of a verb, from its usage: "list [plugins|devices] [TYPE...] [options]". */
static follow operands_of(const cli_verb *verb)
{
    static const char between[] = " []|/";
    follow found = {.words = ""};
    const char *at = verb->usage + strcspn(verb->usage, " ");
    for (at += strspn(at, between); *at != '\0'; at += strspn(at, between)) {
        size_t length = strcspn(at, between), name = length;
        if (*at == '-')
            break;
        while (name > 0 && at[name - 1] == '.')
            name--;
        if (!is_form(at, name, "options") && !is_form(at, name, verb->name))
            add_form(&found, at, name);
        at += length;
    }
    return found;
}

static const char *compute_name(size_t index)
{
    return index < PLX_COMPUTE_COUNT ? plx_compute_name((plx_compute)index) : index == PLX_COMPUTE_COUNT ? "all" : NULL;
}

static const char *section_name(size_t index)
{
    static const char *const names[] = {"peers", "twins", "ladders", "attribution", "probes", "aims", "without", NULL};
    return index < sizeof names / sizeof names[0] ? names[index] : NULL;
}

/* Options whose words are known by their names, or asked for. */
static const struct known {
    const char *option;
    const cli_names *names;
    const char *asked;
} known_options[] = {
    {"backend", NULL, "backends"},
    {"require", NULL, "backends"},
    {"kernel", NULL, "kernels"},
    {"set", &cli_set_names, NULL},
    {"compute", &(const cli_names){"compute type", compute_name}, NULL},
    {"section", &(const cli_names){"section", section_name}, NULL},
};

static follow argument_of(const cli_option *option)
{
    follow found = {.words = ""};
    if (option->argument == NULL)
        return found;
    for (size_t i = 0; i < sizeof known_options / sizeof known_options[0]; i++) {
        if (strcmp(known_options[i].option, option->name) != 0)
            continue;
        found.asked = known_options[i].asked;
        if (known_options[i].names != NULL)
            add_names(&found, known_options[i].names);
        return found;
    }
    add_form(&found, option->argument, strlen(option->argument));
    if (strcmp(option->name, "json") == 0)
        found.suffix = ".json";
    return found;
}

/* Text between single quotes, in which a shell sees nothing but the quote itself. */
static void print_quoted(const char *text, const char *escaped)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            (void)fprintf(cli_out(), "'\\''");
        else
            (void)fprintf(cli_out(), "%s%c", strchr(escaped, *text) != NULL ? "\\" : "", *text);
    }
}

/* ---- bash -------------------------------------------------------------------- */

static void bash_argument(void *data, const cli_option *option)
{
    follow what = argument_of(option);
    (void)data;
    if (option->argument == NULL)
        return;
    (void)fprintf(cli_out(), "        %s:--%s", option->verb, option->name);
    if (option->letter != 0)
        (void)fprintf(cli_out(), " | %s:-%c", option->verb, option->letter);
    if (what.files || what.directories)
        (void)fprintf(cli_out(), ") _parallax_paths %s %s ;;\n", what.files ? "-f" : "-d",
                      what.suffix != NULL ? what.suffix : "");
    else if (what.asked != NULL)
        (void)fprintf(
            cli_out(),
            ") COMPREPLY=($(compgen -W \"$(\"${COMP_WORDS[0]}\" completion words %s 2>/dev/null)\" -- \"$word\")) ;;\n",
            what.asked);
    else
        (void)fprintf(cli_out(), ") COMPREPLY=($(compgen -W '%s' -- \"$word\")) ;;\n", what.words);
}

static void bash_name(void *data, const cli_option *option)
{
    (void)data;
    (void)fprintf(cli_out(), " --%s", option->name);
}

static void bash_verb(const cli_verb *verb)
{
    follow what = operands_of(verb);
    (void)fprintf(cli_out(), "        %s)\n            COMPREPLY=($(compgen -W '%s", verb->name, what.words);
    cli_each_option(verb, bash_name, NULL);
    (void)fprintf(cli_out(), "' -- \"$word\"))\n");
    if (what.files || what.directories)
        (void)fprintf(cli_out(), "            [[ $word == -* ]] || _parallax_paths %s %s\n", what.files ? "-f" : "-d",
                      what.suffix != NULL ? what.suffix : "");
    (void)fprintf(cli_out(), "            ;;\n");
}

static void print_bash(void)
{
    (void)fprintf(cli_out(),
                  "# bash completion of parallax; made by 'parallax completion bash'\n"
                  "_parallax_paths() {\n"
                  "    compopt -o filenames 2>/dev/null\n"
                  "    if [[ -n ${2-} ]]; then\n"
                  "        mapfile -t COMPREPLY < <(compgen -f -X \"!*$2\" -- \"$word\"; compgen -d -- \"$word\")\n"
                  "    else\n"
                  "        mapfile -t COMPREPLY < <(compgen \"$1\" -- \"$word\")\n"
                  "    fi\n"
                  "}\n"
                  "_parallax() {\n"
                  "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
                  "    COMPREPLY=()\n"
                  "    if ((COMP_CWORD == 1)); then\n"
                  "        COMPREPLY=($(compgen -W 'help");
    for (size_t i = 0; cli_verb_at(i) != NULL; i++)
        (void)fprintf(cli_out(), " %s", cli_verb_at(i)->name);
    (void)fprintf(cli_out(), " --help --version' -- \"$word\"))\n        return\n    fi\n"
                             "    case ${COMP_WORDS[1]}:$before in\n");
    for (size_t i = 0; cli_verb_at(i) != NULL; i++)
        cli_each_option(cli_verb_at(i), bash_argument, NULL);
    (void)fprintf(cli_out(), "    *)\n        case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; cli_verb_at(i) != NULL; i++)
        bash_verb(cli_verb_at(i));
    (void)fprintf(cli_out(), "        esac\n        ;;\n    esac\n}\ncomplete -F _parallax parallax\n");
}

/* ---- zsh --------------------------------------------------------------------- */

/* What _arguments does with an argument. */
static void zsh_action(const follow *what)
{
    if (what->files && what->suffix != NULL)
        (void)fprintf(cli_out(), "_files -g \"*%s\"", what->suffix);
    else if (what->files || what->directories)
        (void)fprintf(cli_out(), "%s", what->files ? "_files" : "_files -/");
    else if (what->asked != NULL) /* zsh expands it when it is needed */
        (void)fprintf(cli_out(), "{compadd -- ${(f)\"$(parallax completion words %s 2>/dev/null)\"}}", what->asked);
    else if (what->words[0] != '\0')
        (void)fprintf(cli_out(), "(%s)", what->words);
}

static void zsh_option(void *data, const cli_option *option)
{
    follow what = argument_of(option);
    (void)data;
    for (int form = 0; form < (option->letter != 0 ? 2 : 1); form++) {
        (void)fprintf(cli_out(), " \\\n            '*%s", form == 0 ? "--" : "-");
        if (form == 0)
            (void)fprintf(cli_out(), "%s[", option->name);
        else
            (void)fprintf(cli_out(), "%c[", option->letter);
        print_quoted(option->help, "[]:\\");
        (void)fprintf(cli_out(), "]");
        if (option->argument != NULL) {
            (void)fprintf(cli_out(), ":");
            print_quoted(option->argument, "[]:\\");
            (void)fprintf(cli_out(), ":");
            zsh_action(&what);
        }
        (void)fprintf(cli_out(), "'");
    }
}

static void print_zsh(void)
{
    (void)fprintf(cli_out(), "#compdef parallax\n# made by 'parallax completion zsh'\n"
                             "_parallax() {\n    local -a verbs=(");
    for (size_t i = 0; cli_verb_at(i) != NULL; i++) {
        (void)fprintf(cli_out(), "\n        '%s:", cli_verb_at(i)->name);
        print_quoted(cli_verb_at(i)->summary, ":\\");
        (void)fprintf(cli_out(), "'");
    }
    (void)fprintf(cli_out(),
                  "\n    )\n    if ((CURRENT == 2)); then\n        _describe verb verbs\n        return\n    fi\n"
                  "    local verb=$words[2]\n    shift words\n    ((CURRENT--))\n    case $verb in\n");
    for (size_t i = 0; cli_verb_at(i) != NULL; i++) {
        follow what = operands_of(cli_verb_at(i));
        (void)fprintf(cli_out(), "    %s)\n        _arguments", cli_verb_at(i)->name);
        cli_each_option(cli_verb_at(i), zsh_option, NULL);
        (void)fprintf(cli_out(), " \\\n            '*: :");
        zsh_action(&what);
        (void)fprintf(cli_out(), "'\n        ;;\n");
    }
    (void)fprintf(cli_out(), "    esac\n}\n_parallax \"$@\"\n");
}

/* ---- fish -------------------------------------------------------------------- */

static void fish_option(void *data, const cli_option *option)
{
    follow what = argument_of(option);
    (void)data;
    (void)fprintf(cli_out(), "complete -c parallax -n '__fish_seen_subcommand_from %s' -l %s", option->verb,
                  option->name);
    if (option->letter != 0)
        (void)fprintf(cli_out(), " -s %c", option->letter);
    if (option->argument != NULL)
        (void)fprintf(cli_out(), what.files || what.directories ? " -rF" : " -x");
    if (what.words[0] != '\0')
        (void)fprintf(cli_out(), " -a '%s'", what.words);
    else if (what.asked != NULL)
        (void)fprintf(cli_out(), " -a '(parallax completion words %s 2>/dev/null)'", what.asked);
    (void)fprintf(cli_out(), " -d '");
    for (const char *at = option->help; *at != '\0'; at++)
        (void)fprintf(cli_out(), "%s%c", *at == '\'' || *at == '\\' ? "\\" : "", *at);
    (void)fprintf(cli_out(), "'\n");
}

static void print_fish(void)
{
    (void)fprintf(cli_out(), "# fish completion of parallax; made by 'parallax completion fish'\n"
                             "complete -c parallax -f\n");
    for (size_t i = 0; cli_verb_at(i) != NULL; i++) {
        const cli_verb *verb = cli_verb_at(i);
        follow what = operands_of(verb);
        (void)fprintf(cli_out(), "complete -c parallax -n __fish_use_subcommand -a %s -d '%s'\n", verb->name,
                      verb->summary);
        if (what.words[0] != '\0')
            (void)fprintf(cli_out(), "complete -c parallax -n '__fish_seen_subcommand_from %s' -a '%s'\n", verb->name,
                          what.words);
        if (what.files)
            (void)fprintf(cli_out(), "complete -c parallax -n '__fish_seen_subcommand_from %s' -F\n", verb->name);
        cli_each_option(verb, fish_option, NULL);
    }
}

/* ---- the verb ------------------------------------------------------------------ */

/* Each word once. */
static void put_word(cli_list *seen, const char *word)
{
    if (cli_list_has(seen, word))
        return;
    (void)fprintf(cli_out(), "%s\n", word);
    (void)cli_list_add(seen, word);
}

static void put_kernel(void *seen, const plx_kernel *kernel, const char *plugins)
{
    (void)plugins;
    put_word(seen, kernel->name);
}

static void put_kernels(plx_context *context, cli_list *seen)
{
    put_word(seen, "best");
    put_word(seen, "all");
    for (unsigned op = 0; op < PLX_OP_COUNT; op++)
        cli_each_kernel(context, (plx_op)op, put_kernel, seen);
}

static int put_backends(plx_context *context, cli_list *seen)
{
    cli_device *devices;
    size_t count;
    plx_plugin_report report;
    const int status = cli_find_devices(context, &devices, &count);
    put_word(seen, "auto");
    put_word(seen, "all");
    for (size_t i = 0; i < plx_plugin_count(context); i++)
        if (plx_plugin_at(context, i, &report) == PLX_OK && report.loaded)
            put_word(seen, report.name);
    for (size_t i = 0; status == CLI_OK && i < count; i++)
        (void)fprintf(cli_out(), "%s\n", devices[i].label);
    free(devices);
    return status;
}

static bool asks_words(const cli_options *options)
{
    return options->operands.count == 2 && strcmp(options->operands.at[0], "words") == 0;
}

/* For the scripts. */
static int completion_run(plx_context *context, cli_options *options)
{
    cli_list seen = {.count = 0};
    int status = cli_load_plugins(context);
    if (status == CLI_OK && strcmp(options->operands.at[1], "kernels") == 0)
        put_kernels(context, &seen);
    else if (status == CLI_OK)
        status = put_backends(context, &seen);
    free(seen.at);
    return status;
}

static int completion_check(cli_options *options)
{
    static const char *const shells[] = {"bash", "zsh", "fish"};
    static void (*const print[])(void) = {print_bash, print_zsh, print_fish};
    if (asks_words(options) &&
        (strcmp(options->operands.at[1], "kernels") == 0 || strcmp(options->operands.at[1], "backends") == 0))
        return CLI_OK;
    if (options->operands.count != 1)
        return cli_wrong_usage("which shell? bash, zsh or fish");
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++) {
        if (strcmp(shells[i], options->operands.at[0]) == 0) {
            cli_out_verbatim(true);
            print[i]();
            cli_out_verbatim(false);
            return CLI_DONE;
        }
    }
    cli_say_unknown("shell", options->operands.at[0], shells, sizeof shells / sizeof shells[0]);
    return CLI_USAGE;
}

const cli_verb cli_completion_verb = {
    .name = "completion",
    .summary = "a script by which a shell completes what is typed",
    .usage = "completion bash|zsh|fish",
    .help = "Prints a script that completes verbs, options and their words.  'make install' puts it\n"
            "where the shells look for it.  'completion words kernels' and '... backends' print the words\n"
            "that the scripts ask for.\n"
            "\n"
            "Examples:\n"
            "  source <(parallax completion bash)\n"
            "  parallax completion fish >~/.config/fish/completions/parallax.fish\n",
    .check = completion_check,
    .run = completion_run,
};
