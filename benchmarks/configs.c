/* How long kernels take in each of the configurations that a model might prefer.  For finding out where a model is
 * wrong, and for fitting it elsewhere (benchmarks/refit.c): some twenty configurations of a product in a third of a
 * second, which `parallax tune` times with more care.  Nothing is judged.
 *
 *     make benchmarks/configs
 *     benchmarks/configs [--dtype bf16] [--seconds 60] [--part 0/1] [--rows 16] [--most 20] [--with 256x192] [--peer]
 *                        layers:nt
 *     benchmarks/configs ... -        lines "m n k nt", or with a number of products behind it, of standard input
 *
 * A line for each: "m n k layout kernel:config expected measured", in microseconds; with --peer one of cublasLt's
 * fastest.  --part 1/4: each fourth product, from the second on; --rows: of A, at least; --with: first those with this
 * in their names, whatever is expected of them. */
#include <parallax/parallax.h>
#include <parallax/study.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_LISTED = 4096, MOST_TIMED = 64, ROUNDS = 5, MOST_COPIES = 40, MOST_LAUNCHES = 40 };
static const uint64_t pool_bytes = UINT64_C(1) << 31;      /* of inputs, and of results */
static const double rotated_bytes = 2.5e8, round_us = 400; /* more than L2 has; of a configuration in a round */

typedef struct request {
    const char *set, *with;
    plx_dtype dtype;
    double seconds;
    size_t part, parts, most;
    int64_t rows;
    bool peer;
} request;

/* A backend, and its operands. */
typedef struct side {
    plx_backend *backend;
    plx_buffer *inputs, *results;
    plx_event *begin, *end;
} side;

typedef struct timed {
    char name[80];
    const side *side;
    double expected_us, us[ROUNDS];
    plx_plan *plan;
} timed;

static _Noreturn void stop(const plx_context *context, const char *what)
{
    (void)fprintf(stderr, "configs: %s: %s\n", what, plx_message(context));
    exit(1);
}

static double now_s(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- operands ------------------------------------------------------------------------------ */

static uint32_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 32);
}

/* Of 1/16 to 1 of either sign: 16 bits of it are bf16; f16 has its own. */
static uint32_t random_word(plx_dtype dtype, uint64_t *state)
{
    const uint32_t bits = next_random(state);
    if (dtype == PLX_F16)
        return (bits & UINT32_C(0x8fff8fff)) | UINT32_C(0x30003000);
    if (dtype == PLX_BF16)
        return (bits & UINT32_C(0x81ff81ff)) | UINT32_C(0x3e003e00);
    return (bits & UINT32_C(0x81ffffff)) | UINT32_C(0x3e000000);
}

static side side_of(plx_context *context, const char *where, plx_dtype dtype)
{
    side s;
    const uint64_t chunk = UINT64_C(1) << 26;
    uint32_t *words = malloc(chunk);
    uint64_t state = 1;
    if (words == NULL || plx_open(context, where, &s.backend) != PLX_OK ||
        plx_buffer_create(s.backend, pool_bytes, &s.inputs) != PLX_OK ||
        plx_buffer_create(s.backend, pool_bytes, &s.results) != PLX_OK ||
        plx_event_create(s.backend, &s.begin) != PLX_OK || plx_event_create(s.backend, &s.end) != PLX_OK)
        stop(context, where);
    for (size_t i = 0; i < chunk / 4; i++)
        words[i] = random_word(dtype, &state);
    for (uint64_t at = 0; at < pool_bytes; at += chunk)
        if (plx_upload(NULL, s.inputs, at, words, chunk) != PLX_OK && at == 0)
            stop(context, "operands");
    free(words);
    return s;
}

typedef struct places {
    uint64_t a, b, c; /* bytes of the operands, in whole lines */
    size_t copies;
} places;

static places places_of(const plx_problem *problem)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const uint64_t size = plx_dtype_size(problem->dtype), line = 512;
    const uint64_t all = size * (problem->batch.batched ? (uint64_t)problem->batch.count : 1);
    const uint64_t a = (uint64_t)p->m * (uint64_t)p->k * all, b = (uint64_t)p->n * (uint64_t)p->k * all,
                   c = (uint64_t)p->m * (uint64_t)p->n * all;
    places of = {(a + line) / line * line, (b + line) / line * line, (c + line) / line * line, 1};
    while (of.copies < MOST_COPIES && (double)of.copies * (double)(a + b + c) < rotated_bytes &&
           (of.copies + 1) * (of.a + of.b) <= pool_bytes && (of.copies + 1) * of.c <= pool_bytes)
        of.copies++;
    return of;
}

/* ---- times ----------------------------------------------------------------------------------- */

