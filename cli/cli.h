/* What the verbs of the program share: exit statuses, options, messages, outputs. */
#ifndef PLX_CLI_H
#define PLX_CLI_H

#include "base/table.h"

#include <parallax/judge.h>
#include <parallax/parallax.h>
#include <parallax/study.h>

#include <stdio.h>

/* What scripts may rely on. */
enum {
    CLI_OK = 0,
    CLI_WRONG = 1,          /* a result was wrong, or backends disagree */
    CLI_USAGE = 2,          /* usage, a bad file, an impossible problem */
    CLI_UNAVAILABLE = 3,    /* a backend, device or kernel asked for by name */
    CLI_NOTHING = 4,        /* nothing could be compared */
    CLI_BACKEND_FAILED = 5, /* while running */
    CLI_SLOWER = 6,         /* judge --against: right, and slower than before */
    CLI_INTERRUPTED = 130,  /* by Ctrl-C, after what was finished has been shown and written */
};
/* No exit status: all that was asked for is done. */
enum { CLI_DONE = -1 };

/* Words from the command line; the words themselves belong to argv. */
typedef struct cli_list {
    const char **at;
    size_t count;
} cli_list;

/* One bit per option; a verb says which it takes. */
#define OPT_BACKEND (UINT64_C(1) << 0)
#define OPT_KERNEL (UINT64_C(1) << 1)
#define OPT_SHAPE (UINT64_C(1) << 2)
#define OPT_DTYPE (UINT64_C(1) << 3)
#define OPT_SETTINGS (UINT64_C(1) << 4) /* all that operations have of their own: --trans-a, --alpha */
#define OPT_EXPORT (UINT64_C(1) << 5)   /* --recipe as explain takes it */
#define OPT_AXIS (UINT64_C(1) << 6)
#define OPT_DRAFT (UINT64_C(1) << 8)
#define OPT_IN (UINT64_C(1) << 10)
#define OPT_OUT (UINT64_C(1) << 11)
#define OPT_SEED (UINT64_C(1) << 12)
#define OPT_INPUT (UINT64_C(1) << 13)
#define OPT_JSON (UINT64_C(1) << 14)
#define OPT_CSV (UINT64_C(1) << 15)
#define OPT_PLUGIN_DIR (UINT64_C(1) << 16)
#define OPT_NO_TIMING (UINT64_C(1) << 17)
#define OPT_SECONDS (UINT64_C(1) << 18)
#define OPT_QUICK (UINT64_C(1) << 19)
#define OPT_FULL (UINT64_C(1) << 20)
#define OPT_SAVE_FAILURE (UINT64_C(1) << 21)
#define OPT_VERBOSE (UINT64_C(1) << 22)
#define OPT_QUIET (UINT64_C(1) << 23)
#define OPT_PLOT (UINT64_C(1) << 24)
#define OPT_COUNTERS (UINT64_C(1) << 25)
#define OPT_CASE (UINT64_C(1) << 26)
#define OPT_HOT (UINT64_C(1) << 27)
#define OPT_SET (UINT64_C(1) << 28)
#define OPT_RESTART (UINT64_C(1) << 29)
#define OPT_THRESHOLD (UINT64_C(1) << 31)
#define OPT_REPEATS (UINT64_C(1) << 32)
#define OPT_QUEUES (UINT64_C(1) << 33)
#define OPT_REPORT (UINT64_C(1) << 30) /* --out, --plot, --section and --history as report takes them */
#define OPT_BUDGET (UINT64_C(1) << 34)
#define OPT_MARKDOWN (UINT64_C(1) << 40)
#define OPT_ALL (UINT64_C(1) << 41)
#define OPT_RESULT (UINT64_C(1) << 50)
#define OPT_JUNIT (UINT64_C(1) << 51)
#define OPT_PROMISE (UINT64_C(1) << 52)   /* what a result claims of its arithmetic */
#define OPT_CHALLENGE (UINT64_C(1) << 53) /* --out as challenge takes it, and --batches */
#define OPT_RECIPE (UINT64_C(1) << 54)    /* --device as judge takes it */
#define OPT_COMPILE_ONLY (UINT64_C(1) << 37)
#define OPT_AGAINST (UINT64_C(1) << 38)
#define OPT_KERNEL_FILE (UINT64_C(1) << 36) /* --source and what goes with it: a kernel in a file, and its recipe */
#define OPT_JUDGED (UINT64_C(1) << 7)       /* what judge --source has of its own */
#define OPT_PRINT (UINT64_C(1) << 55)
#define OPT_RATES (UINT64_C(1) << 43)
#define OPT_ALLOW_MISSING (UINT64_C(1) << 44)
#define OPT_REQUIRE (UINT64_C(1) << 45)
#define OPT_STRICT (UINT64_C(1) << 46)
#define OPT_ANNOTATE (UINT64_C(1) << 47)
#define OPT_ACROSS (UINT64_C(1) << 48)
#define OPT_SCREEN (UINT64_C(1) << 60)  /* --budget and the others as screen takes them */
#define OPT_FAIL_ON (UINT64_C(1) << 61) /* of verdicts on devices */
#define OPT_FLEET (UINT64_C(1) << 62)
#define OPT_SEAL (UINT64_C(1) << 59)       /* --budget as seal takes it */
#define OPT_TIME_LIMIT (UINT64_C(1) << 42) /* --budget as attribute takes it */

