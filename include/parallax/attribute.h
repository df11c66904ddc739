/* Why one API is slower than another: their source with its compiler, their assemblers and their runtimes,
 * taken apart by running either's device code through both. */
#ifndef PARALLAX_ATTRIBUTE_H
#define PARALLAX_ATTRIBUTE_H

#include <parallax/results.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The two APIs that reach one device.  The text of the first is written for pointers, that of the second for
 * pointers with offsets. */
enum { PLX_FIRST_API = 0, PLX_SECOND_API, PLX_APIS };

/* One way to run a kernel: whose device code, by which API. */
typedef enum plx_cell {
    PLX_CELL_SHIPPED = 0,   /* the first as everybody runs it: its own machine code, launched as its recipe says */
    PLX_CELL_PLAIN,         /* the same, launched as the second could launch it */
    PLX_CELL_FIRST_FIRST,   /* the first's text, assembled by the driver, run by the first */
    PLX_CELL_FIRST_SECOND,  /* the first's text, run by the second */
    PLX_CELL_SECOND_FIRST,  /* the second's text, run by the first */
    PLX_CELL_SECOND_SECOND, /* the second's text, run by the second: as everybody runs it there */
    PLX_CELL_COUNT
} plx_cell;

PLX_API const char *plx_cell_name(plx_cell cell); /* "first-second" */

/* What a difference between two cells is due to. */
typedef enum plx_effect {
    PLX_EFFECT_TOTAL = 0,     /* the second as it is, over the first as it is: the product of the next four */
    PLX_EFFECT_EARLY_LAUNCH,  /* launches that only the first has: CUDA's programmatic dependent launch */
    PLX_EFFECT_ASSEMBLER,     /* the driver's assembler over the compiler's, of one text */
    PLX_EFFECT_SOURCE,        /* source and front end: the second's text over the first's, run by the first */
    PLX_EFFECT_RUNTIME,       /* runtime and launch: the second over the first, with the second's text */
    PLX_EFFECT_SOURCE_SECOND, /* as SOURCE, run by the second */
    PLX_EFFECT_RUNTIME_FIRST, /* as RUNTIME, with the first's text */
    PLX_EFFECT_REST,          /* SOURCE_SECOND over SOURCE: by how much the two are not independent */
    PLX_EFFECT_COUNT
} plx_effect;

PLX_API const char *plx_effect_name(plx_effect effect); /* "source" */

/* A ratio of times, and its interval. */
typedef struct plx_ratio {
    bool known;
    double value, low, high;
} plx_ratio;

/* Whether its interval leaves 1 out. */
static inline bool plx_ratio_is_conclusive(const plx_ratio *ratio)
{
    return ratio->known && (ratio->low > 1.0 || ratio->high < 1.0);
}

typedef struct plx_attributed_cell {
    plx_outcome outcome;
    char reason[512]; /* why it is not ok */
    plx_error_measure error;
    plx_timing time;
    bool same_bits;          /* as the first cell of the same text, bit by bit; that one itself: true */
    bool described;          /* else nothing is known of its launch */
    plx_launch_facts launch; /* the one with the most threads */
    size_t launches;         /* how many there are */
    uint64_t reserved[4];    /* 0: new members go here */
} plx_attributed_cell;

/* The instructions of the launch with the most threads, in one form of its code. */
typedef struct plx_attributed_code {
    bool counted;
    char reason[256]; /* why not */
    plx_instructions instructions;
    uint64_t reserved[4]; /* 0: new members go here */
} plx_attributed_code;

typedef enum plx_listing {
    PLX_LISTING_FIRST_TEXT = 0, /* as it is written */
    PLX_LISTING_SECOND_TEXT,
    PLX_LISTING_FIRST_COMPILED,  /* machine code of the first's own compiler */
    PLX_LISTING_FIRST_ASSEMBLED, /* by the driver, of the first's text */
    PLX_LISTING_SECOND_ASSEMBLED,
    PLX_LISTING_COUNT
} plx_listing;

PLX_API const char *plx_listing_name(plx_listing listing);             /* "first-text" */
PLX_API const char *plx_instruction_name(plx_instruction instruction); /* "shared-load" */

/* One kernel on one problem. */
typedef struct plx_attribution {
    plx_problem problem;
    char kernel[64];
    size_t device;                /* of the first; meaningless without backends */
    char backends[PLX_APIS][48];  /* labels; "": there is none */
    char compilers[PLX_APIS][96]; /* that wrote the texts */
    char reasons[PLX_APIS][512];  /* why there is no text; "" when there is one */
    plx_attributed_cell cells[PLX_CELL_COUNT];
    plx_attributed_code listings[PLX_LISTING_COUNT];
    bool agree; /* all cells that ran are right and agree with each other, and those of one text bit by bit */
    plx_ratio effects[PLX_EFFECT_COUNT];
    char verdict[640];
    char bits[320];       /* which cell of one text has other bits than the first, and where; "": all have the same */
    uint64_t reserved[8]; /* 0: new members go here */
} plx_attribution;

typedef struct plx_attribute_options {
    const char *const *backends; /* none: every device of every plugin */
    size_t backend_count;
    const char *const *kernels; /* none, or "all": every kernel that both APIs have */
    size_t kernel_count;
    /* None: every kernel of every operation, on a problem that it takes and at a size that shows something; also
     * in f16, and each kernel that is made for single shapes on one for which it is chosen. */
    const plx_problem *problems;
    size_t problem_count;
    const plx_op *ops; /* without problems: of these operations only; none: of all */
    size_t op_count;
    const plx_dtype *dtypes; /* without problems: in these element types only */
    size_t dtype_count;
    plx_input input;
    uint64_t seed;
    double seconds_per_cell; /* time limit of the measurement of each; 0: 0.5 */
    double seconds_in_all;   /* kernels that are not begun by then are left out, and that is said; 0: no limit */
    void (*progress)(void *data, size_t done, size_t total, const char *what);
    void *progress_data;
    uint64_t reserved[8]; /* 0: new members go here */
} plx_attribute_options;

/* Validates every cell of every kernel, times what is right, the cells of a kernel interleaved, and says in
 * words what the difference is due to.  results->attributions has them, in the order of the ladder; there are
 * no records. Where no device is reached by two APIs that share device code, the texts of the kernels are
 * counted, and results->attribution_note says what is missing.  A kernel that nobody has: PLX_NOT_FOUND. */
PLX_API plx_status plx_attribute(plx_context *context, const plx_attribute_options *options, plx_results *results,
                                 plx_error *error);
/* Tables for people: per kernel the cells, the effects, and with `all` what blocks take and the instructions;
 * after more than one kernel, a line for each. */
PLX_API plx_status plx_attribution_write_table(const plx_results *results, FILE *to, bool all, plx_error *error);
/* Exit status: 0 all agreed, 1 a cell was wrong or two disagree, 4 there was nothing to compare, 5 a cell
 * failed. */
PLX_API int plx_attribution_status(const plx_results *results);

#ifdef __cplusplus
}
#endif

#endif
