/* What the text of a kernel in CUDA C++ has. */
#ifndef PLX_TESTS_KERNEL_TEXT_H
#define PLX_TESTS_KERNEL_TEXT_H

/* Fails unless kernels/<code>.cu has an entry point of this name, once its macros are expanded. */
void assert_has_entry(const char *code, const char *entry);

/* Fails unless the entry point of kernels/<code>.cu, as it is compiled, waits for what precedes it
 * in its queue (recipe.h: dependent_launch). */
void assert_waits_for_the_queue(const char *code, const char *entry);

#endif
