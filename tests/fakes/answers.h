/* What fake drivers have in common: the answers that can't be, when a fault is due (faults.h). */
#ifndef PLX_TESTS_FAKE_ANSWERS_H
#define PLX_TESTS_FAKE_ANSWERS_H

#include "faults.h"

#include <stddef.h>
#include <stdint.h>

/* Asks what becomes of this call; for the errors and for no fault the caller sees to it.  Any other is
 * given by the next of the functions below. */
fault_how fake_fault(const char *function);

/* What is to be given next. */
fault_how fake_due(void);
/* What is right, or something else.  Numbers: `huge` stands for 2^63 in a smaller type. */
uint64_t fake_number(uint64_t right, uint64_t huge);
double fake_real(double right);
void *fake_handle(void *right);
/* The text in its room, or one without an end. */
void fake_text(char *room, size_t capacity, const char *right);

/* Appends a line to the file $FAKE_TELLS: the call, the number of the process, what it is about. */
void fake_tell(const char *function, const char *about);

/* ---- what is computed ---------------------------------------------------- */

/* The plainest kernel of each operation, at the launch, with pointers and numbers as `values`, eight bytes each:
 * sums of i32, transposes of four bytes, products of f32 that are not transposed.  Nothing for all others. */
void fake_compute(const char *entry, const uint64_t *values, uint64_t blocks, uint64_t threads);
/* How many values a kernel has; 0: it is none of these. */
size_t fake_values(const char *entry);

#endif
