/* Where plugins are looked for. */
#define _GNU_SOURCE /* dladdr, secure_getenv */

#include "core/core.h"

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

/* A folder that the caller named must be there. */
static plx_status add_named(plx_context *context, const plx_context_options *options)
{
    for (size_t i = 0; i < options->plugin_dir_count; i++) {
        const char *path = options->plugin_dirs[i];
        const size_t length = strlen(path);
        if (length >= PATH_MAX)
            return plx_context_fail(NULL, PLX_INVALID, "the name of a plugin folder is too long");
        if (access(path, R_OK | X_OK) != 0)
            return plx_context_fail(NULL, PLX_INVALID, "the plugin folder \"%s\" can't be read: %s", path,
                                    strerror(errno));
        if (!is_folder(path))
            return plx_context_fail(NULL, PLX_INVALID, "the plugin folder \"%s\" is no folder", path);
        const plx_status status = add_folder(context, path, length);
        if (status != PLX_OK)
            return status;
    }
    return PLX_OK;
}

/* secure_getenv: a program with raised privileges loads nothing that its caller
 * brought along. */
static plx_status add_from_environment(plx_context *context)
{
    const char *path = secure_getenv("PLX_PLUGIN_PATH");
    while (path != NULL && *path != '\0') {
        const size_t length = strcspn(path, ":");
        if (length > 0 && length < PATH_MAX) {
            const plx_status status = add_folder(context, path, length);
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
    if (dladdr(&anchor, &about) == 0 || about.dli_fname == NULL ||
        realpath(about.dli_fname, folder) == NULL)
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

plx_status plx_find_folders(plx_context *context, const plx_context_options *options)
{
    plx_status status = options != NULL ? add_named(context, options) : PLX_OK;
    if (status == PLX_OK)
        status = add_from_environment(context);
    if (status == PLX_OK)
        status = add_installed(context);
    return status;
}

const char *plx_search_dir(const plx_context *context, size_t index)
{
    return index < context->folder_count ? context->folders[index] : NULL;
}
