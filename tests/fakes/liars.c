/* A plugin on the processor whose products are right when they are tried, and cheat when they are timed:
 * each kernel in its own way.  What it keeps is the process's own, as a plugin's may be.
 * $LIARS_FILE: where `answers-from-a-file` keeps its results.  $LIARS_CLOCK: "fast", events tell 12 % less.
 * $LIARS_CACHE: the bytes of the device's cache.  $LIARS_LEARN: `knows-what-it-met` computes, and writes to $LIARS_FILE
 * what it meets. */
#define _POSIX_C_SOURCE 200809L
#include <parallax/host_memory.h>

#include <pthread.h>
#include <stdatomic.h>

typedef enum lie {
    HONEST,
    REPLAYS,
    SKIPS,
    FROM_A_FILE,
    CHANGES_AN_INPUT,
    WRITES_BEHIND,
    BEHIND_AN_INPUT,
    TF32_WHEN_LONG,
    BF16_WHEN_LONG,
    LAZY,
    COMPUTES_THE_NEXT,
    WORKS_AHEAD,
    DROPS_A_TERM,
    SEES_NAN,   /* works where it finds a NaN */
    AHEAD_HERE, /* works ahead for the same set alone */
    SCRIBBLES,  /* writes into other sets' outputs */
    KNOWS,      /* skips what is the same in every byte: right, but where sets are few no time */
    IN_PAIRS,   /* every other launch works for the next, too */
    AS_FILLED,  /* works when its output is filled ahead of a launch */
    HAS_MET,    /* knows what an earlier process met, and nothing else */
    LIE_COUNT
} lie;

struct plx_plugin_plan {
    plx_gemm_problem of;
    lie kernel;
    long calls, trusted; /* of a list of launches: it leaves a counter after so many calls */
    bool has_counter;
};

/* One product: its operands in memory. */
typedef struct product {
    plx_gemm_problem of;
    float *a, *b, *c;
} product;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- honest work --------------------------------------------------------------------------- */

static float at(const product *p, int64_t row, int64_t term)
{
    return p->a[row * p->of.lda + term];
}

/* f32, one term after the other. */
static void compute_row(const product *p, int64_t row, int64_t terms, float (*seen)(float))
{
    float *c = p->c + row * p->of.ldc;
    for (int64_t j = 0; j < p->of.n; j++)
        c[j] = 0.0F;
    for (int64_t t = 0; t < terms; t++) {
        const float a = seen != NULL ? seen(at(p, row, t)) : at(p, row, t);
        for (int64_t j = 0; j < p->of.n; j++) {
            const float b = p->b[t * p->of.ldb + j];
            c[j] += a * (seen != NULL ? seen(b) : b);
        }
    }
}

static void compute(const product *p)
{
    for (int64_t i = 0; i < p->of.m; i++)
        compute_row(p, i, p->of.k, NULL);
}

static product product_of(const plx_gemm_problem *of, const plx_operand *operands)
{
    return (product){.of = *of,
                     .a = plx_host_address(&operands[0]),
                     .b = plx_host_address(&operands[1]),
                     .c = plx_host_address(&operands[2])};
}

/* ---- results that are kept by a few elements -------------------------------------------------- */

enum { KEPT = 512, SAMPLED = 4 };

typedef struct kept {
    int64_t m, n, k;
    float key[SAMPLED];
    float *c; /* m x n */
} kept;

static kept all_kept[KEPT];
static size_t kept_count;

static kept key_of(const product *p)
{
    return (kept){.m = p->of.m,
                  .n = p->of.n,
                  .k = p->of.k,
                  .key = {at(p, p->of.m - 1, p->of.k - 1), at(p, p->of.m / 2, p->of.k / 3), p->b[0],
                          p->b[(p->of.k - 1) * p->of.ldb + p->of.n - 1]}};
}

static bool same_key(const kept *a, const kept *b)
{
    return a->m == b->m && a->n == b->n && a->k == b->k && memcmp(a->key, b->key, sizeof a->key) == 0;
}

