/* screen: whether the devices of this machine are right. */
#define _POSIX_C_SOURCE 200809L

#include "cli.h"

#include "base/clock.h"
#include "base/text.h"
#include "base/whereabouts.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CLI_DEGRADED = 10, CLI_MISCONFIGURED = 11, CLI_UNTESTED = 12, RECORD = 0x1e };
static const double usual_budget = 45;

/* ---- verdicts ------------------------------------------------------------------------- */

static const char *const limits[] = {"isolate", "degraded", "any"};
enum { LIMITS = sizeof limits / sizeof limits[0] };

int cli_fail_on_check(const cli_options *options)
{
    for (size_t i = 0; i < LIMITS; i++)
        if (options->fail_on == NULL || strcmp(options->fail_on, limits[i]) == 0)
            return CLI_OK;
    cli_say_unknown("limit", options->fail_on, limits, LIMITS);
    return CLI_USAGE;
}

int cli_health_status(const cli_options *options, plx_health_verdict verdict)
{
    static const int statuses[PLX_HEALTH_VERDICT_COUNT] = {
        [PLX_HEALTHY] = CLI_OK,        [PLX_DEGRADED] = CLI_DEGRADED,
        [PLX_UNTESTED] = CLI_UNTESTED, [PLX_MISCONFIGURED] = CLI_MISCONFIGURED,
        [PLX_FAULTY] = CLI_WRONG,
    };
    if (options->fail_on == NULL)
        return statuses[verdict];
    if (strcmp(options->fail_on, "isolate") == 0)
        return verdict == PLX_FAULTY ? CLI_WRONG : CLI_OK;
    if (strcmp(options->fail_on, "degraded") == 0)
        return verdict == PLX_FAULTY || verdict == PLX_DEGRADED ? CLI_WRONG : CLI_OK;
    return verdict != PLX_HEALTHY ? CLI_WRONG : CLI_OK;
}

/* ---- chips ------------------------------------------------------------------------------- */

static bool is_processor(const plx_device_info *info)
{
    return (info->features & PLX_FEATURE_CPU) != 0;
}

/* "cuda", "cuda:1", "cuda:GPU-..." of --backend. */
static bool is_named(const cli_options *options, const cli_device *device)
{
    for (size_t i = 0; i < options->backends.count; i++) {
        const char *word = options->backends.at[i], *colon = strchr(word, ':');
        const size_t length = strcspn(word, ":");
        if (strcmp(word, "all") == 0 || strcmp(word, device->label) == 0)
            return true;
        if (strncmp(word, device->label, length) != 0 || device->label[length] != ':')
            continue;
        if (colon == NULL || plx_device_is(&device->info, colon + 1))
            return true;
    }
    return false;
}

static bool any_accelerator(const cli_device *devices, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!is_processor(&devices[i].info))
            return true;
    return false;
}

static bool is_wanted(const cli_options *options, const cli_device *device, bool accelerators)
{
    if (options->backends.count > 0)
        return is_named(options, device);
    if (options->device == NULL)
        return is_processor(&device->info) != accelerators;
    return strcmp(options->device, "all") == 0 || strcmp(options->device, device->label) == 0 ||
           plx_device_is(&device->info, options->device);
}

static void add_chip(cli_chip *chips, size_t *count, size_t *physical, const cli_device *device)
{
    size_t i = 0;
    while (i < *count && physical[i] != device->physical)
        i++;
    cli_chip *chip = &chips[i];
    if (i == *count) {
        *chip = (cli_chip){.info = device->info};
        physical[(*count)++] = device->physical;
    }
    if (chip->label_count < PLX_SCREEN_BACKENDS)
        (void)snprintf(chip->labels[chip->label_count++], sizeof chip->labels[0], "%s", device->label);
}

int cli_find_chips(plx_context *context, const cli_options *options, cli_chip **chips, size_t *count)
{
    cli_device *devices;
    size_t found;
    const int status = cli_find_devices(context, &devices, &found);
    if (status != CLI_OK)
        return status;
    const bool accelerators = any_accelerator(devices, found);
    size_t *physical = calloc(found + 1, sizeof *physical);
    *chips = calloc(found + 1, sizeof **chips);
    *count = 0;
    for (size_t i = 0; physical != NULL && *chips != NULL && i < found; i++)
        if (is_wanted(options, &devices[i], accelerators))
            add_chip(*chips, count, physical, &devices[i]);
    free(physical);
    free(devices);
    if (*count > 0)
        return CLI_OK;
    free(*chips);
    *chips = NULL;
    cli_say("there is no such device: nothing is screened; 'parallax list' shows those there are, 'parallax doctor' "
            "why others "
            "are not");
    return options->backends.count > 0 || options->device != NULL ? CLI_UNAVAILABLE : CLI_UNTESTED;
}

