/* The words that applications, the core and the plugins share: status codes,
 * element types, problems, devices and kernels.  Installed; included by both
 * parallax.h and plugin.h, never by itself. */
#ifndef PARALLAX_TYPES_H
#define PARALLAX_TYPES_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PLX_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define PLX_PRINTF(text, first)
#endif

/* ---- status ---------------------------------------------------------- */

typedef enum plx_status {
    PLX_OK = 0,
    PLX_INVALID,      /* an argument, a problem or an input file is wrong */
    PLX_UNSUPPORTED,  /* valid, but not here; an answer, not a failure */
    PLX_NOT_FOUND,    /* no plugin, device or kernel of that name */
    PLX_NO_DEVICE,    /* the plugin works, but reaches no device */
    PLX_NO_MEMORY,    /* host or device memory is exhausted */
    PLX_IO,           /* a file could not be read or written */
    PLX_BUILD_FAILED, /* device code did not compile or load */
    PLX_FAILED,       /* the backend failed while running */
    PLX_DEVICE_LOST,  /* a sticky error: this device runs nothing more */
    PLX_STATUS_COUNT
} plx_status;

/* Why a call failed, in words; filled by whoever decides that it failed.
 * One line without a final newline; always NUL-terminated. */
typedef struct plx_error {
    char text[512];
} plx_error;

/* Writes the reason of a failure and returns `status`, so that a function can
 * end in `return plx_fail(error, PLX_FAILED, "...", ...)`. */
static inline plx_status plx_fail(plx_error *error, plx_status status, const char *format, ...) PLX_PRINTF(3, 4);
static inline plx_status plx_fail(plx_error *error, plx_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return status;
}

/* ---- element types --------------------------------------------------- */

typedef enum plx_dtype {
    PLX_I8 = 0,
    PLX_I16,
    PLX_I32,
    PLX_I64,
    PLX_F32,
    PLX_F64,
    PLX_C64,  /* two f32: 8 bytes, moved but not computed with */
    PLX_C128, /* two f64: 16 bytes, moved but not computed with */
    PLX_F16,  /* IEEE 754 binary16: 11 bits of significand, up to 65504 */
    PLX_BF16, /* the upper half of an f32: 8 bits of significand, the range of f32 */
    PLX_DTYPE_COUNT
} plx_dtype;

#define PLX_DTYPE_BIT(dtype) (UINT32_C(1) << (dtype))

/* ---- problems -------------------------------------------------------- */

typedef enum plx_op {
    PLX_REDUCE = 0,
    PLX_TRANSPOSE,
    PLX_MATVEC,
    PLX_GEMM,
    PLX_PROBE,
    PLX_OP_COUNT,
} plx_op;

typedef enum plx_reduction { PLX_SUM = 0, PLX_MIN, PLX_MAX, PLX_REDUCTION_COUNT } plx_reduction;

/* The arithmetic that a problem asks for: a kernel has one of these, and takes problems of that
 * one alone.  Kernels of different compute types are never compared as if they were the same thing.
 * f16 and bf16 are always plain: products are exact, and sums are kept in f32. */
typedef enum plx_compute {
    PLX_COMPUTE_PLAIN = 0, /* the dtype's own arithmetic, or better */
    PLX_COMPUTE_TF32,      /* f32 inputs rounded to TF32 */
    PLX_COMPUTE_F16X3,     /* f32 inputs as two f16 each: three products of them, scaled */
    PLX_COMPUTE_BF16X6,    /* f32 inputs as three bf16 each: six products of them */
    PLX_COMPUTE_COUNT
} plx_compute;

/* All matrices are row-major.  Lengths and leading dimensions count elements.
 * The leading dimension of a matrix is the distance between the starts of two
 * successive rows: at least its number of columns, and at least 1. */

/* Signed zeros: a sum begins with +0, so one that is exactly zero is +0 whatever the
 * signs of its terms, those of a product included.  alpha * sum + beta * C follows
 * IEEE 754, from the left; without terms (alpha or the sum's length is 0) the result is
 * beta * C alone, its sign kept, and +0 without beta.  With a negative alpha and without
 * beta a zero may have either sign. */

