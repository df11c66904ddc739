/* What the text of a kernel in CUDA C++ has. */
#ifndef PLX_TESTS_KERNEL_TEXT_H
#define PLX_TESTS_KERNEL_TEXT_H

/* Fails unless kernels/<code>.cu itself calls the function. */
void assert_calls(const char *code, const char *function);

/* Fails unless it has an entry point of this name, once its macros are expanded. */
void assert_has_entry(const char *code, const char *entry);

#endif
