/* The answers of fake drivers, and what their devices compute. */
#define _POSIX_C_SOURCE 200809L
#include "answers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Not there where no faults are planned. */
#pragma weak fault_in_driver
#pragma weak fault_given

static _Thread_local fault_how due;

fault_how fake_fault(const char *function)
{
    due = fault_in_driver != NULL ? fault_in_driver(function) : FAULT_NONE;
    return due;
}

fault_how fake_due(void)
{
    return due;
}

/* A fault that was given is none any more. */
static fault_how take(void)
{
    const fault_how taken = due;
    due = FAULT_NONE;
    return taken;
}

static void given(void)
{
    if (fault_given != NULL)
        fault_given();
}

uint64_t fake_number(uint64_t right, uint64_t huge)
{
    uint64_t odd;
    switch (take()) {
    case FAULT_ZERO:
        odd = 0;
        break;
    case FAULT_HUGE:
        odd = huge;
        break;
    case FAULT_MILLION:
        odd = 1000000;
        break;
    case FAULT_NEGATIVE:
        odd = UINT64_MAX;
        break;
    default:
        return right;
    }
    given();
    return odd;
}

double fake_real(double right)
{
    double odd;
    switch (take()) {
    case FAULT_ZERO:
        odd = 0;
        break;
    case FAULT_HUGE:
        odd = INFINITY;
        break;
    case FAULT_MILLION:
        odd = NAN;
        break;
    case FAULT_NEGATIVE:
        odd = -1e30;
        break;
    default:
        return right;
    }
    given();
    return odd;
}

void *fake_handle(void *right)
{
    if (take() != FAULT_ZERO)
        return right;
    given();
    return NULL;
}

void fake_text(char *room, size_t capacity, const char *right)
{
    static const char endless[] = "\033[31m\xff\001";
    const fault_how how = take();
    if (how != FAULT_ENDLESS && how != FAULT_ZERO) {
        (void)snprintf(room, capacity, "%s", right);
        return;
    }
    for (size_t i = 0; how == FAULT_ENDLESS && i < capacity; i++)
        room[i] = endless[i % (sizeof endless - 1)];
    if (how == FAULT_ZERO && capacity > 0)
        room[0] = '\0';
    given();
}

void fake_tell(const char *function, const char *about)
{
    const char *path = getenv("FAKE_TELLS");
    FILE *file = path != NULL ? fopen(path, "a") : NULL;
    if (file == NULL)
        return;
    (void)fprintf(file, "%s %ld %s\n", function, (long)getpid(), about);
    (void)fclose(file);
}

/* ---- what is computed ---------------------------------------------------- */