/* result[0] = sum, min or max of x[0 .. n-1].  Integer sums wrap modulo 2^bits.
 * Of nothing: 0 for sum, the largest value (+Inf) for min, the smallest (-Inf)
 * for max.  min and max follow IEEE 754-2019 minimum and maximum: NaN wins from
 * any position and -0 is less than +0.
 * With inner, along the first axis of a matrix: result[j] is that of x[0][j] to x[n-1][j]. */
typedef struct plx_reduce_problem {
    int64_t n;
    plx_reduction reduction;
    int64_t inner; /* columns of x, which has n rows of them; 0 and 1: x is a vector */
} plx_reduce_problem;

/* out[j][i] = in[i][j]; `in` has rows x cols elements. */
typedef struct plx_transpose_problem {
    int64_t rows, cols;
    int64_t ld_in;  /* >= max(1, cols) */
    int64_t ld_out; /* >= max(1, rows) */
} plx_transpose_problem;

/* y = alpha * op(A) * x + beta * y; A has rows x cols elements as stored.
 * op(A) = A: x has cols elements, y rows.  op(A) = A^T (trans): the reverse. */
typedef struct plx_matvec_problem {
    int64_t rows, cols;
    int64_t lda; /* >= max(1, cols) */
    bool trans;
    double alpha, beta;
} plx_matvec_problem;

/* C = alpha * op(A) * op(B) + beta * C; op(A) is m x k, op(B) k x n, C m x n.
 * A is stored m x k, or k x m when trans_a; B k x n, or n x k when trans_b. */
typedef struct plx_gemm_problem {
    int64_t m, n, k;
    int64_t lda, ldb, ldc;
    bool trans_a, trans_b;
    double alpha, beta;
} plx_gemm_problem;

/* What a probe computes.  All arithmetic but that of FMA is on integers and wraps. */
typedef enum plx_probe_pattern {
    PLX_PROBE_GATHER = 0, /* out[i] = in[(i * stride + offset) mod span] */
    PLX_PROBE_PARTITION,  /* out[i]: `repeat` words of region (i / 1024) mod regions, added */
    PLX_PROBE_BANKS,      /* out[i]: `repeat` words of shared memory, added, from word i * stride on */
    PLX_PROBE_REVERSE,    /* runs of 64 elements, each backwards */
    PLX_PROBE_BRANCH,     /* out[i]: `repeat` steps of one of two sequences, by (i / stride) mod 2 */
    PLX_PROBE_GUARD,      /* out[i] = in[i] + 1 */
    PLX_PROBE_COPY,       /* out[i] = in[i] */
    PLX_PROBE_READ,       /* out[i]: the sum of chunk i, of 64 KiB */
    PLX_PROBE_FMA,        /* out[i]: `repeat` multiply-adds in each of 16 sequences; f32 and f64 */
    PLX_PROBE_LAUNCH,     /* out[i] = 1 */
    /* out[i]: element i mod 2^14 of `repeat` times the product of 64 x K and K x 256 whole numbers, the last bytes of
     * in's elements, on the matrix units for that type; K has 128 bytes of it.  f32; exact while repeat K 2^14 <= 2^24.
     */
    PLX_PROBE_UNITS_F16,
    PLX_PROBE_UNITS_BF16,
    PLX_PROBE_UNITS_TF32,
    PLX_PROBE_UNITS_I8,
    PLX_PROBE_UNITS_F64, /* of 64 x 16 and 16 x 64, i mod 2^12; f64 */
    PLX_PROBE_PATTERN_COUNT
} plx_probe_pattern;

/* A small computation whose result is exact and whose time says what memory does to
 * a kernel; n elements of output.  What a pattern does not use is 0. */
typedef struct plx_probe_problem {
    plx_probe_pattern pattern;
    int32_t repeat;
    int64_t n, stride, offset;
    int64_t span;    /* GATHER: elements of the input, a power of two */
    int64_t regions; /* PARTITION: regions of 256 bytes */
} plx_probe_problem;

