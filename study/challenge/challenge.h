/* Challenges: cases whose operands expose what goes wrong, in files, with a manifest that says what they are.
 * Private to libparallax-study. */
#ifndef PLX_CHALLENGE_H
#define PLX_CHALLENGE_H

#include "study/judge/judge.h"
#include "study/results/archive.h"

#include "base/sha256.h"

enum { PLX_HASH_TEXT = 2 * PLX_SHA256_BYTES + 1 };

/* A file of the manifest. */
typedef struct plx_challenge_file {
    char name[200];
    char operand[8]; /* "A"; of a result "" */
    plx_dtype dtype;
    int rank;
    int64_t size[3];
    char hash[PLX_HASH_TEXT]; /* of an operand: the file's SHA-256 */
} plx_challenge_file;

/* A case as the manifest has it. */
typedef struct plx_challenge_case {
    char name[80];
    plx_problem problem;
    char purpose[80]; /* "sizes", "precision", "depth" */
    char input[32];
    bool precise; /* its error must be of the size that the type's own arithmetic has */
    plx_challenge_file operands[PLX_MAX_OPERANDS], result;
    size_t operand_count;
} plx_challenge_case;

/* Names each field once, and reads or writes it. */
void plx_archive_challenge_case(plx_archive *archive, plx_challenge_case *one);
/* SHA-256 of a file's bytes, in hexadecimal digits. */
plx_status plx_challenge_hash(const char *path, char hash[PLX_HASH_TEXT], plx_error *error);
/* The operands of a case, read in order, whose old contents of the output come last. */
size_t plx_challenge_operands(const plx_problem *problem);
/* 0 to 2, of one problem: a vector is no matrix of one row. */
int plx_challenge_rank(const plx_problem *problem, size_t operand);

#endif
