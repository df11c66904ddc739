/* What belongs to the whole process, or to a thread, and can be changed by any code in it: how it was is
 * kept, and put back.  Private to the tree. */
#ifndef PLX_BASE_PROCESS_H
#define PLX_BASE_PROCESS_H

#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>

/* The first three are found out by whoever looks at the floating-point environment. */
typedef enum plx_part {
    PLX_PART_SUBNORMALS,
    PLX_PART_ROUNDING,
    PLX_PART_FLOATS,
    PLX_PART_LOCALE,
    PLX_PART_DIRECTORY,
    PLX_PART_UMASK,
    PLX_PART_MASK,
    PLX_PART_HANDLERS,
    PLX_PART_TIMERS,
    PLX_PART_LIMITS,
    PLX_PART_STREAMS,
    PLX_PART_COUNT
} plx_part;
#define PLX_PART_BIT(part) (UINT32_C(1) << (part))

/* "the working directory". */
const char *plx_part_name(plx_part part);

/* What was found changed, by PLX_PART_BIT(). */
typedef struct plx_changes {
    uint32_t parts, lasting; /* lasting: could not be put back */
    uint64_t signals;        /* bit number - 1: its handler */
    uint32_t limits;         /* for plx_limits_text() */
} plx_changes;

/* ", " between the names of signals or limits; "" for none. */
void plx_signals_text(uint64_t signals, char *text, size_t capacity);
void plx_limits_text(uint32_t limits, char *text, size_t capacity);

enum { PLX_SIGNALS = 64, PLX_TIMERS = 3, PLX_STREAMS = 3, PLX_LIMITS = 9 };

/* What /proc/self/status says. */
typedef struct plx_status_file {
    int umask; /* -1: unknown */
    bool has_signals;
    uint64_t ignored, caught; /* bit number - 1 */
} plx_status_file;

/* One of descriptors 0 to 2. */
typedef struct plx_stream {
    int copy; /* -1: it was not open, or there was none left */
    struct stat about;
    int flags;
} plx_stream;

/* Of the process.  What can't be found out, for want of descriptors or of /proc, is left alone. */
typedef struct plx_process {
    char locale[1024]; /* "": unknown */
    int directory;     /* -1: unknown */
    struct stat directory_about;
    plx_status_file status;
    struct sigaction handlers[PLX_SIGNALS];
    uint64_t known; /* of them */
    struct itimerval timers[PLX_TIMERS];
    double timers_at;
    struct rlimit limits[PLX_LIMITS];
    uint32_t limits_known;
    plx_stream streams[PLX_STREAMS];
} plx_process;

void plx_process_save(plx_process *process);
/* Adds to *changes what it found otherwise. */
void plx_process_put_back(const plx_process *process, plx_changes *changes);
/* Sets all of it but the locale, whatever it is now; for signal handlers, too.  Timers are stopped. */
void plx_process_force(const plx_process *process);
void plx_process_forget(plx_process *process);

/* Of the calling thread. */
typedef struct plx_thread {
    locale_t locale;
    sigset_t mask;
} plx_thread;

void plx_thread_save(plx_thread *thread);
void plx_thread_put_back(const plx_thread *thread, plx_changes *changes);

#endif
