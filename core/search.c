/* Where plugins are looked for. */
#define _GNU_SOURCE /* dladdr */

#include "core/core.h"

#include "base/privileges.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_directory(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* One directory under two names is searched once, or every plugin in it would be
 * reported as its own duplicate. */
static bool is_known(const plx_context *context, const char *path)
{
    struct stat about, known;
    if (stat(path, &about) != 0)
        return false;
    for (size_t i = 0; i < context->directory_count; i++)
        if (stat(context->directories[i], &known) == 0 && known.st_dev == about.st_dev && known.st_ino == about.st_ino)
            return true;
    return false;
}

static plx_status add_directory(plx_context *context, const char *path, size_t length)
{
    char *copy = plx_text("%.*s", (int)length, path);
    if (copy == NULL)
        return plx_out_of_memory(NULL, "the plugin directories");
    if (is_known(context, copy)) {
        free(copy);
        return PLX_OK;
    }
    const size_t count = context->directory_count;
    char **directories = realloc(context->directories, (count + 2) * sizeof *directories);
    if (directories == NULL) {
        free(copy);
        return plx_out_of_memory(NULL, "the plugin directories");
    }
    directories[count] = copy;
    directories[count + 1] = NULL;
    context->directories = directories;
    context->directory_count = count + 1;
    return PLX_OK;
}

/* Whoever may write there decides what this process runs. */
static bool anybody_may_write(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && (about.st_mode & S_IWOTH) != 0;
}

/* Why a directory that somebody named is not searched; NULL: it is. */
static const char *objection(const char *path)
{
    if (plx_is_privileged())
        return "this process has raised privileges, and searches the installed directory alone";
    if (anybody_may_write(path))
        return "anybody may write there; chmod o-w, or choose another directory";
    return NULL;
}

static plx_status check_named(const char *path, char whole[static PATH_MAX])
{
    const char *why = objection(path);
    if (why != NULL)
        return plx_context_fail(NULL, PLX_INVALID, "the plugin directory \"%s\" is not searched: %s", path, why);
    if (access(path, R_OK | X_OK) != 0 || realpath(path, whole) == NULL)
        return plx_context_fail(NULL, PLX_INVALID, "the plugin directory \"%s\" can't be read: %s", path,
                                strerror(errno));
    if (!is_directory(path))
        return plx_context_fail(NULL, PLX_INVALID, "the plugin directory \"%s\" is no directory", path);
    return PLX_OK;
}

/* A directory that the caller named must be there; it stays the same wherever the process goes. */
static plx_status add_named(plx_context *context, const plx_context_options *options)
{
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < options->plugin_dir_count; i++) {
        char whole[PATH_MAX];
        const char *path = options->plugin_dirs[i];
        status = check_named(path, whole);
        if (status == PLX_OK && path[0] != '/')
            path = whole;
        if (status == PLX_OK)
            status = add_directory(context, path, strlen(path));
    }
    return status;
}

/* What the environment names may have been meant for another place or another time: it is passed
 * over with a word. */
static plx_status add_one_of_environment(plx_context *context, const char *path)
{
    const char *why = path[0] != '/' ? "$PLX_PLUGIN_PATH must name it from / on" : objection(path);
    return why != NULL ? plx_refuse_directory(context, path, why) : add_directory(context, path, strlen(path));
}

/* A program with raised privileges loads nothing that its caller brought along. */
static plx_status add_from_environment(plx_context *context)
{
    const char *path = plx_getenv("PLX_PLUGIN_PATH");
    while (path != NULL && *path != '\0') {
        const size_t length = strcspn(path, ":");
        if (length > 0 && length < PATH_MAX) {
            char one[PATH_MAX];
            memcpy(one, path, length);
            one[length] = '\0';
            const plx_status status = add_one_of_environment(context, one);
            if (status != PLX_OK)
                return status;
        }
        path += length;
        if (*path == ':')
            path++;
    }
    return PLX_OK;
}

bool plx_library_directory(char directory[static PATH_MAX], bool *built)
{
    static const char anchor; /* any address inside the library */
    Dl_info about;
    if (dladdr(&anchor, &about) == 0 || realpath(about.dli_fname, directory) == NULL)
        return false;
    *strrchr(directory, '/') = '\0'; /* which a whole path has */
    const size_t length = strlen(directory), most = strlen("/.libs");
    *built = length >= most && strcmp(directory + length - most, "/.libs") == 0;
    return true;
}

/* In a build tree the plugins lie in the library's own directory.  Installed, they lie next to it, wherever
 * it was moved to. */
static plx_status add_installed(plx_context *context)
{
    char directory[PATH_MAX];
    bool built;
    if (plx_library_directory(directory, &built)) {
        if (built)
            return add_directory(context, directory, strlen(directory));
        static const char plugins[] = "/parallax";
        const size_t length = strlen(directory);
        if (length + sizeof plugins <= sizeof directory) {
            memcpy(directory + length, plugins, sizeof plugins);
            if (is_directory(directory))
                return add_directory(context, directory, strlen(directory));
        }
    }
    return add_directory(context, PLX_PLUGIN_DIR, strlen(PLX_PLUGIN_DIR));
}

static plx_status add_installed_safely(plx_context *context)
{
    const size_t before = context->directory_count;
    const plx_status status = add_installed(context);
    if (status != PLX_OK || context->directory_count == before || !anybody_may_write(context->directories[before]))
        return status;
    char *directory = context->directories[before];
    context->directories[before] = NULL;
    context->directory_count = before;
    const plx_status refused = plx_refuse_directory(context, directory, "anybody may write there; chmod o-w");
    free(directory);
    return refused;
}

plx_status plx_find_directories(plx_context *context, const plx_context_options *options)
{
    plx_status status = options != NULL ? add_named(context, options) : PLX_OK;
    if (status == PLX_OK)
        status = add_from_environment(context);
    if (status == PLX_OK)
        status = add_installed_safely(context);
    return status;
}

const char *plx_search_dir(const plx_context *context, size_t index)
{
    return index < context->directory_count ? context->directories[index] : NULL;
}
