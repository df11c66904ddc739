/* Expressions of a recipe: numbers that follow from a problem, a device and tunables (doc/recipe.md has the
 * grammar). Values are signed 64-bit integers; every step is checked.  There are no loops, so that each ends.
 * Private to libparallax-study. */
#ifndef PLX_RECIPE_EXPRESSION_H
#define PLX_RECIPE_EXPRESSION_H

#include <parallax/types.h>

enum {
    PLX_EXPRESSION_LENGTH = 512, /* characters of one, at most */
    PLX_EXPRESSION_LEVELS = 64,  /* parentheses, calls, signs and branches within each other, at most */
    PLX_NAME_LENGTH = 48         /* of a name, at most */
};

typedef struct plx_named_number {
    const char *name;
    int64_t value;
} plx_named_number;

/* What the names in an expression stand for. */
typedef struct plx_scope {
    const plx_named_number *names;
    size_t count;
    bool has_factors; /* alpha and beta are names: of comparisons with a whole number alone */
    double alpha, beta;
} plx_scope;

/* PLX_INVALID: one line says what is wrong, where in the text, and with which values. */
plx_status plx_expression_value(const char *text, const plx_scope *scope, int64_t *value, plx_error *error);
/* The same of form and names alone, whatever the values are. */
plx_status plx_expression_check(const char *text, const plx_scope *scope, plx_error *error);
/* Whether a word can be a name of one's own: a C name that is short enough, and is no function or factor. */
bool plx_expression_name(const char *word);

#endif
