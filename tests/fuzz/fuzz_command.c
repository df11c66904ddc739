/* Command lines, a word in each line, up to where plugins would be looked for: options, shapes, sets, files,
 * and all that goes together or does not.  What ends with another status than 0 says a word. */
#define _GNU_SOURCE /* getopt_long */

#include "tests/fuzz/fuzz.h"

#include "cli/cli.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_WORDS = 48, MOST_BYTES = 4096 };

/* In place of the library's: there is no work to be done. */
plx_status plx_tool_context_create(const plx_context_options *options, const plx_tool_options *tool,
                                   plx_context **context)
{
    (void)options;
    (void)tool;
    (void)context;
    return PLX_NOT_FOUND;
}

/* What --in and the verbs on files find. */
static void put_files(void)
{
    static const char array[] = "\x93NUMPY\x01\x00\x4e\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), "
                                "}                    \n\0\0\x80?\0\0\0@\0\0\0@\0\0\x80?";
    static const char results[] = "{\"schema\": \"parallax-results/1\", \"environment\": {}, \"devices\": [], "
                                  "\"records\": [], \"pairs\": []}";
    fuzz_clean();
    fuzz_put("x.npy", array, sizeof array - 1);
    fuzz_put("r.json", results, sizeof results - 1);
}

static void prepare(void)
{
    static bool is_done;
    if (is_done)
        return;
    is_done = true;
    fuzz_require(chdir(fuzz_directory()) == 0, "there is a directory");
    (void)setenv("PATH", "/nonexistent", 1); /* nothing is started */
    (void)setenv("PLX_NO_CACHE", "1", 1);
}

/* Cuts the text into words; 0: too many.  A word with a slash could name a file of somebody. */
static int make_words(char *text, char **words)
{
    static char program[] = "parallax";
    int count = 0;
    words[count++] = program;
    for (char *rest = text, *word; (word = strsep(&rest, "\n")) != NULL;) {
        if (count == MOST_WORDS || strchr(word, '/') != NULL)
            return 0;
        words[count++] = word;
    }
    words[count] = NULL;
    return count;
}

/* getopt has its place within a word of the last command line. */
static void forget_words(void)
{
    static char program[] = "parallax";
    char *none[] = {program, NULL};
    optind = 0;
    (void)getopt_long(1, none, "", NULL, NULL);
}

static void carry_out(int count, char **words)
{
    FILE *out = stdout, *err = stderr;
    fuzz_text shown, said;
    fuzz_text_open(&shown);
    fuzz_text_open(&said);
    stdout = shown.to;
    stderr = said.to;
    forget_words();
    cli_who = "parallax";
    const int status = cli_dispatch(count, words);
    stdout = out;
    stderr = err;
    fuzz_text_close(&shown);
    fuzz_text_close(&said);
    fuzz_require(status >= 0 && status <= 5, "the status is one that there is");
    fuzz_require(status != CLI_USAGE || said.length > 0, "wrong usage has a word");
    fuzz_text_free(&shown);
    fuzz_text_free(&said);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char text[MOST_BYTES + 1], *words[MOST_WORDS + 1];
    if (size > MOST_BYTES)
        return 0;
    memcpy(text, bytes, size);
    text[size] = '\0';
    const int count = make_words(text, words);
    if (count == 0)
        return 0;
    prepare();
    put_files();
    carry_out(count, words);
    return 0;
}
