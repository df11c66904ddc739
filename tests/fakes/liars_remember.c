/* Liars that keep results, or what they left, for launches to come. */
#define _POSIX_C_SOURCE 200809L
#include "liars.h"

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

void replays(const product *p)
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

void answers_from_a_file(const product *p)
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

enum { LOOKS = 12 };

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

void skips(const product *p)
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

/* By a few elements of the output alone. */
void skips_what_it_left(const product *p)
{
    left *known = place_of(p->c);
    const float *const old = known->seen + LOOKS - 4;
    float now[LOOKS];
    see(p, now);
    if (known->c == p->c && memcmp(now + LOOKS - 4, old, 4 * sizeof *old) == 0)
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

void skips_what_it_knows(const product *p)
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
void knows_what_it_met(const product *p)
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
