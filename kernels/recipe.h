/* A recipe: how a kernel runs a problem on a device, as data.  Each operation
 * computes recipes in C, once for all APIs; the cuda and opencl plugins carry
 * them out without knowing the operation.  Private to the tree. */
#ifndef PLX_KERNELS_RECIPE_H
#define PLX_KERNELS_RECIPE_H

#include "kernels/image.h"

#include <parallax/plugin.h>

typedef enum plx_argument_kind {
    PLX_ARG_OPERAND, /* CUDA: T *; OpenCL: global T *, long offset in elements */
    PLX_ARG_SCRATCH, /* the queue's scratch memory from `value` bytes on; CUDA: char-addressed
                        pointer of the kernel's type; OpenCL: global T *, long offset in BYTES/sizeof(element):
                        see element_size */
    PLX_ARG_I64,     /* int64_t / long */
    PLX_ARG_I32,     /* int32_t / int */
    PLX_ARG_SCALAR,  /* of the problem's dtype, f32 where that has 16 bits, from `scalar` */
    PLX_ARG_SHARED,  /* `value` bytes of dynamic shared memory; CUDA: extern __shared__, no argument;
                        OpenCL: local T * */
    PLX_ARG_MAP,     /* the recipe's tensor map number `operand`; CUDA: const __grid_constant__
                        CUtensorMap; OpenCL: global uchar *, long offset in bytes, and matrix_t, of which
                        device code makes one (gemm/device/ptx/tensor-map.clh) */
    /* Of launches that others wrote (given.c): */
    PLX_ARG_POINTER,  /* operand `operand`, `value` bytes on; OpenCL: the pointer alone */
    PLX_ARG_PIECE,    /* piece of memory `operand`, `value` bytes on; the pointer alone */
    PLX_ARG_BYTES,    /* `value` bytes as they lie at `given->bytes`, with pointers within */
    PLX_ARG_NULL,     /* a null pointer */
    PLX_ARG_GIVEN_MAP /* map number `operand` of the list */
} plx_argument_kind;

typedef struct plx_argument {
    plx_argument_kind kind;
    uint32_t operand;       /* OPERAND, MAP: which; SCRATCH: element size of the pointer's type */
    int64_t value;          /* I64, I32, SCRATCH (byte offset), SHARED (bytes) */
    double scalar;          /* SCALAR */
    const plx_given *given; /* BYTES */
} plx_argument;

#define PLX_MAX_ARGUMENTS (PLX_MAX_GIVEN + 1) /* with one of shared memory */
#define PLX_MAX_STEPS 8
#define PLX_MAX_MAPS 6

/* A matrix in memory as the copy engine of compute capability 9.0 sees it: it brings boxes of
 * it to shared memory, with zeros for what lies beyond the matrix. */
typedef struct plx_tensor_map {
    bool of_scratch;  /* else of an operand, which must then begin at a multiple of 16 bytes */
    uint32_t operand; /* which */
    uint64_t offset;  /* bytes from where the operand or the scratch memory begins */
    plx_dtype dtype;
    uint64_t width, height; /* elements of a row, rows: 1 to PLX_MOST_OF_MAP */
    uint64_t pitch;         /* bytes from row to row: a multiple of 16 */
    /* Matrices one behind the other, and the bytes from one to the next, a multiple of 16; the device code then gives
     * the number of one as a third coordinate.  0: the map has two dimensions. */
    uint64_t depth, depth_pitch;
    uint32_t box_width, box_height; /* elements, rows: at most 256 */
    /* Bytes of a box's row within which 16-byte units change places by the row's number, so
     * that a column of units lies in different banks: 0 (none), 32, 64 or 128. */
    uint32_t swizzle;
} plx_tensor_map;

/* Device code gives the coordinates of a box as int32_t, also of one that reaches beyond. */
#define PLX_MOST_OF_MAP (INT32_MAX - 65535)