#define PLX_MAX_OPERANDS 4

/* The matrices, or vectors, of an operand follow each other without a gap, whatever their size. */
#define PLX_STRIDE_DENSE (-1)

/* So many problems of one form: an operand of the next one begins stride elements behind that of the one before.
 * Outputs may not overlap; inputs may, and with stride 0 all have the same.  Make one with plx_batch_of(). */
typedef struct plx_batch {
    bool batched;  /* false: one problem, and all else here is 0 */
    int64_t count; /* 1 to 2^31 - 1 */
    int64_t stride[PLX_MAX_OPERANDS];
} plx_batch;

/* One computation, fully described.  beta == 0 means that the output is not
 * read; alpha == 0 that A, B and x are not (the BLAS rule).  alpha and beta are
 * rounded to the dtype before use, to f32 where it is f16 or bf16.  Make one with
 * plx_reduce_of() and its sisters, which zero what they do not set: problems are
 * compared as bytes. */
typedef struct plx_problem {
    plx_op op;
    plx_dtype dtype; /* of the inputs */
    plx_compute compute;
    uint32_t config; /* 0; what a plugin is given of a plan that names one: its plx_config.number */
    union {
        plx_reduce_problem reduce;
        plx_transpose_problem transpose;
        plx_matvec_problem matvec;
        plx_gemm_problem gemm;
        plx_probe_problem probe;
        uint64_t room[17]; /* the size of this struct is part of the ABI */
    } of;
    plx_batch batch;   /* only a kernel with PLX_KERNEL_BATCHED is given one */
    uint32_t output;   /* of the result: 0, the dtype of the inputs; else PLX_OUTPUT() of another */
    uint32_t reserved; /* 0 */
} plx_problem;

/* Inputs of f16 or bf16 may have a result in f32; all others have it in their own dtype. */
#define PLX_OUTPUT(dtype) ((uint32_t)(dtype) + 1)

static inline plx_dtype plx_output_dtype(const plx_problem *problem)
{
    return problem->output == 0 ? problem->dtype : (plx_dtype)(problem->output - 1);
}

/* ---- devices --------------------------------------------------------- */

/* What a device can do beyond the floor that every backend has. */
enum {
    PLX_FEATURE_F64 = 1u << 0,
    PLX_FEATURE_SHUFFLE = 1u << 1,      /* exchange between the lanes of a warp or sub-group */
    PLX_FEATURE_NVIDIA_PTX = 1u << 2,   /* OpenCL C that accepts NVIDIA's inline PTX */
    PLX_FEATURE_LOCAL_MEMORY = 1u << 3, /* shared (local) memory is real, on chip */
    PLX_FEATURE_FLUSHES_F32 = 1u << 4,  /* f32 subnormals are flushed to zero */
    PLX_FEATURE_CPU = 1u << 5,          /* the device is a processor, not an accelerator */
    PLX_FEATURE_COMPILES = 1u << 6      /* kernels are compiled for the device when a plan is made */
};

/* Texts end with a NUL.  The name, units, warp, the limits of blocks and grids and the bytes
 * of memory must be there: a device without them, or with more lanes in a warp than threads
 * in a block, makes the probe fail. */
typedef struct plx_device_info {
    char name[128];
    char vendor[64];
    char api[96];    /* "CUDA 13.0", "OpenCL 3.0 PoCL 3.1" */
    char driver[96]; /* the driver's own version string */
    bool has_uuid;
    uint8_t uuid[16];
    char pci[16]; /* "0000:17:00.0"; "" when there is none */
    int score;    /* `auto` takes the highest; 0 or less: only when asked for by name */
    uint32_t features;
    uint32_t compute_major, compute_minor; /* CUDA compute capability, 0.0 elsewhere */
    uint32_t units;                        /* multiprocessors, compute units, cores */
    uint32_t warp;                         /* lanes that issue together; 1 when unknown */
    uint32_t max_block_threads;
    uint64_t max_shared_bytes; /* shared memory one block may have, opt-in included */
    uint64_t max_grid[3];      /* blocks */
    uint64_t max_block[3];     /* threads */
    uint64_t memory_bytes;
    uint64_t max_alloc_bytes;
    uint64_t l2_bytes; /* the last cache before memory; 0: not told */
    /* Clusters of 4 blocks, and of 8, that run at once where a block takes a whole multiprocessor: chips of one name
       differ in it.  Known of an opened device; 0: not told. */
    uint32_t clusters[2];
    uint64_t reserved[15]; /* 0 */
} plx_device_info;

