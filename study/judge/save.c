/* Operands, a result and its reference in files: enough to look into what failed without Parallax. */
#define _POSIX_C_SOURCE 200809L

#include "study/judge/judge.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

plx_status plx_save_directory(const char *directory, plx_error *error)
{
    struct stat about;
    if (mkdir(directory, 0777) != 0 && errno != EEXIST)
        return plx_fail(error, PLX_IO, "%.200s: can't make the directory: %s", directory, strerror(errno));
    if (stat(directory, &about) != 0 || !S_ISDIR(about.st_mode))
        return plx_fail(error, PLX_IO, "%.200s: is no directory", directory);
    if (access(directory, W_OK | X_OK) != 0)
        return plx_fail(error, PLX_IO, "%.200s: can't write there: %s", directory, strerror(errno));
    return PLX_OK;
}

plx_status plx_save_path(const char *directory, const char *stem, const char *rest, char path[4096], plx_error *error)
{
    int length = snprintf(path, 4096, "%s/%s%s", directory, stem, rest);
    if (length < 0 || length >= 4096)
        return plx_fail(error, PLX_INVALID, "%.200s: the path is too long", directory);
    return PLX_OK;
}

plx_array plx_array_like(const plx_inputs *inputs, size_t operand, int rank)
{
    const plx_extent *extent = &inputs->extents[operand];
    const int64_t count = plx_inputs_is_batch(inputs) && inputs->apart[operand] != 0 ? inputs->count : 1;
    plx_array array = {
        .dtype = plx_inputs_dtype(inputs, operand), .rank = rank, .rows = extent->rows, .cols = extent->cols};

    if (count == 1)
        return array;
    array.rank = rank + 1;
    array.planes = count;
    if (rank == 1)
        array.rows = count;
    if (rank == 0)
        array.cols = count;
    return array;
}

static int64_t planes_of(const plx_inputs *inputs, size_t operand)
{
    return plx_inputs_is_batch(inputs) && inputs->apart[operand] != 0 ? inputs->count : 1;
}

plx_status plx_save_rows(const char *directory, const char *stem, const char *name, const plx_inputs *inputs,
                         size_t operand, bool dense, const void *data, plx_error *error)
{
    const plx_extent *extent = &inputs->extents[operand];
    plx_array array = plx_array_like(inputs, operand, extent->rows == 1 ? 1 : 2);
    const size_t size = plx_dtype_size(array.dtype), row_bytes = (size_t)extent->cols * size;
    const int64_t planes = planes_of(inputs, operand), rows = extent->rows;
    const int64_t ld = dense ? extent->cols : extent->ld, apart = dense ? rows * ld : inputs->apart[operand];
    char rest[64], path[4096];
    plx_status status;

    (void)snprintf(rest, sizeof rest, "-%s.npy", name);
    status = plx_save_path(directory, stem, rest, path, error);
    if (status != PLX_OK)
        return status;
    if (rows > 0 && extent->cols > 0) {
        assert(data != NULL); /* only what is empty has no memory */
        array.data = malloc((size_t)(planes * rows) * row_bytes);
        if (array.data == NULL)
            return plx_fail(error, PLX_NO_MEMORY, "no memory to save %s", name);
        for (int64_t row = 0; row < planes * rows; ++row)
            memcpy((char *)array.data + (size_t)row * row_bytes,
                   (const char *)data + (size_t)(row / rows * apart + row % rows * ld) * size, row_bytes);
    }
    status = plx_npy_write(path, &array, error);
    free(array.data);
    return status;
}

plx_status plx_save_operands(const char *directory, const char *stem, const plx_inputs *inputs, plx_error *error)
{
    plx_status status = PLX_OK;

    for (size_t i = 0; status == PLX_OK && i < inputs->operation->operand_count; ++i)
        if (inputs->data[i] != NULL || i != inputs->operation->output)
            status = plx_save_rows(directory, stem, inputs->extents[i].name, inputs, i, false, inputs->data[i], error);
    return status;
}

/* Of a sum the reference is kept in f64, as it was computed. */
plx_status plx_save_reference(const char *directory, const char *stem, const plx_inputs *inputs, size_t operand,
                              const plx_reference_result *reference, plx_error *error)
{
    char path[4096];
    plx_status status;

    if (reference->exact)
        return plx_save_rows(directory, stem, "reference", inputs, operand, true, reference->of.exact, error);
    status = plx_save_path(directory, stem, "-reference.npy", path, error);
    if (status == PLX_OK && reference->sample == NULL) {
        plx_array array = plx_array_like(inputs, operand, inputs->extents[operand].rows == 1 ? 1 : 2);
        array.dtype = PLX_F64;
        array.data = reference->of.value;
        status = plx_npy_write(path, &array, error);
    }
    return status;
}