#define OPT_SOURCE (UINT64_C(1) << 56) /* --source as explain takes it */
#define OPT_MEASURED (UINT64_C(1) << 57)
#define OPT_INSTRUCTIONS (UINT64_C(1) << 58)

#define OPT_RUNS (UINT64_C(1) << 63)

/* The sets that most verbs take. */
#define OPT_CI (OPT_JUNIT | OPT_MARKDOWN | OPT_ANNOTATE)
#define OPT_COMMON (OPT_PLUGIN_DIR | OPT_VERBOSE | OPT_QUIET)
#define OPT_PROBLEM (OPT_SHAPE | OPT_DTYPE | OPT_SETTINGS | OPT_IN | OPT_SEED | OPT_INPUT)

/* What a command line asks to be computed. */
typedef struct cli_work {
    plx_problem *problems;
    size_t problem_count;
    plx_array *inputs; /* NULL: generated */
    size_t input_count;
    plx_array without_axis; /* the shape of the result along --axis; rank -1: there is no such option */
} cli_work;

typedef struct cli_options {
    uint64_t given;    /* bits of the options that were there */
    cli_list operands; /* the words that are no options */
    bool ended;        /* by "--", before which there were so many operands */
    size_t before_end;
    uint64_t runs;       /* 0: one */
    cli_list own;        /* words that were made, and are freed */
    cli_list more_sizes; /* of the words of `shapes` those that go on with the one before */
    int last;            /* the option before, by its place from 1 on; 0: none */
    cli_list backends, kernels, shapes, sets, in, plugin_dirs, results, tunables, required;
    plx_dtype dtypes[PLX_DTYPE_COUNT];
    size_t dtype_count;
    cli_list settings; /* of the operation: a name and its word or NULL, and so on */
    uint64_t seed;
    uint64_t drawn_seed;                                /* what was given, or one that the system draws */
    uint64_t only_case;                                 /* 0: all */
    uint64_t repeats;                                   /* at most, when given */
    uint64_t queues;                                    /* 0: one */
    uint64_t processes, best_of;                        /* 0: not said */
    const char *replay, *wanted_source, *wanted_recipe; /* the last two: hashes that the files must have; NULL */
    char **words; /* of the verb, its own name first; they belong to whoever called cli_options_read() */
    int word_count;
    plx_input input;
    const char *out, *json, *csv, *junit, *save_failure, *plot, *section, *rates, *draft, *recipe, *device, *source,
        *entry, *axis;
    plx_promise promise;
    double seconds, budget, threshold, begun;
    const char *fail_on, *format, *against, *page, *folder;
    bool explain, sanitize, batches, in_process, self_test, copies, pack, unpack, manifest, history;
    cli_list expected; /* hosts */
    plx_effort effort;
    bool help, version;
    cli_work work;           /* cli_work_read() */
    plx_kernel_file *kernel; /* of --source: cli_kernel_read() */
} cli_options;

