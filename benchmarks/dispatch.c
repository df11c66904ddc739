/* What `plx_execute` costs over the driver's own launch of the same kernel:
 *
 *   dispatch-cuda [DEVICE] [--json]        dispatch-opencl [DEVICE] [--json]
 *
 * Bursts of both, each first every other time, short enough that the device's queue never fills;
 * the host's clock over one burst, without the wait for its end. */
#include "benchmarks/dispatch.h"

#include "base/clock.h"
#include "study/measure/measure.h"

#include <jansson.h>
#include <parallax/parallax.h>
#include <stdlib.h>
#include <string.h>

enum { BURST = 200, BURSTS = 400, WARM = 20, SIDE = 32 };

typedef struct contest {
    plx_context *context;
    plx_backend *backend;
    plx_plan *plan;
    plx_view views[2];
    plx_session *session; /* the driver's side: another of the same device */
    plx_plugin_queue *queue;
    plx_memory *memory[2];
    driver_launch *launch;
    double executed[BURSTS], launched[BURSTS]; /* ns per call */
} contest;

/* ---- the two that compete ----------------------------------------------------- */

static plx_status burst_of_executes(contest *c, double *ns, plx_error *error)
{
    plx_status status = PLX_OK;
    double start = plx_now_ns();

    for (size_t i = 0; i < BURST && status == PLX_OK; ++i)
        status = plx_execute(c->plan, NULL, c->views, 2);
    *ns = (plx_now_ns() - start) / BURST;
    if (status == PLX_OK)
        status = plx_synchronize(c->backend, NULL);
    return status == PLX_OK ? status : plx_fail(error, status, "%s", plx_message(c->context));
}

static plx_status burst_of_launches(contest *c, double *ns, plx_error *error)
{
    plx_status status = PLX_OK;
    double start = plx_now_ns();

    for (size_t i = 0; i < BURST && status == PLX_OK; ++i)
        status = the_driver.enqueue(c->launch, error);
    *ns = (plx_now_ns() - start) / BURST;
    return status == PLX_OK ? the_driver.slots.synchronize(c->queue, error) : status;
}

static plx_status compete(contest *c, plx_error *error)
{
    plx_status status = PLX_OK;

    for (size_t i = 0; i < WARM + BURSTS && status == PLX_OK; ++i) {
        const size_t place = i < WARM ? 0 : i - WARM;
        const bool first = i % 2 == 0;
        if (first)
            status = burst_of_executes(c, &c->executed[place], error);
        if (status == PLX_OK)
            status = burst_of_launches(c, &c->launched[place], error);
        if (status == PLX_OK && !first)
            status = burst_of_executes(c, &c->executed[place], error);
    }
    return status;
}

/* What is added is told by the pairs of bursts, one right after the other: from burst to burst
 * a machine changes more. */
static void judge(contest *c, plx_timing *executed, plx_timing *launched, plx_timing *added)
{
    double differences[BURSTS];

    for (size_t i = 0; i < BURSTS; ++i)
        differences[i] = c->executed[i] - c->launched[i];
    plx_timing_of(differences, BURSTS, added);
    plx_timing_of(c->executed, BURSTS, executed);
    plx_timing_of(c->launched, BURSTS, launched);
}

/* ---- before and after ------------------------------------------------------------ */

static const plx_row *row_of_copy(void)
{
    for (size_t i = 0; i < plx_transpose_ladder.count; ++i)
        if (strcmp(plx_transpose_ladder.rows[i].about.name, "copy") == 0)
            return &plx_transpose_ladder.rows[i];
    return NULL;
}

static plx_status prepare_execute(contest *c, const char *where, const plx_problem *problem, uint64_t bytes)
{
    plx_status status = plx_open(c->context, where, &c->backend);

    for (size_t i = 0; i < 2 && status == PLX_OK; ++i)
        status = plx_buffer_create(c->backend, bytes, &c->views[i].buffer);
    return status == PLX_OK ? plx_plan_create(c->backend, problem, "copy", &c->plan) : status;
}

