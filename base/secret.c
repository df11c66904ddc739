/* Numbers that nobody can foresee. */
#define _DEFAULT_SOURCE
#include "base/secret.h"

#include "base/clock.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

uint64_t plx_secret(void)
{
    uint64_t secret = 0;
    FILE *file = fopen("/dev/urandom", "rb");
    const size_t read = file != NULL ? fread(&secret, sizeof secret, 1, file) : 0;

    if (file != NULL)
        (void)fclose(file);
    if (read != 1) { /* a system without: what few can know */
        const double now = plx_now_ns();
        memcpy(&secret, &now, sizeof secret);
        secret = (secret ^ (uint64_t)getpid()) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return secret >> 11; /* which a number in JSON holds */
}