typedef struct cli_verb {
    const char *name;
    const char *summary; /* one line */
    const char *usage;   /* what follows "parallax " */
    const char *help;    /* what it does, and examples */
    uint64_t options;    /* bits */
    bool times;          /* then data is of a seed that nobody can foresee, unless --seed says one */
    bool takes_one;      /* backend, kernel, shape and so on, not several */
    bool tries_anew;     /* every plugin, whatever is known of it */
    bool stops;          /* on Ctrl-C, with what it has */
    bool goes_on;        /* without a backend that ended the program, or does not come back */
    bool terminates;     /* on SIGTERM as on Ctrl-C */
    /* All that can be refused before plugins are looked for; also CLI_DONE.  NULL: nothing. */
    int (*check)(cli_options *options);
    /* With the plugins that were found.  NULL: `check` did it all. */
    int (*run)(plx_context *context, cli_options *options);
} cli_verb;

extern const cli_verb cli_screen_verb, cli_seal_verb, cli_fleet_verb;
extern const cli_verb cli_list_verb, cli_doctor_verb, cli_run_verb, cli_check_verb, cli_compare_verb, cli_explain_verb,
    cli_attribute_verb, cli_probe_verb, cli_tune_verb, cli_bench_verb, cli_diff_verb, cli_report_verb,
    cli_completion_verb, cli_judge_verb, cli_challenge_verb;

/* ---- dispatch.c ---------------------------------------------------------- */

/* Carries out argv[1..]; the exit status. */
int cli_dispatch(int argc, char **argv);
/* NULL at the end. */
const cli_verb *cli_verb_at(size_t index);
/* "parallax run", what messages begin with. */
extern const char *cli_who;

/* ---- streams.c ----------------------------------------------------------- */

/* From here on what we write goes to a descriptor of ours, and what others write to descriptor 1, for which plugins and
 * libraries have no leave, to standard error. */
void cli_streams_begin(void);
/* Standard output is descriptor 1 once more, for a program that takes this one's place.  For signal handlers, too. */
void cli_streams_end(void);
/* What is standard output for us. */
FILE *cli_out(void);
int cli_out_descriptor(void);
/* What the process was like before any plugin was loaded is kept; and put back, with a word if there was need. */
void cli_process_keep(void);
void cli_process_put_back(void);
/* Without a word, whatever it is now, for signal handlers. */
void cli_process_force(void);
/* Words that nobody else changes; the same ones where there is no memory. */
char **cli_words_of_our_own(char **argv);

/* ---- wrap.c ----------------------------------------------------------------------------------- */

/* A stream to a terminal that breaks long lines between words; `to` where it can't be made. */
FILE *cli_wrapped(FILE *to);
/* A text whose lines were broken for a wide terminal: its paragraphs in lines that fit this one. */
void cli_put_text(FILE *to, const char *text);
/* From here on, or no longer, what goes to standard output is a file, whose lines stay as they are. */
void cli_out_verbatim(bool verbatim);

/* ---- ending.c ------------------------------------------------------------ */

/* First of all: from here on the program ends with a status of its own. */
void cli_begin(char **argv);
/* Takes the handlers of faults back from whoever has taken them. */
void cli_take_faults(void);
/* Ends the program for a call that does not come back, or begins again without its backend. */
void cli_give_up(const plx_call *call, unsigned seconds);
/* Last of all: nothing that others left to be done at an exit is run. */
void cli_end(int status) __attribute__((noreturn));

/* ---- watch.c --------------------------------------------------------------- */

/* From here on calls into backends are given up after a while. */
void cli_watch(void);

/* ---- interrupt.c -------------------------------------------------------------- */

/* From here on Ctrl-C ends a study and not the program; so does SIGTERM, if that is wanted. */
void cli_interrupt_begin(bool terminates);
/* By Ctrl-C, which can be pressed again; who ends a job by SIGTERM waits. */
bool cli_interrupted_by_hand(void);
/* The status, or CLI_INTERRUPTED with a word. */
int cli_interrupt_status(const plx_results *results, int status);

/* ---- ci.c -------------------------------------------------------------------- */

typedef plx_status cli_ci_writer(const void *what, plx_ci_form form, FILE *to, plx_error *error);
/* --junit, --markdown and --annotate, after everything else.  CLI_OK, or CLI_USAGE after a message. */
int cli_ci_write(const cli_options *options, cli_ci_writer *write, const void *what);
int cli_results_ci_write(const cli_options *options, const char *verb, const plx_results *results);
/* Whether not more than one of them is for standard output. */
int cli_ci_check(const cli_options *options);

/* ---- require.c -------------------------------------------------------------- */

/* Whether each backend of --require has a device; else a message for each, and CLI_UNAVAILABLE. */
int cli_required_check(plx_context *context, const cli_options *options);

