/* The knobs of a fake cuBLAS, cublasLt and CUB, which compute on the host: devices' memory is the
 * host's, too (fake_cuda.h).  They are linked with the plugin's own files, not loaded by it. */
#ifndef PLX_TESTS_FAKE_CUBLAS_H
#define PLX_TESTS_FAKE_CUBLAS_H

#include <cublasLt.h>
#include <cublas_v2.h>

typedef struct fake_cublas_state {
    const char *failing; /* the next call of this function returns `result`; NULL: none fails */
    cublasStatus_t result;
    size_t handles, objects; /* alive now: cuBLAS's, and cublasLt's descriptions */
    void *stream;            /* the last one set */
    size_t workspace;        /* bytes of the last one set */
    cublasMath_t mode;

    const char *lt_missing;           /* a function that cublasLt does not have; "": the library itself */
    int batches;                      /* calls for more than one product */
    int lt_found;                     /* algorithms that its heuristic names */
    size_t lt_workspace;              /* that they need */
    unsigned lt_wrong;                /* bits: algorithms whose results are wrong in their last row */
    int lt_used;                      /* the number of the last algorithm */
    void (*lt_uses)(int algorithm);   /* called before it computes; may be NULL */
    uint32_t lt_alignment, lt_asked;  /* of the algorithm that was used; of the heuristic's last question */
    uint32_t lt_adding;               /* how the algorithm last asked for may add parts */
    cublasComputeType_t lt_compute;   /* of the last product described */
    cudaDataType lt_input, lt_output; /* of the last product computed */

    const char *cub_missing, *cub_failure;
    size_t cub_bytes; /* that it needs */
    int64_t segments; /* of the last call; 0: it was one reduction */
} fake_cublas_state;

extern fake_cublas_state fake_cublas;

/* dlopen() and dlsym() of plugins/cublas/lt.c. */
void *fake_lt_open(const char *file, int flags);
void *fake_lt_symbol(void *library, const char *name);

#endif
