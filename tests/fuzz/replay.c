/* In place of libFuzzer: gives the files of the directories that are named to the target. */
#define _XOPEN_SOURCE 700 /* realpath, scandir */

#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static size_t replayed;

/* In memory of its very size, so that a sanitizer sees what reads beyond it. */
static void replay_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(size + (size == 0));
    fuzz_require(file != NULL && bytes != NULL && fread(bytes, 1, size, file) == size, "the corpus can be read");
    (void)fclose(file);
    (void)printf("%s\n", path);
    (void)fflush(stdout);
    (void)LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
    replayed++;
}

static void replay_directory(const char *path)
{
    struct dirent **all;
    char *absolute = realpath(path, NULL), inner[4096]; /* a target may go elsewhere */
    struct stat about;
    fuzz_require(absolute != NULL, "the corpus is there");
    const int count = scandir(absolute, &all, NULL, alphasort);
    fuzz_require(count >= 0, "the corpus is there");
    for (int i = 0; i < count; free(all[i++])) {
        (void)snprintf(inner, sizeof inner, "%.2048s/%s", absolute, all[i]->d_name);
        fuzz_require(stat(inner, &about) == 0, "the corpus is there");
        if (S_ISREG(about.st_mode))
            replay_file(inner, (size_t)about.st_size);
    }
    free(all);
    free(absolute);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        replay_directory(argv[i]);
    (void)printf("%zu inputs\n", replayed);
    return replayed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
