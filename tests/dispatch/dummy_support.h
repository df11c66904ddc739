/* Directories of dummy plugins for the tests. */
#ifndef PLX_TESTS_DUMMY_SUPPORT_H
#define PLX_TESTS_DUMMY_SUPPORT_H

#include "tests/fakes/dummy.h"

#include <parallax/tool.h>

/* The dummy with which everything is right; tests/fakes/dummy_good.c as an older plugin where a test says so. */
#ifndef DUMMY_GOOD
#define DUMMY_GOOD "good"
#endif

#define assert_contains(text, part)                                     \
    do {                                                                \
        if (strstr((text), (part)) == NULL)                             \
            fail_msg("\"%s\" does not contain \"%s\"", (text), (part)); \
    } while (0)

/* A new empty directory; removed with all that it holds by directory_remove(). */
char *directory_make(void);
void directory_remove(char *directory);
/* Puts a dummy into a directory as plx-FILE.so. */
void directory_add(const char *directory, const char *dummy, const char *file);
/* Puts a plugin that is no dummy there, as it is named: ".libs/plx-host.so" of what was built. */
void directory_add_built(const char *directory, const char *built);
/* Writes a file of these bytes. */
void directory_write(const char *directory, const char *file, const void *bytes, size_t count);
/* "DIRECTORY/FILE"; free() it. */
char *path_in(const char *directory, const char *file);
/* Where a dummy was built; free() it. */
char *dummy_path(const char *dummy);
/* The controls of a dummy. */
dummy_state *controls_of(const char *dummy);

/* A context that searches one directory first. */
plx_context *context_of(const char *directory);

/* The report of the plugin that lies at DIRECTORY/plx-FILE.so. */
plx_plugin_report report_of(plx_context *context, const char *directory, const char *file);
/* What tests/fakes/dummy_shaped.c shows from now on; what it always shows, again. */
void shape(const char *variable, size_t value);
int unshape(void **state);

#endif