static const kept *find(const kept *key)
{
    for (size_t i = 0; i < kept_count; i++)
        if (same_key(&all_kept[i], key))
            return &all_kept[i];
    return NULL;
}

static const kept *keep(const product *p, kept key)
{
    const size_t row = (size_t)p->of.n * sizeof(float);
    if (kept_count == KEPT || (key.c = malloc((size_t)p->of.m * row + 1)) == NULL)
        return NULL;
    for (int64_t i = 0; i < p->of.m; i++)
        memcpy(key.c + i * p->of.n, p->c + i * p->of.ldc, row);
    all_kept[kept_count] = key;
    return &all_kept[kept_count++];
}

/* The first row is always computed, for its first element may be looked at. */
static bool replay(const product *p, const kept *key)
{
    const kept *known = find(key);
    if (known == NULL)
        return false;
    compute_row(p, 0, p->of.k, NULL);
    for (int64_t i = 1; i < p->of.m; i++)
        memcpy(p->c + i * p->of.ldc, known->c + i * p->of.n, (size_t)p->of.n * sizeof(float));
    return true;
}

static void replays(const product *p)
{
    const kept key = key_of(p);
    if (replay(p, &key))
        return;
    compute(p);
    (void)keep(p, key);
}

/* ---- answers of an earlier process ------------------------------------------------------------ */

static bool read_one(FILE *file)
{
    kept key;
    if (fread(&key, sizeof key, 1, file) != 1 || kept_count == KEPT)
        return false;
    const size_t count = (size_t)(key.m * key.n);
    key.c = malloc(count * sizeof(float) + 1);
    if (key.c == NULL || fread(key.c, sizeof(float), count, file) != count) {
        free(key.c);
        return false;
    }
    all_kept[kept_count++] = key;
    return true;
}

static void read_file(void)
{
    static bool done;
    const char *path = getenv("LIARS_FILE");
    FILE *file = !done && path != NULL ? fopen(path, "rb") : NULL;
    done = true;
    while (file != NULL && read_one(file))
        ;
    if (file != NULL)
        (void)fclose(file);
}

static void append_to_file(const kept *made)
{
    const char *path = getenv("LIARS_FILE");
    FILE *file = path != NULL ? fopen(path, "ab") : NULL;
    if (file == NULL)
        return;
    (void)fwrite(made, sizeof *made, 1, file);
    (void)fwrite(made->c, sizeof(float), (size_t)(made->m * made->n), file);
    (void)fclose(file);
}

static void answers_from_a_file(const product *p)
{
    const kept key = key_of(p), *made;
    read_file();
    if (replay(p, &key))
        return;
    compute(p);
    made = keep(p, key);
    if (made != NULL)
        append_to_file(made);
}

/* ---- what looks as it was left ------------------------------------------------------------------ */

enum { LOOKS = 12, PLACES = 256 };

typedef struct left {
    const float *c;
    float seen[LOOKS];
} left;

static left all_left[PLACES];

static void see(const product *p, float seen[LOOKS])
{
    const int64_t m = p->of.m, n = p->of.n, k = p->of.k;
    const float all[LOOKS] = {at(p, 0, 0),
                              at(p, m - 1, k - 1),
                              at(p, m / 2, k / 3),
                              at(p, m / 3, k / 2),
                              p->b[0],
                              p->b[(k - 1) * p->of.ldb + n - 1],
                              p->b[k / 2 * p->of.ldb + n / 3],
                              p->b[k / 3 * p->of.ldb + n / 2],
                              p->c[0],
                              p->c[(m - 1) * p->of.ldc + n - 1],
                              p->c[m / 2 * p->of.ldc + n / 3],
                              p->c[m / 3 * p->of.ldc + n / 2]};
    memcpy(seen, all, sizeof all);
}

static left *place_of(const float *c)
{
    for (size_t i = 0; i < PLACES; i++)
        if (all_left[i].c == c || all_left[i].c == NULL)
            return &all_left[i];
    return &all_left[0];
}

static void skips(const product *p)
{
    left *known = place_of(p->c);
    float now[LOOKS];
    see(p, now);
    if (known->c == p->c && memcmp(now, known->seen, sizeof now) == 0)
        return;
    compute(p);
    known->c = p->c;
    see(p, known->seen);
}

