/* .npy files: reads what NumPy writes (rank 0 to 3), writes version 1.0.  A file is
 * judged by its size before memory is taken, so a header that lies costs nothing. */
#define _POSIX_C_SOURCE 200809L

#include "study/files/npy_header.h"

#include "base/text.h"

#include <parallax/plugin.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAGIC_BYTES = 8, MAX_HEADER = 1 << 20, ALIGNMENT = 64 };

static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

typedef struct npy_file {
    int descriptor;
    uint64_t bytes; /* the file's size */
    uint64_t at;    /* what was read of it */
} npy_file;

/* Puts the path before the reason, which may cite the file. */
static plx_status name_file(const char *path, plx_status status, plx_error *error)
{
    plx_error reason = *error;
    plx_text_clean(reason.text, sizeof reason.text);
    return plx_fail(error, status, "%.200s: %.300s", path, reason.text);
}

/* ---- reading ------------------------------------------------------------- */

static plx_status open_regular(const char *path, npy_file *file, plx_error *error)
{
    struct stat about;
    /* Without O_NONBLOCK a pipe that nobody writes to would hold us here. */
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0)
        return plx_fail(error, PLX_IO, "can't open: %s", strerror(errno));
    if (fstat(descriptor, &about) != 0) {
        plx_fail(error, PLX_IO, "can't read: %s", strerror(errno));
        goto close_descriptor;
    }
    if (!S_ISREG(about.st_mode)) {
        plx_fail(error, PLX_IO, "not a regular file");
        goto close_descriptor;
    }
    *file = (npy_file){.descriptor = descriptor, .bytes = (uint64_t)about.st_size};
    return PLX_OK;

close_descriptor:
    (void)close(descriptor);
    return PLX_IO;
}

static plx_status read_exactly(npy_file *file, void *to, uint64_t bytes, plx_error *error)
{
    char *at = to;
    if (bytes > file->bytes - file->at)
        return plx_fail(error, PLX_INVALID, "truncated .npy file");
    while (bytes > 0) {
        ssize_t got = read(file->descriptor, at, bytes < (1u << 30) ? (size_t)bytes : 1u << 30);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return plx_fail(error, PLX_IO, "can't read: %s", strerror(errno));
        if (got == 0)
            return plx_fail(error, PLX_INVALID, "truncated .npy file");
        at += got;
        bytes -= (uint64_t)got;
        file->at += (uint64_t)got;
    }
    return PLX_OK;
}

/* The version and the length of the dictionary that follows. */
static plx_status read_preamble(npy_file *file, uint32_t *length, plx_error *error)
{
    unsigned char start[MAGIC_BYTES], size[4] = {0};
    size_t known = file->bytes < sizeof magic ? (size_t)file->bytes : sizeof magic;
    plx_status status = read_exactly(file, start, known, error);
    if (status != PLX_OK)
        return status;
    if (known == 0)
        return plx_fail(error, PLX_INVALID, "empty, not a .npy file");
    if (known >= 4 && start[0] == 'P' && start[1] == 'K' && start[2] < 8 && start[3] == start[2] + 1)
        return plx_fail(error, PLX_INVALID,
                        "a zip archive, as .npz is, not a .npy file; unzip takes the .npy out of it");
    if (memcmp(start, magic, known) != 0)
        return plx_fail(error, PLX_INVALID, "not a .npy file");
    status = read_exactly(file, start + known, sizeof start - known, error);
    if (status != PLX_OK)
        return status;
    if (start[6] < 1 || start[6] > 3 || start[7] != 0)
        return plx_fail(error, PLX_INVALID, ".npy version %u.%u is not supported (1.0, 2.0, 3.0 are)", start[6],
                        start[7]);
    status = read_exactly(file, size, start[6] == 1 ? 2 : 4, error);
    if (status != PLX_OK)
        return status;
    *length = (uint32_t)size[0] | (uint32_t)size[1] << 8 | (uint32_t)size[2] << 16 | (uint32_t)size[3] << 24;
    return PLX_OK;
}

