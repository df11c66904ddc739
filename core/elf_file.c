/* Looks at a plugin file before the dynamic loader does: that one reports little
 * in plain words, and crashes on a file that was cut short. */
#define _GNU_SOURCE /* ElfW */

#include "core/core.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NATIVE_CLASS (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)

static bool read_at(int file, void *to, size_t bytes, uint64_t offset)
{
    return offset <= INT64_MAX && pread(file, to, bytes, (off_t)offset) == (ssize_t)bytes;
}

static plx_status check_segments(int file, uint64_t size, const ElfW(Ehdr) * header, plx_error *error)
{
    for (unsigned i = 0; i < header->e_phnum; i++) {
        ElfW(Phdr) segment;
        const uint64_t at = header->e_phoff + (uint64_t)i * sizeof segment;
        if (!read_at(file, &segment, sizeof segment, at) || segment.p_offset > size ||
            segment.p_filesz > size - segment.p_offset)
            return plx_fail(error, PLX_INVALID,
                            "the file is cut short; it says that it is longer than "
                            "its %llu bytes",
                            (unsigned long long)size);
    }
    return PLX_OK;
}

static plx_status check_header(int file, uint64_t size, plx_error *error)
{
    ElfW(Ehdr) header;
    if (size == 0)
        return plx_fail(error, PLX_INVALID, "the file is empty");
    memset(&header, 0, sizeof header);
    if (!read_at(file, header.e_ident, SELFMAG, 0) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        return plx_fail(error, PLX_INVALID, "the file is no shared object (it has no ELF header)");
    if (!read_at(file, &header, sizeof header, 0))
        return plx_fail(error, PLX_INVALID, "the file is cut short inside its ELF header");
    if (header.e_ident[EI_CLASS] != NATIVE_CLASS)
        return plx_fail(error, PLX_INVALID, "the file is made for another word size than this program");
    if (header.e_type != ET_DYN || header.e_phnum == 0 || header.e_phentsize != sizeof(ElfW(Phdr)))
        return plx_fail(error, PLX_INVALID, "the file is an ELF file, but no shared object");
    return check_segments(file, size, &header, error);
}

plx_status plx_elf_check(const char *path, plx_error *error)
{
    struct stat about;
    /* O_NONBLOCK: a pipe of this name must not hold the program up. */
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    plx_status status;
    if (file < 0)
        return plx_fail(error, PLX_IO, "the file can't be read: %s", strerror(errno));
    if (fstat(file, &about) != 0)
        status = plx_fail(error, PLX_IO, "the file can't be read: %s", strerror(errno));
    else if (!S_ISREG(about.st_mode))
        status = plx_fail(error, PLX_INVALID, "it is no regular file");
    else
        status = check_header(file, (uint64_t)about.st_size, error);
    (void)close(file);
    return status;
}
