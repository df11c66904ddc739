/* Reads kernels as the C preprocessor makes them, because entry points are made by macros, and as
 * nvcc does.  Headers of the system play no part in names, and empty files stand in for them. */
#define _POSIX_C_SOURCE 200809L /* popen */

#include "kernel_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Each is read once: tests ask for the same ones thousands of times.  Never freed. */
typedef struct known_text {
    struct known_text *next;
    char *text;
    char command[];
} known_text;

static known_text *known;

/* What a shell command in the source tree writes. */
static const char *output_of(const char *command)
{
    static char text[1 << 21];
    for (const known_text *at = known; at; at = at->next)
        if (strcmp(at->command, command) == 0)
            return at->text;
    FILE *output = popen(command, "r");
    assert_non_null(output);
    size_t length = fread(text, 1, sizeof text - 1, output);
    if (pclose(output) != 0 || length == 0)
        fail_msg("failed: %s", command);
    text[length] = '\0';
    known_text *made = malloc(sizeof *made + strlen(command) + 1);
    assert_non_null(made);
    (void)strcpy(made->command, command);
    made->text = strdup(text);
    assert_non_null(made->text);
    made->next = known;
    known = made;
    return made->text;
}

/* The kernel as a compiler of devices sees it, its headers included. */
static const char *expanded(const char *code)
{
    char command[4096];
    const char *directory = getenv("top_srcdir");
    (void)snprintf(command, sizeof command,
                   "cd '%s' && kernel=$(ls kernels/%s.cu kernels/%.*s/device/*/%s.cu 2>/dev/null); "
                   "empty=$(mktemp -d) && "
                   "for header in $(cat \"$kernel\" kernels/*.cuh kernels/*/*.cuh kernels/*/device/*/*.cuh |"
                   " sed -n 's/^#include <\\(.*\\)>.*/\\1/p'); do : >\"$empty/$header\"; done; "
                   "${CC:-cc} -E -P -nostdinc -x c -D__CUDA_ARCH__=900 -D__CUDA_ARCH_FEAT_SM90_ALL"
                   " -I \"$empty\" -I kernels \"$kernel\"; status=$?; rm -rf \"$empty\"; exit $status",
                   directory ? directory : ".", code, (int)strcspn(code, "/"), code, strchr(code, '/') + 1);
    return output_of(command);
}

static bool has_function(const char *text, const char *function)
{
    size_t length = strlen(function);
    for (const char *at = strstr(text, function); at; at = strstr(at + 1, function))
        if (at[length] == '(')
            return true;
    return false;
}

void assert_has_entry(const char *code, const char *entry)
{
    if (!has_function(expanded(code), entry))
        fail_msg("kernels/%s.cu has no %s()", code, entry);
}

void assert_waits_for_the_queue(const char *code, const char *entry)
{
    char command[1024];
    const char *directory = getenv("top_builddir");
    (void)snprintf(command, sizeof command,
                   "gzip -dc '%s/cuda-images/%s.ptx.gz' |"
                   " awk '/[.]entry/ { entry = $NF } /griddepcontrol[.]wait/ { print entry }' | uniq",
                   directory ? directory : ".", code);
    if (!has_function(output_of(command), entry))
        fail_msg("%s() in kernels/%s.cu never waits for what precedes it in its queue", entry, code);
}
