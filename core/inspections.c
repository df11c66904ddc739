/* What was learnt of plugin files, kept in the user's cache directory, so that a file is not tried again by
 * every process.
 *
 * Kept is only that a file passed, and what it calls itself.  That holds as long as nothing changed
 * that it can depend on: the file and every file that was loaded in the end (the libraries that it is linked
 * with and the drivers that it found), by device, inode, size and time; the environment, which tells
 * loaders and drivers what to load and which devices to show; this library's version and plugin ABI. Also
 * what no file shows can change, such as the state of a device: it holds for an hour.  The list of
 * devices itself is not kept, and neither is a failure: both are asked for anew by each process.
 *
 * Records, of lines with fields between tabs: "plugin", key, path, time, name, version, summary; then "file"
 * lines as parallax-inspect writes them. */
#define _POSIX_C_SOURCE 200809L /* st_mtim, open_memstream */

#include "core/inspect.h"

#include "base/cache_dir.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

extern char **environ;

enum { SECONDS_KEPT = 3600, MOST_RECORDS = 32, MOST_OF_LINE = 8192 };

static const char file_name[] = "plugins.tsv", first_line[] = "parallax-plugins/1\n";

/* ---- the environment ---------------------------------------------------------- */

static uint64_t hash_of(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

/* What shells and terminals change all the time, and no driver looks at. */
static bool is_passing(const char *variable)
{
    static const char *const passing[] = {"_=",          "PWD=",       "OLDPWD=",
                                          "SHLVL=",      "LINES=",     "COLUMNS=",
                                          "WINDOWID=",   "PLX_PROBE=", "PLX_PROBE_SECONDS=",
                                          "PLX_BACKEND="};
    for (size_t i = 0; i < sizeof passing / sizeof passing[0]; i++)
        if (strncmp(variable, passing[i], strlen(passing[i])) == 0)
            return true;
    return false;
}

/* The same in whatever order the variables stand. */
static uint64_t hash_of_environment(void)
{
    uint64_t hash = 0;
    for (char **variable = environ; variable != NULL && *variable != NULL; variable++)
        if (!is_passing(*variable))
            hash += hash_of(*variable);
    return hash;
}

/* ---- records --------------------------------------------------------------------- */

/* How a record of this file begins that was kept here and now: all but its time. */
static bool record_head(const char *path, char head[static MOST_OF_LINE])
{
    if (strpbrk(path, "\t\n") != NULL)
        return false;
    const int length = snprintf(head, MOST_OF_LINE, "plugin\t%s %d %016" PRIx64 "\t%s\t", plx_version(),
                                (int)PLX_PLUGIN_ABI, hash_of_environment(), path);
    return length > 0 && length < MOST_OF_LINE - 512;
}

static bool begins(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

static void take_field(const char **at, char *to, size_t capacity)
{
    const size_t length = strcspn(*at, "\t\n");
    (void)snprintf(to, capacity, "%.*s", (int)length, *at);
    plx_text_clean(to, capacity);
    *at += length + ((*at)[length] == '\t');
}

static bool is_recent(long long then)
{
    const long long now = (long long)time(NULL);
    return then <= now && now - then < SECONDS_KEPT;
}

/* Whether the file of a "file" line is the one that it was. */
static bool is_unchanged(const char *line)
{
    unsigned long long device, inode;
    long long size, seconds;
    long nanoseconds;
    int at = 0;
    char path[MOST_OF_LINE];
    struct stat about;
    if (sscanf(line, "file\t%llu\t%llu\t%lld\t%lld\t%ld\t%n", &device, &inode, &size, &seconds, &nanoseconds,
               &at) != 5 ||
        at == 0)
        return false;
    (void)snprintf(path, sizeof path, "%.*s", (int)strcspn(line + at, "\n"), line + at);
    return stat(path, &about) == 0 && about.st_dev == device && about.st_ino == inode &&
           about.st_size == size && about.st_mtim.tv_sec == seconds && about.st_mtim.tv_nsec == nanoseconds;
}

/* Reads on behind a record's head: its files up to the next one.  They must be there. */
static bool files_are_unchanged(FILE *file)
{
    char line[MOST_OF_LINE];
    size_t count = 0;
    while (fgets(line, sizeof line, file) != NULL && begins(line, "file\t")) {
        if (!is_unchanged(line))
            return false;
        count++;
    }
    return count > 0;
}

static bool recall_from(FILE *file, const char *head, plx_inspection *inspection)
{
    char line[MOST_OF_LINE], when[32];
    if (fgets(line, sizeof line, file) == NULL || strcmp(line, first_line) != 0)
        return false;
    while (fgets(line, sizeof line, file) != NULL) {
        const char *at = line + strlen(head);
        if (!begins(line, head))
            continue;
        take_field(&at, when, sizeof when);
        take_field(&at, inspection->name, sizeof inspection->name);
        take_field(&at, inspection->version, sizeof inspection->version);
        take_field(&at, inspection->summary, sizeof inspection->summary);
        return inspection->name[0] != '\0' && is_recent(strtoll(when, NULL, 10)) && files_are_unchanged(file);
    }
    return false;
}

bool plx_inspection_recall(plx_inspection *inspection)
{
    char path[4096], head[MOST_OF_LINE];
    if (!plx_cache_path(file_name, path, sizeof path) || !record_head(inspection->path, head))
        return false;
    FILE *file = plx_cache_open(path, PLX_CACHE_MOST);
    const bool found = file != NULL && recall_from(file, head, inspection);
    if (file != NULL)
        (void)fclose(file);
    if (found)
        inspection->result = PLX_PASSED;
    else
        inspection->name[0] = inspection->version[0] = inspection->summary[0] = '\0';
    return found;
}

/* ---- keeping ----------------------------------------------------------------------- */

static void write_new(plx_inspection *const *inspections, size_t count, FILE *to)
{
    char head[MOST_OF_LINE];
    for (size_t i = 0; i < count; i++)
        if (inspections[i]->result == PLX_PASSED && inspections[i]->files != NULL &&
            record_head(inspections[i]->path, head))
            (void)fprintf(to, "%s%lld\t%s\t%s\t%s\n%s", head, (long long)time(NULL), inspections[i]->name,
                          inspections[i]->version, inspections[i]->summary, inspections[i]->files);
}

/* Whether a record is of a file that was tried anew, in the same environment. */
static bool is_replaced(const char *line, plx_inspection *const *inspections, size_t count)
{
    char head[MOST_OF_LINE];
    for (size_t i = 0; i < count; i++)
        if (record_head(inspections[i]->path, head) && begins(line, head))
            return true;
    return false;
}

/* What is still of use of the older ones: the newest come first. */
static void copy_old(FILE *from, plx_inspection *const *inspections, size_t count, FILE *to)
{
    char line[MOST_OF_LINE];
    size_t records = count;
    bool keep = false;
    if (fgets(line, sizeof line, from) == NULL || strcmp(line, first_line) != 0)
        return;
    while (fgets(line, sizeof line, from) != NULL) {
        if (begins(line, "plugin\t"))
            keep = records++ < MOST_RECORDS && !is_replaced(line, inspections, count);
        if (keep && strchr(line, '\n') != NULL)
            (void)fputs(line, to);
    }
}

/* With the file locked. */
static void replace(const char *path, plx_inspection *const *inspections, size_t count)
{
    char *text = NULL;
    size_t length = 0;
    plx_error ignored;
    FILE *to = open_memstream(&text, &length), *from = plx_cache_open(path, PLX_CACHE_MOST);
    if (to != NULL) {
        (void)fputs(first_line, to);
        write_new(inspections, count, to);
        if (from != NULL)
            copy_old(from, inspections, count, to);
        const bool whole = !ferror(to);
        if (fclose(to) == 0 && whole && length <= PLX_CACHE_MOST)
            (void)plx_cache_write(path, text, length, &ignored);
    }
    if (from != NULL)
        (void)fclose(from);
    free(text);
}

void plx_inspections_keep(plx_inspection *const *inspections, size_t count)
{
    char path[4096];
    int lock;
    plx_error ignored;
    if (count == 0 || !plx_cache_path(file_name, path, sizeof path) ||
        plx_cache_lock(path, &lock, &ignored) != PLX_OK)
        return;
    replace(path, inspections, count);
    plx_cache_unlock(lock);
}