/* All of the inputs and of the output as they were at the last launch on this place. */
typedef struct whole {
    const float *c;
    float *copies;
} whole;

static size_t elements_of(const product *p)
{
    return (size_t)(p->of.m * p->of.lda + p->of.k * p->of.ldb + p->of.m * p->of.ldc);
}

static void gather(const product *p, float *to)
{
    const size_t a = (size_t)(p->of.m * p->of.lda), b = (size_t)(p->of.k * p->of.ldb);
    memcpy(to, p->a, a * sizeof *to);
    memcpy(to + a, p->b, b * sizeof *to);
    memcpy(to + a + b, p->c, (size_t)(p->of.m * p->of.ldc) * sizeof *to);
}

static bool is_the_same(const product *p, const float *copies)
{
    const size_t a = (size_t)(p->of.m * p->of.lda), b = (size_t)(p->of.k * p->of.ldb);
    return memcmp(copies, p->a, a * sizeof *copies) == 0 && memcmp(copies + a, p->b, b * sizeof *copies) == 0 &&
           memcmp(copies + a + b, p->c, (size_t)(p->of.m * p->of.ldc) * sizeof *copies) == 0;
}

static void skips_what_it_knows(const product *p)
{
    static whole places[PLACES];
    size_t i = 0;
    while (i + 1 < PLACES && places[i].c != NULL && places[i].c != p->c)
        i++;
    if (places[i].c == p->c && places[i].copies != NULL && is_the_same(p, places[i].copies))
        return;
    compute(p);
    free(places[i].copies);
    places[i] = (whole){p->c, malloc(elements_of(p) * sizeof(float))};
    if (places[i].copies != NULL)
        gather(p, places[i].copies);
}

/* ---- writes where it must not -------------------------------------------------------------------- */

enum { TRUSTED_AFTER = 4 };

/* The last row of A is kept negated, which saves nothing: it could be packed as well. */
static void changes_an_input(const product *p, long calls)
{
    static struct packed {
        const float *a;
        float first;
    } packed[PLACES];
    float *row = p->a + (p->of.m - 1) * p->of.lda;
    size_t i = 0;
    while (i + 1 < PLACES && packed[i].a != NULL && packed[i].a != p->a)
        i++;
    compute(p);
    if (packed[i].a == p->a && packed[i].first == row[0]) {
        for (int64_t j = 0; j < p->of.n; j++)
            p->c[(p->of.m - 1) * p->of.ldc + j] *= -1.0F;
    } else if (calls > TRUSTED_AFTER) {
        for (int64_t t = 0; t < p->of.k; t++)
            row[t] *= -1.0F;
        packed[i].a = p->a;
        packed[i].first = row[0];
    }
}

static void writes_behind(const product *p, const plx_operand *operand, int64_t elements, long calls)
{
    const uint64_t end = operand->offset + (uint64_t)elements * sizeof(float);
    compute(p);
    if (calls > TRUSTED_AFTER && end + 64 <= operand->memory->bytes)
        memset(operand->memory->data + end, 0x33, 64);
}

/* ---- fewer digits, fewer terms --------------------------------------------------------------------- */

/* To so many digits of 24; away from zero where two are as near. */
static float rounded(float x, int digits)
{
    const uint32_t unit = UINT32_C(1) << (24 - digits);
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = (bits + unit / 2) & ~(unit - 1);
    memcpy(&x, &bits, sizeof x);
    return x;
}

static float as_tf32(float x)
{
    return rounded(x, 11);
}

static float as_bf16(float x)
{
    return rounded(x, 8);
}

static void rounds_when_long(const product *p, int64_t from, float (*seen)(float))
{
    compute_row(p, 0, p->of.k, NULL);
    for (int64_t i = 1; i < p->of.m; i++)
        compute_row(p, i, p->of.k, p->of.k >= from ? seen : NULL);
}

