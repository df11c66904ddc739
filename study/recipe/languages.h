/* The languages of device code that recipes are for, and in which backends take it (dialects.c).  Private to
 * libparallax-study. */
#ifndef PLX_RECIPE_LANGUAGES_H
#define PLX_RECIPE_LANGUAGES_H

#include <parallax/types.h>

/* A language of device code (dialects.c). */
typedef struct plx_dialect {
    const char *name, *title;
    bool of_launches; /* shared memory, clusters, variables and maps are things of a launch; else local memory is an
                         argument */
    const char *const *types; /* the words for element types */
    /* How a kernel's text reads, for drafts of recipes; NULL ends a list, and stands for what there is not. */
    const char *const *entry_words; /* one of them begins a kernel */
    const char *const *local_words; /* of a parameter in local memory */
    const char *threads_word;       /* behind it, in parentheses, the threads of a block */
    const char *shared;             /* how shared memory is declared whose size the launch gives */
    const char *axes[2];            /* by which a kernel asks for its place along the second axis, and the third */
} plx_dialect;
enum { PLX_DIALECTS = 3 };
extern const plx_dialect plx_dialects[PLX_DIALECTS];
const plx_dialect *plx_dialect_of_launches(bool of_launches);

/* How functions begin by which device code launches kernels itself; ended by NULL (dialects.c). */
extern const char *const plx_device_launches[];

/* In which device code comes (dialects.c). */
typedef enum plx_source_kind {
    PLX_SOURCE_CL,
    PLX_SOURCE_SPV,
    PLX_SOURCE_CU,
    PLX_SOURCE_PTX,
    PLX_SOURCE_CUBIN,
    PLX_SOURCE_SO, /* functions, which launch what they like */
    PLX_SOURCE_PY,
    PLX_LANGUAGES
} plx_source_kind;
typedef struct plx_language {
    const char *ending, *name;
    const char *passed_as;      /* what a backend is given of it */
    const plx_dialect *dialect; /* of functions the host's, or what their recipe says */
    bool is_function;
} plx_language;
extern const plx_language plx_languages[PLX_LANGUAGES];

#endif
