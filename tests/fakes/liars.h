/* The plugin of kernels that lie: its products, and how each of them cheats. */
#ifndef PLX_TESTS_LIARS_H
#define PLX_TESTS_LIARS_H

#include <parallax/host_memory.h>

#include <pthread.h>
#include <stdatomic.h>

/* One product: its operands in memory. */
typedef struct product {
    plx_gemm_problem of;
    float *a, *b, *c;
} product;

/* How many places, sets of operands or launches a kernel knows at most. */
enum { PLACES = 256 };

/* One launch at a time. */
extern pthread_mutex_t lock;

float at(const product *p, int64_t row, int64_t term);
/* f32, one term after the other. */
void compute_row(const product *p, int64_t row, int64_t terms, float (*seen)(float));
void compute(const product *p);
/* Whether so many elements lie in that memory. */
bool within(const plx_memory *memory, const float *first, int64_t elements);

/* liars_remember.c: results of earlier launches. */
void replays(const product *p);
void answers_from_a_file(const product *p);
void skips(const product *p);
void skips_what_it_left(const product *p);
void skips_what_it_knows(const product *p);
void knows_what_it_met(const product *p);

/* liars_wrong.c: what is wrong when it is timed. */
void changes_an_input(const product *p, long calls);
void writes_behind(const product *p, const plx_operand *operand, int64_t elements, long calls);
float as_tf32(float x);
float as_bf16(float x);
void rounds_when_long(const product *p, int64_t from, float (*seen)(float));
void drops_a_term(const product *p);
void looks_for_nan(const product *p);
void scribbles(const product *p, const plx_operand *c, long calls);

/* liars_elsewhen.c: work at another time than its own.  Whether a clock counts: an event was recorded since all was
 * waited for. */
extern atomic_bool counted;
/* What reads or writes these bytes has to find what launches should have left there. */
void catch_up(const plx_memory *memory, uint64_t offset, uint64_t bytes);
void end_help(void);
typedef enum change { IS_COPIED, IS_FILLED, IS_CHANGED, IS_FREED } change;
/* After the change. */
void watch(const plx_memory *memory, uint64_t offset, uint64_t bytes, change how);
void put_it_off(const product *p);
void computes_the_next(const product *p, const plx_operand *operands);
void works_ahead(const product *p, const plx_operand *operands);
void works_ahead_here(const product *p);
void works_in_pairs(const product *p, const plx_operand *operands);
void works_as_filled(const product *p);
void naps(const product *p);

#endif