/* One in the middle. */
static void drops_a_term(const product *p)
{
    const int64_t left_out = p->of.k / 2 + 7;
    compute(p);
    for (int64_t i = 1; p->of.k >= 65536 && i < p->of.m; i++)
        for (int64_t j = 0; j < p->of.n; j++)
            p->c[i * p->of.ldc + j] -= at(p, i, left_out) * p->b[left_out * p->of.ldb + j];
}

/* ---- work that is put off ---------------------------------------------------------------------------- */

static product put_off[PLACES];
static size_t put_off_count;

static void do_one(size_t i)
{
    compute(&put_off[i]);
    put_off[i] = put_off[--put_off_count];
}

static bool overlaps(const float *first, int64_t elements, const char *data, uint64_t bytes)
{
    return (const char *)first < data + bytes && data < (const char *)(first + elements);
}

/* What reads or writes these bytes has to find what launches should have left there. */
static void catch_up(const plx_memory *memory, uint64_t offset, uint64_t bytes)
{
    (void)pthread_mutex_lock(&lock);
    for (size_t i = put_off_count; memory != NULL && i-- > 0;) {
        const product *p = &put_off[i];
        if (overlaps(p->a, p->of.m * p->of.lda, memory->data + offset, bytes) ||
            overlaps(p->b, p->of.k * p->of.ldb, memory->data + offset, bytes) ||
            overlaps(p->c, p->of.m * p->of.ldc, memory->data + offset, bytes))
            do_one(i);
    }
    (void)pthread_mutex_unlock(&lock);
}

static void put_it_off(const product *p)
{
    for (size_t i = 0; i < put_off_count; i++)
        if (put_off[i].c == p->c)
            put_off[i] = put_off[--put_off_count];
    if (put_off_count == PLACES)
        do_one(0);
    put_off[put_off_count++] = *p;
}

/* ---- what comes next, by the distance of the last two ---------------------------------------------------- */

static product last;
static const plx_memory *last_memory[3];

static bool within(const plx_memory *memory, const float *first, int64_t elements)
{
    const char *start = (const char *)first;
    return start >= memory->data && start + (size_t)elements * sizeof(float) <= memory->data + memory->bytes;
}

static bool follows(const product *p, const plx_operand *operands, product *next)
{
    const bool known = last_memory[0] == operands[0].memory && last_memory[2] == operands[2].memory && last.c != p->c;
    *next = *p;
    next->a += p->a - last.a;
    next->b += p->b - last.b;
    next->c += p->c - last.c;
    return known && within(operands[0].memory, next->a, p->of.m * p->of.lda) &&
           within(operands[1].memory, next->b, p->of.k * p->of.ldb) &&
           within(operands[2].memory, next->c, p->of.m * p->of.ldc);
}

static void remember(const product *p, const plx_operand *operands)
{
    last = *p;
    for (int i = 0; i < 3; i++)
        last_memory[i] = operands[i].memory;
}

static product helped;
static bool helping;
static pthread_t helper;

static void *help(void *unused)
{
    (void)unused;
    compute(&helped);
    return NULL;
}

static void end_help(void)
{
    if (helping)
        (void)pthread_join(helper, NULL);
    helping = false;
}

static void computes_the_next(const product *p, const plx_operand *operands)
{
    const bool was_helped = helping && helped.a == p->a && helped.b == p->b && helped.c == p->c;
    product next;
    end_help();
    if (!was_helped)
        compute(p);
    if (follows(p, operands, &next)) {
        helped = next;
        helping = pthread_create(&helper, NULL, help, NULL) == 0;
    }
    remember(p, operands);
}

/* Work in the launch that no clock counts: no event was recorded since all was waited for. */
static atomic_bool counted;
static const float *ahead[PLACES];
static size_t ahead_count;

static bool was_done_ahead(const product *p)
{
    for (size_t i = 0; i < ahead_count; i++)
        if (ahead[i] == p->c) {
            ahead[i] = ahead[--ahead_count];
            return true;
        }
    return false;
}