static bool execute(const timed *t, const places *of, size_t copy)
{
    const side *s = t->side;
    const uint64_t begin = copy % of->copies * (of->a + of->b);
    const plx_view views[] = {{s->inputs, begin}, {s->inputs, begin + of->a}, {s->results, copy % of->copies * of->c}};
    return plx_execute(t->plan, NULL, views, 3) == PLX_OK;
}

static bool time_once(const timed *t, const places *of, size_t launches, size_t *copy, double *us)
{
    const side *s = t->side;
    double ns;
    bool good = plx_event_record(NULL, s->begin) == PLX_OK;
    for (size_t i = 0; good && i < launches; i++)
        good = execute(t, of, (*copy)++);
    good = good && plx_event_record(NULL, s->end) == PLX_OK && plx_synchronize(s->backend, NULL) == PLX_OK &&
           plx_event_elapsed(s->begin, s->end, &ns) == PLX_OK;
    *us = good ? ns / 1e3 / (double)launches : NAN;
    return good;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void time_all(timed *list, size_t count, const plx_problem *problem, const char *layout)
{
    const places of = places_of(problem);
    const plx_gemm_problem *p = &problem->of.gemm;
    size_t copy = 0;
    for (int round = -1; round < ROUNDS; round++) /* the first loads code */
        for (size_t i = 0; i < count; i++) {
            double us = NAN;
            const double once = list[i].us[0];
            const size_t launches =
                round < 0
                    ? 2
                    : (size_t)fmin(fmax(round_us / (round == 0 ? fmin(fmax(list[i].expected_us, 5), 1e6) : once), 4),
                                   MOST_LAUNCHES);
            if (list[i].plan != NULL && !time_once(&list[i], &of, launches, &copy, &us)) {
                plx_plan_destroy(list[i].plan);
                list[i].plan = NULL;
            }
            list[i].us[round < 0 ? 0 : round] = us;
        }
    for (size_t i = 0; i < count; i++) {
        if (list[i].plan != NULL) {
            qsort(list[i].us, ROUNDS, sizeof list[i].us[0], compare);
            printf("%d %d %d %s %s %.2f %.2f\n", (int)p->m, (int)p->n, (int)p->k, layout, list[i].name,
                   list[i].expected_us, list[i].us[ROUNDS / 2]);
        }
        plx_plan_destroy(list[i].plan);
    }
    (void)fflush(stdout);
}

/* ---- configurations ---------------------------------------------------------------------------- */

static int by_expectation(const void *a, const void *b)
{
    return compare(&((const timed *)a)->expected_us, &((const timed *)b)->expected_us);
}

static void add(timed *list, size_t *count, const char *kernel, const plx_config *config)
{
    timed *t = &list[(*count)++];
    *t = (timed){.expected_us = config->expected_us};
    (void)snprintf(t->name, sizeof t->name, "%s%s%s", kernel, config->name[0] != '\0' ? ":" : "", config->name);
}

/* All that have an expectation, the least first; of a batch those that take it in one launch. */
static size_t list_all(plx_context *context, const side *s, const plx_problem *problem, timed *list)
{
    static plx_config configs[1024];
    size_t count = 0;
    const plx_kernel *kernel;
    for (size_t k = 0; (kernel = plx_kernel_at(context, plx_backend_plugin(s->backend), PLX_GEMM, k)) != NULL; k++) {
        size_t found = 0;
        if ((kernel->dtypes & PLX_DTYPE_BIT(problem->dtype)) == 0 || kernel->compute != problem->compute ||
            (problem->batch.batched && (kernel->flags & PLX_KERNEL_BATCHED) == 0) ||
            plx_kernel_configs(s->backend, problem, kernel->name, configs, 1024, &found) != PLX_OK)
            continue;
        for (size_t i = 0; i < found && i < 1024 && count < MOST_LISTED; i++)
            if (configs[i].expected_us > 0)
                add(list, &count, kernel->name, &configs[i]);
    }
    qsort(list, count, sizeof list[0], by_expectation);
    return count;
}

static void swap(timed *a, timed *b)
{
    const timed kept = *a;
    *a = *b;
    *b = kept;
}

static bool is_of_one_kernel(const timed *a, const timed *b)
{
    const size_t length = strcspn(a->name, ":");
    return length == strcspn(b->name, ":") && memcmp(a->name, b->name, length) == 0;
}

/* To the front the first of each kernel; how many. */
static size_t take_firsts(timed *list, size_t count)
{
    size_t taken = 0;
    for (size_t i = 0; i < count; i++) {
        size_t before = 0;
        while (before < taken && !is_of_one_kernel(&list[before], &list[i]))
            before++;
        if (before == taken)
            swap(&list[taken++], &list[i]);
    }
    qsort(list + taken, count - taken, sizeof list[0], by_expectation);
    return taken;
}

/* To the front those with the text in their names; how many, `most` at most. */
static size_t take_named(timed *list, size_t count, const char *text, size_t most)
{
    size_t taken = 0;
    for (size_t i = 0; text != NULL && i < count && taken < most; i++)
        if (strstr(list[i].name, text) != NULL)
            swap(&list[taken++], &list[i]);
    return taken;
}

/* Of those that should take up to twice the least time: the first of each kernel, those that should be fastest, and a
 * third that is drawn. */
static size_t choose(timed *list, size_t count, size_t most, uint64_t seed)
{
    size_t near = 0;
    while (near < count && list[near].expected_us < 2 * list[0].expected_us)
        near++;
    (void)take_firsts(list, near);
    for (size_t i = most * 2 / 3; i < most && i < near; i++)
        swap(&list[i], &list[i + next_random(&seed) % (near - i)]);
    return near < most ? near : most;
}

static void sweep(plx_context *context, const side *own, const side *peer, const plx_problem *problem,
                  const char *layout, const request *r, uint64_t seed)
{
    static timed list[MOST_LISTED + 1];
    const size_t all = list_all(context, own, problem, list), named = take_named(list, all, r->with, r->most);
    qsort(list + named, all - named, sizeof list[0], by_expectation);
    size_t count = named + choose(list + named, all - named, r->most - named, seed);
    for (size_t i = 0; i < count; i++)
        list[i].side = own;
    if (peer != NULL)
        list[count++] = (timed){.name = "gemm-half", .side = peer, .expected_us = 1e9};
    for (size_t i = 0; i < count; i++)
        if (plx_plan_create(list[i].side->backend, problem, list[i].name, &list[i].plan) != PLX_OK)
            list[i].plan = NULL;
    time_all(list, count, problem, layout);
}

/* ---- products ------------------------------------------------------------------------------------ */

static bool next_product(const request *r, size_t index, plx_problem *problem, char layout[3])
{
    int m, n, k, batch = 0;
    if (strcmp(r->set, "-") == 0) {
        char line[80];
        if (fgets(line, sizeof line, stdin) == NULL || sscanf(line, "%d %d %d %2s %d", &m, &n, &k, layout, &batch) < 4)
            return false;
        *problem = plx_gemm_of(r->dtype, layout[0] == 't', layout[1] == 't', m, n, k);
        if (batch > 0)
            *problem = plx_batch_of(problem, batch);
        return true;
    }
    plx_set_case found;
    if (!plx_set_at(r->set, index, &found))
        return false;
    const plx_gemm_problem *p = &found.problem.of.gemm;
    *problem = plx_gemm_of(r->dtype, p->trans_a, p->trans_b, p->m, p->n, p->k);
    (void)snprintf(layout, 3, "%c%c", p->trans_a ? 't' : 'n', p->trans_b ? 't' : 'n');
    return true;
}

static request read_request(int argc, char **argv)
{
    request r = {.set = "layers:nt", .dtype = PLX_BF16, .seconds = 1e9, .parts = 1, .most = 20};
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--peer") == 0)
            r.peer = true;
        else if (strcmp(argv[i], "--dtype") == 0 && plx_dtype_from_name(value, &r.dtype))
            i++;
        else if (strcmp(argv[i], "--seconds") == 0 && (r.seconds = strtod(value, NULL)) > 0)
            i++;
        else if (strcmp(argv[i], "--most") == 0 && (r.most = strtoul(value, NULL, 10)) > 0 && r.most <= MOST_TIMED)
            i++;
        else if (strcmp(argv[i], "--with") == 0 && value[0] != '\0')
            r.with = argv[++i];
        else if (strcmp(argv[i], "--rows") == 0 && (r.rows = strtol(value, NULL, 10)) > 0)
            i++;
        else if (strcmp(argv[i], "--part") == 0 && sscanf(value, "%zu/%zu", &r.part, &r.parts) == 2 && r.parts > 0)
            i++;
        else if (argv[i][0] != '-' || argv[i][1] == '\0')
            r.set = argv[i];
        else {
            (void)fprintf(stderr, "configs: '%s %s' is no option; see benchmarks/configs.c\n", argv[i], value);
            exit(2);
        }
    }
    return r;
}

int main(int argc, char **argv)
{
    const request r = read_request(argc, argv);
    const double start = now_s();
    plx_context *context;
    plx_problem problem;
    char layout[3];
    if (plx_context_create(NULL, &context) != PLX_OK)
        stop(NULL, "no context");
    side own = side_of(context, "cuda", r.dtype), peer;
    if (r.peer)
        peer = side_of(context, "cublas", r.dtype);
    for (size_t i = 0; now_s() - start < r.seconds && next_product(&r, i, &problem, layout); i++)
        if (i % r.parts == r.part && problem.of.gemm.m >= r.rows)
            sweep(context, &own, r.peer ? &peer : NULL, &problem, layout, &r, i + 1);
    return 0;
}
