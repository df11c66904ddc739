/* What `plx_execute` costs over the driver's own launch of the same kernel:
 *
 *   dispatch-cuda [DEVICE] [--imported] [--batch] [--json]        dispatch-opencl ...
 *
 * --imported: the operands are imports of memory that is there, as an application's would be; in turn with them, the
 * same on memory of our own.  --batch: of a batch, whose kernel takes one problem, each of its launches. Bursts of all,
 * in turn forwards and backwards, short enough that the device's queue never fills; the host's clock over one burst,
 * without the wait for its end. */
#include "benchmarks/dispatch.h"

#include "base/clock.h"
#include "study/measure/measure.h"

#include <jansson.h>
#include <parallax/parallax.h>
#include <stdlib.h>
#include <string.h>

enum { BURST = 200, BURSTS = 400, WARM = 20, SIDE = 32, BATCH = 8 };

typedef struct request {
    size_t device;
    bool imported, batch, json;
} request;

typedef struct contest {
    plx_context *context;
    plx_backend *backend;
    plx_plan *plan;
    plx_view views[2]; /* of `own`, or of imports of it */
    plx_view own_views[2];
    plx_buffer *own[2];
    bool imported;
    size_t launches;      /* of one execution */
    plx_session *session; /* the driver's side: another of the same device */
    plx_plugin_queue *queue;
    plx_memory *memory[2];
    driver_launch *launch;
    double executed[BURSTS], on_own[BURSTS], launched[BURSTS]; /* ns per call */
} contest;

/* ---- the two that compete ----------------------------------------------------- */

