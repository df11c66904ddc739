/* A recipe as it was read: the launches of somebody's kernel, with expressions for its numbers (doc/recipe.md), and
 * what becomes of them for a problem on a device.  Private to libparallax-study. */
#ifndef PLX_RECIPE_RECIPE_H
#define PLX_RECIPE_RECIPE_H

#include "study/recipe/expression.h"
#include "study/recipe/languages.h"

#include "kernels/operation.h"

#include <parallax/recipe.h>

#include <jansson.h>

enum {
    PLX_RECIPE_BYTES = 256 * 1024,
    PLX_RECIPE_CLAUSES = 32,
    PLX_RECIPE_TUNES = 16,
    PLX_RECIPE_TUNE_VALUES = 64,
    PLX_RECIPE_LETS = 32,
    PLX_RECIPE_SCRATCHES = 8,
    PLX_ALL_SCRATCHES = 24, /* with two of Triton's for each launch */
    PLX_RECIPE_MAPS = 6,
    PLX_RECIPE_GLOBALS = 32,
    PLX_RECIPE_DEFINES = 64,
    PLX_RECIPE_OPTIONS = 32,
    PLX_RECIPE_LAUNCHES = 8,
    PLX_RECIPE_ARGUMENTS = 64,
    PLX_RECIPE_MEMBERS = 64, /* of a struct */
    PLX_RECIPE_RANK = 5,
    PLX_RECIPE_FIELD = 96
};

/* A number, or an expression that gives it. */
typedef struct plx_formula {
    bool there;
    const char *text; /* NULL: the number */
    int64_t number;
    char field[PLX_RECIPE_FIELD]; /* "launches[0].grid[1]" */
} plx_formula;

/* A list of conditions or of dimensions. */
typedef struct plx_formulas {
    plx_formula at[PLX_RECIPE_CLAUSES];
    size_t count;
} plx_formulas;

typedef struct plx_dimensions {
    plx_formula at[3];
    size_t count; /* the others are 1; 0: it was not given */
} plx_dimensions;

typedef struct plx_texts {
    const char *at[PLX_RECIPE_OPTIONS];
    size_t count;
} plx_texts;

typedef struct plx_named_formula {
    const char *name;
    plx_formula is;
} plx_named_formula;

typedef struct plx_tune {
    const char *name;
    int64_t values[PLX_RECIPE_TUNE_VALUES];
    size_t count;
} plx_tune;

typedef enum plx_before { PLX_BEFORE_GARBAGE, PLX_BEFORE_ZERO_EACH, PLX_BEFORE_ZERO_ONCE } plx_before;

typedef struct plx_scratch {
    const char *name;
    plx_formula bytes;
    int64_t align;
    plx_before before;
} plx_scratch;

typedef struct plx_map {
    const char *name;
    const char *of, *of_scratch; /* one of them */
    size_t operand, scratch;     /* which */
    plx_formula offset;
    size_t dtype; /* in plx_map_types; 0: the problem's */
    plx_formulas size, stride, box, step;
    int64_t swizzle, interleave, l2;
    bool fill_nan;
    char field[PLX_RECIPE_FIELD];
} plx_map;

typedef enum plx_recipe_argument_kind {
    PLX_GIVES_OPERAND,
    PLX_GIVES_SCRATCH,
    PLX_GIVES_MAP,
    PLX_GIVES_I8,
    PLX_GIVES_I16,
    PLX_GIVES_I32,
    PLX_GIVES_I64,
    PLX_GIVES_U32,
    PLX_GIVES_U64,
    PLX_GIVES_F16,
    PLX_GIVES_BF16,
    PLX_GIVES_F32,
    PLX_GIVES_F64,
    PLX_GIVES_SCALAR,
    PLX_GIVES_LOCAL,
    PLX_GIVES_NULL,
    PLX_GIVES_STRUCT,
    PLX_GIVES_KINDS
} plx_recipe_argument_kind;

extern const char *const plx_argument_words[PLX_GIVES_KINDS]; /* "operand" */