static plx_status prepare_launch(contest *c, size_t device, const plx_problem *problem, uint64_t bytes,
                                 plx_error *error)
{
    const plx_plugin *backend = &the_driver.slots;
    const plx_row *row = row_of_copy();
    const plx_image *image = NULL;
    plx_recipe recipe;
    plx_device_info ignored[1];
    size_t count = 0;
    if (row == NULL)
        return plx_fail(error, PLX_NOT_FOUND, "transpose has no kernel \"copy\"");
    plx_status status = backend->probe(ignored, 1, &count, error); /* loads the driver */

    if (status == PLX_OK)
        status = backend->open(device, &c->session, error);
    if (status == PLX_OK)
        status = backend->queue_create(c->session, &c->queue, error);
    for (size_t i = 0; i < 2 && status == PLX_OK; ++i)
        status = backend->alloc(c->session, bytes, &c->memory[i], error);
    if (status == PLX_OK)
        status = plx_recipe_write(row, false, problem, the_driver.info(c->session), &recipe, error);
    if (status == PLX_OK)
        status = plx_ladder_image(the_driver.images, the_driver.api, problem->op, row, &recipe, &image, error);
    if (status == PLX_OK && (recipe.step_count != 1 || recipe.scratch_bytes > 0))
        status = plx_fail(error, PLX_UNSUPPORTED, "%s is no single launch", row->about.name);
    return status == PLX_OK ? the_driver.load(c->queue, image, &recipe, c->memory, &c->launch, error) : status;
}

static plx_status prepare(contest *c, size_t device, plx_error *error)
{
    char where[48];
    const plx_problem problem = plx_transpose_of(PLX_F32, SIDE, SIDE);
    const uint64_t bytes = SIDE * SIDE * sizeof(float);
    plx_status status = plx_context_create(NULL, &c->context);

    if (status != PLX_OK)
        return plx_fail(error, status, "%s", plx_strerror(status));
    (void)snprintf(where, sizeof where, "%s:%zu", the_driver.backend, device);
    status = prepare_execute(c, where, &problem, bytes);
    if (status != PLX_OK)
        return plx_fail(error, status, "%s", plx_message(c->context));
    return prepare_launch(c, device, &problem, bytes, error);
}

static void end(contest *c)
{
    the_driver.release(c->launch);
    for (size_t i = 0; i < 2; ++i)
        if (c->memory[i] != NULL)
            the_driver.slots.free(c->session, c->memory[i]);
    if (c->queue != NULL)
        the_driver.slots.queue_destroy(c->queue);
    if (c->session != NULL)
        the_driver.slots.close(c->session);
    plx_plan_destroy(c->plan);
    for (size_t i = 0; i < 2; ++i)
        plx_buffer_destroy(c->views[i].buffer);
    plx_close(c->backend);
    plx_context_destroy(c->context);
}

static json_t *timing_json(const plx_timing *timing)
{
    return json_pack("{s:f, s:[f,f], s:I}", "median_ns", timing->median_ns, "ci95_ns", timing->low_ns, timing->high_ns,
                     "samples", (json_int_t)timing->samples);
}

static void print(const contest *c, const plx_timing *executed, const plx_timing *launched, const plx_timing *added,
                  bool json)
{
    const char *label = plx_backend_label(c->backend), *device = plx_backend_device(c->backend)->name;
    json_t *root;

    if (!json) {
        printf("%s (%s): execute %.0f ns, %s %.0f ns: %.0f ns added, %.0f to %.0f\n", label, device,
               executed->median_ns, the_driver.what, launched->median_ns, added->median_ns, added->low_ns,
               added->high_ns);
        return;
    }
    root = json_pack("{s:s, s:s, s:s, s:s, s:i, s:o, s:o, s:o}", "schema", "parallax-dispatch/1", "backend", label,
                     "device", device, "driver_calls", the_driver.what, "burst", BURST, "execute",
                     timing_json(executed), "launch", timing_json(launched), "added", timing_json(added));
    (void)json_dumpf(root, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
    putchar('\n');
    json_decref(root);
}

/* [DEVICE] [--json] */
static bool parse(int argc, char **argv, size_t *device, bool *json)
{
    char *last = "";

    *json = argc > 1 && strcmp(argv[argc - 1], "--json") == 0;
    *device = 0;
    argc -= *json;
    if (argc > 1)
        *device = (size_t)strtoul(argv[1], &last, 10);
    return argc <= 2 && *last == '\0';
}

int main(int argc, char **argv)
{
    static contest c;
    plx_error error = {.text = ""};
    plx_timing executed = {.measured = false}, launched = {.measured = false}, added = {.measured = false};
    bool json;
    size_t device;
    plx_status status;

    if (!parse(argc, argv, &device, &json)) {
        (void)fprintf(stderr,
                      "usage: dispatch-%s [DEVICE] [--json]; DEVICE is a number of `parallax list "
                      "devices`, 0 without it\n",
                      the_driver.backend);
        return 2;
    }
    status = prepare(&c, device, &error);
    if (status == PLX_OK)
        status = compete(&c, &error);
    if (status == PLX_OK) {
        judge(&c, &executed, &launched, &added);
        print(&c, &executed, &launched, &added, json);
    } else {
        (void)fprintf(stderr, "dispatch-%s: %s\n", the_driver.backend, error.text);
    }
    end(&c);
    return status == PLX_OK ? 0 : status == PLX_NO_DEVICE || status == PLX_NOT_FOUND ? 3 : 5;
}