static plx_status read_header(npy_file *file, plx_npy_header *header, plx_error *error)
{
    uint32_t length = 0;
    plx_status status = read_preamble(file, &length, error);
    if (status != PLX_OK)
        return status;
    if (length > file->bytes - file->at)
        return plx_fail(error, PLX_INVALID, "truncated .npy file: its header says it has %u bytes", (unsigned)length);
    if (length > MAX_HEADER)
        return plx_fail(error, PLX_INVALID, "a .npy header of %u bytes is too long", (unsigned)length);
    char *text = malloc((size_t)length + 1);
    if (text == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for the header");
    status = read_exactly(file, text, length, error);
    if (status == PLX_OK)
        status = plx_npy_parse(text, length, header, error);
    free(text);
    return status;
}

/* Of all elements; false when they can't be counted. */
static bool bytes_of(const plx_array *array, uint64_t *bytes)
{
    const uint64_t sizes[] = {array->rank == 3 ? (uint64_t)array->planes : 1, (uint64_t)array->rows,
                              (uint64_t)array->cols};
    const bool empty = sizes[0] == 0 || sizes[1] == 0 || sizes[2] == 0;
    uint64_t count = plx_dtype_size(array->dtype);
    for (size_t i = 0; i < 3 && !empty; i++) {
        if (sizes[i] > (uint64_t)INT64_MAX / count)
            return false;
        count *= sizes[i];
    }
    *bytes = empty ? 0 : count;
    return true;
}

/* The header as an array without data; and the size of the data, which must be
 * just what is left of the file. */
static plx_status expect_data(const npy_file *file, const plx_npy_header *header, plx_array *array, uint64_t *bytes,
                              plx_error *error)
{
    *array = (plx_array){.dtype = header->element.dtype, .rank = header->rank};
    (void)snprintf(array->type, sizeof array->type, "%s", header->element.type);
    array->planes = header->rank == 3 ? header->shape[0] : 1;
    array->rows = header->rank >= 2 ? header->shape[header->rank - 2] : 1;
    array->cols = header->rank >= 1 ? header->shape[header->rank - 1] : 1;

    if (!bytes_of(array, bytes))
        return plx_fail(error, PLX_INVALID, "bad .npy header: the size overflows");
    uint64_t left = file->bytes - file->at;
    if (left < *bytes)
        return plx_fail(error, PLX_INVALID, "truncated .npy file: %llu bytes of data of %llu", (unsigned long long)left,
                        (unsigned long long)*bytes);
    if (left > *bytes)
        return plx_fail(error, PLX_INVALID, "%llu bytes follow the data", (unsigned long long)(left - *bytes));
    return PLX_OK;
}

/* Reverses the bytes of each number of that size. */
static void swap_bytes(size_t size, void *data, uint64_t bytes)
{
    unsigned char *at = data;
    for (uint64_t i = 0; i < bytes; i += size, at += size) {
        for (size_t low = 0, high = size - 1; low < high; low++, high--) {
            unsigned char kept = at[low];
            at[low] = at[high];
            at[high] = kept;
        }
    }
}

/* Column after column to row after row. */
static plx_status make_row_major(plx_array *array, uint64_t bytes, plx_error *error)
{
    size_t size = plx_dtype_size(array->dtype);
    size_t planes = (size_t)array->planes, rows = (size_t)array->rows, cols = (size_t)array->cols;
    char *to = malloc((size_t)bytes);
    if (to == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for %llu bytes", (unsigned long long)bytes);
    const char *from = array->data;
    for (size_t p = 0; p < planes; p++)
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < cols; j++)
                memcpy(to + ((p * rows + i) * cols + j) * size, from + ((j * rows + i) * planes + p) * size, size);
    free(array->data);
    array->data = to;
    return PLX_OK;
}

static plx_status read_array(npy_file *file, plx_array *array, plx_error *error)
{
    plx_npy_header header;
    uint64_t bytes = 0;
    plx_status status = read_header(file, &header, error);
    if (status == PLX_OK)
        status = expect_data(file, &header, array, &bytes, error);
    if (status != PLX_OK || bytes == 0)
        return status;
    array->data = malloc((size_t)bytes);
    if (array->data == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for %llu bytes", (unsigned long long)bytes);
    status = read_exactly(file, array->data, bytes, error);
    if (status == PLX_OK && header.swapped)
        swap_bytes(header.element.swapped, array->data, bytes);
    if (status == PLX_OK && header.fortran && array->rank >= 2)
        status = make_row_major(array, bytes, error);
    if (status != PLX_OK)
        plx_array_free(array);
    return status;
}

plx_status plx_npy_read(const char *path, plx_array *array, plx_error *error)
{
    npy_file file = {.descriptor = -1};
    plx_array read = {0};
    plx_status status = open_regular(path, &file, error);
    if (status != PLX_OK)
        return name_file(path, status, error);
    status = read_array(&file, &read, error);
    (void)close(file.descriptor);
    if (status != PLX_OK)
        return name_file(path, status, error);
    *array = read;
    return PLX_OK;
}

/* ---- writing ------------------------------------------------------------- */

/* Magic, version, length and dictionary, padded so that the data is aligned. */
static size_t make_header(const plx_array *array, unsigned char *header, size_t capacity)
{
    char text[160];
    plx_npy_describe(array, text, sizeof text);
    size_t used = MAGIC_BYTES + 2 + strlen(text) + 1;
    size_t total = (used + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    size_t length = total - MAGIC_BYTES - 2;
    memset(header, ' ', capacity);
    memcpy(header, magic, sizeof magic);
    header[6] = 1;
    header[7] = 0;
    header[8] = (unsigned char)(length & 0xff);
    header[9] = (unsigned char)(length >> 8);
    memcpy(header + MAGIC_BYTES + 2, text, strlen(text));
    header[total - 1] = '\n';
    return total;
}

static bool type_fits(const plx_array *array)
{
    plx_npy_element element;
    plx_error unused;
    return array->type[0] == '\0' ||
           (memchr(array->type, '\0', sizeof array->type) != NULL &&
            plx_npy_element_of(array->type, &element, &unused) == PLX_OK && element.type[0] != '\0' &&
            plx_dtype_size(element.dtype) == plx_dtype_size(array->dtype));
}

static plx_status check_array(const plx_array *array, uint64_t *bytes, plx_error *error)
{
    if ((unsigned)array->dtype >= PLX_DTYPE_COUNT || array->rank < 0 || array->rank > 3 || array->rows < 0 ||
        array->cols < 0 || (array->rank < 2 && array->rows != 1) || (array->rank == 0 && array->cols != 1) ||
        (array->rank == 3 && array->planes < 0))
        return plx_fail(error, PLX_INVALID, "not an array of rank 0, 1, 2 or 3");
    if (!type_fits(array))
        return plx_fail(error, PLX_INVALID, "'%.15s' is no element type of as many bytes as %s has", array->type,
                        plx_dtype_name(array->dtype));
    if (!bytes_of(array, bytes))
        return plx_fail(error, PLX_INVALID, "the size of the array overflows");
    if (*bytes > 0 && array->data == NULL)
        return plx_fail(error, PLX_INVALID, "the array has no data");
    return PLX_OK;
}

plx_status plx_npy_write(const char *path, const plx_array *array, plx_error *error)
{
    unsigned char header[4 * ALIGNMENT];
    uint64_t bytes = 0;
    plx_output *output;
    plx_status status = check_array(array, &bytes, error);
    if (status != PLX_OK)
        return name_file(path, status, error);
    status = plx_output_open(path, &output, error);
    if (status != PLX_OK)
        return status;
    FILE *to = plx_output_stream(output);
    size_t header_bytes = make_header(array, header, sizeof header);
    /* A short write is remembered by the stream; closing reports it. */
    (void)fwrite(header, 1, header_bytes, to);
    if (bytes > 0)
        (void)fwrite(array->data, 1, (size_t)bytes, to);
    return plx_output_close(output, error);
}

void plx_array_free(plx_array *array)
{
    if (array == NULL)
        return;
    free(array->data);
    *array = (plx_array){0};
}