/* ---- kernels --------------------------------------------------------- */

/* How often the same input gives the same bits. */
typedef enum plx_reproducibility {
    PLX_R0 = 0, /* on every backend */
    PLX_R1,     /* from run to run on one device */
    PLX_R2      /* bounded only */
} plx_reproducibility;

enum {
    PLX_KERNEL_BASELINE =
        1u << 0, /* to measure others by: timed and validated (a copy), never offered as the operation */
    PLX_KERNEL_VENDOR = 1u << 1,       /* a vendor library's, here as a peer */
    PLX_KERNEL_CEILING = 1u << 2,      /* a probe's: measures the most that a device can do */
    PLX_KERNEL_MATRIX_UNITS = 1u << 3, /* multiplies in units of their own, faster than plain multiply-adds */
    PLX_KERNEL_PROBED = 1u << 4,       /* `probe` sweeps it over leading dimensions: it shows what memory does to it */
    PLX_KERNEL_SPECIAL = 1u << 5,      /* for special shapes: beside the ladder, no step from the kernel before it */
    PLX_KERNEL_ADDED = 1u << 6,        /* no plugin's: plx_context_add_kernel() */
    /* Of f32 in plain arithmetic, which is more exact than TF32: it takes products that are asked for as TF32, too. */
    PLX_KERNEL_FOR_TF32 = 1u << 7,
    /* Takes plx_problem.batch, and reduce.inner, in one execution, all that supports() does not refuse; of others the
       core makes as many as there are problems. */
    PLX_KERNEL_BATCHED = 1u << 8,
    PLX_KERNEL_ANY_ZERO = 1u << 9, /* where a computed result is zero its sign may be either */
    PLX_KERNEL_FLUSHES = 1u << 10  /* subnormals of f32 may be taken for 0, whatever the device does with them */
};

/* What a kernel says of itself.  Static; the strings live as long as the plugin. */
typedef struct plx_kernel {
    const char *name;  /* "double-buffer" */
    const char *idea;  /* the one change it makes, in one line */
    const char *gain;  /* what that should gain over the step before, and why */
    const char *limit; /* what limits it */
    const char *needs; /* requirements in words, "" for none */
    uint32_t dtypes;   /* of inputs; bits: PLX_DTYPE_BIT(dtype) */
    uint32_t flags;    /* PLX_KERNEL_ bits */
    plx_compute compute;
    plx_dtype accumulator_f32; /* what sums of f32, f16 and bf16 elements are kept in: PLX_F32, PLX_F64 or PLX_F16 */
    plx_reproducibility reproducibility;
    /* The number of roundings a term of the sum can meet on its way into the
     * result, by this kernel's geometry on this device (h of the error bound);
     * 0 for a kernel that only moves data. */
    int64_t (*depth)(const plx_problem *problem, const plx_device_info *device);
} plx_kernel;

/* One of the ways in which a kernel can be launched for a problem on a device: which tile of the
 * output a block computes, into how many parts its sums are divided.  The results are those
 * of the kernel, with a depth of their own. */
typedef struct plx_config {
    char name[40];      /* "64x64/4": behind the kernel's name and a colon it names both */
    uint32_t number;    /* plx_problem.config; not 0 */
    uint32_t reserved;  /* 0 */
    double expected_us; /* microseconds, by the kernel's model of the device; 0: it has none */
} plx_config;

/* One of the numbers that a kernel's model of its time stands on: measured, not known. */
typedef struct plx_rate {
    char name[40]; /* "tiles[3].full" */
    double value;
    double least, most; /* what it may be; positive */
} plx_rate;

/* ---- counters -------------------------------------------------------- */