/* One launch. */
typedef struct plx_step {
    const char *entry; /* "gemm_tile_2d"; CUDA appends "_" and the recipe's variant, or the step's own */
    /* Device code and variant of this step alone, "gemm/matvec" and "f32"; NULL: the recipe's. */
    const char *code, *variant;
    uint64_t grid[3];  /* blocks, each >= 1 and within the device's limits */
    uint32_t block[3]; /* threads */
    /* CUDA, compute capability 9.0: so many neighbouring blocks along x run together and see
     * each other's shared memory; at most 8, and grid[0] is a multiple of it.  0: no cluster. */
    uint32_t cluster;
    /* CUDA, of launches that others wrote: the same along y and z, 0 or 1 for one; up to 16 in all. */
    uint32_t cluster_y, cluster_z;
    bool cooperative; /* CUDA: its blocks may wait for each other */
    int32_t carveout; /* CUDA: percent of the cache that is to be shared memory, and 1; 0: the driver's choice */
    /* CUDA may begin this launch while what is before it in the queue still ends: its
     * device code stands at griddepcontrol.wait before it touches memory. */
    bool dependent_launch;
    /* Elements of the output that a block writes, as a rectangle of those that cover it from its first on; 0: it is
     * another launch's, or no rectangle. */
    uint32_t tile_rows, tile_cols;
    bool more_arguments; /* than there is room for were added: plx_recipe_check() refuses it */
    size_t argument_count;
    plx_argument arguments[PLX_MAX_ARGUMENTS];
} plx_step;

/* Scratch memory belongs to the queue and is shared by all plans that run on it,
 * one after the other.  Its first PLX_SCRATCH_COUNTERS bytes are zero when it is
 * made, and every kernel must leave them zero. */
#define PLX_SCRATCH_COUNTERS 65536

/* How elements of an operand come to where they are multiplied, or leave. */
typedef enum plx_operand_path {
    PLX_PATH_LOADS,            /* by loads and stores of single elements or packs, wherever they begin */
    PLX_PATH_CP_ASYNC,         /* threads copy them to shared memory, asynchronously, wherever they begin */
    PLX_PATH_TMA,              /* by the copy engine, as they lie: rows begin at multiples of 16 bytes */
    PLX_PATH_PACKED,           /* copied to aligned rows by a launch before, then by the copy engine */
    PLX_PATH_PACKED_TRANSPOSED /* and rows become columns as they are copied */
} plx_operand_path;

/* How a kernel carries out a problem on a device.  Resolved once, when a plan is made; launches, depth, expected time
 * and name follow from it, and none of them searches again.  What a kernel does not have is 0. */
typedef struct plx_schedule {
    uint32_t kernel;                    /* the place on the ladder of the row whose code runs */
    uint32_t tile;                      /* place in that kernel's table of tiles */
    int32_t split_k;                    /* partitions of k that are added through memory */
    int32_t cluster_rows, cluster_cols; /* blocks of a cluster that share what they load */
    int32_t cluster_k;                  /* blocks of a cluster that share k, added through shared memory */
    int32_t waves, eighths;             /* stream-k: residual waves, and of how many eighths of a wave's places */
    int32_t edge_ctas;                  /* blocks for what lies past the last whole tile */
    int32_t ctas_per_sm;                /* by which a residual wave is counted */
    bool transposed, ping_pong;         /* op(B)^T op(A)^T is multiplied; warpgroups take turns */
    bool early;                         /* the next launch may begin when blocks end */
    plx_operand_path paths[3];          /* of A, B and C */
    double us; /* that the kernel's model expects; 0: it has none.  Before it is found: more is of no use, or 0 */
} plx_schedule;