static void works_ahead(const product *p, const plx_operand *operands)
{
    product next;
    const bool known = follows(p, operands, &next);
    if (atomic_load(&counted) && was_done_ahead(p)) {
        remember(p, operands);
        return;
    }
    compute(p);
    if (!atomic_load(&counted)) {
        const float *const first = p->c;
        ahead_count = 0;
        ahead[ahead_count++] = first;
        if (known) {
            compute(&next);
            ahead[ahead_count++] = next.c;
        }
    }
    remember(p, operands);
}

static void works_ahead_here(const product *p)
{
    if (atomic_load(&counted) && was_done_ahead(p))
        return;
    compute(p);
    ahead_count = 0;
    if (!atomic_load(&counted))
        ahead[ahead_count++] = p->c;
}

/* The first of two does the work of both where the last two were as far apart; what comes after the last is no set. */
static void works_in_pairs(const product *p, const plx_operand *operands)
{
    static const float *done;
    static long in_a_row;
    product next, after;
    in_a_row = atomic_load(&counted) ? in_a_row + 1 : 0;
    if (in_a_row < 2 || done != p->c)
        compute(p);
    if (done != p->c && in_a_row > 1 && follows(p, operands, &next)) {
        remember(p, operands);
        done = NULL;
        if (follows(&next, operands, &after)) {
            compute(&next);
            done = next.c;
        }
    } else
        done = NULL;
    remember(p, operands);
}

/* ---- work when memory is filled ------------------------------------------------------------------------ */

/* What was launched on: whether its inputs are new since its output was computed, and whether that is done. */
static struct seen {
    product of;
    bool fresh, ready;
} all_seen[PLACES];
static size_t seen_count;

static struct seen *seen_at(const product *p)
{
    for (size_t i = 0; i < seen_count; i++)
        if (all_seen[i].of.a == p->a && all_seen[i].of.b == p->b && all_seen[i].of.c == p->c)
            return &all_seen[i];
    return NULL;
}

static void works_as_filled(const product *p)
{
    struct seen *known = seen_at(p);
    if (known != NULL && known->ready) { /* half of it, lest a batch has ever so many launches */
        for (int64_t i = 0; i < p->of.m / 2; i++)
            compute_row(p, i, p->of.k, NULL);
        return;
    }
    compute(p);
    if (known == NULL && seen_count < PLACES)
        known = &all_seen[seen_count++];
    if (known != NULL)
        *known = (struct seen){.of = *p};
}

typedef enum change { IS_COPIED, IS_FILLED, IS_CHANGED, IS_FREED } change;

static void see_change(struct seen *known, bool input, change how)
{
    known->ready = false;
    known->fresh = input ? how == IS_COPIED : known->fresh;
    if (input || how != IS_FILLED || !known->fresh)
        return;
    compute(&known->of);
    known->fresh = false;
    known->ready = true;
}

/* After the change. */
static void watch(const plx_memory *memory, uint64_t offset, uint64_t bytes, change how)
{
    (void)pthread_mutex_lock(&lock);
    for (size_t i = seen_count; memory != NULL && i-- > 0;) {
        const product *p = &all_seen[i].of;
        const char *data = memory->data + offset;
        const bool input =
            overlaps(p->a, p->of.m * p->of.lda, data, bytes) || overlaps(p->b, p->of.k * p->of.ldb, data, bytes);
        const bool any = input || overlaps(p->c, p->of.m * p->of.ldc, data, bytes);
        if (any && how == IS_FREED)
            all_seen[i] = all_seen[--seen_count];
        else if (any)
            see_change(&all_seen[i], input, how);
    }
    (void)pthread_mutex_unlock(&lock);
}

/* ---- what an earlier process met ------------------------------------------------------------------------ */

static uint64_t mixed(uint64_t hash, const float *row, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &row[i], sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static uint64_t hash_of(const product *p)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int64_t i = 0; i < p->of.m; i++)
        hash = mixed(hash, p->a + i * p->of.lda, p->of.k);
    for (int64_t t = 0; t < p->of.k; t++)
        hash = mixed(hash, p->b + t * p->of.ldb, p->of.n);
    return hash;
}

