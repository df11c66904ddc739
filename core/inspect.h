/* Trying a plugin file in a process of its own: what dies, hangs or ends the process there does no
 * harm here.  Private to the core; parallax-inspect (core/inspect_main.c) is that process. */
#ifndef PLX_CORE_INSPECT_H
#define PLX_CORE_INSPECT_H

#include "core/core.h"

/* Between the library and parallax-inspect, which writes lines to this descriptor, their fields
 * separated by tabs:
 *   begun                            the program itself was loaded
 *   loaded NAME VERSION SUMMARY      it loads, and its descriptor and kernels are as they should be
 *   refused REASON                   they are not; nothing follows
 *   untried                          there was no memory to find out; nothing follows
 *   file DEVICE INODE SIZE SECONDS NANOSECONDS PATH    for each file that was loaded in the end
 *   end                              its devices were asked for, too */
enum { PLX_INSPECT_DESCRIPTOR = 3 };

typedef enum plx_inspected {
    PLX_NOT_INSPECTED, /* no process, or no memory, could be had, or none that begins: it is to be loaded
                          untried */
    PLX_PASSED,        /* all of it came back, be it with an error */
    PLX_REFUSED,       /* `reason` says why */
    PLX_DEVICES_FAILED /* it loads, but asking for its devices does not come back */
} plx_inspected;

typedef struct plx_inspection {
    const char *path;
    plx_inspected result;
    char name[33], version[64], summary[200]; /* "" where it was refused */
    plx_error reason;
    bool died;   /* the process did not come to its end: it was ended, or had to be */
    char *files; /* the "file" lines; to be freed */
} plx_inspection;

/* Tries them, all at the same time and each in a process of its own, but for those of which it is
 * known what becomes of them; with `anew` also these.  Without a path: left out.  $PLX_PROBE=inline: tries none. */
void plx_inspect(plx_inspection *inspections, size_t count, bool anew);

/* ---- what the process said (inspect_said.c) -------------------------------- */

/* Whether the last line of what was said so far is whole and one after which nothing follows.  A read of the
 * pipe may end anywhere, also behind a summary that ends in "end". */
bool plx_inspection_ended(const char *said, size_t length);
/* Takes what it said, `length` bytes with a NUL behind them, which are spoiled for that.  True: it came to its end, or
 * *no_memory, there or here: then nothing is known. */
bool plx_inspection_read(plx_inspection *found, char *said, size_t length, bool *no_memory);

/* ---- what was learnt (inspections.c) ------------------------------------- */

/* Whether the file passed or died a short while ago, and it, all that it loaded and the environment are as they
 * were; fills all but the files. */
bool plx_inspection_recall(plx_inspection *inspection);
/* Keeps those that passed and those that died, for later processes of this user. */
void plx_inspections_keep(plx_inspection *const *inspections, size_t count);

#endif