typedef struct plx_recipe_argument {
    plx_recipe_argument_kind kind;
    const char *name; /* of the operand, scratch or map */
    size_t which;     /* its number; SCALAR: 0 alpha, 1 beta; STRUCT: where its members begin in the pool */
    bool by_pointer;
    bool is_real; /* F16 to F64: `real` is the number, not the formula */
    double real;
    plx_formula value;   /* OPERAND, SCRATCH: the offset; numbers, LOCAL: the number */
    size_t member_count; /* STRUCT */
    int64_t align;       /* STRUCT: 0: that of its members */
    size_t of_map;       /* I64: 1 + a map by whose elements' bytes the number is divided; 0: none */
    char field[PLX_RECIPE_FIELD];
} plx_recipe_argument;

/* Of a kernel that Triton compiled. */
typedef struct plx_triton {
    const char *file; /* NULL: it is none */
    char version[32];
    bool known;        /* the version is */
    int64_t arch;      /* 90 */
    int64_t blocks[3]; /* of a program, of which the recipe's grid has the number */
    size_t hidden;     /* parameters of Triton's own, the last ones */
} plx_triton;

typedef struct plx_recipe_launch {
    plx_triton triton;
    const char *entry;
    plx_formula when;
    plx_dimensions grid, block, cluster;
    plx_formula shared, carveout;
    bool cooperative, dependent;
    size_t first, argument_count; /* in the pool */
    char field[PLX_RECIPE_FIELD];
} plx_recipe_launch;

struct plx_recipe_file {
    json_t *root; /* whose texts the pointers are */
    char path[256];
    bool has_op;
    plx_op op;
    const plx_operation *operation;
    const char *name;
    const plx_dialect *dialect; /* NULL: either */
    /* bits; 0: whatever there is.  out_dtypes has the bit PLX_DTYPE_COUNT for "same". */
    uint32_t dtypes, computes, out_dtypes, reductions, transpositions;
    plx_formulas where, device_where, tune_where;
    int64_t align[PLX_MAX_OPERANDS]; /* bytes; 0: that of an element */
    const char *target;
    const char *accumulator, *reproducibility; /* NULL: nothing is claimed */
    plx_formula depth;
    bool finite_only, zeros_of_any_sign, flushes;
    const char *std;
    plx_named_formula defines[PLX_RECIPE_DEFINES];
    size_t define_count;
    plx_texts include, options, instances;
    plx_formula max_registers;
    plx_tune tunes[PLX_RECIPE_TUNES];
    size_t tune_count;
    plx_named_formula lets[PLX_RECIPE_LETS];
    size_t let_count;
    plx_scratch scratches[PLX_ALL_SCRATCHES];
    size_t scratch_count;
    const char *globals[PLX_RECIPE_GLOBALS], *global_is[PLX_RECIPE_GLOBALS];
    size_t global_count;
    plx_map maps[PLX_RECIPE_MAPS];
    size_t map_count;
    plx_recipe_launch launches[PLX_RECIPE_LAUNCHES];
    size_t launch_count;
    plx_recipe_argument *pool; /* arguments of all launches, and members of structs */
    size_t pool_count;
    json_t *others[PLX_RECIPE_LAUNCHES]; /* files that it names */
    char *made[PLX_ALL_SCRATCHES * 2];   /* texts that are in no file */
    size_t other_count, made_count;
};

/* ---- room (read_launches.c, read.c) ------------------------------------------------------------- */

/* Room for so many arguments in a row.  False: there is no memory. */
bool plx_recipe_reserve(plx_recipe_file *recipe, size_t count, size_t *first);
/* Keeps a text as long as the recipe is; NULL of what is NULL, and where there is no room. */
const char *plx_recipe_keep(plx_recipe_file *recipe, char *text);
void plx_recipe_keep_json(plx_recipe_file *recipe, json_t *root);

/* The types that a map's elements may have. */
typedef struct plx_map_type {
    const char *name;
    int64_t bytes; /* 0: of the problem's, or of the result's type */
} plx_map_type;
extern const plx_map_type plx_map_types[];
extern const size_t plx_map_type_count;
/* The transpositions of an operation, "nn" and so on; of those without there are none. */
const char *const *plx_transposition_words(plx_op op, size_t *count);

