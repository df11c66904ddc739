/* What a worker has and knows, and what it thinks of a run. */
#ifndef PLX_TESTS_FAULTS_JUDGE_H
#define PLX_TESTS_FAULTS_JUDGE_H

#include "tests/faults/inject.h"

/* What fails. */
typedef enum fault_kind { KIND_MEMORY, KIND_SYSTEM, KIND_DRIVER, KINDS } fault_kind;

/* Of one command and kind. */
typedef struct part {
    uint64_t faults, tried;
} part;

typedef struct totals {
    part parts[MOST_COMMANDS][KINDS];
    uint64_t commands, injections, silent, passed_by, failed_well, failures, deaths, hangs, leaks, left, wrong, mute,
        statuses;
} totals;

/* What one worker has, and all that it does. */
typedef struct worker {
    unsigned number, count; /* takes every count-th fault */
    bool full;
    const char *directory;
    char home[1024], box[1088];
    char plan_file[1088];
    faults *plan;
    totals *totals; /* shared by all */
    const fault_command *command;
    char variables[20][2300];
    char *environment[28], *words[MOST_WORDS + 2];
    box_files start, before, clean, again; /* the box at first; before each run; after runs without faults */
    run_ending good;
    call_faults calls;
    size_t deadline_at;   /* in the environment: $PLX_DEADLINE, where a call hangs */
    bool must_look_again; /* the run left something in the cache */
} worker;

/* A fault, in words, and what became of it. */
typedef struct trial {
    char fault[400];
    uint64_t injected;
    run_ending end;
    box_files after;
} trial;

void count_one(uint64_t *total);
/* Tells of it, and counts it. */
void fail(worker *this, const trial *run, uint64_t *total, const char *what);
/* A run with a fault.  Whether the next one must be looked at, too: this->must_look_again. */
void judge(worker *this, const trial *run);
/* What ended as it does without faults: is its output the same? */
void judge_good(worker *this, const trial *run);

#endif
