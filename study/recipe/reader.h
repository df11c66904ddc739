/* Reads objects, lists and words of JSON into structs, and says in one line what is wrong and where: "r.json:
 * launches[0].grid is a text; a list is expected".  After the first fault nothing is read.  Private to
 * libparallax-study. */
#ifndef PLX_RECIPE_READER_H
#define PLX_RECIPE_READER_H

#include <parallax/types.h>

#include <jansson.h>

typedef struct plx_reader {
    const char *file;
    char place[96]; /* "launches[0].grid[1]"; "" for the whole */
    plx_error *error;
    plx_status status; /* PLX_OK so far */
} plx_reader;

static inline bool plx_reader_fails(const plx_reader *reader)
{
    return reader->status != PLX_OK;
}
/* What is wrong at the place where it is; the first time counts. */
void plx_reader_refuse(plx_reader *reader, const char *format, ...) PLX_PRINTF(2, 3);
/* The same for want of memory. */
void plx_reader_no_memory(plx_reader *reader);
/* Goes to a member or item; what is returned takes plx_reader_leave() back. */
size_t plx_reader_enter(plx_reader *reader, const char *name);
size_t plx_reader_enter_item(plx_reader *reader, size_t index);
void plx_reader_leave(plx_reader *reader, size_t mark);

/* A key that is known, and what reads its value. */
typedef struct plx_key {
    const char *name;
    void (*read)(plx_reader *reader, const json_t *value, void *into);
} plx_key;

/* An object of known keys; an unknown one is refused, with the known one that it is near, unless it begins with "x_".
 */
void plx_read_object(plx_reader *reader, const json_t *value, const plx_key *keys, size_t count, void *into);
/* An object whose keys are names of the author's: at most so many. */
void plx_read_members(plx_reader *reader, const json_t *value, size_t most,
                      void (*read)(plx_reader *reader, const char *name, const json_t *value, void *into), void *into);
/* A list of so many items; returns how many. */
size_t plx_read_list(plx_reader *reader, const json_t *value, size_t least, size_t most,
                     void (*read)(plx_reader *reader, const json_t *value, size_t index, void *into), void *into);
/* A text of 1 to `most` bytes without control characters, which lives as long as the JSON; "" after a fault. */
const char *plx_read_text(plx_reader *reader, const json_t *value, size_t most);
bool plx_read_flag(plx_reader *reader, const json_t *value);
/* One of some words: its place in the list; 0 after a fault. */
size_t plx_read_word(plx_reader *reader, const json_t *value, const char *const *words, size_t count);
/* The same of numbers. */
int64_t plx_read_choice(plx_reader *reader, const json_t *value, const int64_t *numbers, size_t count);
/* "; did you mean 'x'?", or "" */
void plx_did_you_mean(const char *word, const char *const *names, size_t count, char *text, size_t capacity);

#endif