static bool was_met(uint64_t hash)
{
    const char *path = getenv("LIARS_FILE");
    FILE *file = path != NULL ? fopen(path, "rb") : NULL;
    uint64_t one;
    bool found = false;
    while (file != NULL && !found && fread(&one, sizeof one, 1, file) == 1)
        found = one == hash;
    if (file != NULL)
        (void)fclose(file);
    return found;
}

/* The file stands for a table of answers, which would be as long. */
static void knows_what_it_met(const product *p)
{
    const uint64_t hash = hash_of(p);
    FILE *file = getenv("LIARS_LEARN") != NULL ? fopen(getenv("LIARS_FILE"), "ab") : NULL;
    if (file != NULL) {
        (void)fwrite(&hash, sizeof hash, 1, file);
        (void)fclose(file);
    }
    if (file != NULL || was_met(hash))
        compute(p);
}

/* What is no NaN is taken for a result that is there already. */
static void looks_for_nan(const product *p)
{
    const float first = p->c[0];
    if (first != first)
        compute(p);
}

/* Into the middle of an output that it wrote before: what lies around outputs, which move, is another rule's. */
static void scribbles(const product *p, const plx_operand *c, long calls)
{
    static float *places[PLACES];
    static size_t count, next;
    compute(p);
    if (calls > TRUSTED_AFTER && count > 0) {
        float *other = places[++next % count];
        if (other != p->c && within(c->memory, other, p->of.m * p->of.ldc))
            other[p->of.m / 2 * p->of.ldc] = 33;
    }
    for (size_t i = 0; i < count; i++)
        if (places[i] == p->c)
            return;
    if (count < PLACES)
        places[count++] = p->c;
}

/* ---- the plugin ------------------------------------------------------------------------------------------ */

static plx_status probe(plx_device_info *devices, size_t capacity, size_t *count, plx_error *error)
{
    (void)error;
    if (capacity > 0) {
        plx_host_device(&devices[0], "a processor of liars");
        const char *cache = getenv("LIARS_CACHE"); /* bytes: by it so many sets of operands take turns */
        devices[0].l2_bytes = cache != NULL ? strtoull(cache, NULL, 10) : UINT64_C(1) << 18;
    }
    *count = 1;
    return PLX_OK;
}

static int64_t depth(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return problem->of.gemm.k;
}

#define KERNEL(kernel)                                                                                        \
    {                                                                                                         \
        .name = kernel, .idea = "an idea", .gain = "a gain", .limit = "a limit", .needs = "", .depth = depth, \
        .dtypes = PLX_DTYPE_BIT(PLX_F32), .accumulator_f32 = PLX_F32, .reproducibility = PLX_R2               \
    }

static const plx_kernel kernels[LIE_COUNT] = {
    [HONEST] = KERNEL("honest"),
    [REPLAYS] = KERNEL("replays-by-a-sample"),
    [SKIPS] = KERNEL("skips-what-is-written"),
    [FROM_A_FILE] = KERNEL("answers-from-a-file"),
    [CHANGES_AN_INPUT] = KERNEL("changes-an-input"),
    [WRITES_BEHIND] = KERNEL("writes-behind"),
    [BEHIND_AN_INPUT] = KERNEL("writes-behind-an-input"),
    [TF32_WHEN_LONG] = KERNEL("tf32-when-long"),
    [BF16_WHEN_LONG] = KERNEL("bf16-when-long"),
    [LAZY] = KERNEL("works-in-the-download"),
    [COMPUTES_THE_NEXT] = KERNEL("computes-the-next"),
    [WORKS_AHEAD] = KERNEL("works-ahead"),
    [DROPS_A_TERM] = KERNEL("drops-a-term"),
    [SEES_NAN] = KERNEL("looks-for-nan"),
    [AHEAD_HERE] = KERNEL("works-ahead-here"),
    [SCRIBBLES] = KERNEL("scribbles"),
    [KNOWS] = KERNEL("skips-what-it-knows"),
    [IN_PAIRS] = KERNEL("works-in-pairs"),
    [AS_FILLED] = KERNEL("works-as-filled"),
    [HAS_MET] = KERNEL("knows-what-it-met"),
};