/* ---- what is written --------------------------------------------------------------------------- */

static plx_status write_json(const void *what, FILE *to, plx_error *error)
{
    return plx_screen_write_json(what, to, error);
}

/* "DIR/screen-HOST-RANK.json": each process of a job has a file of its own. */
static char *path_in(const char *directory)
{
    plx_whereabouts here;
    char rank[32] = "";
    plx_whereabouts_now(plx_results_are_anonymous(), &here);
    const char *name = here.node[0] != '\0' ? here.node : here.host;
    if (here.rank >= 0)
        (void)snprintf(rank, sizeof rank, "%s%lld", name[0] != '\0' ? "-" : "", (long long)here.rank);
    else if (name[0] == '\0')
        (void)snprintf(rank, sizeof rank, "%ld", (long)getpid());
    char *path = plx_text("%s/screen-%s%s.json", directory, name, rank);
    for (char *at = path != NULL ? path + strlen(directory) + 1 : NULL; at != NULL && *at != '\0'; at++)
        if (*at == '/')
            *at = '_';
    return path;
}

static int check_folder(const char *directory)
{
    plx_output *output;
    plx_error error;
    if (mkdir(directory, 0777) != 0 && access(directory, W_OK | X_OK) != 0)
        return cli_wrong_usage("--out: nothing can be written to '%s' (%s); choose a folder of yours", directory,
                               strerror(errno));
    char *path = path_in(directory);
    if (path == NULL)
        return cli_wrong_usage("no memory");
    const plx_status status = plx_output_open(path, &output, &error);
    free(path);
    if (status != PLX_OK)
        return cli_wrong_usage("--out: %s", error.text);
    plx_output_discard(output);
    return CLI_OK;
}

static int write_folder(const cli_options *options, const plx_screen *screen)
{
    char *path = options->folder != NULL ? path_in(options->folder) : NULL;
    if (options->folder == NULL)
        return CLI_OK;
    const int status = path != NULL ? cli_write(path, write_json, screen) : cli_wrong_usage("no memory");
    free(path);
    return status;
}

static bool has_format(const cli_options *options, const char *name)
{
    return options->format != NULL && strcmp(options->format, name) == 0;
}

static int write_shown(const cli_options *options, const plx_screen *screen)
{
    plx_error error = {""};
    plx_status status = PLX_OK;
    if (cli_is_stdout(options->json))
        return CLI_OK;
    if (has_format(options, "json"))
        status = plx_screen_write_json(screen, cli_out(), &error);
    else if (has_format(options, "ocptv"))
        status = plx_screen_write_ocp(screen, cli_out(), &error);
    else if ((options->given & OPT_QUIET) == 0)
        status = plx_screen_write_table(screen, cli_out(), cli_terminal_width(), &error);
    return status == PLX_OK ? CLI_OK : cli_wrong_usage("%s", error.text);
}

static int write_all(const cli_options *options, const plx_screen *screen)
{
    int status = write_shown(options, screen);
    const int json = cli_write(options->json, write_json, screen), folder = write_folder(options, screen);
    status = status == CLI_OK ? json : status;
    return status == CLI_OK ? folder : status;
}

/* ---- in this process -------------------------------------------------------------------------------- */

typedef struct teller {
    const cli_options *options;
    plx_screen screen;
} teller;

/* A text sequence of JSON (RFC 7464), so that what is known is there whatever becomes of this process. */
static void tell(void *data, const plx_screened_device *so_far)
{
    teller *this = data;
    plx_error error;
    plx_screened_device device = *so_far;
    this->screen.devices = &device;
    this->screen.device_count = 1;
    (void)putc(RECORD, cli_out());
    (void)plx_screen_write_json(&this->screen, cli_out(), &error);
    (void)putc('\n', cli_out());
    (void)fflush(cli_out());
}

static double seconds_left(const cli_options *options)
{
    const double budget = options->budget > 0 ? options->budget : usual_budget;
    const double left = options->begun > 0 ? budget - (plx_now_ns() * 1e-9 - options->begun) : budget;
    return left > 0.01 ? left : 0.01;
}

enum { MOST_CALLS = 16, LOOKS_A_SECOND = 4, LATE_SECONDS = 3 };

static bool is_among(const plx_call *call, const plx_call *calls, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (calls[i].thread == call->thread && calls[i].number == call->number)
            return true;
    return false;
}

/* Those of `calls` that are still being made. */
static size_t keep_those_that_last(plx_call *calls, size_t count)
{
    plx_call now[MOST_CALLS];
    const size_t made = plx_calls(now, MOST_CALLS);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (is_among(&calls[i], now, made))
            calls[kept++] = calls[i];
    return kept;
}