static void *at(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

static float real(uint64_t value)
{
    float number;
    memcpy(&number, &value, sizeof number);
    return number;
}

/* x, work, out, n */
static void reduce(const uint64_t *values, uint64_t blocks, uint64_t threads)
{
    const uint32_t *x = at(values[0]);
    uint32_t *out = at(values[2]);
    for (uint64_t block = 0; block < blocks; block++) {
        uint32_t sum = 0;
        for (uint64_t i = block * threads; i < values[3] && i < (block + 1) * threads; i++)
            sum += x[i];
        out[block] = sum;
    }
}

/* x, where sums of blocks go, n: the first has all of it. */
static void reduce_vector(const uint64_t *values, uint64_t blocks, uint64_t threads)
{
    const uint64_t whole[] = {values[0], 0, values[1], values[2]};
    (void)threads;
    memset(at(values[1]), 0, 4 * blocks);
    reduce(whole, 1, values[2]);
}

/* x, result, scratch, tickets, n */
static void reduce_onepass(const uint64_t *values, uint64_t blocks, uint64_t threads)
{
    const uint64_t whole[] = {values[0], 0, values[1], values[4]};
    (void)blocks;
    (void)threads;
    reduce(whole, 1, values[4]);
}

/* in, out, rows, columns, and from row to row of both */
static void transpose(const uint64_t *values, uint64_t blocks, uint64_t threads)
{
    const uint32_t *in = at(values[0]);
    uint32_t *out = at(values[1]);
    (void)blocks;
    (void)threads;
    for (uint64_t row = 0; row < values[2]; row++)
        for (uint64_t col = 0; col < values[3]; col++)
            out[col * values[5] + row] = in[row * values[4] + col];
}

static void put(float *to, float sum, uint64_t alpha, uint64_t beta)
{
    *to = real(beta) == 0 ? real(alpha) * sum : fmaf(real(alpha), sum, real(beta) * *to);
}

/* a, x, y, outputs, terms, lda, alpha, beta */
static void matvec(const uint64_t *values, uint64_t blocks, uint64_t threads)
{
    const float *a = at(values[0]), *x = at(values[1]);
    float *y = at(values[2]);
    (void)blocks;
    (void)threads;
    for (uint64_t i = 0; i < values[3]; i++) {
        float sum = 0;
        for (uint64_t l = 0; l < values[4]; l++)
            sum = fmaf(a[i * values[5] + l], x[l], sum);
        put(&y[i], sum, values[6], values[7]);
    }
}

/* A device does this a lot: with instructions that fuse, where the processor has them, it takes a fiftieth. */
#if defined __x86_64__ && defined __GNUC__ && !defined __clang__
#define FUSED __attribute__((target_clones("fma", "default"), optimize("O3")))
#else
#define FUSED
#endif
enum { SUMS = 64 };

/* One more term for each of the sums. */
FUSED static void add_terms(float *restrict sums, float left, const float *restrict right)
{
    for (int i = 0; i < SUMS; i++)
        sums[i] = fmaf(left, right[i], sums[i]);
}

/* a, b, c, m, n, k, lda, ldb, ldc, alpha, beta: neighbours of a row together, each sum in the order of its terms. */
static void gemm(const uint64_t *values, uint64_t blocks, uint64_t threads)
{
    const float *a = at(values[0]), *b = at(values[1]);
    float *c = at(values[2]), sums[SUMS];
    (void)blocks;
    (void)threads;
    for (uint64_t row = 0; row < values[3]; row++)
        for (uint64_t col = 0; col < values[4]; col += SUMS) {
            const uint64_t count = values[4] - col < SUMS ? values[4] - col : SUMS;
            memset(sums, 0, sizeof sums);
            for (uint64_t l = 0; l < values[5]; l++) {
                const float *right = &b[l * values[7] + col], left = a[row * values[6] + l];
                if (count == SUMS)
                    add_terms(sums, left, right);
                for (uint64_t i = 0; count < SUMS && i < count; i++)
                    sums[i] = fmaf(left, right[i], sums[i]);
            }
            for (uint64_t i = 0; i < count; i++)
                put(&c[row * values[8] + col + i], sums[i], values[9], values[10]);
        }
}

/* ---- what a screen runs beside them (study/screen/on_device.cu) ----------------------------- */

/* ring, proven, differing, slots, words, pitch */
static void words_differ(const uint64_t *values, uint64_t blocks, uint64_t threads)
{
    const uint32_t *ring = at(values[0]), *proven = at(values[1]);
    uint32_t *differing = at(values[2]);
    (void)blocks;
    (void)threads;
    for (uint64_t slot = 0; slot < differing[values[3]]; slot++) {
        const uint32_t *one = ring + slot * values[5];
        if (memcmp(one, proven, 4 * values[4]) == 0)
            continue;
        for (uint64_t i = 0; i < values[4]; i++)
            differing[slot] += one[i] != proven[i];
    }
}

static uint64_t bits_of(const uint64_t *form, uint64_t at)
{
    const uint64_t number = at / form[2] * form[3] + at % form[2] * form[4];
    uint64_t bits = form[0] ^ (number * UINT64_C(0xd1342543de82ef95) + 1);
    for (int round = 0; round < 2; round++) {
        bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
        bits ^= bits >> 31;
        bits += round == 0 ? form[0] : 0;
    }
    return bits;
}

/* to, form: f32, by long double, which has room for all bits of a number, and small integers. */
static void generate(const uint64_t *values, uint64_t blocks, uint64_t threads)
{
    enum { UNIFORM_F32 = 0, SMALL_I32 = 4 };
    const uint64_t *form = at(values[1]), kind = form[6] & UINT32_MAX, limit = form[6] >> 32;
    float *real = at(values[0]);
    uint32_t *integer = at(values[0]);
    (void)blocks;
    (void)threads;
    for (uint64_t i = 0; i < form[1]; i++) {
        const uint64_t bits = bits_of(form, i);
        const float value = (float)(double)((long double)(bits | 1) * 0x1p-64L);
        if (kind == UNIFORM_F32)
            real[i] = copysignf(value < 1 ? value : nextafterf(1, 0), (bits & 2) != 0 ? -1.0F : 1.0F);
        else if (kind == SMALL_I32)
            integer[i] = bits >> 32 < form[5] ? (uint32_t)(bits % (2 * limit + 1)) - (uint32_t)limit : 0;
    }
}

/* of, form: of words. */
static void digest(const uint64_t *values, uint64_t blocks, uint64_t threads)
{
    const uint32_t *of = at(values[0]);
    uint32_t *form = at(values[1]);
    (void)blocks;
    (void)threads;
    for (uint32_t i = 0; i < form[2]; i++) {
        uint32_t word = of[i] ^ i * UINT32_C(0x9e3779b1);
        word = (word ^ word >> 16) * UINT32_C(0x85ebca6b);
        word ^= word >> 13;
        form[14] += word;
        word *= UINT32_C(0xc2b2ae35);
        form[15] += word ^ word >> 16;
    }
}

/* found, rounds: of a device with 132 multiprocessors. */
static void compute_alike(const uint64_t *values, uint64_t blocks, uint64_t threads)
{
    enum { UNITS = 132 };
    uint32_t *found = at(values[0]), sum = 0, bits;
    for (uint32_t thread = 0; thread < threads; thread++) {
        uint32_t x = thread * UINT32_C(2654435761) + 1;
        float real = 0.5F;
        for (uint64_t i = 0; i < values[1]; i++) {
            x = x * UINT32_C(1664525) + UINT32_C(1013904223);
            real = fmaf(real, 0.9990234375F, (float)(x >> 8) * 0x1p-24F);
        }
        memcpy(&bits, &real, sizeof bits);
        sum += x ^ bits;
    }
    for (uint64_t block = 0; block < blocks; block++) {
        found[2 * block] = (uint32_t)(block % UNITS);
        found[2 * block + 1] = sum;
    }
}

static const struct kernel {
    const char *entry; /* how its name begins */
    size_t values;
    void (*compute)(const uint64_t *values, uint64_t blocks, uint64_t threads);
} kernels[] = {
    {"reduce_gmem", 4, reduce},
    {"reduce_vector", 3, reduce_vector},
    {"reduce_onepass", 5, reduce_onepass},
    {"transpose_naive", 6, transpose},
    {"matvec_row_per_thread", 8, matvec},
    {"gemm_naive", 11, gemm},
    {"words_differ", 6, words_differ},
    {"generate", 2, generate},
    {"digest", 2, digest},
    {"compute_alike", 2, compute_alike},
};

static const struct kernel *find(const char *entry)
{
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        if (strncmp(entry, kernels[i].entry, strlen(kernels[i].entry)) == 0)
            return &kernels[i];
    return NULL;
}

size_t fake_values(const char *entry)
{
    const struct kernel *found = find(entry);
    return found != NULL ? found->values : 0;
}

void fake_compute(const char *entry, const uint64_t *values, uint64_t blocks, uint64_t threads)
{
    const struct kernel *found = find(entry);
    if (found != NULL)
        found->compute(values, blocks, threads);
}
