/* What was learnt of plugin files, kept in the user's cache directory, so that a file is not tried again by
 * every process.
 *
 * Kept is that a file passed, and what it calls itself; or that the process that tried it died or hung, and
 * why.  That holds as long as nothing changed that it can depend on: the file and every file that was loaded
 * in the end (the libraries that it is linked with and the drivers that it found), by device, inode, size and
 * time; the environment, which tells loaders and drivers what to load and which devices to show; this
 * library's version and plugin ABI.  Also what no file shows can change, such as the state of a device: that
 * it passed holds for an hour.  What was loaded when it died is not known, so that it did holds for ten
 * minutes, and the reason says so.  The list of devices itself is not kept, and neither is what a file was
 * refused for that came to its end: both are asked for anew by each process.
 *
 * Records, of lines with fields between tabs: "plugin", key, path, time, result, name, version, summary,
 * reason; then "file" lines as parallax-inspect writes them. */
#define _POSIX_C_SOURCE 200809L /* st_mtim, open_memstream */

#include "core/inspect.h"

#include "base/cache_dir.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

extern char **environ;

enum { SECONDS_PASSED = 3600, SECONDS_DIED = 600, MOST_RECORDS = 64, MOST_OF_LINE = 8192 };

static const char file_name[] = "plugins.tsv", first_line[] = "parallax-plugins/2\n";

/* ---- the environment ---------------------------------------------------------- */

static uint64_t hash_of(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

/* What shells and terminals change all the time, and what `judge` sets anew for each kernel: no driver or loader looks
 * there for what it loads. */
static bool is_passing(const char *variable)
{
    static const char *const passing[] = {
        "_=",        "PWD=",       "OLDPWD=",      "SHLVL=",       "LINES=",        "COLUMNS=",         "TMPDIR=",
        "WINDOWID=", "PLX_PROBE=", "PLX_BACKEND=", "PLX_WITHOUT=", "PLX_DEADLINE=", "PLX_CALL_SECONDS="};
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
    return length < MOST_OF_LINE - 512;
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

/* The words of results in the file. */
static const struct {
    plx_inspected result;
    const char *name;
    long long seconds; /* for which it holds */
} results[] = {{PLX_PASSED, "passed", SECONDS_PASSED},
               {PLX_REFUSED, "refused", SECONDS_DIED},
               {PLX_DEVICES_FAILED, "failed", SECONDS_DIED}};
enum { RESULT_COUNT = sizeof results / sizeof results[0] };

static size_t result_named(const char *name)
{
    size_t i = 0;
    while (i < RESULT_COUNT && strcmp(results[i].name, name) != 0)
        i++;
    return i;
}

static const char *result_name(plx_inspected result)
{
    size_t i = 0;
    while (i + 1 < RESULT_COUNT && results[i].result != result)
        i++;
    return results[i].name;
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
    if (sscanf(line, "file\t%llu\t%llu\t%lld\t%lld\t%ld\t%n", &device, &inode, &size, &seconds, &nanoseconds, &at) !=
            5 ||
        at == 0)
        return false;
    (void)snprintf(path, sizeof path, "%.*s", (int)strcspn(line + at, "\n"), line + at);
    return stat(path, &about) == 0 && about.st_dev == device && about.st_ino == inode && about.st_size == size &&
           about.st_mtim.tv_sec == seconds && about.st_mtim.tv_nsec == nanoseconds;
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

/* What follows a record's head.  False: it holds no longer, or never did. */
static bool take_record(const char *at, plx_inspection *inspection)
{
    char when[32], result[16];
    take_field(&at, when, sizeof when);
    take_field(&at, result, sizeof result);
    take_field(&at, inspection->name, sizeof inspection->name);
    take_field(&at, inspection->version, sizeof inspection->version);
    take_field(&at, inspection->summary, sizeof inspection->summary);
    take_field(&at, inspection->reason.text, sizeof inspection->reason.text);
    const size_t which = result_named(result);
    const long long now = (long long)time(NULL), kept = strtoll(when, NULL, 10);
    if (which == RESULT_COUNT || kept < 0 || kept > now || now - kept >= results[which].seconds)
        return false;
    inspection->result = results[which].result;
    return (inspection->result == PLX_REFUSED) == (inspection->name[0] == '\0');
}

static void add_age(plx_inspection *inspection)
{
    if (inspection->result != PLX_PASSED) {
        const plx_error was = inspection->reason;
        (void)plx_fail(&inspection->reason, PLX_FAILED,
                       "%.400s (that was less than %d minutes ago; `parallax doctor` tries it again)", was.text,
                       SECONDS_DIED / 60);
    }
}

static bool recall_from(FILE *file, const char *head, plx_inspection *inspection)
{
    char line[MOST_OF_LINE];
    if (fgets(line, sizeof line, file) == NULL || strcmp(line, first_line) != 0)
        return false;
    while (fgets(line, sizeof line, file) != NULL)
        if (begins(line, head))
            return take_record(line + strlen(head), inspection) && files_are_unchanged(file);
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
        add_age(inspection);
    else
        *inspection = (plx_inspection){.path = inspection->path};
    return found;
}

/* ---- keeping ----------------------------------------------------------------------- */

/* Of the plugin itself, which is all that is known of one that died. */
static void write_own_file(const char *path, FILE *to)
{
    struct stat about;
    if (stat(path, &about) == 0)
        (void)fprintf(to, "file\t%llu\t%llu\t%lld\t%lld\t%ld\t%s\n", (unsigned long long)about.st_dev,
                      (unsigned long long)about.st_ino, (long long)about.st_size, (long long)about.st_mtim.tv_sec,
                      about.st_mtim.tv_nsec, path);
}

static void write_one(const plx_inspection *inspection, FILE *to)
{
    char head[MOST_OF_LINE];
    if (!record_head(inspection->path, head))
        return;
    (void)fprintf(to, "%s%lld\t%s\t%s\t%s\t%s\t%s\n", head, (long long)time(NULL), result_name(inspection->result),
                  inspection->name, inspection->version, inspection->summary, inspection->reason.text);
    if (inspection->died)
        write_own_file(inspection->path, to);
    else
        (void)fputs(inspection->files, to);
}

static void write_new(plx_inspection *const *inspections, size_t count, FILE *to)
{
    for (size_t i = 0; i < count; i++)
        if (inspections[i]->died || (inspections[i]->result == PLX_PASSED && inspections[i]->files != NULL))
            write_one(inspections[i], to);
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
        if (plx_text_whole(to) && length <= PLX_CACHE_MOST)
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
    if (count == 0 || !plx_cache_path(file_name, path, sizeof path) || plx_cache_lock(path, &lock, &ignored) != PLX_OK)
        return;
    replace(path, inspections, count);
    plx_cache_unlock(lock);
}