/* ---- again.c --------------------------------------------------------------- */

void cli_again_prepare(char **argv);
/* Between the two the program may begin again without a backend: nothing has been written yet. */
void cli_again_from_here(void);
void cli_again_no_more(void);
bool cli_may_begin_again(const char *backend);
/* With so many seconds left of $PLX_DEADLINE.  Comes back where that can't be.  For signal handlers, too. */
void cli_begin_again(const char *backend, const char *reason, unsigned seconds);
/* The backends that it began again without. */
const plx_barred *cli_barred(size_t *count);

/* ---- options.c ----------------------------------------------------------- */

/* Reads argv[1..] of a verb.  CLI_OK, or CLI_USAGE after a message.  Free with
 * cli_options_free() in either case. */
int cli_options_read(const cli_verb *verb, int argc, char **argv, cli_options *options);
void cli_options_free(cli_options *options);
void cli_verb_help(const cli_verb *verb);
/* One option of a verb, as its help has it. */
typedef struct cli_option {
    const char *verb, *name;
    char letter;          /* 0: none */
    const char *argument; /* NULL: takes none */
    const char *help;
} cli_option;
typedef void cli_option_visitor(void *data, const cli_option *option);
void cli_each_option(const cli_verb *verb, cli_option_visitor *visit, void *data);
bool cli_list_add(cli_list *list, const char *word);
bool cli_list_has(const cli_list *list, const char *word);

/* ---- words.c --------------------------------------------------------------- */

/* One line on standard error. */
void cli_say(const char *format, ...) PLX_PRINTF(1, 2);
/* The same, and returns CLI_USAGE. */
int cli_wrong_usage(const char *format, ...) PLX_PRINTF(1, 2);
/* "unknown KIND 'word'; did you mean 'x'?  There are: ..." */
void cli_say_unknown(const char *kind, const char *word, const char *const *names, size_t count);
int cli_op_of(const char *word, plx_op *op);
/* Of an operation that there is, which plx_op_describe() knows. */
plx_op_info cli_op_info(plx_op op);
/* The operations among the operands, each once. */
int cli_ops_of(const cli_options *options, plx_op ops[PLX_OP_COUNT], size_t *count);
/* The same; one that has a verb of its own is refused. */
int cli_compared_ops_of(const cli_options *options, plx_op ops[PLX_OP_COUNT], size_t *count);
/* The words of one kind: 0, 1, ...; NULL at the end. */
typedef struct cli_names {
    const char *kind;
    const char *(*name_of)(size_t index);
} cli_names;
extern const cli_names cli_op_names, cli_dtype_names, cli_reduction_names, cli_input_names, cli_set_names,
    cli_probe_names;
/* cli_say_unknown() of them; CLI_USAGE. */
int cli_unknown(const cli_names *known, const char *word);
/* "f32 f64" of a set of bits. */
void cli_dtypes_text(uint32_t dtypes, char *text, size_t capacity);

/* The exit status that a failed call stands for; cli_failed() says why as well. */
int cli_exit_status(plx_status status);
int cli_failed(plx_status status, const plx_error *error);

/* ---- numbers.c ------------------------------------------------------------- */

/* 1000, 1e6, 1.5M, 64Ki, 2^20 from *at on, which is moved behind it; false: none, or one that does not fit. */
bool cli_number(const char **at, int64_t *value);
bool cli_is_number(const char *word);
/* "f32" of "float32", "gemm" of "matmul"; the word itself of others. */
const char *cli_dtype_alias(const char *word);
const char *cli_op_alias(const char *word);

/* ---- session.c ------------------------------------------------------------- */

/* Finds the plugins; says what is wrong otherwise. */
int cli_open_context(const cli_verb *verb, const cli_options *options, plx_context **context);
/* Says on standard error which tuned choice could not be taken, before the context goes. */
void cli_close_context(const cli_options *options, plx_context *context);
/* The label "cuda:0" of a device. */
void cli_label(char *label, size_t capacity, const char *plugin, size_t device);

/* A device of a plugin, and which chip it is. */
typedef struct cli_device {
    char label[48];
    size_t plugin;
    size_t physical; /* devices with one number are one chip, from 0 on */
    plx_device_info info;
} cli_device;

/* All devices of all plugins.  *devices is malloc'ed.  Else it is told why there are none, and what is returned is
 * the status to end with. */