static plx_status burst_of_executes(contest *c, const plx_view *views, double *ns, plx_error *error)
{
    plx_status status = PLX_OK;
    double start = plx_now_ns();

    for (size_t i = 0; i < BURST && status == PLX_OK; i += c->launches)
        status = plx_execute(c->plan, NULL, views, 2);
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

enum { EXECUTED, ON_OWN, LAUNCHED, CONTESTANTS };

static plx_status burst(contest *c, int contestant, size_t place, plx_error *error)
{
    switch (contestant) {
    case EXECUTED:
        return burst_of_executes(c, c->views, &c->executed[place], error);
    case ON_OWN:
        return c->imported ? burst_of_executes(c, c->own_views, &c->on_own[place], error) : PLX_OK;
    default:
        return burst_of_launches(c, &c->launched[place], error);
    }
}

static plx_status compete(contest *c, plx_error *error)
{
    plx_status status = PLX_OK;

    for (size_t i = 0; i < WARM + BURSTS && status == PLX_OK; ++i)
        for (int turn = 0; turn < CONTESTANTS && status == PLX_OK; ++turn)
            status = burst(c, i % 2 == 0 ? turn : CONTESTANTS - 1 - turn, i < WARM ? 0 : i - WARM, error);
    return status;
}

/* What is added is told by the pairs of bursts, one right after the other: from burst to burst
 * a machine changes more. */
static void difference(const double *one, const double *other, plx_timing *timing)
{
    double differences[BURSTS];

    for (size_t i = 0; i < BURSTS; ++i)
        differences[i] = one[i] - other[i];
    plx_timing_of(differences, BURSTS, timing);
}

typedef struct outcome {
    plx_timing executed, launched, added, over_own;
} outcome;

static void judge(contest *c, outcome *o)
{
    plx_timing_of(c->executed, BURSTS, &o->executed);
    plx_timing_of(c->launched, BURSTS, &o->launched);
    difference(c->executed, c->launched, &o->added);
    if (c->imported)
        difference(c->executed, c->on_own, &o->over_own);
}

/* ---- before and after ------------------------------------------------------------ */

static const plx_row *row_of_copy(void)
{
    for (size_t i = 0; i < plx_transpose_ladder.count; ++i)
        if (strcmp(plx_transpose_ladder.rows[i].about.name, "copy") == 0)
            return &plx_transpose_ladder.rows[i];
    return NULL;
}

/* A buffer of ours as if it were another's. */
static plx_status import(plx_backend *backend, plx_buffer *own, plx_buffer **imported)
{
    plx_native_memory memory;
    const plx_status status = plx_buffer_native(own, &memory);
    return status == PLX_OK ? plx_buffer_import(backend, &memory, imported) : status;
}

static plx_status prepare_execute(contest *c, const char *where, const request *wanted, const plx_problem *one,
                                  uint64_t bytes)
{
    const plx_problem problem = wanted->batch ? plx_batch_of(one, BATCH) : *one;
    plx_status status = plx_open(c->context, where, &c->backend);

    c->launches = wanted->batch ? BATCH : 1;
    c->imported = wanted->imported;
    for (size_t i = 0; i < 2 && status == PLX_OK; ++i) {
        status = plx_buffer_create(c->backend, bytes * c->launches, &c->own[i]);
        c->own_views[i].buffer = c->own[i];
        if (status == PLX_OK && wanted->imported)
            status = import(c->backend, c->own[i], &c->views[i].buffer);
        else if (status == PLX_OK)
            c->views[i].buffer = c->own[i];
    }
    return status == PLX_OK ? plx_plan_create(c->backend, &problem, "copy", &c->plan) : status;
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

static plx_status prepare(contest *c, const request *wanted, plx_error *error)
{
    char where[48];
    const plx_problem problem = plx_transpose_of(PLX_F32, SIDE, SIDE);
    const uint64_t bytes = SIDE * SIDE * sizeof(float);
    plx_status status = plx_context_create(NULL, &c->context);

    if (status != PLX_OK)
        return plx_fail(error, status, "%s", plx_strerror(status));
    (void)snprintf(where, sizeof where, "%s:%zu", the_driver.backend, wanted->device);
    status = prepare_execute(c, where, wanted, &problem, bytes);
    if (status != PLX_OK)
        return plx_fail(error, status, "%s", plx_message(c->context));
    return prepare_launch(c, wanted->device, &problem, bytes, error);
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
    for (size_t i = 0; i < 2; ++i) {
        if (c->views[i].buffer != c->own[i])
            plx_buffer_destroy(c->views[i].buffer);
        plx_buffer_destroy(c->own[i]);
    }
    plx_close(c->backend);
    plx_context_destroy(c->context);
}

static json_t *timing_json(const plx_timing *timing)
{
    return json_pack("{s:f, s:[f,f], s:I}", "median_ns", timing->median_ns, "ci95_ns", timing->low_ns, timing->high_ns,
                     "samples", (json_int_t)timing->samples);
}

static void print_text(const contest *c, const outcome *o, const request *wanted)
{
    printf("%s (%s)%s%s: execute %.0f ns, %s %.0f ns: %.0f ns added, %.0f to %.0f\n", plx_backend_label(c->backend),
           plx_backend_device(c->backend)->name, wanted->imported ? ", imported memory" : "",
           wanted->batch ? ", a batch" : "", o->executed.median_ns, the_driver.what, o->launched.median_ns,
           o->added.median_ns, o->added.low_ns, o->added.high_ns);
    if (wanted->imported)
        printf("  over memory of its own: %.0f ns, %.0f to %.0f\n", o->over_own.median_ns, o->over_own.low_ns,
               o->over_own.high_ns);
}

static void print(const contest *c, const outcome *o, const request *wanted)
{
    json_t *root;

    if (!wanted->json) {
        print_text(c, o, wanted);
        return;
    }
    root =
        json_pack("{s:s, s:s, s:s, s:s, s:i, s:b, s:i, s:o, s:o, s:o}", "schema", "parallax-dispatch/1", "backend",
                  plx_backend_label(c->backend), "device", plx_backend_device(c->backend)->name, "driver_calls",
                  the_driver.what, "burst", BURST, "imported", wanted->imported, "batch", (int)c->launches, "execute",
                  timing_json(&o->executed), "launch", timing_json(&o->launched), "added", timing_json(&o->added));
    if (wanted->imported)
        (void)json_object_set_new(root, "over_own_memory", timing_json(&o->over_own));
    (void)json_dumpf(root, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
    putchar('\n');
    json_decref(root);
}

/* [DEVICE] [--imported] [--batch] [--json] */
static bool parse(int argc, char **argv, request *wanted)
{
    char *last = "";
    int at = 1;
    *wanted = (request){.device = 0};
    if (at < argc && argv[at][0] != '-')
        wanted->device = (size_t)strtoul(argv[at++], &last, 10);
    for (; at < argc; at++) {
        bool *flag = strcmp(argv[at], "--json") == 0       ? &wanted->json
                     : strcmp(argv[at], "--imported") == 0 ? &wanted->imported
                     : strcmp(argv[at], "--batch") == 0    ? &wanted->batch
                                                           : NULL;
        if (flag == NULL)
            return false;
        *flag = true;
    }
    return *last == '\0';
}

int main(int argc, char **argv)
{
    static contest c;
    plx_error error = {.text = ""};
    outcome o = {0};
    request wanted;
    plx_status status;

    if (!parse(argc, argv, &wanted)) {
        (void)fprintf(
            stderr,
            "usage: dispatch-%s [DEVICE] [--imported] [--batch] [--json]; DEVICE is a number of `parallax list "
            "devices`, 0 without it\n",
            the_driver.backend);
        return 2;
    }
    status = prepare(&c, &wanted, &error);
    if (status == PLX_OK)
        status = compete(&c, &error);
    if (status == PLX_OK) {
        judge(&c, &o);
        print(&c, &o, &wanted);
    } else {
        (void)fprintf(stderr, "dispatch-%s: %s\n", the_driver.backend, error.text);
    }
    end(&c);
    return status == PLX_OK ? 0 : status == PLX_NO_DEVICE || status == PLX_NOT_FOUND ? 3 : 5;
}