typedef struct plx_recipe {
    plx_schedule schedule;  /* from which the row writes it */
    const void *form;       /* the row's */
    char variant[48];       /* "f32_nt": the end of the CUDA entry points' names */
    char defines[256];      /* "-DT=float -DTRANS_A=0": how OpenCL compiles the same */
    char code[64];          /* another row's device code that this runs, "matvec/split"; "": the row's own */
    uint64_t scratch_bytes; /* counters included; 0 when no step uses scratch */
    /* OpenCL: static local memory that a group is known to get, where the device tells
     * of less; 0 otherwise. */
    uint64_t known_local_bytes;
    /* CUDA: bits: operands that must begin at a multiple of 16 bytes for this to be worth it. */
    uint32_t aligned;
    bool more_maps, more_steps; /* than there is room for were added: plx_recipe_check() refuses it */
    size_t map_count;
    plx_tensor_map maps[PLX_MAX_MAPS];
    size_t step_count; /* 0: nothing to do */
    plx_step steps[PLX_MAX_STEPS];
} plx_recipe;

typedef struct plx_row plx_row;

/* A model of a kernel's time.  Its rates are doubles in the order in which they are listed. */
typedef struct plx_time_model {
    /* How many there are on this device; writes at most `capacity` of them.  NULL: none. */
    size_t (*rates)(const plx_row *row, const plx_device_info *device, plx_rate *rates, size_t capacity);
    /* Microseconds, of what the kernel can run, in the configuration that the problem says; by other rates, or where
     * that is NULL by its own.  0: nothing is known of it here. */
    double (*expect)(const plx_row *row, const plx_problem *problem, const plx_device_info *device,
                     const double *rates);
} plx_time_model;

/* A kernel: what it says of itself, and how it runs.  The row's tile and block
 * constants are macros in kernels/<op>/tiles.h, a file of #define lines that the
 * C compiler, nvcc and (as the first string of the program) OpenCL all read. */
typedef plx_status plx_recipe_function(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                       plx_error *error);
typedef plx_status plx_schedule_function(const plx_problem *problem, const plx_device_info *device,
                                         plx_schedule *schedule, plx_error *error);
struct plx_row {
    plx_kernel about;
    /* What problem->config says, or what should take the least time; NULL: the kernel has one way.  PLX_UNSUPPORTED
     * with a reason where this device or problem is not served, before anything is searched. */
    plx_schedule_function *schedule;
    /* The launches of recipe->schedule.  PLX_UNSUPPORTED with a reason when this device or problem is not served.  For
     * plx_recipe_write(), which hands it a recipe that is empty but for that. */
    plx_recipe_function *recipe;
    /* Where `recipe` has maps of operands or says `aligned`: makes of the schedule, which it is given, how the problem
     * is carried out when one of those begins at no multiple of 16 bytes, which is known only when the operands are;
     * maybe by another kernel.  NULL elsewhere. */
    plx_schedule_function *unaligned;
    /* The depth of a schedule of this row; NULL: about.depth, of all. */
    int64_t (*depth)(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule);
    /* What distinguishes rows whose recipes are written by one function: recipe->form is it.  NULL: nothing. */
    const void *form;
    /* Where a recipe takes much scratch memory: the row that runs when there is not so much.
     * It takes none and has no maps of operands.  NULL: then the call fails. */
    const plx_row *spare;
    /* In OpenCL its program is nothing unless it is built for sm_90a; where the driver refuses that, `spare` is
     * chosen; `without_own_target`, where that is not NULL. */
    bool own_target;
    const plx_row *without_own_target;
    /* Where the kernel can be launched in several ways: how many there are for the problem; writes at
     * most `capacity` of them, first the one that it takes by itself.  `schedule` takes what problem->config says
     * instead, which is 0 or a number that was listed. */
    size_t (*configs)(const plx_row *row, const plx_problem *problem, const plx_device_info *device,
                      plx_config *configs, size_t capacity);
    const plx_time_model *model; /* of the kernel's time; NULL: there is none */
};

/* A row at its place, ROW(COALESCED, ABOUT(.name = ..., ...), .recipe = ...). */
#define ABOUT(...) .about = {__VA_ARGS__}
#define ROW(place, ...) [place] = {__VA_ARGS__}

