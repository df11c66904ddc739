/* Where this process runs: the host, since which boot, and as which part of which job.  Private to the tree. */
#ifndef PLX_BASE_WHEREABOUTS_H
#define PLX_BASE_WHEREABOUTS_H

#include "base/json.h"

/* "" and -1: nobody knows. */
typedef struct plx_whereabouts {
    char host[128]; /* as the kernel calls it */
    char boot[40];  /* the kernel's id of this boot, another one after each */
    char job[96];   /* as the scheduler calls it: "slurm 1234", "pbs 17.head" */
    char node[128]; /* the scheduler's name of this host */
    int64_t rank, ranks;
} plx_whereabouts;

/* Anonymous: the ranks alone. */
void plx_whereabouts_now(bool anonymous, plx_whereabouts *place);
/* An object "host" of what is known. */
void plx_json_whereabouts(plx_json *json, bool anonymous);

#endif