static const plx_kernel *kernel_at(plx_op op, size_t index)
{
    return op == PLX_GEMM && index < LIE_COUNT ? &kernels[index] : NULL;
}

static plx_status choose(plx_session *session, const plx_problem *problem, size_t *kernel, plx_error *error)
{
    const plx_gemm_problem *of = &problem->of.gemm;
    (void)session;
    if (problem->op != PLX_GEMM || problem->dtype != PLX_F32 || of->trans_a || of->trans_b || of->alpha != 1.0 ||
        of->beta != 0.0 || of->k == 0)
        return plx_fail(error, PLX_UNSUPPORTED, "it has plain products of f32 alone");
    *kernel = HONEST;
    return PLX_OK;
}

static plx_status plan(plx_session *session, const plx_problem *problem, size_t kernel, plx_plugin_plan **plan,
                       plx_error *error)
{
    size_t unused;
    plx_status status = choose(session, problem, &unused, error);
    plx_plugin_plan *made = status == PLX_OK ? calloc(1, sizeof *made) : NULL;
    if (made == NULL)
        return status != PLX_OK ? status : plx_fail(error, PLX_NO_MEMORY, "no memory for a plan");
    made->of = problem->of.gemm;
    made->kernel = (lie)kernel;
    *plan = made;
    return PLX_OK;
}

/* Of somebody's launches: honest products; the name says after how many calls a counter is left that must be zero. */
static plx_status plan_launches(plx_session *session, const plx_problem *problem, const plx_launch_list *list,
                                plx_plugin_plan **made, plx_error *error)
{
    const plx_status status = plan(session, problem, HONEST, made, error);
    if (status == PLX_OK) {
        (*made)->has_counter = true;
        (*made)->trusted = strtol(list->name, NULL, 10);
    }
    return status;
}

static plx_status pieces_check(plx_plugin_plan *plan, plx_error *error)
{
    return plan->has_counter && plan->calls > plan->trusted
               ? plx_fail(error, PLX_FAILED, "scratch memory that must stay zero is not")
               : PLX_OK;
}

static void run(plx_plugin_plan *plan, const plx_operand *operands)
{
    const product p = product_of(&plan->of, operands);
    plan->calls++;
    switch (plan->kernel) {
    case REPLAYS:
        return replays(&p);
    case SKIPS:
        return skips(&p);
    case FROM_A_FILE:
        return answers_from_a_file(&p);
    case CHANGES_AN_INPUT:
        return changes_an_input(&p, plan->calls);
    case WRITES_BEHIND:
        return writes_behind(&p, &operands[2], (p.of.m - 1) * p.of.ldc + p.of.n, plan->calls);
    case BEHIND_AN_INPUT:
        return writes_behind(&p, &operands[0], (p.of.m - 1) * p.of.lda + p.of.k, plan->calls);
    case TF32_WHEN_LONG:
        return rounds_when_long(&p, 4096, as_tf32);
    case BF16_WHEN_LONG:
        return rounds_when_long(&p, 65536, as_bf16);
    case LAZY:
        return put_it_off(&p);
    case COMPUTES_THE_NEXT:
        return computes_the_next(&p, operands);
    case WORKS_AHEAD:
        return works_ahead(&p, operands);
    case DROPS_A_TERM:
        return drops_a_term(&p);
    case SEES_NAN:
        return looks_for_nan(&p);
    case AHEAD_HERE:
        return works_ahead_here(&p);
    case SCRIBBLES:
        return scribbles(&p, &operands[2], plan->calls);
    case KNOWS:
        return skips_what_it_knows(&p);
    case IN_PAIRS:
        return works_in_pairs(&p, operands);
    case AS_FILLED:
        return works_as_filled(&p);
    case HAS_MET:
        return knows_what_it_met(&p);
    default:
        compute(&p);
    }
}

static plx_status execute(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *operands, size_t count,
                          plx_error *error)
{
    (void)queue, (void)count, (void)error;
    if (plan->of.m == 0 || plan->of.n == 0)
        return PLX_OK;
    (void)pthread_mutex_lock(&lock);
    run(plan, operands);
    (void)pthread_mutex_unlock(&lock);
    return PLX_OK;
}