/* What the hardware counted while a plan ran once; NaN: not measured.  A sector is
 * the 32 bytes that a transaction moves, a request one instruction of a warp. */
typedef struct plx_counters {
    double global_load_sectors, global_load_requests;
    double global_store_sectors, global_store_requests;
    double shared_load_conflicts, shared_store_conflicts; /* of banks: extra passes */
    double achieved_occupancy; /* warps in flight over those that a unit has room for, 0 to 1 */
    double dram_read_bytes, dram_write_bytes;
    double duration_ns; /* while it was counted: clocks may differ from those of a timing */
} plx_counters;

/* ---- telemetry ------------------------------------------------------- */

/* Which members of a plx_telemetry are known. */
enum {
    PLX_KNOWS_SM_CLOCK = 1u << 0,
    PLX_KNOWS_MEMORY_CLOCK = 1u << 1,
    PLX_KNOWS_SM_CLOCK_MAX = 1u << 2,
    PLX_KNOWS_MEMORY_CLOCK_MAX = 1u << 3,
    PLX_KNOWS_POWER = 1u << 4,
    PLX_KNOWS_POWER_LIMIT = 1u << 5,
    PLX_KNOWS_TEMPERATURE = 1u << 6,
    PLX_KNOWS_ECC = 1u << 7,
    PLX_KNOWS_THROTTLE = 1u << 8
};

/* Why a device runs below its highest clocks. */
enum {
    PLX_THROTTLE_IDLE = 1u << 0,     /* it had nothing to do */
    PLX_THROTTLE_SETTING = 1u << 1,  /* somebody set the clocks lower */
    PLX_THROTTLE_POWER = 1u << 2,    /* it is at its power limit */
    PLX_THROTTLE_HEAT = 1u << 3,     /* it is too hot */
    PLX_THROTTLE_HARDWARE = 1u << 4, /* its board or its supply asks for it */
    PLX_THROTTLE_OTHER = 1u << 5
};

/* What a device says of its state while it works.  A member whose PLX_KNOWS_ bit is not
 * in `known` is 0 and says nothing. */
typedef struct plx_telemetry {
    uint32_t known;
    uint32_t throttle;                     /* PLX_THROTTLE_ bits */
    double sm_clock_mhz, memory_clock_mhz; /* now */
    double sm_clock_max_mhz, memory_clock_max_mhz;
    double power_w, power_limit_w;
    double temperature_c;
    bool ecc;             /* its memory corrects errors */
    uint64_t reserved[8]; /* 0 */
} plx_telemetry;

/* Which members of a plx_health are known. */
enum {
    PLX_KNOWS_SERIAL = 1u << 0,
    PLX_KNOWS_FIRMWARE = 1u << 1,
    PLX_KNOWS_CORRECTED = 1u << 2,
    PLX_KNOWS_UNCORRECTED = 1u << 3,
    PLX_KNOWS_REMAPPED = 1u << 4,
    PLX_KNOWS_ERRORS = 1u << 5,
    PLX_KNOWS_UTILISATION = 1u << 6,
    PLX_KNOWS_PROCESSES = 1u << 7,
    PLX_KNOWS_PART = 1u << 8
};

/* What a device says of its health, by counters that it keeps over its life, unless they say otherwise. */
typedef struct plx_health {
    uint32_t known;
    char serial[32], firmware[32];                     /* of the board; of its VBIOS */
    uint64_t corrected, uncorrected;                   /* errors of memory */
    uint64_t remapped_corrected, remapped_uncorrected; /* rows that others replace, for either kind */
    bool remap_pending, remap_failed;
    uint64_t errors;      /* that its driver reported (XIDs) since this session first asked */
    uint32_t last_error;  /* the number of the last of them */
    uint32_t processes;   /* that compute on it now */
    double utilisation;   /* percent of the last sampling period in which kernels ran */
    uint64_t part;        /* not 0: the device is a part of a chip that is divided (MIG) */
    uint64_t reserved[7]; /* 0 */
} plx_health;

#ifdef __cplusplus
}
#endif

#endif