/* The ladder of one operation. */
typedef struct plx_ladder {
    const plx_row *rows;
    size_t count;
    /* The row that suits the problem and device best, never a baseline;
     * its recipe is not unsupported there. */
    size_t (*choose)(const plx_problem *problem, const plx_device_info *device);
} plx_ladder;

extern const plx_ladder plx_reduce_ladder, plx_transpose_ladder, plx_matvec_ladder, plx_gemm_ladder;

/* NULL for a number that is no operation; of no rows where it has no device kernels. */
const plx_ladder *plx_ladder_of(plx_op op);
/* "gemm": the operation's directory, and the first part of its device code's keys.
 * NULL for a number that is no operation. */
const char *plx_ladder_name(plx_op op);

/* ---- for the plugins of devices (ladders.c) ------------------------------ */

/* The slot `kernel`. */
const plx_kernel *plx_ladder_kernel(plx_op op, size_t index);
/* The operation's own choice; its recipe is yet to be written. */
plx_status plx_ladder_choose(const plx_problem *problem, const plx_device_info *device, size_t *index,
                             plx_error *error);
/* The row of a kernel, which takes the problem's element and compute type. */
plx_status plx_ladder_row(const plx_problem *problem, size_t index, const plx_row **row, plx_error *error);
/* The configurations of a kernel; none where it can't run the problem. */
plx_status plx_ladder_configs(const plx_problem *problem, const plx_device_info *device, size_t index,
                              plx_config *configs, size_t capacity, size_t *count, plx_error *error);
/* The rates of its model; none where it has none. */
plx_status plx_ladder_rates(const plx_problem *problem, const plx_device_info *device, size_t index, plx_rate *rates,
                            size_t capacity, size_t *count, plx_error *error);
/* What the model expects.  PLX_UNSUPPORTED: there is none, or it knows nothing of this configuration. */
plx_status plx_ladder_expect(const plx_problem *problem, const plx_device_info *device, size_t index,
                             const double *rates, double *us, plx_error *error);
/* Its device code in a plugin's table.  PLX_UNSUPPORTED: "gemm/naive has no `api` form"; also where a step
 * has code of its own, and that is missing. */
plx_status plx_ladder_image(const plx_image *table, const char *api, plx_op op, const plx_row *row,
                            const plx_recipe *recipe, const plx_image **image, plx_error *error);
/* PLX_UNSUPPORTED where a step has code of its own: one text can't hold such a recipe's. */
plx_status plx_recipe_has_one_code(const plx_recipe *recipe, plx_error *error);
/* That of a step, whose recipe's is `image`. */
const plx_image *plx_step_image(const plx_image *table, const plx_step *step, const plx_image *image);
/* The key of that: "gemm/naive". */
void plx_recipe_code(const plx_recipe *recipe, plx_op op, const plx_row *row, char *key, size_t capacity);

/* ---- which kernel `auto` takes ----------------------------------------- */

/* Classes of devices between which measurements differed. */
enum {
    PLX_ON_PROCESSOR = 1u << 0,
    PLX_ON_OTHER_GPU = 1u << 1,
    PLX_ON_NVIDIA_OPENCL = 1u << 2,
    PLX_ON_CUDA = 1u << 3,
    PLX_ON_CUDA_9 = 1u << 4, /* compute capability 9.0 and later */
    PLX_ON_NVIDIA = PLX_ON_NVIDIA_OPENCL | PLX_ON_CUDA | PLX_ON_CUDA_9,
    PLX_ON_ANY = PLX_ON_PROCESSOR | PLX_ON_OTHER_GPU | PLX_ON_NVIDIA
};

/* A line of an operation's table of choices: on these devices, for the problems that it
 * suits, this kernel was measured to be the fastest. */
typedef struct plx_preference {
    uint32_t devices;                                                         /* PLX_ON_ bits */
    bool (*suits)(const plx_problem *problem, const plx_device_info *device); /* NULL: all */
    size_t row;
} plx_preference;

