"""Makes files that were linked here run with an older C library: on x86_64 what a newer one has under a newer version is bound to
the older version of the same name, which it has as well.

Since 2.34 threads and dlopen() lie in libc.so.6 itself and not beside it, under new versions; since 2.29 exp, log and pow
leave errno alone; the code is what it was.  So a reference to pthread_create@GLIBC_2.34 becomes one to GLIBC_2.2.5, and the
library where that was is needed as well (patchelf).  stat, fstat and lstat are the one case where there was no such name
before 2.33: they are bound to no version, and a small library that goes along has them for a C library that has not.

What is left above the limit is told by too_new(); auditwheel would say the same."""

import os
import re
import struct
import subprocess

# Where names were that are in libc.so.6 now.
FORMER_HOMES = ((r"dl(open|close|sym|error|addr|vsym|info|mopen|addr1)$", "libdl.so.2"),
                (r"pthread_|sem_", "libpthread.so.0"), (r"shm_|aio_|mq_|timer_", "librt.so.1"))
STATUS = ("stat", "fstat", "lstat")
STATUS_LIBRARY = "libplx-status.so"
STATUS_SOURCE = """/* For C libraries before 2.33, which have these under other names. */
struct stat;
__asm__(".symver __xstat, __xstat@GLIBC_2.2.5\\n.symver __fxstat, __fxstat@GLIBC_2.2.5\\n.symver __lxstat, __lxstat@GLIBC_2.2.5");
int __xstat(int version, const char *path, struct stat *about);
int __fxstat(int version, int file, struct stat *about);
int __lxstat(int version, const char *path, struct stat *about);
int stat(const char *path, struct stat *about) { return __xstat(1, path, about); }
int fstat(int file, struct stat *about) { return __fxstat(1, file, about); }
int lstat(const char *path, struct stat *about) { return __lxstat(1, path, about); }
"""
GLOBAL = 1  # the index of no version


def version_of(name):
    """"GLIBC_2.3.4" as (2, 3, 4); None: of something else."""
    match = re.fullmatch(r"GLIBC_(\d+(?:\.\d+)*)", name)
    return tuple(int(part) for part in match.group(1).split(".")) if match else None


class File:
    """The dynamic symbols of an ELF file of 64 bits, with the versions that they ask for."""

    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            self.data = bytearray(file.read())
        if self.data[:6] != b"\x7fELF\x02\x01":
            raise ValueError("%s is no ELF file of 64 bits" % path)
        at, size, count, names = struct.unpack_from("<Q", self.data, 40)[0], *struct.unpack_from("<HHH", self.data, 58)
        self.sections = {}
        headers = [struct.unpack_from("<IIQQQQIIQQ", self.data, at + i * size) for i in range(count)]
        for header in headers:
            self.sections[self._text(headers[names][4] + header[0])] = header
        self._read_needs()

    def _text(self, at):
        return self.data[at:self.data.index(0, at)].decode()

    def _read_needs(self):
        """Each need: where it stands, the file that it is of, its index and its name."""
        self.needs = []
        section, strings = self.sections.get(".gnu.version_r"), self.sections.get(".dynstr")
        at = section[4] if section else None
        while at is not None:
            _, count, file, first, following = struct.unpack_from("<HHIII", self.data, at)
            one = at + first
            for _ in range(count):
                _, _, index, name, behind = struct.unpack_from("<IHHII", self.data, one)
                self.needs.append([one, self._text(strings[4] + file), index, self._text(strings[4] + name)])
                one += behind
            at = at + following if following else None

    def wanted(self):
        """(place of its version's index, name, need) of each symbol that is asked for by version."""
        symbols, versions, strings = (self.sections.get(name) for name in (".dynsym", ".gnu.version", ".dynstr"))
        by_index = {need[2]: need for need in self.needs}
        for i in range(symbols[5] // 24 if symbols and versions else 0):
            name, _, _, section = struct.unpack_from("<IBBH", self.data, symbols[4] + 24 * i)
            index = struct.unpack_from("<H", self.data, versions[4] + 2 * i)[0] & 0x7fff
            if section == 0 and index in by_index:
                yield versions[4] + 2 * i, self._text(strings[4] + name), by_index[index]

    def ask(self, place, index):
        struct.pack_into("<H", self.data, place, index)

    def rename(self, need, name):
        """False: the file has no such string."""
        strings = self.sections[".dynstr"]
        at = self.data.find(b"\0" + name.encode() + b"\0", strings[4], strings[4] + strings[5])
        if at < 0:
            return False
        hashed = 0
        for byte in name.encode():
            hashed = (hashed << 4) + byte
            high = hashed & 0xf0000000
            hashed = (hashed ^ high >> 24) & ~high
        struct.pack_into("<I", self.data, need[0], hashed)
        struct.pack_into("<I", self.data, need[0] + 8, at + 1 - strings[4])
        need[3] = name
        return True

    def write(self):
        with open(self.path, "r+b") as file:
            file.write(self.data)


def too_new(path, limit):
    """The versions of the C library that a file asks for, and that one of `limit` has not, with their symbols."""
    found = {}
    file = File(path)
    for need in file.needs:
        if (version_of(need[3]) or ()) > limit:
            found.setdefault(need[3], [])
    for _, name, need in file.wanted():
        if need[3] in found:
            found[need[3]].append(name)
    return found


_offered = {}


def _offers(library):
    """The versions that the C library here has of each name."""
    if library not in _offered:
        where = None
        for line in subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, env=dict(os.environ, PATH="/sbin:/usr/sbin:" + os.environ["PATH"])).stdout.splitlines():
            if line.split()[:1] == [library] and "x86-64" in line:
                where = where or line.split()[-1]
        said = subprocess.run(["objdump", "-T", where], check=True, capture_output=True, text=True).stdout if where else ""
        found = _offered[library] = {}
        for version, name in re.findall(r"\(?(GLIBC_[\d.]+)\)?\s+(\S+)$", said, re.M):
            found.setdefault(name, []).append(version)
    return _offered[library]


def former_homes(path, limit):
    """The libraries that a file will need, where the C library is as old as `limit`."""
    homes = set()
    for names in too_new(path, limit).values():
        for name in names:
            homes.update(home for pattern, home in FORMER_HOMES if re.match(pattern, name))
            if name in STATUS:
                homes.add(STATUS_LIBRARY)
    return sorted(homes)


def bind(path, limit):
    """Binds what is too new to what is not, in place.  What has no older version stays as it is."""
    file = File(path)
    spare = [need for need in file.needs if (version_of(need[3]) or ()) > limit]
    busy = set()
    for place, name, need in list(file.wanted()):
        if need not in spare:
            continue
        older = [version for version in _offers(need[1]).get(name, []) if version_of(version) <= limit]
        if name in STATUS:
            file.ask(place, GLOBAL)
        elif older:
            best = max(older, key=version_of)
            same = [one for one in file.needs if one[1] == need[1] and one[3] == best]
            # A name of no version is the oldest there is, or the only one that is not hidden.
            file.ask(place, same[0][2] if same else GLOBAL)
        else:
            busy.add(need[2])
    for need in spare:
        if need[2] not in busy:
            oldest = min((one[3] for one in file.needs if one[1] == need[1] and version_of(one[3]) and one not in spare), key=version_of, default=None)
            if oldest is not None:
                file.rename(need, oldest)
    file.write()
