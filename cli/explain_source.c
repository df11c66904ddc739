/* explain --source: the text of a kernel, line by line against that of the step before. */
#define _GNU_SOURCE /* readlink */

#include "cli.h"

#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_NAME = 192 };

/* ---- where they are --------------------------------------------------------------------------- */

/* The program can be moved with what belongs to it; in the build tree a link leads to the sources. */
int cli_data_path(const char *name, char *path, size_t capacity)
{
    static const char *const places[] = {"../share/parallax", "../sources", "sources"};
    char self[1024];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length > 0) {
        self[length] = '\0';
        char *slash = strrchr(self, '/');
        if (slash != NULL)
            *slash = '\0';
    }
    for (size_t i = 0; length > 0 && i < sizeof places / sizeof places[0]; i++) {
        (void)snprintf(path, capacity, "%s/%s/%s", self, places[i], name);
        if (access(path, R_OK) == 0)
            return CLI_OK;
    }
    (void)snprintf(path, capacity, PLX_DATA_DIR "/%s", name);
    return access(path, R_OK) == 0 ? CLI_OK : CLI_UNAVAILABLE;
}

/* Its name, in its operation's directory or in one of those below device/: "kernels/gemm/device/ladder/naive.cu". */
static int kernel_path(plx_op op, const char *kernel, const char *ending, char name[TEXT_NAME], char path[1400])
{
    char directory[1400];
    (void)snprintf(name, TEXT_NAME, "kernels/%s/%s.%s", plx_op_name(op), kernel, ending);
    int found = cli_data_path(name, path, 1400);
    (void)snprintf(name, TEXT_NAME, "kernels/%s/device", plx_op_name(op));
    DIR *families =
        found != CLI_OK && cli_data_path(name, directory, sizeof directory) == CLI_OK ? opendir(directory) : NULL;
    for (const struct dirent *family; families != NULL && found != CLI_OK && (family = readdir(families)) != NULL;) {
        (void)snprintf(name, TEXT_NAME, "kernels/%s/device/%.40s/%s.%s", plx_op_name(op), family->d_name, kernel,
                       ending);
        found = cli_data_path(name, path, 1400);
    }
    if (families != NULL)
        (void)closedir(families);
    if (found != CLI_OK)
        (void)snprintf(name, TEXT_NAME, "kernels/%s/%s.%s", plx_op_name(op), kernel, ending);
    return found;
}

/* ---- texts ------------------------------------------------------------------------------------- */

typedef struct lines {
    char *text; /* NULL: there is none */
    const char **at;
    size_t count;
} lines;

static char *whole_file(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t length = 0, capacity = 0;
    if (file == NULL)
        return NULL;
    for (;;) {
        char *grown = length + 4096 < capacity ? text : realloc(text, capacity += 65536);
        if (grown == NULL)
            break;
        text = grown;
        const size_t got = fread(text + length, 1, capacity - length - 1, file);
        length += got;
        if (got == 0) {
            text[length] = '\0';
            (void)fclose(file);
            return text;
        }
    }
    free(text);
    (void)fclose(file);
    return NULL;
}

static lines lines_of(const char *path)
{
    lines made = {.text = whole_file(path)};
    size_t count = 1;
    for (const char *at = made.text; at != NULL && *at != '\0'; at++)
        count += *at == '\n';
    made.at = made.text != NULL ? calloc(count, sizeof *made.at) : NULL;
    for (char *at = made.text; made.at != NULL && *at != '\0';) {
        made.at[made.count++] = at;
        at += strcspn(at, "\n");
        if (*at == '\n')
            *at++ = '\0';
    }
    return made;
}

static void free_lines(lines *these)
{
    free(these->text);
    free(these->at);
}

/* ---- the difference ------------------------------------------------------------------------------ */

/* Of the longest common subsequence of lines: length[i][j] is that of the ends from i and j on. */
static void put_difference(const lines *before, const lines *now)
{
    const size_t width = now->count + 1;
    unsigned *length = calloc((before->count + 1) * width, sizeof *length);
    size_t i = 0, j = 0;
    for (size_t a = before->count; length != NULL && a-- > 0;)
        for (size_t b = now->count; b-- > 0;) {
            const unsigned one = length[(a + 1) * width + b], other = length[a * width + b + 1];
            length[a * width + b] = strcmp(before->at[a], now->at[b]) == 0 ? length[(a + 1) * width + b + 1] + 1
                                    : one > other                          ? one
                                                                           : other;
        }
    while (length != NULL && (i < before->count || j < now->count)) {
        if (i < before->count && j < now->count && strcmp(before->at[i], now->at[j]) == 0) {
            (void)fprintf(cli_out(), "  %s\n", now->at[j++]);
            i++;
        } else if (i < before->count && (j == now->count || length[(i + 1) * width + j] >= length[i * width + j + 1])) {
            (void)fprintf(cli_out(), "- %s\n", before->at[i++]);
        } else {
            (void)fprintf(cli_out(), "+ %s\n", now->at[j++]);
        }
    }
    free(length);
}

int cli_explain_source(plx_op op, const char *kernel, const char *before, const char *ending)
{
    char name[TEXT_NAME], path[1400];
    lines texts[2] = {{.text = NULL}, {.text = NULL}};
    if (kernel_path(op, kernel, ending, name, path) != CLI_OK || (texts[1] = lines_of(path)).at == NULL) {
        free_lines(&texts[1]);
        cli_say("%s/%s has no source in a file of its own, %s, or it was not installed", plx_op_name(op), kernel, name);
        return CLI_UNAVAILABLE;
    }
    if (before != NULL) {
        char old[TEXT_NAME];
        if (kernel_path(op, before, ending, old, path) == CLI_OK)
            texts[0] = lines_of(path);
    }
    (void)fprintf(cli_out(), "%s", name);
    if (texts[0].at != NULL)
        (void)fprintf(cli_out(), "; + is new, - is gone since the step before, %s", before);
    (void)fprintf(cli_out(), "\n");
    if (texts[0].at != NULL)
        put_difference(&texts[0], &texts[1]);
    for (size_t i = 0; texts[0].at == NULL && i < texts[1].count; i++)
        (void)fprintf(cli_out(), "  %s\n", texts[1].at[i]);
    free_lines(&texts[0]);
    free_lines(&texts[1]);
    return CLI_OK;
}