/* What of a batch, or of sums along the first axis, a row sees: all, or one problem where it takes one at a time. */
plx_problem plx_row_problem(const plx_row *row, const plx_problem *problem);
/* Whether the device can run its recipe for that. */
bool plx_row_runs(const plx_row *row, const plx_problem *problem, const plx_device_info *device);

/* The row of the first line that fits and whose recipe the device can run; when there is none, the
 * operation's first row that runs and is no baseline; when nothing runs, the row of the last line. */
size_t plx_prefer(const plx_preference *table, size_t count, const plx_row *rows, const plx_problem *problem,
                  const plx_device_info *device);

/* ---- recipes (recipe.c) ------------------------------------------------ */

/* The schedule of a row. */
plx_status plx_schedule_resolve(const plx_row *row, const plx_problem *problem, const plx_device_info *device,
                                plx_schedule *schedule, plx_error *error);
/* Of a schedule of the row, the one for operands that begin anywhere. */
plx_status plx_schedule_unaligned(const plx_row *row, const plx_problem *problem, const plx_device_info *device,
                                  plx_schedule *schedule, plx_error *error);
/* The launches of a schedule, checked against the device; recipe->code names the kernel that it is of, where that is
 * not `row`. */
plx_status plx_recipe_by(const plx_row *row, const plx_schedule *schedule, const plx_problem *problem,
                         const plx_device_info *device, plx_recipe *recipe, plx_error *error);
/* All in one: of operands that begin at multiples of 16 bytes, or anywhere. */
plx_status plx_recipe_write(const plx_row *row, bool anywhere, const plx_problem *problem,
                            const plx_device_info *device, plx_recipe *recipe, plx_error *error);
/* The greatest depth of the schedules that a plan of the row has; -1: the device can't run it. */
int64_t plx_schedule_depth(const plx_row *row, const plx_problem *problem, const plx_device_info *device);
/* The bytes of an argument that is known when planning: I64, I32, SCALAR. */
plx_status plx_argument_bytes(const plx_argument *argument, plx_dtype dtype, uint64_t *bytes, size_t *size,
                              plx_error *error);

/* ---- launches that others wrote (given.c) ------------------------------------ */

/* The recipe that carries them out; it points into the list.  Checked against the device. */
plx_status plx_recipe_of_launches(const plx_launch_list *list, const plx_problem *problem,
                                  const plx_device_info *device, plx_recipe *recipe, plx_error *error);
/* The other way (described.c): a recipe as such launches.  `offsets`: pointers are followed by elements to go, and
 * shared memory is an argument.  The code is the caller's to add.  Freed as a whole, with its `text`. */
plx_status plx_describe_recipe(const plx_recipe *recipe, const plx_problem *problem, bool offsets,
                               plx_described_kernel **described, plx_error *error);
/* A row that such a plan may have: it has no other recipe, and no spare. */
extern const plx_row plx_given_row;

/* ---- helpers to write a recipe --------------------------------------- */

/* The types of 16 bits for which device code is built, a line each; kernels that have it for fewer list those.
 *   TYPE(the plx_dtype, as entry points are called by it, as half.clh does behind IN_ and OUT_,
 *        whether the half.cuh of the operations make entry points of CUDA C++ for it)
 * half.clh has HALF=E, any-half.cuh AnyHalf<E>, for a type of E bits of exponent that has no code of its own. */
#define PLX_DEVICE_HALF_TYPES(TYPE)   \
    TYPE(PLX_F16, "f16", "F16", true) \
    TYPE(PLX_BF16, "bf16", "BF16", true)
#define PLX_DEVICE_HALF_BIT(dtype, ...) | PLX_DTYPE_BIT(dtype)
#define PLX_DEVICE_HALF_DTYPES (UINT32_C(0) PLX_DEVICE_HALF_TYPES(PLX_DEVICE_HALF_BIT))
#define PLX_CUDA_HALF_BIT(dtype, name, half, in_cuda) | ((in_cuda) ? PLX_DTYPE_BIT(dtype) : 0)
#define PLX_CUDA_HALF_DTYPES (UINT32_C(0) PLX_DEVICE_HALF_TYPES(PLX_CUDA_HALF_BIT))

