/* The shapes of a file: file:PATH.  A line for each problem, "gemm 16x4096x4096 trans-b": the operation, its sizes, and
 * what plx_problem_set() takes, as NAME or NAME=VALUE; from # on a line is a comment. */
#define _POSIX_C_SOURCE 200809L /* strtok_r */

#include "study/bench/sets.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char prefix[] = "file:";

enum { MOST_CASES = 5000, LINE_BYTES = 512 };

/* A file as it is read; `text` is a line that says something. */
typedef struct reading {
    FILE *file;
    const char *path;
    size_t line;
    char text[LINE_BYTES];
} reading;

bool plx_file_set_is(const char *name)
{
    return strncmp(name, prefix, sizeof prefix - 1) == 0;
}

/* Of a regular file, because a pipe can be read but once. */
static plx_status open_set(const char *name, reading *from, plx_error *error)
{
    struct stat about;
    *from = (reading){.path = name + sizeof prefix - 1};
    if (from->path[0] == '\0')
        return plx_fail(error, PLX_INVALID, "'%s' names no file: file:PATH", name);
    if (stat(from->path, &about) == 0 && !S_ISREG(about.st_mode))
        return plx_fail(error, PLX_INVALID, "can't read '%.200s': it is no regular file", from->path);
    from->file = fopen(from->path, "r");
    return from->file != NULL ? PLX_OK
                              : plx_fail(error, PLX_INVALID, "can't read '%.200s': %s", from->path, strerror(errno));
}

/* The next line that says something; false at the end.  PLX_INVALID: it is too long, or can't be read. */
static bool next_line(reading *from, plx_status *status, plx_error *error)
{
    while (fgets(from->text, sizeof from->text, from->file) != NULL) {
        from->line++;
        if (strchr(from->text, '\n') == NULL && !feof(from->file)) {
            *status = plx_fail(error, PLX_INVALID, "%.200s, line %zu: it has more than %d characters, or zeros",
                               from->path, from->line, LINE_BYTES - 2);
            return false;
        }
        from->text[strcspn(from->text, "#\r\n")] = '\0';
        if (from->text[strspn(from->text, " \t")] != '\0')
            return true;
    }
    if (ferror(from->file))
        *status = plx_fail(error, PLX_INVALID, "can't read '%.200s': %s", from->path, strerror(errno));
    return false;
}

/* ---- a line ---------------------------------------------------------------------------------- */

static plx_status read_op(const char *word, plx_op *op, plx_error *error)
{
    for (unsigned i = 0; i < PLX_OP_COUNT; i++)
        if (i != PLX_PROBE && strcmp(word, plx_op_name((plx_op)i)) == 0) {
            *op = (plx_op)i;
            return PLX_OK;
        }
    return plx_fail(error, PLX_INVALID, "'%.40s' is no operation", word);
}

/* "16x4096x4096"; what the numbers may be is seen by plx_problem_reshape(). */
static plx_status read_sizes(const char *word, const plx_op_info *info, int64_t sizes[PLX_MAX_SHAPE], plx_error *error)
{
    const char *at = word;
    for (size_t i = 0; i < info->shape_rank; i++) {
        char *end;
        errno = 0;
        sizes[i] = strtoimax(at, &end, 10);
        const char expected = i + 1 < info->shape_rank ? 'x' : '\0';
        if (*at < '0' || *at > '9' || errno != 0 || *end != expected)
            return plx_fail(error, PLX_INVALID, "'%.60s' is no shape of %s, %s", word, info->name, info->shape_form);
        at = end + 1;
    }
    return PLX_OK;
}

static plx_status read_setting(char *word, plx_problem *problem, plx_error *error)
{
    char *value = strchr(word, '=');
    if (value != NULL)
        *value++ = '\0';
    return plx_problem_set(problem, word, value, error);
}

static plx_status read_words(char *text, plx_problem *problem, plx_error *error)
{
    char *rest, *word = strtok_r(text, " \t", &rest);
    int64_t sizes[PLX_MAX_SHAPE] = {0};
    plx_op op = PLX_GEMM;
    plx_op_info info;
    plx_status status = read_op(word, &op, error);
    if (status != PLX_OK || !plx_op_describe(op, &info))
        return status;
    *problem = plx_problem_of(op, PLX_F32);
    word = strtok_r(NULL, " \t", &rest);
    if (word == NULL)
        return plx_fail(error, PLX_INVALID, "%s has a shape, %s", info.name, info.shape_form);
    status = read_sizes(word, &info, sizes, error);
    while (status == PLX_OK && (word = strtok_r(NULL, " \t", &rest)) != NULL)
        status = read_setting(word, problem, error);
    return status == PLX_OK ? plx_problem_reshape(problem, sizes, info.shape_rank, error) : status;
}

static plx_status read_case(reading *from, plx_problem *problem, plx_error *error)
{
    plx_error why;
    return read_words(from->text, problem, &why) == PLX_OK
               ? PLX_OK
               : plx_fail(error, PLX_INVALID, "%.200s, line %zu: %s", from->path, from->line, why.text);
}

/* ---- the set ----------------------------------------------------------------------------------- */

plx_status plx_file_set_check(const char *name, plx_error *error)
{
    reading from;
    plx_problem problem;
    size_t count = 0;
    plx_status status = open_set(name, &from, error);
    if (status != PLX_OK)
        return status;
    while (status == PLX_OK && count <= MOST_CASES && next_line(&from, &status, error)) {
        status = read_case(&from, &problem, error);
        count++;
    }
    (void)fclose(from.file);
    if (status == PLX_OK && count > MOST_CASES)
        return plx_fail(error, PLX_INVALID, "'%.200s' has more than %d shapes", from.path, MOST_CASES);
    if (status == PLX_OK && count == 0)
        return plx_fail(error, PLX_INVALID, "'%.200s' has no shapes; a line is as in 'gemm 16x4096x4096 trans-b'",
                        from.path);
    return status;
}

bool plx_file_set_case(const char *name, size_t index, plx_set_case *found)
{
    reading from;
    plx_error error;
    plx_status status = open_set(name, &from, &error);
    if (status != PLX_OK)
        return false;
    bool is_there = next_line(&from, &status, &error);
    for (size_t i = 0; i < index && is_there; i++)
        is_there = next_line(&from, &status, &error);
    *found = (plx_set_case){.shift = 0};
    is_there = is_there && read_case(&from, &found->problem, &error) == PLX_OK;
    (void)fclose(from.file);
    return is_there;
}
