/* Files of compiled programs in the user's cache.  The input is such a file, which is a miss or the whole
 * program; and it is a program, which comes back as it was kept, and not at all once a byte of its file is
 * another. */
#include "tests/fuzz/fuzz.h"

#include "backends/opencl/cache.h"

#include <stdlib.h>
#include <string.h>

static const char key[] = "a key";
static char path[4096];

static void prepare(void)
{
    (void)setenv("XDG_CACHE_HOME", fuzz_directory(), 1);
    (void)unsetenv("PLX_NO_CACHE");
    fuzz_require(plx_cl_cache_path(key, sizeof key, path, sizeof path), "a program has a file");
    plx_cl_cache_write(key, sizeof key, (const unsigned char *)"x", 1);
}

/* A byte of the file, at the place that the input says, is changed. */
static void damage(const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "r+b");
    fuzz_require(file != NULL && fseek(file, 0, SEEK_END) == 0, "what was kept is there");
    const long at = (long)(bytes[size - 1] | bytes[0] << 8) % ftell(file);
    (void)fseek(file, at, SEEK_SET);
    const int byte = fgetc(file);
    (void)fseek(file, at, SEEK_SET);
    (void)fputc(byte ^ (1 << bytes[size / 2] % 8), file);
    fuzz_require(fclose(file) == 0, "what was kept can be damaged");
}

static void read_as_file(const uint8_t *bytes, size_t size)
{
    unsigned char *program;
    size_t length;
    fuzz_put(path, bytes, size);
    if (!plx_cl_cache_read(key, sizeof key, &program, &length))
        return;
    fuzz_require(length < size && memcmp(bytes + size - length, program, length) == 0,
                 "a program is the end of its file");
    free(program);
}

static void keep_as_program(const uint8_t *bytes, size_t size)
{
    unsigned char *program;
    size_t length;
    plx_cl_cache_write(key, sizeof key, bytes, size);
    fuzz_require(plx_cl_cache_read(key, sizeof key, &program, &length), "what was kept can be read");
    fuzz_require(length == size && memcmp(bytes, program, size) == 0, "what was kept is read the same");
    free(program);
    damage(bytes, size);
    fuzz_require(!plx_cl_cache_read(key, sizeof key, &program, &length), "what is damaged is a miss");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (path[0] == '\0')
        prepare();
    read_as_file(bytes, size);
    if (size > 0)
        keep_as_program(bytes, size);
    return 0;
}