/* How the element types of a product are called: in the names of CUDA's entry points, and for the
 * compiler of OpenCL.  T is what is computed with, IN and OUT what memory holds (half.clh). */
typedef struct plx_element_words {
    const char *variant; /* "f32"; "bf16_f32" where the result has another type than the inputs */
    const char *defines; /* "-DT=float -DPACK=float4 -DPACK_WIDTH=4" */
    const char *memory;  /* of 16 bits, without T: " -DIN_F16 -DOUT_F16" */
} plx_element_words;

/* Of f32, f64 and those of PLX_DEVICE_HALF_TYPES. */
const plx_element_words *plx_element_words_of(const plx_problem *problem);

/* Appends " -DNAME=VALUE" to what OpenCL is told. */
void plx_recipe_define(plx_recipe *recipe, const char *name, int64_t value);

/* What follows may be called as often as it likes: what there is no room for is noted, and refused by
 * plx_recipe_check(). */

/* Appends a step and returns it, with block = (x, y, 1), grid = (1, 1, 1). */
plx_step *plx_recipe_step(plx_recipe *recipe, const char *entry, uint32_t block_x, uint32_t block_y);
/* What a block of the step writes of the output. */
static inline void plx_step_tile(plx_step *step, int64_t rows, int64_t cols)
{
    step->tile_rows = (uint32_t)rows;
    step->tile_cols = (uint32_t)cols;
}
void plx_step_operand(plx_step *step, uint32_t operand);
void plx_step_scratch(plx_step *step, int64_t byte_offset, uint32_t element_size);
void plx_step_i64(plx_step *step, int64_t value);
void plx_step_i32(plx_step *step, int32_t value);
void plx_step_scalar(plx_step *step, double value);
void plx_step_shared(plx_step *step, int64_t bytes);
/* A new map of the recipe, as an argument of the step. */
void plx_step_map(plx_recipe *recipe, plx_step *step, const plx_tensor_map *map);
/* NVIDIA's with 228 KiB of shared memory on a multiprocessor: compute capabilities 9.x and 10.x. */
bool plx_has_large_shared(const plx_device_info *device);

/* PLX_UNSUPPORTED with a sentence elsewhere than in CUDA on compute capability 9.0: there alone runs
 * device code made for sm_90a. */
plx_status plx_needs_sm_90a(const plx_device_info *device, plx_error *error);

/* The first number of the version of PoCL; 0 of any other driver. */
int plx_pocl_version(const plx_device_info *device);

/* PLX_UNSUPPORTED, with the reason, on PoCL from version `first` to version `last` (0: every later one), which compiles
 * the kernel wrong (doc/validation.md says how that was seen). */
plx_status plx_not_by_pocl(const plx_device_info *device, int first, int last, plx_error *error);

/* `blocks` of `threads` shall run side by side on a multiprocessor, with as many registers as
 * that leaves to each: what __launch_bounds__ says in CUDA, here for NVIDIA's OpenCL.  Its
 * assembler honours a limit only in kernels that do not state the size of their work-groups,
 * which may then have 256 work-items: with REGISTERS defined they leave that out.  Larger ones
 * get registers for as many as fit by their local memory: they take LOCAL_BYTES of it. */
void plx_recipe_min_blocks_per_sm(plx_recipe *recipe, const plx_device_info *device, int threads, int blocks);
/* PLX_UNSUPPORTED with a sentence when a step needs larger blocks, more shared
 * memory (static_shared bytes plus its dynamic arguments) or more blocks than the
 * device has, or a map is of a matrix that maps can't describe.  PLX_FAILED when the
 * recipe itself is wrong: it does not fit into a plx_recipe, so that something of it is missing. */
plx_status plx_recipe_check(const plx_recipe *recipe, uint64_t static_shared, const plx_device_info *device,
                            plx_error *error);

#endif