/* Some seconds after the end: which call it is that did not come back in all of them, for whoever ends this process.
 * One of many that are slow, as on a busy machine, is none. */
static void *tell_late(void *data)
{
    plx_call calls[MOST_CALLS];
    plx_pause_ns(*(const double *)data * 1e9);
    size_t count = plx_calls(calls, MOST_CALLS);
    for (int looks = 0; looks < LATE_SECONDS * LOOKS_A_SECOND; looks++) {
        plx_pause_ns(1e9 / LOOKS_A_SECOND);
        count = keep_those_that_last(calls, count);
    }
    for (size_t i = 0; i < count; i++)
        if (!calls[i].own)
            (void)fprintf(stderr, "late: %s%s%s on %s\n", calls[i].what, calls[i].kernel[0] != '\0' ? " of " : "",
                          calls[i].kernel, calls[i].backend);
    return NULL;
}

static void begin_telling_late(const double *seconds)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, tell_late, (void *)(uintptr_t)seconds) == 0)
        (void)pthread_detach(thread);
}

static int run_copies(plx_context *context, const cli_options *options)
{
    plx_screen screen = {.budget = options->budget, .seed = options->seed};
    plx_error error = {""};
    const plx_status status = plx_screen_copies(context, options->backends.at, options->backends.count,
                                                UINT64_C(1) << (options->budget < 15 ? 24 : 26), options->seed,
                                                &screen.copies, &screen.copy_count, &error);
    if (status != PLX_OK)
        return cli_failed(status, &error);
    (void)putc(RECORD, cli_out());
    const plx_status written = plx_screen_write_json(&screen, cli_out(), &error);
    (void)putc('\n', cli_out());
    plx_screen_free(&screen);
    return written == PLX_OK ? CLI_OK : cli_failed(written, &error);
}

static int run_here(plx_context *context, const cli_options *options)
{
    plx_seal *seal = NULL;
    plx_error error = {""};
    plx_screened_device device;
    const bool told = cli_is_stdout(options->json);
    if (options->copies)
        return run_copies(context, options);
    if (options->against != NULL && plx_seal_read(options->against, &seal, &error) != PLX_OK)
        return cli_wrong_usage("%s", error.text);
    teller this = {.options = options, .screen = {.budget = options->budget, .seed = options->seed}};
    const plx_screen_options wanted = {
        .backends = options->backends.at,
        .backend_count = options->backends.count,
        .kernels = options->kernels.at,
        .kernel_count = options->kernels.count,
        .dtypes = options->dtypes,
        .dtype_count = options->dtype_count,
        .budget = seconds_left(options),
        .seed = options->seed,
        .self_test = options->self_test,
        .proof_only = has_format(options, "seal"),
        .seal = seal,
        .progress = told ? tell : NULL,
        .data = &this,
    };
    static double left; /* the thread may outlive this call */
    left = wanted.budget;
    if (told)
        begin_telling_late(&left);
    const plx_status status = plx_screen_device(context, &wanted, &device, &error);
    plx_seal_free(seal);
    if (status != PLX_OK)
        return cli_failed(status, &error);
    this.screen.interrupted = plx_studies_stopped();
    if (told)
        tell(&this, &device);
    this.screen.devices = &device;
    this.screen.device_count = 1;
    const int written = told ? CLI_OK : write_all(options, &this.screen);
    const plx_health_verdict verdict = device.verdict;
    plx_screened_device_free(&device);
    return written != CLI_OK ? written : told ? CLI_OK : cli_health_status(options, verdict);
}

/* ---- the machine -------------------------------------------------------------------------------------- */

/* A seal that nothing can be held against is no proof. */
static void note_mismatch(const plx_seal *seal, plx_screen *screen)
{
    for (size_t i = 0; i < screen->device_count; i++) {
        plx_screened_device *device = &screen->devices[i];
        char reason[400];
        plx_seal_mismatch(seal, &device->info, reason, sizeof reason);
        if (reason[0] == '\0' || device->verdict > PLX_UNTESTED)
            continue;
        device->verdict = PLX_UNTESTED;
        (void)snprintf(device->reason, sizeof device->reason, "%s", reason);
    }
}

