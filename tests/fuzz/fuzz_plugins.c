/* What the process that tries a plugin says of it, and the cache's file of what was learnt so.  What is taken
 * of either may go to a terminal and into that file; what is kept is recalled the same, as long as no file
 * changed. */
#include "core/inspect.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static char path[300], plugin[300];

static void require_text(const char *text, size_t capacity)
{
    fuzz_require(memchr(text, '\0', capacity) != NULL, "a text has an end");
    for (; *text != '\0'; text++)
        fuzz_require((unsigned char)*text >= ' ' && *text != 0x7f, "a text has no control character");
}

static void require_texts(const plx_inspection *of)
{
    require_text(of->name, sizeof of->name);
    require_text(of->version, sizeof of->version);
    require_text(of->summary, sizeof of->summary);
    require_text(of->reason.text, sizeof of->reason.text);
}

static void require_files(const char *files)
{
    while (*files != '\0') {
        const char *end = strchr(files, '\n');
        fuzz_require(strncmp(files, "file\t", 5) == 0 && end != NULL, "files are whole lines");
        files = end + 1;
    }
}

/* What was said is kept as of a process that died, whose only file is the plugin. */
static void keep_and_recall(const plx_inspection *found)
{
    plx_inspection kept = *found, recalled = {.path = plugin};
    plx_inspection *const list[] = {&kept};
    kept.died = true;
    plx_inspections_keep(list, 1);
    fuzz_require(plx_inspection_recall(&recalled), "what was kept is recalled");
    fuzz_require(recalled.result == kept.result, "as the same");
    fuzz_require(strcmp(recalled.name, kept.name) == 0 && strcmp(recalled.version, kept.version) == 0 &&
                     strcmp(recalled.summary, kept.summary) == 0,
                 "with the same texts");
    require_texts(&recalled);
}

/* The plugin is a file that is there, and known by a "file" line of its own. */
static void prepare(void)
{
    (void)setenv("XDG_CACHE_HOME", fuzz_directory(), 1);
    (void)unsetenv("PLX_NO_CACHE");
    (void)snprintf(path, sizeof path, "%s/parallax/plugins.tsv", fuzz_directory());
    (void)snprintf(plugin, sizeof plugin, "%s/plx-fuzz.so", fuzz_directory());
    fuzz_put(plugin, "plugin", 6);
    keep_and_recall(&(plx_inspection){.path = plugin, .result = PLX_PASSED, .name = "fuzz"}); /* makes the directory */
}

static void read_said(const uint8_t *bytes, size_t size)
{
    plx_inspection found = {.path = plugin};
    bool no_memory = false;
    char *said = malloc(size + 1);
    fuzz_require(said != NULL, "there is memory");
    memcpy(said, bytes, size);
    said[size] = '\0';
    const bool end = plx_inspection_read(&found, said, size, &no_memory);
    fuzz_require(end || found.result == PLX_NOT_INSPECTED, "what did not come to its end has no result");
    require_texts(&found);
    require_files(found.files);
    if (found.result == PLX_PASSED || (found.result == PLX_REFUSED && found.name[0] == '\0'))
        keep_and_recall(&found);
    free(found.files);
    free(said);
}

static void read_kept(const uint8_t *bytes, size_t size)
{
    plx_inspection found = {.path = plugin};
    fuzz_put(path, bytes, size);
    if (plx_inspection_recall(&found))
        fuzz_require(found.result != PLX_NOT_INSPECTED, "what is recalled has a result");
    require_texts(&found);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const fuzz_halves halves = fuzz_split(bytes, size);
    if (path[0] == '\0')
        prepare();
    read_kept(halves.first, halves.first_size);
    read_said(halves.second, halves.second_size);
    return 0;
}
