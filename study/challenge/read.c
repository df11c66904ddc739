/* plx_challenge_judge: the results that somebody put beside the operands of a challenge. */
#define _POSIX_C_SOURCE 200809L

#include "study/challenge/challenge.h"

#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct challenge {
    const char *directory;
    const plx_challenge_judging *options;
} challenge;

/* ---- the manifest ------------------------------------------------------------------------ */

static plx_status read_case(const char *path, const json_t *item, size_t number, plx_challenge_case *one,
                            plx_error *error)
{
    plx_archive archive = plx_archive_of(item);

    *one = (plx_challenge_case){.operand_count = 0};
    if (!json_is_object(item))
        return plx_fail(error, PLX_INVALID, "%.200s: case %zu is no object", path, number + 1);
    plx_archive_challenge_case(&archive, one);
    if (archive.unknown)
        return plx_fail(error, PLX_INVALID,
                        "%.200s: case %zu has an operation or a type that this version does not know", path,
                        number + 1);
    if (archive.wrong != NULL)
        return plx_fail(error, PLX_INVALID, "%.200s: case %zu: '%s' is missing, or not what it must be", path,
                        number + 1, archive.wrong);
    if (one->operand_count != plx_challenge_operands(&one->problem))
        return plx_fail(error, PLX_INVALID, "%.200s: case %zu: %s reads %zu operands, not %zu", path, number + 1,
                        plx_op_name(one->problem.op), plx_challenge_operands(&one->problem), one->operand_count);
    return PLX_OK;
}

static plx_status load(const char *directory, json_t **root, const json_t **cases, char path[4096], plx_error *error)
{
    plx_status status = plx_save_path(directory, "", "manifest.json", path, error);

    if (status == PLX_OK)
        status = plx_json_load(path, root, error);
    if (status != PLX_OK)
        return status;
    const char *schema = json_string_value(json_object_get(*root, "schema"));
    *cases = json_object_get(*root, "cases");
    if (schema != NULL && strcmp(schema, "parallax-challenge/1") == 0 && json_is_array(*cases))
        return PLX_OK;
    json_decref(*root);
    return plx_fail(error, PLX_INVALID, "%.200s: is no challenge of schema parallax-challenge/1", path);
}

/* ---- one case ------------------------------------------------------------------------------ */

static void wrong(plx_judged *judged, const char *format, ...) PLX_PRINTF(2, 3);
static void wrong(plx_judged *judged, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    judged->verdict.outcome = PLX_OUTCOME_WRONG;
    judged->verdict.error.first_bad = -1;
    (void)vsnprintf(judged->verdict.reason, sizeof judged->verdict.reason, format, arguments);
    va_end(arguments);
    plx_text_clean(judged->verdict.reason, sizeof judged->verdict.reason);
}

/* The operands of a case and its result, as they were read. */
typedef struct files {
    plx_array operands[PLX_MAX_OPERANDS], result;
    plx_strided lying[PLX_MAX_OPERANDS], result_lying;
} files;

static void free_files(files *of)
{
    for (size_t i = 0; i < PLX_MAX_OPERANDS; i++)
        plx_array_free(&of->operands[i]);
    plx_array_free(&of->result);
}

/* What was put in the place of an operand has another hash: results may be of it, but not of the case.  A file that
 * can't be read says nothing of a result. */
static plx_status read_operand(const challenge *c, const plx_challenge_case *one, size_t which, files *of,
                               plx_judged *judged, bool *there, plx_error *error)
{
    const plx_challenge_file *file = &one->operands[which];
    char path[4096], hash[PLX_HASH_TEXT];
    plx_status status = plx_save_path(c->directory, "", file->name, path, error);

    *there = false;
    if (status == PLX_OK)
        status = plx_challenge_hash(path, hash, error);
    if (status != PLX_OK)
        return status;
    if (strcmp(hash, file->hash) != 0) {
        wrong(judged, "%s is not the operand that the challenge has: its hash is %.12s, not %.12s", file->name, hash,
              file->hash);
        return PLX_OK;
    }
    status = plx_npy_read(path, &of->operands[which], error);
    if (status != PLX_OK)
        return status;
    of->lying[which] = plx_strided_of(&of->operands[which]);
    *there = true;
    return PLX_OK;
}

/* "gemm-f32-001-result-0123456789ab.npy" of other operands. */
static bool finds_another(const char *directory, const plx_challenge_case *one, char *name, size_t capacity)
{
    char begins[100];
    DIR *of = opendir(directory);
    bool found = false;

    if (of == NULL)
        return false;
    (void)snprintf(begins, sizeof begins, "%s-result-", one->name);
    for (const struct dirent *entry; !found && (entry = readdir(of)) != NULL;)
        if (strncmp(entry->d_name, begins, strlen(begins)) == 0) {
            found = true;
            (void)snprintf(name, capacity, "%s", entry->d_name);
        }
    (void)closedir(of);
    return found;
}

