/* What parallax-inspect says of a plugin, which the plugin may have spoiled, or said itself. */
#define _GNU_SOURCE /* memrchr, strsep */

#include "core/inspect.h"

#include <stdlib.h>
#include <string.h>

/* Takes the text up to the next tab or the end off the line. */
static void take_field(char **line, char *to, size_t capacity)
{
    const size_t length = strcspn(*line, "\t");
    (void)snprintf(to, capacity, "%.*s", (int)length, *line);
    plx_text_clean(to, capacity);
    *line += length + ((*line)[length] == '\t');
}

static bool begins(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

static void take_loaded(plx_inspection *found, char *fields)
{
    take_field(&fields, found->name, sizeof found->name);
    take_field(&fields, found->version, sizeof found->version);
    take_field(&fields, found->summary, sizeof found->summary);
}

static void take_refused(plx_inspection *found, char *reason)
{
    take_field(&reason, found->reason.text, sizeof found->reason.text);
    found->result = PLX_REFUSED;
}

bool plx_inspection_ended(const char *said, size_t length)
{
    if (length == 0 || said[length - 1] != '\n')
        return false;
    const char *before = memrchr(said, '\n', length - 1), *line = before != NULL ? before + 1 : said;
    const size_t bytes = (size_t)(said + length - line);
    return (bytes == strlen("end\n") && memcmp(line, "end\n", bytes) == 0) ||
           (bytes == strlen("untried\n") && memcmp(line, "untried\n", bytes) == 0) ||
           (bytes > strlen("refused\t") && memcmp(line, "refused\t", strlen("refused\t")) == 0);
}

bool plx_inspection_read(plx_inspection *found, char *said, size_t length, bool *no_memory)
{
    char *files = calloc(1, length + 2); /* a last line without an end gets one */
    char *rest = said, *to = files;
    bool end = false;
    found->files = files;
    *no_memory = files == NULL;
    if (files == NULL)
        return false;
    for (char *line; !end && (line = strsep(&rest, "\n")) != NULL;) {
        if (begins(line, "loaded\t"))
            take_loaded(found, line + strlen("loaded\t"));
        else if (begins(line, "file\t"))
            to += sprintf(to, "%s\n", line);
        else if (begins(line, "refused\t")) {
            take_refused(found, line + strlen("refused\t"));
            end = true;
        } else if (strcmp(line, "untried") == 0) {
            *no_memory = end = true;
        } else if (strcmp(line, "end") == 0 && found->name[0] != '\0') {
            found->result = PLX_PASSED;
            end = true;
        }
    }
    return end;
}