int cli_find_devices(plx_context *context, cli_device **devices, size_t *count);
/* Loads all plugins, so that what asks for their kernels finds all; the status as above. */
int cli_load_plugins(plx_context *context);

/* ---- bench.c ---------------------------------------------------------------- */

/* Whether there are such sets; CLI_DONE: they were asked for, and shown. */
int cli_sets_check(const cli_list *sets);

/* ---- runs.c ----------------------------------------------------------------- */

/* With --runs: CLI_OK in the process of a run, which goes on; in the first CLI_DONE when all have ended and are in the
 * file, or the status. */
int cli_runs(cli_options *options);

/* ---- list.c ---------------------------------------------------------------- */

/* Visits each kernel of an operation once, in the order of the ladder, with the
 * names of the plugins that have it ("cuda opencl"). */
typedef void cli_kernel_visitor(void *data, const plx_kernel *kernel, const char *plugins);
void cli_each_kernel(plx_context *context, plx_op op, cli_kernel_visitor *visit, void *data);

/* ---- explain_find.c, explain_source.c, explain_measured.c ----------------------------------------- */

/* Whether any kernel says something of the word; and those that do. */
bool cli_explain_knows(plx_context *context, const char *word);
void cli_explain_found(plx_context *context, const char *word);
/* The text of a kernel against that of the step before; NULL: of none. */
int cli_explain_source(plx_op op, const char *kernel, const char *before, const char *ending);
/* The gains that were recorded, of one kernel or, with NULL, of all. */
int cli_explain_measured(plx_op op, const char *kernel);
/* What the device code of an operation's kernels consists of. */
int cli_explain_instructions(plx_context *context, const plx_problem *problem);
/* Where a file is that comes with the program ("kernels/reduce/smem.cu"); CLI_UNAVAILABLE: nowhere. */
int cli_data_path(const char *name, char *path, size_t capacity);

/* ---- problem.c --------------------------------------------------------------- */

/* Takes the operation and its shapes from the operands, options and files to options->work. */
int cli_work_read(cli_options *options);
/* --axis (axis.c), where it is there: x and its problem as the library has them; a result of it in the shape of x
 * without that axis, and back. */
int cli_axis_apply(const cli_options *options, plx_problem *problem, cli_work *work);
void cli_axis_result(const cli_options *options, plx_array *result);
void cli_axis_judged(const cli_options *options, plx_array *result);
/* "f32"; "u1" of a file whose elements are none of ours. */
const char *cli_element_type(const plx_array *array);
/* The compute types that --compute names, all in their order; none where it was not given. */
int cli_computes_read(const cli_options *options, plx_compute computes[PLX_COMPUTE_COUNT], size_t *count);
void cli_work_free(cli_work *work);
/* Settings of a comparison, as the options and their work say. */
plx_compare_options cli_comparison(const cli_options *options);

/* ---- recipe.c ----------------------------------------------------------------- */

/* Judge's --recipe. */
int cli_recipe(cli_options *options);
/* Judge's --draft (draft.c). */
int cli_draft(const cli_options *options);

/* ---- kernel.c ----------------------------------------------------------------- */

/* "TILE=128" of every --tunable; malloc'ed.  CLI_OK, or CLI_USAGE after a message. */
int cli_tunables_read(const cli_options *options, plx_chosen **chosen);
/* Reads --source with its recipe, where it was given, to options->kernel. */
int cli_kernel_read(cli_options *options);
/* Its name to the kernels that are asked for. */
int cli_kernel_name(cli_options *options);
/* Gives it to a context. */
int cli_kernel_add(const cli_options *options, plx_context *context);

/* Judge's --source (judge_kernel.c). */
int cli_judge_kernel(cli_options *options);
/* judge --replay. */
int cli_judge_replay(cli_options *options);
/* CLI_OK, or CLI_USAGE after a message: a file has another hash than a record says. */
int cli_judge_unchanged(const cli_options *options);

/* ---- output.c ---------------------------------------------------------------- */

/* Refuses outputs that can't be written, before any work is done. */
int cli_outputs_check(const cli_options *options);

/* `probe ceilings` (ceilings.c): whether the names ask for it, what can't go with it, and what it
 * does. */
bool cli_asks_ceilings(const cli_list *names);
int cli_ceilings_check(const cli_options *options);
int cli_ceilings(plx_context *context, const cli_options *options);
/* `probe matrix-units` (units.c), the same. */
bool cli_asks_units(const cli_list *names);
int cli_units_check(const cli_options *options);
int cli_units(plx_context *context, const cli_options *options);

