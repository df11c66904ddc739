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

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* One folder under two names is searched once, or every plugin in it would be
 * reported as its own duplicate. */
static bool is_known(const plx_context *context, const char *path)
{
    struct stat about, known;
    if (stat(path, &about) != 0)
        return false;
    for (size_t i = 0; i < context->folder_count; i++)
        if (stat(context->folders[i], &known) == 0 && known.st_dev == about.st_dev &&
            known.st_ino == about.st_ino)
            return true;
    return false;
}

static plx_status add_folder(plx_context *context, const char *path, size_t length)
{
    char *copy = plx_text("%.*s", (int)length, path);
    if (copy == NULL)
        return plx_out_of_memory(NULL, "the plugin folders");
    if (is_known(context, copy)) {
        free(copy);
        return PLX_OK;
    }
    const size_t count = context->folder_count;
    char **folders = realloc(context->folders, (count + 2) * sizeof *folders);
    if (folders == NULL) {
        free(copy);
        return plx_out_of_memory(NULL, "the plugin folders");
    }
    folders[count] = copy;
    folders[count + 1] = NULL;
    context->folders = folders;
    context->folder_count = count + 1;
    return PLX_OK;
}

/* Whoever may write there decides what this process runs. */
static bool anybody_may_write(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && (about.st_mode & S_IWOTH) != 0;
}

/* Why a folder that somebody named is not searched; NULL: it is. */
static const char *objection(const char *path)
{
    if (plx_is_privileged())
        return "this process has raised privileges, and searches the installed folder alone";
    if (anybody_may_write(path))
        return "anybody may write there; chmod o-w, or choose another folder";
    return NULL;
}

static plx_status check_named(const char *path, char whole[static PATH_MAX])
{
    const char *why = objection(path);
    if (why != NULL)
        return plx_context_fail(NULL, PLX_INVALID, "the plugin folder \"%s\" is not searched: %s", path, why);
    if (access(path, R_OK | X_OK) != 0 || realpath(path, whole) == NULL)
        return plx_context_fail(NULL, PLX_INVALID, "the plugin folder \"%s\" can't be read: %s", path,
                                strerror(errno));
    if (!is_folder(path))
        return plx_context_fail(NULL, PLX_INVALID, "the plugin folder \"%s\" is no folder", path);
    return PLX_OK;
}

/* A folder that the caller named must be there; it stays the same wherever the process goes. */
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
            status = add_folder(context, path, strlen(path));
    }
    return status;
}

/* What the environment names may have been meant for another place or another time: it is passed
 * over with a word. */
static plx_status add_one_of_environment(plx_context *context, const char *path)
{
    const char *why = path[0] != '/' ? "$PLX_PLUGIN_PATH must name it from / on" : objection(path);
    return why != NULL ? plx_refuse_folder(context, path, why) : add_folder(context, path, strlen(path));
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

/* The folder that holds this library, without links; false when unknown. */
static bool library_folder(char folder[static PATH_MAX])
{
    static const char anchor; /* any address inside the library */
    Dl_info about;
    if (dladdr(&anchor, &about) == 0 || about.dli_fname == NULL || realpath(about.dli_fname, folder) == NULL)
        return false;
    char *end = strrchr(folder, '/');
    if (end == NULL)
        return false;
    *end = '\0';
    return true;
}

/* In a build tree libtool keeps the library and the plugins in one folder named
 * .libs.  Installed, they lie beside the library, wherever it was moved to. */
static plx_status add_installed(plx_context *context)
{
    char folder[PATH_MAX];
    if (library_folder(folder)) {
        const char *last = strrchr(folder, '/');
        if (last != NULL && strcmp(last, "/.libs") == 0)
            return add_folder(context, folder, strlen(folder));
        static const char plugins[] = "/parallax";
        const size_t length = strlen(folder);
        if (length + sizeof plugins <= sizeof folder) {
            memcpy(folder + length, plugins, sizeof plugins);
            if (is_folder(folder))
                return add_folder(context, folder, strlen(folder));
        }
    }
    return add_folder(context, PLX_PLUGIN_DIR, strlen(PLX_PLUGIN_DIR));
}

static plx_status add_installed_safely(plx_context *context)
{
    const size_t before = context->folder_count;
    const plx_status status = add_installed(context);
    if (status != PLX_OK || context->folder_count == before || !anybody_may_write(context->folders[before]))
        return status;
    char *folder = context->folders[before];
    context->folders[before] = NULL;
    context->folder_count = before;
    const plx_status refused = plx_refuse_folder(context, folder, "anybody may write there; chmod o-w");
    free(folder);
    return refused;
}

plx_status plx_find_folders(plx_context *context, const plx_context_options *options)
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
    return index < context->folder_count ? context->folders[index] : NULL;
}
