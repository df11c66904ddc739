/* PTX that was written for OpenCL, as CUDA can run it.  OpenCL's launches put into registers of the
 * environment what CUDA has no word for (where the groups begin) or words of its own (how many there are),
 * and its kernels may take pointers to shared memory, which CUDA's modules may not declare: they get the same
 * 64 bits. */
#include "backends/cuda/listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* By their numbers: where the groups begin, where the items begin, how many groups there are. */
static const char *const environment[] = {"0", "0", "0", "0", "0", "0", "%nctaid.x", "%nctaid.y", "%nctaid.z"};

static const char shared_pointer[] = ".ptr .shared .align ", register_word[] = "%envreg";

typedef struct rewriting {
    const char *from;
    char *to;
} rewriting;

static void put(rewriting *this, const char *text)
{
    const size_t length = strlen(text);
    memcpy(this->to, text, length);
    this->to += length;
}

/* Behind ".ptr .shared .align 16 ". */
static bool skip_shared_pointer(rewriting *this)
{
    if (strncmp(this->from, shared_pointer, sizeof shared_pointer - 1) != 0)
        return false;
    this->from += sizeof shared_pointer - 1;
    this->from += strcspn(this->from, " \n");
    this->from += *this->from == ' ';
    return true;
}

/* False: a register that nothing here stands for. */
static bool put_register(rewriting *this)
{
    char *end;
    const unsigned long number = strtoul(this->from + sizeof register_word - 1, &end, 10);
    if (number >= sizeof environment / sizeof environment[0])
        return false;
    put(this, environment[number]);
    this->from = end;
    return true;
}

char *plx_cuda_offset_text(const char *ptx, char missing[16])
{
    enum { LONGER = 1 }; /* "%nctaid.x" than "%envreg6" */
    size_t registers = 0;
    for (const char *at = ptx; (at = strstr(at, register_word)) != NULL; at++)
        registers++;
    char *made = malloc(strlen(ptx) + LONGER * registers + 1);
    rewriting this = {.from = ptx, .to = made};
    missing[0] = '\0';
    while (made != NULL && *this.from != '\0') {
        if (skip_shared_pointer(&this))
            continue;
        if (strncmp(this.from, register_word, sizeof register_word - 1) != 0) {
            *this.to++ = *this.from++;
        } else if (!put_register(&this)) {
            (void)snprintf(missing, 16, "%.*s", (int)strcspn(this.from, " ;,\t\n"), this.from);
            free(made);
            return NULL;
        }
    }
    if (made != NULL)
        *this.to = '\0';
    return made;
}
