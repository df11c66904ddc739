/* The file of tuned choices in the user's cache.  What is read of it is written, and then stays as it is. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static char path[300];
static plx_context *context;

static void prepare(void)
{
    plx_error error = {""};
    const char *dirs[] = {fuzz_directory()};
    const plx_context_options options = {.plugin_dirs = dirs, .plugin_dir_count = 1};
    (void)setenv("XDG_CACHE_HOME", fuzz_directory(), 1);
    (void)unsetenv("PLX_NO_CACHE");
    fuzz_require(plx_context_create(&options, &context) == PLX_OK, "a context can be made");
    (void)snprintf(path, sizeof path, "%s/parallax/choices.tsv", fuzz_directory());
    fuzz_require(plx_tuned_forget(context, &error) == PLX_OK, "choices can be forgotten");
}

static void check_choice(const plx_choice *choice)
{
    const char *const texts[] = {choice->device, choice->backend, choice->kernel, choice->shape};
    fuzz_require(choice->kernel[0] != '\0', "a choice is of a kernel");
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        for (const char *at = texts[i]; *at != '\0'; at++)
            fuzz_require((unsigned char)*at >= ' ', "a choice has no control character");
}

static size_t count_choices(void)
{
    plx_choice choice;
    size_t count = 0;
    for (; count < 16 && plx_tuned_at(count, &choice); count++)
        check_choice(&choice);
    return count;
}

static void rewrite(fuzz_text *text)
{
    char buffer[4096];
    plx_error error = {""};
    fuzz_require(plx_tuned_change(context, NULL, 0, &error) == PLX_OK, "choices can be written");
    FILE *file = fopen(path, "rb");
    fuzz_require(file != NULL, "choices were written");
    fuzz_text_open(text);
    for (size_t got; (got = fread(buffer, 1, sizeof buffer, file)) > 0;)
        (void)fwrite(buffer, 1, got, text->to);
    fuzz_text_close(text);
    (void)fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_text first, second;
    if (context == NULL)
        prepare();
    fuzz_put(path, bytes, size);
    const size_t count = count_choices();
    rewrite(&first);
    fuzz_require(count_choices() == count, "no choice is lost when it is written");
    rewrite(&second);
    fuzz_require(fuzz_text_same(&first, &second), "what was written is read the same");
    fuzz_text_free(&first);
    fuzz_text_free(&second);
    return 0;
}
