/* Liars that work at another time than their own: later, earlier, beside the launch, or when memory is filled. */
#define _POSIX_C_SOURCE 200809L
#include "liars.h"

#include <time.h>

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
void catch_up(const plx_memory *memory, uint64_t offset, uint64_t bytes)
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

void put_it_off(const product *p)
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

void end_help(void)
{
    if (helping)
        (void)pthread_join(helper, NULL);
    helping = false;
}

void computes_the_next(const product *p, const plx_operand *operands)
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

atomic_bool counted;
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

void works_ahead(const product *p, const plx_operand *operands)
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

void works_ahead_here(const product *p)
{
    if (atomic_load(&counted) && was_done_ahead(p))
        return;
    compute(p);
    ahead_count = 0;
    if (!atomic_load(&counted))
        ahead[ahead_count++] = p->c;
}

/* The first of two does the work of both where the last two were as far apart; what comes after the last is no set. */
void works_in_pairs(const product *p, const plx_operand *operands)
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

/* Longer than a round after which another is made in any case. */
void naps(const product *p)
{
    const struct timespec nap = {.tv_nsec = 160000000};
    compute(p);
    (void)nanosleep(&nap, NULL);
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

void works_as_filled(const product *p)
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
void watch(const plx_memory *memory, uint64_t offset, uint64_t bytes, change how)
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
