/* Folders of dummy plugins for the tests. */
#ifndef PLX_TESTS_DUMMY_SUPPORT_H
#define PLX_TESTS_DUMMY_SUPPORT_H

#include "tests/fakes/dummy.h"

#include <parallax/parallax.h>

/* The dummy with which everything is right; tests/fakes/dummy_good.c as an older plugin where a test says so. */
#ifndef DUMMY_GOOD
#define DUMMY_GOOD "good"
#endif

/* A new empty folder; removed with all that it holds by folder_remove(). */
char *folder_make(void);
void folder_remove(char *folder);
/* Puts a dummy into a folder as plx-FILE.so. */
void folder_add(const char *folder, const char *dummy, const char *file);
/* Writes a file of these bytes. */
void folder_write(const char *folder, const char *file, const void *bytes, size_t count);
/* "FOLDER/FILE"; free() it. */
char *path_in(const char *folder, const char *file);
/* Where a dummy was built; free() it. */
char *dummy_path(const char *dummy);
/* The controls of a dummy. */
dummy_state *controls_of(const char *dummy);

/* A context that searches one folder first. */
plx_context *context_of(const char *folder);

#endif
