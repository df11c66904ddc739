/* Runs a command over and over, each time with another fault, and looks at what becomes of it. */
#ifndef PLX_TESTS_INJECT_H
#define PLX_TESTS_INJECT_H

#include "tests/fakes/faults.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* ---- what is run (commands.c) --------------------------------------------------- */

enum { MOST_COMMANDS = 64, MOST_WORDS = 24, MOST_OUTPUTS = 4 };

typedef struct fault_command {
    const char *words[MOST_WORDS];     /* behind the program's name */
    const char *outputs[MOST_OUTPUTS]; /* files that it writes, in the box */
    const char *environment[4];        /* "NAME=VALUE" */
    const char *driver;                /* "cuda", "opencl": the plugin that is there, too; NULL: none */
    bool is_timed;                     /* figures differ from run to run */
    bool answers;                      /* it tells how things are: that one is missing is no failure of the command */
    bool needs_memory;                 /* without it what is told is not all, and the command fails */
    bool keeps_cache;                  /* runs begin with the cache that the clean run left */
    bool has_rest;                     /* each run begins with outputs that are there: "old" */
} fault_command;

extern const fault_command commands[];
extern const size_t command_count;

/* ---- system calls that fail (calls.c) ------------------------------------------------ */

enum { MOST_CALLS = 4096, SHORT_COUNT = -1 };

/* How a system call can go wrong: `errors` ends with 0. */
typedef struct system_call {
    int number;
    const char *name;
    int path, other_path, descriptor; /* which argument; -1: none */
    int errors[8];
} system_call;

/* Those of a run that touch files of the box, and the one that is to fail. */
typedef struct call_faults {
    const char *box;
    size_t at; /* from 1 on; 0: none */
    int error;
    bool from_then_on;
    size_t made, injected;
    const system_call *failed;       /* what `at` was */
    unsigned char which[MOST_CALLS]; /* of each, by its place in the table */
} call_faults;

const system_call *calls_at(size_t index);
/* In the child, before it becomes the program: its calls wait for an answer from now on.  The descriptor to
 * answer at, or -1. */
int calls_catch(void);
/* Answers one that is waiting. */
void calls_answer(int listener, call_faults *calls);

/* ---- one run (process.c) ---------------------------------------------------------------- */

typedef struct run_ending {
    bool was_late;
    int signal; /* 0: it ended by itself */
    int status;
    bool left_processes;
} run_ending;

/* Output and errors go to `out` and `err` in the box.  calls: NULL when none is to be caught. */
run_ending process_run(char *const *words, char *const *environment, const char *box, call_faults *calls,
                       unsigned seconds);

/* ---- its files (box.c) --------------------------------------------------------------------- */

/* The files under a directory, and what is in them. */
typedef struct box_file {
    char *path; /* from the directory on */
    char *bytes;
    size_t length;
} box_file;
typedef struct box_files {
    box_file *at;
    size_t count;
} box_files;

box_files files_read(const char *directory);
void files_free(box_files *files);
/* Removes what else is there. */
void files_restore(const box_files *files, const char *directory);
/* The same, but what begins with `prefix` is as it is in `kept`. */
void files_restore_but(const box_files *files, const box_files *kept, const char *prefix, const char *directory);
const box_file *files_find(const box_files *files, const char *path);

#endif
