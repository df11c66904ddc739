/* The program cache on disk.  A file is a header, the key and the program; the
 * header's hash covers what follows it. */
#define _POSIX_C_SOURCE 200809L
#include "backends/opencl/cache.h"

#include "base/cache_dir.h"
#include "base/sha256.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct header {
    char magic[8];
    uint64_t key_length, program_length;
    unsigned char digest[PLX_SHA256_BYTES]; /* of the key and the program */
} header;

static const char magic[8] = {'P', 'L', 'X', 'C', 'L', '0', '0', '2'};

static void digest_of(const void *key, size_t key_length, const void *program, size_t length,
                      unsigned char digest[static PLX_SHA256_BYTES])
{
    plx_sha256 hash;
    plx_sha256_begin(&hash);
    plx_sha256_add(&hash, key, key_length);
    plx_sha256_add(&hash, program, length);
    plx_sha256_end(&hash, digest);
}

/* Far more than any program takes. */
#define MOST_BYTES (UINT64_C(256) << 20)

/* The name is the key's hash, so that no two programs take turns under one. */
bool plx_cl_cache_path(const void *key, size_t key_length, char *path, size_t capacity)
{
    unsigned char digest[PLX_SHA256_BYTES];
    char text[2 * PLX_SHA256_BYTES + 1], name[sizeof text + 8];
    digest_of(key, key_length, NULL, 0, digest);
    plx_sha256_text(digest, text);
    (void)snprintf(name, sizeof name, "%s.clbin", text);
    return plx_cache_path(name, path, capacity);
}

/* ---- reading -------------------------------------------------------------------- */

static bool header_fits(const header *head, uint64_t file_bytes, size_t key_length)
{
    if (memcmp(head->magic, magic, sizeof magic) != 0 || head->key_length != key_length)
        return false;
    uint64_t rest = file_bytes - sizeof *head;
    return head->program_length > 0 && rest >= key_length && rest - key_length == head->program_length;
}

static bool has_digest(const void *bytes, size_t length, const unsigned char wanted[static PLX_SHA256_BYTES])
{
    unsigned char digest[PLX_SHA256_BYTES];
    digest_of(bytes, length, NULL, 0, digest);
    return memcmp(digest, wanted, sizeof digest) == 0;
}

/* The key and the program as one piece, or NULL. */
static unsigned char *read_body(FILE *file, const void *key, size_t key_length, size_t *program_length)
{
    header head;
    struct stat facts;
    if (fstat(fileno(file), &facts) != 0 || !S_ISREG(facts.st_mode) || (uint64_t)facts.st_size < sizeof head ||
        fread(&head, sizeof head, 1, file) != 1 || !header_fits(&head, (uint64_t)facts.st_size, key_length))
        return NULL;
    size_t bytes = key_length + (size_t)head.program_length;
    unsigned char *body = malloc(bytes);
    if (body && (fread(body, 1, bytes, file) != bytes || memcmp(body, key, key_length) != 0 ||
                 !has_digest(body, bytes, head.digest))) {
        free(body);
        return NULL;
    }
    *program_length = (size_t)head.program_length;
    return body;
}

bool plx_cl_cache_read(const void *key, size_t key_length, unsigned char **program, size_t *length)
{
    char path[4096];
    if (!plx_cl_cache_path(key, key_length, path, sizeof path))
        return false;
    FILE *file = plx_cache_open(path, MOST_BYTES);
    if (!file)
        return false;
    size_t program_length = 0;
    unsigned char *body = read_body(file, key, key_length, &program_length);
    (void)fclose(file);
    if (!body)
        return false;
    memmove(body, body + key_length, program_length);
    *program = body;
    *length = program_length;
    return true;
}

/* ---- writing -------------------------------------------------------------------- */

/* Header, key and program as one piece; NULL: no memory. */
static unsigned char *whole_file(const void *key, size_t key_length, const unsigned char *program, size_t length,
                                 size_t *bytes)
{
    header head = {.key_length = key_length, .program_length = length};
    if (length > MOST_BYTES || key_length > MOST_BYTES)
        return NULL;
    unsigned char *made = malloc(sizeof head + key_length + length);
    if (!made)
        return NULL;
    memcpy(head.magic, magic, sizeof magic);
    digest_of(key, key_length, program, length, head.digest);
    memcpy(made, &head, sizeof head);
    memcpy(made + sizeof head, key, key_length);
    memcpy(made + sizeof head + key_length, program, length);
    *bytes = sizeof head + key_length + length;
    return made;
}

void plx_cl_cache_write(const void *key, size_t key_length, const unsigned char *program, size_t length)
{
    char path[4096];
    plx_error ignored;
    size_t bytes;
    if (length == 0 || !plx_cl_cache_path(key, key_length, path, sizeof path))
        return;
    unsigned char *made = whole_file(key, key_length, program, length, &bytes);
    if (made)
        (void)plx_cache_write(path, made, bytes, &ignored);
    free(made);
}
