/* gnuplot, as a program that turns a script into a picture. */
#define _GNU_SOURCE

#include "page/page.h"

#include "base/privileges.h"
#include "base/signal_name.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool is_program(const char *directory, size_t length, const char *name)
{
    char path[4096];
    struct stat about;
    int written = length == 0 ? snprintf(path, sizeof path, "./%s", name)
                              : snprintf(path, sizeof path, "%.*s/%s", (int)length, directory, name);
    if (written < 0 || (size_t)written >= sizeof path)
        return false;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, X_OK) == 0;
}

bool plx_gnuplot_found(void)
{
    const char *at = plx_getenv("PATH");
    while (at != NULL) {
        const char *colon = strchr(at, ':');
        size_t length = colon != NULL ? (size_t)(colon - at) : strlen(at);
        if (length < 4000 && is_program(at, length, "gnuplot"))
            return true;
        at = colon != NULL ? colon + 1 : NULL;
    }
    return false;
}

/* 0 or an errno.  Whatever a user's own settings are, they change no picture. */
static int start(FILE *script, FILE *picture, FILE *complaints, pid_t *child)
{
    char program[] = "gnuplot", defaults[] = "-d";
    char *const words[] = {program, defaults, NULL};
    posix_spawn_file_actions_t files;
    int failed = posix_spawn_file_actions_init(&files);
    if (failed != 0)
        return failed;
    failed = posix_spawn_file_actions_adddup2(&files, fileno(script), STDIN_FILENO);
    if (failed == 0)
        failed = posix_spawn_file_actions_adddup2(&files, fileno(picture), STDOUT_FILENO);
    if (failed == 0)
        failed = posix_spawn_file_actions_adddup2(&files, fileno(complaints), STDERR_FILENO);
    if (failed == 0)
        failed = posix_spawnp(child, program, &files, NULL, words, environ);
    (void)posix_spawn_file_actions_destroy(&files);
    return failed;
}

static bool ended_well(pid_t child, int *status)
{
    while (waitpid(child, status, 0) < 0)
        if (errno != EINTR) {
            *status = 0;
            return false;
        }
    return WIFEXITED(*status) && WEXITSTATUS(*status) == 0;
}

/* ": it was ended by SIGPIPE (Broken pipe)"; "" where no signal ended it. */
static void signal_text(int status, char *text, size_t capacity)
{
    char name[64];
    text[0] = '\0';
    if (!WIFSIGNALED(status))
        return;
    plx_signal_name(WTERMSIG(status), name, sizeof name);
    (void)snprintf(text, capacity, ": it was ended by %s", name);
}

/* The script is a file and no pipe: gnuplot may end before it has read all of it. */
static FILE *script_file(const char *script)
{
    FILE *file = tmpfile();
    if (file == NULL)
        return NULL;
    if (fputs(script, file) >= 0 && fflush(file) == 0 && fseek(file, 0, SEEK_SET) == 0)
        return file;
    (void)fclose(file);
    return NULL;
}

/* The first line with a letter in it that is no warning; "" when there is none. */
static void first_complaint(FILE *complaints, char *text, size_t capacity)
{
    char line[160];
    text[0] = '\0';
    rewind(complaints);
    while (text[0] == '\0' && fgets(line, sizeof line, complaints) != NULL) {
        char *start = line + strspn(line, " \t\n");
        start[strcspn(start, "\n")] = '\0';
        if (start[0] != '\0' && strstr(start, "warning") == NULL)
            (void)snprintf(text, capacity, ": %s", start);
    }
}

static plx_status draw(FILE *script, FILE *picture, FILE *complaints, plx_error *error)
{
    struct stat about;
    pid_t child;
    char complaint[200], ended[96];
    int status, failed = start(script, picture, complaints, &child);
    if (failed != 0)
        return plx_fail(error, PLX_IO, "can't start gnuplot: %s", strerror(failed));
    if (ended_well(child, &status) && fstat(fileno(picture), &about) == 0 &&
        !(S_ISREG(about.st_mode) && about.st_size == 0))
        return PLX_OK;
    first_complaint(complaints, complaint, sizeof complaint);
    signal_text(status, ended, sizeof ended);
    return plx_fail(error, PLX_IO, "gnuplot failed%s%s", ended, complaint);
}

plx_status plx_gnuplot_draw(const char *script, FILE *picture, plx_error *error)
{
    FILE *complaints = tmpfile(), *file = script_file(script);
    plx_status status;
    if (file == NULL || complaints == NULL || fflush(picture) != 0)
        status = plx_fail(error, PLX_IO, "can't write gnuplot's script: %s", strerror(errno));
    else
        status = draw(file, picture, complaints, error);
    if (file != NULL)
        (void)fclose(file);
    if (complaints != NULL)
        (void)fclose(complaints);
    return status;
}