/* Whether "-" is meant. */
bool cli_is_stdout(const char *path);
/* Whether standard output belongs to --json or --csv. */
bool cli_stdout_is_taken(const cli_options *options);
/* Writes by a function to a file, or for "-" to standard output; a path of NULL: nothing.  What
 * standard output could not take is told when it is closed. */
typedef plx_status cli_writer(const void *what, FILE *to, plx_error *error);
int cli_write(const char *path, cli_writer *write, const void *what);
/* For people, to standard output. */
int cli_show(cli_writer *write, const void *what);
typedef plx_status cli_results_writer(const plx_results *results, FILE *to, plx_error *error);
int cli_results_write(const char *path, cli_results_writer *write, const plx_results *results);
/* plx_results_status(), and on standard error, after the table, what the table does not say:
 * devices on which nothing was compared, and `nothing` when that was so on all. */
int cli_results_status(const plx_results *results, const char *nothing);
/* Writes what --json and --csv ask for. */
int cli_outputs_write(const cli_options *options, const plx_results *results);
/* PLX_TABLE_ bits that the terminal asks for. */
unsigned cli_table_flags(void);
/* The table, on standard output, unless that is taken or -q was given. */
int cli_table_write(const cli_options *options, const plx_results *results);
/* Of products in several types, what each of them costs and gains. */
int cli_types_write(const cli_options *options, const plx_results *results);
/* Hides columns of a list, in this order, until the others fit into the terminal. */
void cli_table_fit(plx_table *table, const size_t *order, size_t count);
/* A list for people to standard output; it is empty then. */
void cli_table_finish(plx_table *table);
/* Flushes and closes standard output: CLI_OK, or CLI_USAGE after a message. */
int cli_stdout_close(void);
/* Columns of the terminal; 0 when there is none. */
int cli_terminal_width(void);
int cli_width_of(int descriptor);

/* ---- keep.c ------------------------------------------------------------------- */

/* From here on --json, --csv and --junit are kept as they would be if the study ended now, until it ends. */
void cli_keep_begin(const cli_options *options, const char *verb, cli_results_writer *write_csv);
void cli_keep_end(void);
/* Whether there are such files. */
bool cli_keeps(void);
/* From a signal handler, once: they are written, and SIGINT ends the program.  False: nobody does so. */
bool cli_keep_ask(void);

/* ---- progress.c ------------------------------------------------------------------------------ */

/* A progress line on standard error, if that is a terminal; `data` is not used. */
typedef void cli_progress_function(void *data, size_t done, size_t total, const char *what);
cli_progress_function *cli_progress(const cli_options *options);
void cli_progress_end(void);
/* Each second. */
void cli_progress_tick(void);
/* "12 s left, " of what took so long for a share; 0: "12 s so far, ". */
void cli_time_left(double elapsed_s, double share, char *text, size_t capacity);

/* ---- screen_children.c --------------------------------------------------------- */

/* One chip, and the labels of the backends that reach it. */
typedef struct cli_chip {
    plx_device_info info;
    char labels[PLX_SCREEN_BACKENDS][48];
    size_t label_count;
} cli_chip;

/* Screens each chip in a process of its own, all at once, and writes what they say, or what became of them, to devices
 * of `screen`, which has as many.  CLI_OK, or another status after a message. */
int cli_screen_children(const cli_options *options, const cli_chip *chips, size_t count, bool proof_only,
                        plx_screen *screen);
/* Copies between chips in a process of its own. */
int cli_screen_copies(const cli_options *options, const cli_chip *chips, size_t count, plx_screen *screen);

/* ---- screen.c -------------------------------------------------------------------- */

/* The status that a verdict stands for, or what --fail-on makes of it. */
int cli_health_status(const cli_options *options, plx_health_verdict verdict);
/* The chips that the options ask for; malloc'ed. */
int cli_find_chips(plx_context *context, const cli_options *options, cli_chip **chips, size_t *count);
/* What --fail-on may say. */
int cli_fail_on_check(const cli_options *options);

/* ---- plot.c ------------------------------------------------------------------ */

/* Refuses what can't be drawn or written, before any work is done. */
int cli_plot_check(const char *path);
int cli_plot_write(const char *path, const plx_results *results);

#endif
