/* The manifest of a challenge (data/challenge.schema.json): how a case is written and read. */
#define _POSIX_C_SOURCE 200809L

#include "study/challenge/challenge.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

size_t plx_challenge_operands(const plx_problem *problem)
{
    const plx_operation *operation = plx_operation_of(problem->op);
    double alpha, beta;

    plx_problem_scalars(problem, &alpha, &beta);
    return operation->operand_count - (beta != 0.0 ? 0 : 1);
}

/* It shows in a problem whose sizes all differ, and none of which is 1. */
int plx_challenge_rank(const plx_problem *problem, size_t operand)
{
    static const int64_t different[PLX_MAX_SHAPE] = {3, 5, 7};
    const plx_operation *operation = plx_operation_of(problem->op);
    plx_extent extents[PLX_MAX_OPERANDS];
    plx_problem like = *problem;

    if (operand == operation->output) /* along an axis a reduction has a vector */
        return operation->output_rank + (problem->op == PLX_REDUCE && problem->of.reduce.inner > 1 ? 1 : 0);
    plx_shape_set(&like, different);
    operation->extents(&like, extents);
    return extents[operand].rows == 1 ? 1 : 2;
}

plx_status plx_challenge_hash(const char *path, char hash[PLX_HASH_TEXT], plx_error *error)
{
    unsigned char piece[1 << 16], digest[PLX_SHA256_BYTES];
    plx_sha256 made;
    size_t got;
    FILE *file = fopen(path, "rb");

    if (file == NULL)
        return plx_fail(error, PLX_IO, "%.200s: can't read: %s", path, strerror(errno));
    plx_sha256_begin(&made);
    while ((got = fread(piece, 1, sizeof piece, file)) > 0)
        plx_sha256_add(&made, piece, got);
    const bool failed = ferror(file) != 0;
    const int why = errno;
    (void)fclose(file);
    if (failed)
        return plx_fail(error, PLX_IO, "%.200s: can't read: %s", path, strerror(why));
    plx_sha256_end(&made, digest);
    plx_sha256_text(digest, hash);
    return PLX_OK;
}

/* ---- fields ---------------------------------------------------------------------------- */

static void dtype_field(plx_archive *archive, plx_dtype *dtype)
{
    char name[16] = "";
    if (!plx_archive_reads(archive))
        (void)snprintf(name, sizeof name, "%s", plx_dtype_name(*dtype));
    plx_archive_text(archive, "dtype", name, sizeof name);
    if (plx_archive_reads(archive) && !plx_dtype_from_name(name, dtype))
        plx_archive_refuse(archive, "dtype");
}

static void shape_field(plx_archive *archive, plx_challenge_file *file)
{
    if (!plx_archive_reads(archive)) {
        plx_json_list(archive->to, "shape");
        for (int i = 0; i < file->rank; i++)
            plx_json_integer(archive->to, NULL, file->size[i]);
        plx_json_list_end(archive->to);
        return;
    }
    const json_t *shape = json_object_get(archive->at[archive->depth], "shape");
    const size_t rank = json_array_size(shape);
    if (!json_is_array(shape) || rank > 3) {
        plx_archive_refuse(archive, "shape");
        return;
    }
    file->rank = (int)rank;
    for (size_t i = 0; i < rank; i++) {
        file->size[i] = json_integer_value(json_array_get(shape, i));
        if (!json_is_integer(json_array_get(shape, i)) || file->size[i] < 0)
            plx_archive_refuse(archive, "shape");
    }
}

/* Beside the manifest, and nowhere else. */
static void name_field(plx_archive *archive, char *name, size_t capacity)
{
    plx_archive_text(archive, "file", name, capacity);
    if (plx_archive_reads(archive) && (name[0] == '\0' || name[0] == '.' || strchr(name, '/') != NULL))
        plx_archive_refuse(archive, "file");
}

static void file_fields(plx_archive *archive, plx_challenge_file *file)
{
    name_field(archive, file->name, sizeof file->name);
    dtype_field(archive, &file->dtype);
    shape_field(archive, file);
}

void plx_archive_challenge_case(plx_archive *archive, plx_challenge_case *one)
{
    plx_archive_text(archive, "name", one->name, sizeof one->name);
    plx_archive_text(archive, "purpose", one->purpose, sizeof one->purpose);
    plx_archive_text(archive, "input", one->input, sizeof one->input);
    plx_archive_problem(archive, &one->problem);
    one->precise = plx_archive_flag(archive, "precise", one->precise, false);
    const size_t count = plx_archive_list(archive, "operands", one->operand_count);
    if (plx_archive_reads(archive) && (count == 0 || count > PLX_MAX_OPERANDS))
        plx_archive_refuse(archive, "operands");
    one->operand_count = count <= PLX_MAX_OPERANDS ? count : 0;
    for (size_t i = 0; i < one->operand_count && !plx_archive_fails(archive); i++) {
        plx_challenge_file *file = &one->operands[i];
        plx_archive_item(archive, i);
        plx_archive_text(archive, "operand", file->operand, sizeof file->operand);
        file_fields(archive, file);
        plx_archive_text(archive, "sha256", file->hash, sizeof file->hash);
        plx_archive_item_end(archive);
    }
    plx_archive_list_end(archive);
    if (plx_archive_fails(archive) || !plx_archive_open(archive, "result", true))
        return;
    file_fields(archive, &one->result);
    plx_archive_close(archive);
}
