/* What a text of PTX says of its entries.  Private to libparallax-study. */
#ifndef PLX_RECIPE_PTX_H
#define PLX_RECIPE_PTX_H

#include <parallax/types.h>

enum { PLX_PTX_PARAMETERS = 128, PLX_PTX_BYTES = 64 * 1024 * 1024 };

typedef struct plx_ptx_parameter {
    char type[16];  /* ".u32" */
    uint64_t bytes; /* 0: of no known type */
    bool is_array, is_pointer;
} plx_ptx_parameter;

typedef struct plx_ptx_entry {
    plx_ptx_parameter parameters[PLX_PTX_PARAMETERS];
    size_t count;
    uint64_t threads[3]; /* .reqntid; 0: it says none */
} plx_ptx_entry;

/* PLX_INVALID: the text has no such entry, and *error those that it has; or it is cut short. */
plx_status plx_ptx_find(const char *path, const char *text, const char *name, plx_ptx_entry *entry, plx_error *error);

enum { PLX_PTX_NAME = 256 };
/* The next variable in global memory from *at on, which moves behind it; false: there is none.  Those in which
 * compilers keep the texts of messages are passed over. */
bool plx_ptx_global(const char **at, char *name, size_t capacity);
/* Whether the text has it only once, where it is declared: no code can reach it. */
bool plx_ptx_is_unused(const char *text, const char *name);
/* Whether no code reaches any variable in global memory, not even such a text. */
bool plx_ptx_keeps_nothing(const char *text);
/* Whether a variable of this name is such a text. */
bool plx_ptx_is_message(const char *name);
/* Whether a word of the text begins so. */
bool plx_ptx_has(const char *text, const char *beginning);
/* Whether it is there as it is. */
bool plx_ptx_has_whole(const char *text, const char *word);

#endif
