/* What the fuzz targets share.  A target is one file with one function, which libFuzzer calls with bytes that
 * it makes up (make fuzz), and replay.c with those of the corpus (make check).  A target ends the process
 * when something is broken: a promise by fuzz_require(), memory by a sanitizer. */
#ifndef PLX_FUZZ_H
#define PLX_FUZZ_H

#include <parallax/study.h>

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Ends the process with a word when a promise does not hold. */
void fuzz_require(bool holds, const char *promise);

enum { FUZZ_FILES = 4 };
/* The path of a file in memory with these bytes, until the same place is used again. */
const char *fuzz_file(size_t place, const void *bytes, size_t size);
/* Puts the bytes into the file of this name. */
void fuzz_put(const char *path, const void *bytes, size_t size);

/* A directory that only this process uses; it goes with all that is in it. */
const char *fuzz_directory(void);
/* Removes the files in it. */
void fuzz_clean(void);

/* A stream into memory, and what has gone into it. */
typedef struct fuzz_text {
    char *text;
    size_t length;
    FILE *to;
} fuzz_text;

void fuzz_text_open(fuzz_text *text);
/* What was written is in text->text then. */
void fuzz_text_close(fuzz_text *text);
void fuzz_text_free(fuzz_text *text);
bool fuzz_text_same(const fuzz_text *a, const fuzz_text *b);
/* What may go to a terminal: lines without control characters; a reason is one of them. */
void fuzz_require_lines(const fuzz_text *text);
void fuzz_require_reason(const plx_error *error);

/* The bytes up to the first NUL are one input, those after it another one; without a NUL they are both. */
typedef struct fuzz_halves {
    const uint8_t *first, *second;
    size_t first_size, second_size;
} fuzz_halves;

fuzz_halves fuzz_split(const uint8_t *bytes, size_t size);

#endif