static int screen_chips(const cli_options *options, const cli_chip *chips, size_t count, const plx_seal *seal)
{
    plx_screen screen = {.budget = options->budget, .seed = options->seed};
    screen.devices = calloc(count, sizeof *screen.devices);
    screen.device_count = screen.devices != NULL ? count : 0;
    if (options->against != NULL)
        (void)snprintf(screen.seal, sizeof screen.seal, "%s", options->against);
    int status = screen.devices != NULL ? cli_screen_children(options, chips, count, false, &screen)
                                        : cli_wrong_usage("no memory");
    if (status == CLI_OK && !plx_studies_stopped())
        status = cli_screen_copies(options, chips, count, &screen);
    screen.interrupted = plx_studies_stopped();
    if (seal != NULL)
        note_mismatch(seal, &screen);
    plx_screen_vote(&screen);
    if (status == CLI_OK)
        status = write_all(options, &screen);
    if (status == CLI_OK)
        status = cli_health_status(options, plx_screen_verdict(&screen));
    plx_screen_free(&screen);
    return status;
}

static int screen_run(plx_context *context, cli_options *options)
{
    cli_chip *chips = NULL;
    plx_seal *seal = NULL;
    plx_error error = {""};
    size_t count;
    if (options->in_process)
        return run_here(context, options);
    if (options->begun <= 0)
        options->begun = plx_now_ns() * 1e-9;
    if (options->budget <= 0)
        options->budget = usual_budget;
    if (options->against != NULL && plx_seal_read(options->against, &seal, &error) != PLX_OK)
        return cli_wrong_usage("%s", error.text);
    if (seal != NULL)
        options->seed = plx_seal_seed(seal);
    int status = cli_find_chips(context, options, &chips, &count);
    if (status == CLI_OK)
        status = screen_chips(options, chips, count, seal);
    else if (status == CLI_UNTESTED)
        status = cli_health_status(options, PLX_UNTESTED);
    free(chips);
    plx_seal_free(seal);
    return status;
}

static int screen_check(cli_options *options)
{
    static const char *const formats[] = {"table", "json", "ocptv", "seal"};
    enum { FORMATS = sizeof formats / sizeof formats[0], SHOWN = FORMATS - 1 };
    plx_seal *seal = NULL;
    plx_error error = {""};
    bool known = options->format == NULL;
    if (options->operands.count > 0)
        return cli_wrong_usage("takes no operand, so not '%s'", options->operands.at[0]);
    for (size_t i = 0; !known && i < (options->in_process ? (size_t)FORMATS : (size_t)SHOWN); i++)
        known = strcmp(options->format, formats[i]) == 0;
    if (!known) {
        cli_say_unknown("format", options->format, formats, SHOWN);
        return CLI_USAGE;
    }
    if (options->device != NULL && options->backends.count > 0)
        return cli_wrong_usage("--device and --backend contradict each other");
    if (options->in_process && options->backends.count == 0)
        return cli_wrong_usage("--in-process: which backends? --backend NAME:DEVICE, of one device");
    if (options->against != NULL && plx_seal_read(options->against, &seal, &error) != PLX_OK)
        return cli_wrong_usage("%s", error.text);
    plx_seal_free(seal);
    int status = cli_fail_on_check(options);
    if (status == CLI_OK && options->folder != NULL)
        status = check_folder(options->folder);
    return status;
}

const cli_verb cli_screen_verb = {
    .name = "screen",
    .summary = "whether the devices of this machine are right",
    .usage = "screen [--budget TIME] [options]",
    .help =
        "Proves results of products, sums and transpositions on every device, through every backend that\n"
        "reaches it, then launches the same kernels on the same operands by turns until the budget is spent:\n"
        "each launch must have the proven bits.  All devices work at once, each in a process of its own.\n"
        "One line for each device: healthy, degraded, faulty, misconfigured or untested, and why.\n"
        "A device that did not run is never healthy.\n"
        "--json and --out write schema parallax-screen/1 for 'parallax fleet'; --against holds the results\n"
        "against a seal ('parallax seal'), without a reference.  Ctrl-C and SIGTERM end it with what is known.\n"
        "\n"
        "Exit status: 0 all are healthy, 1 one is faulty (isolate it), 10 one is degraded, 11 one is\n"
        "misconfigured, 12 one is untested: the worst counts, faulty first, then misconfigured, untested, degraded.\n"
        "With --fail-on: 1 where that is so, else 0: isolate (faulty), degraded (that or slower), any.\n"
        "\n"
        "Examples:\n"
        "  parallax screen --budget 10s --fail-on isolate\n"
        "  parallax screen --budget 15m --json screen.json\n"
        "  srun -N 500 --ntasks-per-node=1 parallax screen --out screens && parallax fleet screens/*.json\n",
    .options = OPT_COMMON | OPT_BACKEND | OPT_KERNEL | OPT_DTYPE | OPT_SEED | OPT_JSON | OPT_SCREEN | OPT_FAIL_ON,
    .stops = true,
    .terminates = true,
    .check = screen_check,
    .run = screen_run,
};
