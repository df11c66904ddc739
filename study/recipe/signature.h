/* What the text of a kernel tells of how it is launched: its name, its parameters, the threads of its blocks.  It is
 * read as people read it, without a preprocessor: a draft of a recipe is made of it, and no more.  Private to
 * libparallax-study. */
#ifndef PLX_RECIPE_SIGNATURE_H
#define PLX_RECIPE_SIGNATURE_H

#include "study/recipe/languages.h"

enum { PLX_SIGNATURE_WORD = 64, PLX_SIGNATURE_PARAMETERS = 64, PLX_SIGNATURE_TEMPLATE = 8 };

typedef enum plx_parameter_kind {
    PLX_PARAMETER_POINTER,
    PLX_PARAMETER_LOCAL, /* to local memory that the launch gives */
    PLX_PARAMETER_WHOLE, /* a whole number */
    PLX_PARAMETER_REAL,  /* one with a fraction */
    PLX_PARAMETER_OTHER  /* a struct, or of a type that is not known */
} plx_parameter_kind;

typedef struct plx_source_parameter {
    char name[PLX_SIGNATURE_WORD];
    char type[PLX_SIGNATURE_WORD]; /* without qualifiers: "unsigned int" */
    plx_parameter_kind kind;
    bool is_const, is_unsigned;
    unsigned bits; /* of a number */
} plx_source_parameter;

typedef struct plx_template_parameter {
    char name[PLX_SIGNATURE_WORD];
    bool is_type;
    int64_t value; /* the default; 0: none */
} plx_template_parameter;

typedef struct plx_signature {
    char name[PLX_SIGNATURE_WORD];
    plx_template_parameter of_template[PLX_SIGNATURE_TEMPLATE];
    size_t template_count;
    plx_source_parameter parameters[PLX_SIGNATURE_PARAMETERS];
    size_t count;
    int64_t threads[3]; /* of a block; 0: the text does not say */
    int axes;           /* along which it asks for its place: 1 to 3 */
} plx_signature;

/* The kernel of this name, or the only one.  PLX_INVALID: there is none, or there are several and `name` is NULL;
 * *error has those that there are. */
plx_status plx_signature_read(const char *path, const char *text, const plx_dialect *dialect, const char *name,
                              plx_signature *signature, plx_error *error);
/* The number behind "#define NAME", of the first of these names (NULL ends them) that has one; 0: none has. */
int64_t plx_source_define(const char *text, const char *const *names, const char **found);

#endif
