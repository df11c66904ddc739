/* What a session keeps of cublasLt's algorithms, by name alone (lt_fastest.c). */
#ifndef PLX_PLUGINS_CUBLAS_LT_CHOICES_H
#define PLX_PLUGINS_CUBLAS_LT_CHOICES_H

/* What was taken for which problem, of one session. */
typedef struct plx_lt_choices plx_lt_choices;
void plx_lt_choices_free(plx_lt_choices *choices); /* may be NULL */

#endif
