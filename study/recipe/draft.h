/* A draft of a recipe while it is made.  Private to libparallax-study. */
#ifndef PLX_RECIPE_DRAFT_H
#define PLX_RECIPE_DRAFT_H

#include "study/recipe/recipe.h"
#include "study/recipe/signature.h"

enum { PLX_DRAFT_NAMES = 10, PLX_DRAFT_SIZES = 6, PLX_DRAFT_NOTHING = 99 };

/* What a parameter is called that is one of an operation's numbers. */
typedef struct plx_usual {
    const char *is; /* in expressions */
    const char *names[PLX_DRAFT_NAMES];
    const char *smallest; /* of a leading dimension; NULL: it is a size */
} plx_usual;

/* How the operation's parts are usually called, and which threads its result has. */
typedef struct plx_habit {
    plx_op op;
    const char *operands[3][PLX_DRAFT_NAMES];
    plx_usual numbers[PLX_DRAFT_SIZES];
    const char *width, *height; /* of the result; of one thread each */
} plx_habit;

typedef struct plx_draft {
    const plx_habit *habit;
    const plx_operation *operation;
    const plx_dialect *dialect;
    plx_signature kernel;
    const char *text; /* the source */
    bool used[PLX_DRAFT_SIZES], uses_alpha, uses_beta, is_square;
    size_t operand_of[PLX_SIGNATURE_PARAMETERS]; /* of a pointer; or ..._NOTHING */
    char block[3][PLX_SIGNATURE_WORD];           /* numbers, or names of tunables */
    FILE *to, *notes;
} plx_draft;

/* A line for who reads the draft. */
void PLX_PRINTF(2, 3) plx_draft_note(plx_draft *of, const char *format, ...);

/* ---- what the parameters are (draft_parameters.c) ---------------------------------------------------------- */

/* NULL: there are none for this operation. */
const plx_habit *plx_draft_habit(plx_op op);
/* "d_A" and "A_ptr" are a.  As much room as the name has. */
void plx_draft_plain_name(const char *name, char *plain);
/* Which operand each pointer is. */
plx_status plx_draft_read_pointers(plx_draft *of, const char *path, plx_error *error);
/* Which of the operation's numbers is called so; ..._NOTHING: none that is known. */
size_t plx_draft_number(const plx_draft *of, const char *name);
/* Whether it is a type of the template. */
bool plx_draft_has_type(const plx_draft *of, const char *word);
/* The element type of a pointer: "float4 *" is one of f32. */
bool plx_draft_element_type(const plx_draft *of, size_t parameter, plx_dtype *dtype);
/* The pointer that is this operand. */
size_t plx_draft_parameter(const plx_draft *of, size_t operand);

/* ---- how many threads a block has (draft_block.c) ------------------------------------------------------------- */

/* Into of->block. */
void plx_draft_find_block(plx_draft *of);

/* ---- what is written (draft_write.c) --------------------------------------------------------------------------- */

/* All of it, into of->to, with notes. */
void plx_draft_write(plx_draft *of);

#endif
