/* A directory of the group of tests, and a file in it. */
#define _GNU_SOURCE

#include "npy_support.h"

char directory[] = "npy-XXXXXX";
char path[64];

int make_directory(void **state)
{
    (void)state;
    if (mkdtemp(directory) == NULL)
        return -1;
    (void)snprintf(path, sizeof path, "%s/a.npy", directory);
    return 0;
}

int remove_directory(void **state)
{
    (void)state;
    (void)unlink(path);
    return rmdir(directory); /* fails when a temporary file was left behind */
}

void write_file(const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

size_t read_file(unsigned char *bytes, size_t capacity)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t count = fread(bytes, 1, capacity, file);
    fclose(file);
    return count;
}

/* A file of the given version, dictionary and data. */
size_t compose(unsigned char *to, int version, const char *dictionary, const void *data, size_t data_bytes)
{
    size_t length = strlen(dictionary), at = 8;
    memcpy(to, "\x93NUMPY", 6);
    to[6] = (unsigned char)version;
    to[7] = 0;
    for (int i = 0; i < (version == 1 ? 2 : 4); i++)
        to[at++] = (unsigned char)(length >> (8 * i) & 0xff);
    memcpy(to + at, dictionary, length);
    at += length;
    if (data_bytes > 0)
        memcpy(to + at, data, data_bytes);
    return at + data_bytes;
}