/* The recipe of a function that takes all problems of an operation: nobody wrote it (read.c). */
plx_status plx_recipe_file_default(plx_op op, const char *path, plx_recipe_file **recipe, plx_error *error);

/* ---- names (scope.c) ------------------------------------------------------------------------- */

enum { PLX_SCOPE_NAMES = 16 + 8 + PLX_RECIPE_TUNES + PLX_RECIPE_LETS };

/* The names of an expression and what they stand for, in the order in which they come to be known. */
typedef struct plx_known {
    plx_named_number names[PLX_SCOPE_NAMES];
    size_t count;
    bool has_factors;
    double alpha, beta;
} plx_known;

/* The problem's and the device's.  problem NULL: the names alone, with the value 0. */
void plx_known_begin(plx_known *known, plx_op op, const plx_problem *problem, const plx_device_info *device);
void plx_known_add(plx_known *known, const char *name, int64_t value);
bool plx_known_has(const plx_known *known, const char *name);
plx_scope plx_known_scope(const plx_known *known);

/* ---- what a recipe says once it was read (check.c) ------------------------------------------------ */

/* Names, expressions, and what does not go together. */
plx_status plx_recipe_file_check(plx_recipe_file *recipe, plx_error *error);

/* ---- launches for a problem ------------------------------------------------------------------------ */

typedef struct plx_bound_argument {
    const plx_recipe_argument *is;
    int64_t value; /* numbers, offsets, bytes */
    double real;
    uint64_t bytes; /* STRUCT: its size; else that of the value */
    size_t first;   /* STRUCT: where its members begin in the bound pool */
} plx_bound_argument;

typedef struct plx_bound_launch {
    const plx_recipe_launch *is;
    bool left_out; /* its `when` does not hold */
    char *entry;
    uint64_t grid[3], block[3], cluster[3];
    uint64_t shared, local; /* bytes */
    int64_t carveout;       /* -1: none */
    size_t first;           /* arguments, in the pool; as many as the recipe has */
} plx_bound_launch;

typedef struct plx_bound_map {
    const plx_map *is;
    int64_t element_bytes, offset;
    int64_t size[PLX_RECIPE_RANK], stride[PLX_RECIPE_RANK], box[PLX_RECIPE_RANK], step[PLX_RECIPE_RANK];
    size_t rank;
} plx_bound_map;

struct plx_launches {
    const plx_recipe_file *recipe;
    plx_problem problem;
    plx_known known;              /* all names with their values */
    size_t first_tune, first_let; /* in them */
    uint64_t scratch_bytes[PLX_ALL_SCRATCHES];
    plx_bound_map maps[PLX_RECIPE_MAPS];
    int64_t defines[PLX_RECIPE_DEFINES];
    int64_t max_registers; /* 0: not limited */
    int64_t depth;         /* 0: not claimed */
    plx_bound_launch launches[PLX_RECIPE_LAUNCHES];
    plx_bound_argument *pool;
};

/* PLX_INVALID: the recipe has no such tunable, or no such value of it. */
plx_status plx_recipe_check_chosen(const plx_recipe_file *recipe, const plx_chosen *chosen, size_t count,
                                   plx_error *error);
/* The values of all tunables in the choice number `which` (0: the first) of those for which tune_where holds, the last
 * tunable's value changing first.  PLX_UNSUPPORTED: there are fewer, or the recipe does not take the problem. */
plx_status plx_recipe_choice(const plx_recipe_file *recipe, const plx_problem *problem, const plx_device_info *device,
                             const plx_chosen *chosen, size_t chosen_count, size_t which,
                             plx_chosen values[PLX_RECIPE_TUNES], plx_error *error);

/* What no device and no driver would take (limits.c); `where` is the field, "launches[0]". */
plx_status plx_launch_check(const plx_launches *launches, const plx_bound_launch *launch, const plx_device_info *device,
                            plx_error *error);
plx_status plx_map_check(const plx_launches *launches, const plx_bound_map *map, plx_error *error);
/* "r.json: FIELD: WHY (gemm f32 3x4x5 nn)" */
plx_status plx_launches_refuse(const plx_launches *launches, const char *field, plx_error *error, const char *format,
                               ...) PLX_PRINTF(4, 5);

#endif