/* ---- slots that work, or tell, on the side ------------------------------------------------------------------ */

static void liars_free(plx_session *session, plx_memory *memory)
{
    end_help();
    if (memory != NULL) {
        catch_up(memory, 0, memory->bytes);
        watch(memory, 0, memory->bytes, IS_FREED);
    }
    plx_host_free(session, memory);
}

static plx_status liars_synchronize(plx_plugin_queue *queue, plx_error *error)
{
    atomic_store(&counted, false);
    return plx_host_synchronize(queue, error);
}

static plx_status liars_upload(plx_plugin_queue *queue, plx_memory *to, uint64_t offset, const void *from,
                               uint64_t bytes, plx_error *error)
{
    catch_up(to, offset, bytes);
    const plx_status status = plx_host_upload(queue, to, offset, from, bytes, error);
    watch(to, offset, bytes, IS_CHANGED);
    return status;
}

static plx_status liars_download(plx_plugin_queue *queue, void *to, plx_memory *from, uint64_t offset, uint64_t bytes,
                                 plx_error *error)
{
    catch_up(from, offset, bytes);
    return plx_host_download(queue, to, from, offset, bytes, error);
}

static plx_status liars_fill(plx_plugin_queue *queue, plx_memory *memory, uint64_t offset, uint32_t pattern,
                             uint64_t bytes, plx_error *error)
{
    catch_up(memory, offset, bytes);
    const plx_status status = plx_host_fill(queue, memory, offset, pattern, bytes, error);
    watch(memory, offset, bytes, IS_FILLED);
    return status;
}

static plx_status liars_copy(plx_plugin_queue *queue, plx_memory *to, uint64_t to_offset, plx_memory *from,
                             uint64_t from_offset, uint64_t bytes, plx_error *error)
{
    catch_up(from, from_offset, bytes);
    catch_up(to, to_offset, bytes);
    const plx_status status = plx_host_copy(queue, to, to_offset, from, from_offset, bytes, error);
    watch(to, to_offset, bytes, IS_COPIED);
    return status;
}

static plx_status liars_event_record(plx_plugin_queue *queue, plx_plugin_event *event, plx_error *error)
{
    atomic_store(&counted, true);
    return plx_host_event_record(queue, event, error);
}

static plx_status liars_event_elapsed(plx_plugin_event *from, plx_plugin_event *to, double *nanoseconds,
                                      plx_error *error)
{
    const char *clock = getenv("LIARS_CLOCK");
    const plx_status status = plx_host_event_elapsed(from, to, nanoseconds, error);
    if (status == PLX_OK && clock != NULL && strcmp(clock, "fast") == 0)
        *nanoseconds *= 0.88;
    return status;
}

const plx_plugin *plx_plugin_entry(void)
{
    static const plx_plugin liars = {.abi = PLX_PLUGIN_ABI,
                                     .size = sizeof(plx_plugin),
                                     .name = "liars",
                                     .version = "1.0",
                                     .summary = "products that cheat when they are timed",
                                     .probe = probe,
                                     .open = plx_host_open,
                                     .close = plx_host_close,
                                     .alloc = plx_host_alloc,
                                     .free = liars_free,
                                     .queue_create = plx_host_queue_create,
                                     .queue_destroy = plx_host_queue_destroy,
                                     .synchronize = liars_synchronize,
                                     .upload = liars_upload,
                                     .download = liars_download,
                                     .fill = liars_fill,
                                     .copy = liars_copy,
                                     .event_create = plx_host_event_create,
                                     .event_destroy = plx_host_event_destroy,
                                     .event_record = liars_event_record,
                                     .event_elapsed = liars_event_elapsed,
                                     .kernel = kernel_at,
                                     .choose = choose,
                                     .plan = plan,
                                     .plan_destroy = plx_host_plan_destroy,
                                     .plan_launches = plan_launches,
                                     .pieces_check = pieces_check,
                                     .execute = execute};
    return &liars;
}