/* A result that is not there, or is no array, is wrong. */
static plx_status read_result(const challenge *c, const plx_challenge_case *one, files *of, plx_judged *judged,
                              bool *there, plx_error *error)
{
    char path[4096], other[256];
    plx_status status = plx_save_path(c->directory, "", one->result.name, path, error);

    *there = false;
    if (status != PLX_OK)
        return status;
    if (access(path, F_OK) != 0 && errno == ENOENT) {
        if (finds_another(c->directory, one, other, sizeof other))
            wrong(judged, "%s is the result of other operands, whose hash is another; %s is missing", other,
                  one->result.name);
        else
            wrong(judged, "there is no result: %s is missing", one->result.name);
        return PLX_OK;
    }
    status = plx_npy_read(path, &of->result, error);
    if (status == PLX_INVALID) {
        wrong(judged, "%.400s", error->text);
        return PLX_OK;
    }
    of->result_lying = plx_strided_of(&of->result);
    *there = status == PLX_OK;
    return status;
}

/* Only what is rounded has anything to promise. */
static plx_promise promise_of(const challenge *c, const plx_problem *problem)
{
    plx_promise promise = c->options->promise;
    plx_error ignored = {""};

    if (plx_promise_check(problem, &promise, &ignored) == PLX_OK)
        return promise;
    promise.narrow_parts = 0;
    if (plx_promise_check(problem, &promise, &ignored) == PLX_OK)
        return promise;
    return (plx_promise){.typical = promise.typical};
}

/* In other arithmetic where that is promised, and there is such a thing. */
static plx_problem problem_of(const challenge *c, const plx_challenge_case *one)
{
    plx_problem problem = one->problem;
    plx_error ignored = {""};

    if (c->options->compute == PLX_COMPUTE_PLAIN)
        return problem;
    problem.compute = c->options->compute;
    return plx_problem_check(&problem, &ignored) == PLX_OK ? problem : one->problem;
}

static plx_status save(const challenge *c, const plx_challenge_case *one, const files *of, const plx_judged *judged,
                       plx_error *error)
{
    if (c->options->save_failure == NULL || judged->verdict.outcome == PLX_OUTCOME_OK)
        return PLX_OK;
    return plx_judged_save(c->options->save_failure, one->name, judged, of->lying, one->operand_count,
                           &of->result_lying, error);
}

/* A result that can't be read, or is of another size, is wrong. */
static plx_status judge_case(const challenge *c, const plx_challenge_case *one, plx_judged *judged, plx_error *error)
{
    files of = {.result = {.rank = 0}};
    plx_status status = PLX_OK;
    bool there = true;

    *judged = (plx_judged){.problem = problem_of(c, one)};
    judged->promise = promise_of(c, &judged->problem);
    (void)snprintf(judged->name, sizeof judged->name, "%s", one->name);
    for (size_t i = 0; status == PLX_OK && there && i < one->operand_count; i++)
        status = read_operand(c, one, i, &of, judged, &there, error);
    if (status == PLX_OK && there)
        status = read_result(c, one, &of, judged, &there, error);
    if (status == PLX_OK && there) {
        status = plx_judge_result_as(&judged->problem, of.lying, one->operand_count, &of.result_lying, &judged->promise,
                                     one->precise, &judged->verdict, error);
        there = status == PLX_OK;
        if (status == PLX_INVALID) {
            wrong(judged, "%.400s", error->text);
            status = PLX_OK;
        }
    }
    if (status == PLX_OK && there)
        status = save(c, one, &of, judged, error);
    free_files(&of);
    return status;
}

/* ---- all -------------------------------------------------------------------------------------- */

static plx_status judge_all(const challenge *c, const char *path, const json_t *cases, plx_judged *list,
                            plx_error *error)
{
    const size_t count = json_array_size(cases);
    plx_status status = PLX_OK;

    for (size_t i = 0; status == PLX_OK && i < count; i++) {
        plx_challenge_case one;
        status = read_case(path, json_array_get(cases, i), i, &one, error);
        if (status != PLX_OK)
            break;
        if (c->options->progress != NULL)
            c->options->progress(c->options->progress_data, i, count, one.name);
        status = judge_case(c, &one, &list[i], error);
    }
    return status;
}

plx_status plx_challenge_judge(const char *directory, const plx_challenge_judging *options, plx_judged **judged,
                               size_t *count, plx_error *error)
{
    const challenge c = {directory, options};
    char path[4096];
    json_t *root;
    const json_t *cases;
    plx_status status = load(directory, &root, &cases, path, error);

    if (status != PLX_OK)
        return status;
    const size_t found = json_array_size(cases);
    plx_judged *list = calloc(found > 0 ? found : 1, sizeof *list);
    if (list == NULL)
        status = plx_fail(error, PLX_NO_MEMORY, "no memory for %zu verdicts", found);
    else
        status = judge_all(&c, path, cases, list, error);
    json_decref(root);
    if (status != PLX_OK) {
        free(list);
        return status;
    }
    *judged = list;
    *count = found;
    return PLX_OK;
}
