/* What timed launches leave behind, judged: a kernel may be right the first time and
 * compute no more once it is timed.  Private to libparallax-study. */
#ifndef PLX_TIMED_RESULTS_H
#define PLX_TIMED_RESULTS_H

#include "study/measure/timing.h"

/* What is looked at after a round of timed launches. */
typedef enum plx_look {
    PLX_LOOK_NONE = 0,
    PLX_LOOK_CHANGED, /* whether the results follow their inputs: the first element of the first operand
                       * is another one in a few sets, and the first of the output is judged */
    PLX_LOOK_ALL      /* all elements of every set */
} plx_look;

/* The first element of the first operand, changed so far that the first element of the
 * output must change beyond all rounding; and what it then is. */
typedef struct plx_change_of_input {
    bool sought, found;
    _Alignas(16) unsigned char old_element[16]; /* these are read as elements */
    _Alignas(16) unsigned char new_element[16];
    _Alignas(16) unsigned char exact[16];
    double value, tail, magnitude;
} plx_change_of_input;

enum { PLX_CHANGED_SETS = 8 };

/* The looks at one candidate.  Starts as {.candidate, .inputs, .references, .rotation}. */
typedef struct plx_timed_results {
    plx_candidate *candidate;
    const plx_inputs *inputs;
    plx_references *references; /* makes what it lacks */
    plx_rotation *rotation;
    plx_look look;
    size_t first, count; /* the sets of the round, in turn */
    plx_change_of_input change;
    size_t changed[PLX_CHANGED_SETS], changed_count;
    void *accepted; /* the bits that were judged right last */
    int64_t compared;
    char wrong[400]; /* what was wrong; "" while nothing was */
} plx_timed_results;

/* Before a round of `launches`, while nothing runs: fills the outputs with NaN (with beta,
 * writes their old contents anew), and changes inputs. */
plx_status plx_timed_results_prepare(plx_timed_results *results, plx_look look, size_t launches, plx_error *error);
/* After it, when all is done: judges, and puts the inputs back. */
plx_status plx_timed_results_judge(plx_timed_results *results, plx_error *error);
void plx_timed_results_free(plx_timed_results *results);

#endif
