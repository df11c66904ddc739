/* Whether a device is right: rounds of kernels whose results are proven, then compared bit for bit for as long as there
 * is time; seals of such results; and the votes of many machines. */
#ifndef PARALLAX_SCREEN_H
#define PARALLAX_SCREEN_H

#include <parallax/results.h>

#ifdef __cplusplus
extern "C" {
#endif

/* From what ends a machine's use to what does not, but for the first. */
typedef enum plx_health_verdict {
    PLX_HEALTHY = 0,
    PLX_DEGRADED,      /* right, but slower than its equals, or held back by heat or its board */
    PLX_UNTESTED,      /* nothing was computed there, with the reason */
    PLX_MISCONFIGURED, /* a driver, permission or library: not the device's fault */
    PLX_FAULTY,        /* wrong bits, or it was lost, or did not come back: isolate it */
    PLX_HEALTH_VERDICT_COUNT
} plx_health_verdict;
PLX_API const char *plx_health_verdict_name(plx_health_verdict verdict); /* "healthy" */

/* How a result stands to the one that was sealed. */
typedef enum plx_seal_state {
    PLX_SEAL_NONE = 0,  /* nothing was asked, or the seal has no such case */
    PLX_SEAL_IDENTICAL, /* the same bits: proven when they were sealed */
    PLX_SEAL_CHANGED,   /* others, within the bound */
    PLX_SEAL_WRONG,
    PLX_SEAL_INPUTS, /* what was generated here are not the sealed operands */
    PLX_SEAL_STATE_COUNT
} plx_seal_state;
PLX_API const char *plx_seal_state_name(plx_seal_state state); /* "identical" */

/* One kernel on one problem through one backend. */
typedef struct plx_screened_case {
    char backend[48], kernel[64]; /* "gemm" has it in `problem`; "split-k:64x64/4" where it ran in one configuration */
    plx_problem problem;
    plx_input input;
    plx_reproducibility reproducibility;
    bool vendor;         /* of a vendor's library */
    plx_outcome outcome; /* of the first runs, against the bound; OK also where the seal says so */
    char reason[256];
    char digest[65], inputs[65]; /* SHA-256 of the result and of the operands; "": none */
    plx_seal_state seal;
    uint64_t runs, differing; /* launches whose bits were compared with the proven ones, and those that had others */
    double launch_ns;     /* median over batches, on the host's clock, with what is done around each launch; 0: none */
    uint64_t reserved[4]; /* 0: new members go here */
} plx_screened_case;

/* A result whose bits were not the proven ones. */
typedef struct plx_screen_fault {
    size_t which;               /* case */
    uint64_t run;               /* of its launches */
    int64_t elements, row, col; /* how many differ, and the first of them */
    char expected[40], found[40];
    char bits[40];   /* exclusive or of the two, in hexadecimal */
    char place[200]; /* which block, and which warp and lane where that can be told: "block (3, 0) of 16x16 elements" */
    uint64_t again, of;   /* so often it came again in so many launches on the same operands */
    uint64_t reserved[4]; /* 0: new members go here */
} plx_screen_fault;

enum { PLX_MOST_SCREEN_FAULTS = 16, PLX_SCREEN_BACKENDS = 16 };

/* One physical device. */
typedef struct plx_screened_device {
    plx_device_info info;
    char backends[PLX_SCREEN_BACKENDS][48]; /* through which it was reached */
    size_t backend_count;
    plx_health_verdict verdict;
    char reason[512];  /* "": it is healthy */
    char command[512]; /* that repeats what is wrong; "": nothing is */
    plx_screened_case *cases;
    size_t case_count;
    plx_screen_fault faults[PLX_MOST_SCREEN_FAULTS]; /* the first of them */
    size_t fault_count;                              /* all of them */
    char
        multiprocessors[160]; /* which of them are wrong in a test of their own, where there was a fault; "": unknown */
    plx_telemetry before, hottest,
        after; /* hottest: the highest temperature and power, the lowest clock, all throttling */
    plx_health health_before, health_after;
    double utilisation; /* mean of what the device said while it was screened, in percent; negative: it does not say */
    double seconds, first_verdict_seconds; /* of all, and until each kernel had been proven and compared once */
    double busy; /* part of the time after the first second in which launches were under way */
    uint64_t launches;
    uint64_t generated;     /* operands that it generated itself, and that were the host's */
    size_t planted, caught; /* by the self-test */
    char smallest[160];     /* the smallest planted fault that was caught by a bound */
    uint64_t reserved[8];   /* 0: new members go here */
} plx_screened_device;

/* Copies between two devices of a machine. */
typedef struct plx_screened_copy {
    char from[48], to[48];
    plx_outcome outcome; /* UNSUPPORTED: the API has no such copies */
    char reason[256];
    uint64_t bytes, differing;
    double gbps;
    uint64_t reserved[4]; /* 0: new members go here */
} plx_screened_copy;

/* A machine. */
typedef struct plx_screen {
    plx_environment environment;
    double budget;
    uint64_t seed;
    char seal[256]; /* the file that it was held against; "": none */
    bool interrupted;
    plx_screened_device *devices;
    size_t device_count;
    plx_screened_copy *copies;
    size_t copy_count;
    uint64_t reserved[8]; /* 0: new members go here */
} plx_screen;

PLX_API void plx_screen_free(plx_screen *screen);
PLX_API void plx_screened_device_free(plx_screened_device *device);

/* ---- one device --------------------------------------------------------------------------- */

typedef struct plx_seal plx_seal;

typedef struct plx_screen_options {
    const char *const *backends; /* all reach one device */
    size_t backend_count;
    const char *const *kernels; /* none: the best */
    size_t kernel_count;
    const plx_dtype *dtypes; /* none: all */
    size_t dtype_count;
    double budget; /* seconds, everything included */
    uint64_t seed;
    bool self_test;       /* flips bits of results, to see that each is noticed */
    bool proof_only;      /* no more than the first runs */
    const plx_seal *seal; /* results to hold it against; may be NULL */
    /* Called when there is more to tell, with what is known so far; may be NULL. */
    void (*progress)(void *data, const plx_screened_device *so_far);
    void *data;
    uint64_t reserved[8]; /* 0: new members go here */
} plx_screen_options;

/* Screens one device in this process, until the budget is spent or plx_studies_stop().  What is wrong with it is in its
 * verdict; else than PLX_OK: the names stand for no backend, or there is no memory. */
PLX_API plx_status plx_screen_device(plx_context *context, const plx_screen_options *options,
                                     plx_screened_device *device, plx_error *error);
/* Copies of so many bytes between each two neighbours of the list, both ways: a ring of all of them. */
PLX_API plx_status plx_screen_copies(plx_context *context, const char *const *backends, size_t count, uint64_t bytes,
                                     uint64_t seed, plx_screened_copy **copies, size_t *copy_count, plx_error *error);

/* ---- one machine ---------------------------------------------------------------------------- */

/* Compares the devices of one model with each other: their bits, and, where there are at least three, their speed. */
PLX_API void plx_screen_vote(plx_screen *screen);
/* The worst verdict of its devices; UNTESTED where there are none. */
PLX_API plx_health_verdict plx_screen_verdict(const plx_screen *screen);
/* Schema parallax-screen/1 (screen.schema.json), and its reader. */
PLX_API plx_status plx_screen_write_json(const plx_screen *screen, FILE *to, plx_error *error);
PLX_API plx_status plx_screen_read(const char *path, plx_screen *screen, plx_error *error);
PLX_API plx_status plx_screen_read_text(const char *text, size_t length, plx_screen *screen, plx_error *error);
/* Lines of JSON as OCP's diagnostics write them (ocp-diag-core, specification 2.0). */
PLX_API plx_status plx_screen_write_ocp(const plx_screen *screen, FILE *to, plx_error *error);
/* A line for each device, and what is wrong. */
PLX_API plx_status plx_screen_write_table(const plx_screen *screen, FILE *to, int width, plx_error *error);

/* ---- seals ------------------------------------------------------------------------------------ */

/* Schema parallax-seal/1 (seal.schema.json): the proven results of R0 and R1 kernels of those devices. */
PLX_API plx_status plx_seal_write_json(const plx_screen *screen, FILE *to, plx_error *error);
PLX_API plx_status plx_seal_read(const char *path, plx_seal **seal, plx_error *error);
PLX_API void plx_seal_free(plx_seal *seal);
/* The seed that its operands are of. */
PLX_API uint64_t plx_seal_seed(const plx_seal *seal);
/* Why nothing in it can be held against such a device: another model, other kernels; "": something can. */
PLX_API void plx_seal_mismatch(const plx_seal *seal, const plx_device_info *info, char *reason, size_t capacity);

/* ---- many machines ------------------------------------------------------------------------------ */

typedef struct plx_fleet plx_fleet;

/* A device of a fleet. */
typedef struct plx_fleet_device {
    const char *host, *node, *model, *uuid, *file; /* "": unknown */
    size_t number;                                 /* in its file */
    plx_health_verdict verdict;
    const char *reason, *command; /* "" where it is healthy */
    double slower;                /* its median launch over its model's, as a factor; 0: not known */
    uint64_t reserved[4];         /* 0: new members go here */
} plx_fleet_device;

PLX_API plx_status plx_fleet_create(plx_fleet **fleet, plx_error *error);
PLX_API void plx_fleet_free(plx_fleet *fleet);
/* A file of parallax-screen/1.  One that can't be read, or says what can't be, is noted and skipped; else
 * PLX_NO_MEMORY. */
PLX_API plx_status plx_fleet_add(plx_fleet *fleet, const char *path, plx_error *error);
/* A host that there must be: "node[01-16,20]" stands for each. */
PLX_API plx_status plx_fleet_expect(plx_fleet *fleet, const char *hosts, plx_error *error);
/* After the last file: votes on bits and speed. */
PLX_API plx_status plx_fleet_vote(plx_fleet *fleet, plx_error *error);
PLX_API size_t plx_fleet_devices(const plx_fleet *fleet);
PLX_API void plx_fleet_device_at(const plx_fleet *fleet, size_t index, plx_fleet_device *device);
PLX_API size_t plx_fleet_missing(const plx_fleet *fleet);
PLX_API const char *plx_fleet_missing_at(const plx_fleet *fleet, size_t index);
PLX_API size_t plx_fleet_skipped(const plx_fleet *fleet);
PLX_API const char *plx_fleet_skipped_at(const plx_fleet *fleet, size_t index); /* "FILE: why" */
/* The worst verdict; a host that is missing counts as untested. */
PLX_API plx_health_verdict plx_fleet_verdict(const plx_fleet *fleet);
PLX_API plx_status plx_fleet_write_json(const plx_fleet *fleet, FILE *to, plx_error *error);
PLX_API plx_status plx_fleet_write_table(const plx_fleet *fleet, FILE *to, int width, plx_error *error);

#ifdef __cplusplus
}
#endif

#endif
