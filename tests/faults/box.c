/* The files of a directory: read, compared and put back. */
#define _GNU_SOURCE

#include "tests/faults/inject.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void *must(void *memory)
{
    if (memory == NULL) {
        perror("inject");
        exit(99);
    }
    return memory;
}

static char *whole_file(const char *path, size_t *length)
{
    FILE *from = fopen(path, "rb");
    char *bytes = NULL;
    size_t used = 0, room = 0;
    while (from != NULL && !feof(from)) {
        if (used + 4096 > room)
            bytes = must(realloc(bytes, room = 2 * room + 8192));
        used += fread(bytes + used, 1, room - used - 1, from);
        if (ferror(from))
            break;
    }
    if (from != NULL)
        (void)fclose(from);
    bytes = bytes != NULL ? bytes : must(malloc(1));
    bytes[used] = '\0';
    *length = used;
    return bytes;
}

static void read_below(const char *directory, const char *below, box_files *to)
{
    char path[8200];
    (void)snprintf(path, sizeof path, "%s/%s", directory, below);
    DIR *at = opendir(path);
    for (struct dirent *entry; at != NULL && (entry = readdir(at)) != NULL;) {
        struct stat about;
        char name[4096];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        (void)snprintf(name, sizeof name, "%s%s%s", below, below[0] != '\0' ? "/" : "", entry->d_name);
        (void)snprintf(path, sizeof path, "%s/%s", directory, name);
        if (lstat(path, &about) != 0)
            continue;
        if (S_ISDIR(about.st_mode)) {
            read_below(directory, name, to);
            continue;
        }
        to->at = must(realloc(to->at, (to->count + 1) * sizeof *to->at));
        box_file *made = &to->at[to->count++];
        made->path = must(strdup(name));
        made->bytes = whole_file(path, &made->length);
    }
    if (at != NULL)
        (void)closedir(at);
}

box_files files_read(const char *directory)
{
    box_files read = {0};
    read_below(directory, "", &read);
    return read;
}

void files_free(box_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        free(files->at[i].path);
        free(files->at[i].bytes);
    }
    free(files->at);
    *files = (struct box_files){0};
}

const box_file *files_find(const box_files *files, const char *path)
{
    for (size_t i = 0; i < files->count; i++)
        if (strcmp(files->at[i].path, path) == 0)
            return &files->at[i];
    return NULL;
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about;
    (void)kind;
    return where->level > 0 ? remove(path) : 0;
}

static void write_file(const char *directory, const box_file *from)
{
    char path[8200];
    (void)snprintf(path, sizeof path, "%s/%s", directory, from->path);
    for (char *slash = strchr(path + strlen(directory) + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0700);
        *slash = '/';
    }
    const int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (to < 0 || write(to, from->bytes, from->length) != (ssize_t)from->length) {
        perror(path);
        exit(99);
    }
    (void)close(to);
}

void files_restore(const box_files *files, const char *directory)
{
    (void)nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    for (size_t i = 0; i < files->count; i++)
        write_file(directory, &files->at[i]);
}

static void write_those(const box_files *files, const char *prefix, bool with, const char *directory)
{
    for (size_t i = 0; i < files->count; i++)
        if ((strncmp(files->at[i].path, prefix, strlen(prefix)) == 0) == with)
            write_file(directory, &files->at[i]);
}

void files_restore_but(const box_files *files, const box_files *kept, const char *prefix, const char *directory)
{
    (void)nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    write_those(files, prefix, false, directory);
    write_those(kept, prefix, true, directory);
}
