#!/bin/sh
# Plugins are tried in a process of their own before they are loaded, what passed is remembered, and
# directories that anybody may write into, or that are nowhere for certain, are not searched.
. "${top_srcdir:-.}/tests/support.sh"
cp "$built/tests/fakes/.libs/plx-hostile.so" "$work/plugins/" || exit 99
[ -x "$built/parallax-inspect" ] || { echo "there is no parallax-inspect"; exit 99; }
known=$XDG_CACHE_HOME/parallax/plugins.tsv
names() { # of the files that are known
    sed -n 's/^plugin\t.*\/\(plx-[a-z-]*\.so\)\t.*/\1/p' "$known" 2>/dev/null | sort | tr '\n' ' '
}
host="run reduce 10 --dtype i32 --backend host --quiet"

# ---- what is remembered ----
# shellcheck disable=SC2086 # words
expect_run 0 '' $host
[ "$(names)" = "plx-host.so " ] || fail "to use one plugin others were tried: $(names)"
expect_run 0 '' list plugins --plugin-dir "$work/plugins"
case $(names) in *plx-faulty.so*plx-hostile.so*) ;; *) fail "what passed is not known: $(names)" ;; esac
[ "$(stat -c %a "$known")" = 600 ] || fail "others may read what is known"

# It is believed: nothing is tried again, as the trap shows that would be sprung.
export HOSTILE=constructor-noise
expect_run 0 '' list plugins --plugin-dir "$work/plugins"
sed -i 's/\thostile\t6.6.6\t/\tmistaken\t6.6.6\t/' "$known"
expect_run 0 '' list plugins --plugin-dir "$work/plugins"
shows "it called itself mistaken when it was tried, and now hostile"
# Nor where temporary files go elsewhere, as in each process of judge.
TMPDIR=$work expect_run 0 '' list plugins --plugin-dir "$work/plugins"
shows "it called itself mistaken when it was tried, and now hostile"
# doctor believes nothing, and puts right what is known.
run doctor --plugin-dir "$work/plugins"
shows "hostile 6.6.6"
expect_run 0 '' list plugins --plugin-dir "$work/plugins"
shows "a plugin that does harm"
# Another environment, another file, an hour: tried again.
sed -i 's/\thostile\t6.6.6\t/\tmistaken\t6.6.6\t/' "$known"
SOMETHING=else
export SOMETHING
expect_run 0 '' list plugins --plugin-dir "$work/plugins"
shows "a plugin that does harm"
unset SOMETHING
touch "$work/plugins/plx-hostile.so"
expect_run 0 '' list plugins --plugin-dir "$work/plugins"
shows "a plugin that does harm"
sed -i 's/\t\([0-9]\{10\}\)\tpassed\thostile\t/\t1000000000\tpassed\tmistaken\t/' "$known"
expect_run 0 '' list plugins --plugin-dir "$work/plugins"
shows "a plugin that does harm"
# A record of no file is none, and neither is what others may have written.
sed -i '/^file/d; s/\thostile\t6.6.6\t/\tmistaken\t6.6.6\t/' "$known"
expect_run 0 '' list plugins --plugin-dir "$work/plugins"
shows "a plugin that does harm"
sed -i 's/\thostile\t6.6.6\t/\tmistaken\t6.6.6\t/' "$known"
chmod 666 "$known"
expect_run 0 '' list plugins --plugin-dir "$work/plugins"
shows "a plugin that does harm"

# ---- what it says of itself is no end ----
# A read of the pipe may end behind any line, and the last words of a summary are its own.
HOSTILE=good-backend expect_run 0 '' list plugins --plugin-dir "$work/plugins"
shows "a good backend"
grep -q 'plx-hostile.so.*refused' "$work/out" && fail "refused for the last word of its summary"
rm -f "$known"
HOSTILE=good-backend expect_run 0 '' run reduce 10 --dtype i32 --backend hostile --plugin-dir "$work/plugins" --quiet

# ---- what dies there ----
# Every signal has a name.
while read -r kind name; do
    HOSTILE=$kind run doctor --plugin-dir "$work/plugins"
    shows "FAILS: a process that asked it for its devices was ended by $name;"
done <<END
probe-pipe SIGPIPE (Broken pipe)
probe-alarm SIGALRM (Alarm clock)
probe-real-time SIGRTMIN+3
END
HOSTILE=constructor-segv run doctor --plugin-dir "$work/plugins"
shows "plx-hostile.so: refused: a process that loaded it to try it was ended by SIGSEGV"
HOSTILE=entry-exit run doctor --plugin-dir "$work/plugins"
shows "was ended by it, with exit status 0"
HOSTILE=probe-abort run doctor --plugin-dir "$work/plugins"
shows "hostile 6.6.6: FAILS: a process that asked it for its devices was ended by SIGABRT"
PLX_PROBE_SECONDS=1 HOSTILE=probe-loop run doctor --plugin-dir "$work/plugins"
shows "had not come back after 1 s"
# That it died or hung is known for ten minutes, unless the file or the environment is another; doctor asks anew.
HOSTILE_TRACE=$work/trace
PLX_PROBE_SECONDS=1
HOSTILE=probe-loop
export HOSTILE HOSTILE_TRACE PLX_PROBE_SECONDS
tries() { # COUNT WHAT
    [ "$(wc -c <"$work/trace" 2>/dev/null)" = "$1" ] || fail "tried $(wc -c <"$work/trace") times, not $1: $2"
    cases=$((cases + 1))
}
run list plugins --plugin-dir "$work/plugins"
run list plugins --plugin-dir "$work/plugins"
shows "had not come back after 1 s"
shows 'tries it again)'
tries 1 "a file that hangs"
run list plugins --plugin-dir "$work/plugins" --json -
shows "less than 10 minutes ago"
run doctor --plugin-dir "$work/plugins"
grep -q 'minutes ago' "$work/out" && fail "doctor believes what is known"
tries 2 "doctor"
PLX_PROBE_SECONDS=2 run list plugins --plugin-dir "$work/plugins"
tries 3 "with more time"
touch "$work/plugins/plx-hostile.so"
run list plugins --plugin-dir "$work/plugins"
tries 4 "another file"
sed -i 's/\t\([0-9]\{10\}\)\tfailed\t/\t1000000000\tfailed\t/' "$known"
run list plugins --plugin-dir "$work/plugins"
tries 5 "after ten minutes"
HOSTILE=constructor-abort run list plugins --plugin-dir "$work/plugins"
rm "$work/trace"
HOSTILE=constructor-abort run list plugins --plugin-dir "$work/plugins"
shows "was ended by SIGABRT"
[ ! -e "$work/trace" ] || fail "what ends the process that loads it is tried again"
# What is refused with a word costs nothing, and is asked for each time.
HOSTILE=entry-abi run list plugins --plugin-dir "$work/plugins"
rm "$work/trace"
HOSTILE=entry-abi run list plugins --plugin-dir "$work/plugins"
tries 1 "a refused file"
unset HOSTILE_TRACE PLX_PROBE_SECONDS HOSTILE
# Who is left out, and why, is said to the program that goes on in lines: the name of a directory makes none.
lines="$work/$(printf 'a\nhost\tb')"
mkdir "$lines" && cp "$work/plugins/plx-hostile.so" "$lines/" || exit 99
HOSTILE=open-segv run doctor --plugin-dir "$lines"
grep -q 'hostile:0 .*FAILS' "$work/out" || fail "the plugin in a directory of two lines is not named"
grep -q 'host:0 .*works' "$work/out" || fail "a line in the name of a directory leaves the host out"
# Without a process it would be this one.
PLX_PROBE=inline HOSTILE=constructor-exit1 run list plugins --plugin-dir "$work/plugins"
[ $status = 5 ] || fail "status $status where a plugin ends the program"
grep -q 'ended the program before its work was done' "$work/err" || fail "no word of what ended the program"
unset HOSTILE

# ---- what the process may not map ----
# A limit that leaves no room for a plugin is named, whatever it is at which that shows, and no plugin is blamed for it.
mkdir -p "$work/small/lib/parallax" && cp "$built"/.libs/libparallax*.so.* "$work/small/lib/" && cp "$built/.libs/parallax" "$work/small/" &&
    cp "$built/.libs/plx-host.so" "$built/parallax-inspect" "$work/small/lib/parallax/" || exit 99
limited=0
for kib in $(seq 3000 150 9000); do
    # shellcheck disable=SC2086 # words
    (ulimit -v "$kib" 2>/dev/null && LD_LIBRARY_PATH=$work/small/lib exec "$work/small/parallax" $host) >"$work/out" 2>"$work/err"
    status=$?
    case $status in
    0 | 127) continue ;; # all went well; the program itself does not fit
    esac
    ! grep -q '^libgomp: ' "$work/err" || continue # which ends the process by itself, before the program begins
    cases=$((cases + 1)) limited=$((limited + 1))
    grep -q 'this process may map no more than [0-9.]* MiB (ulimit -v)' "$work/err" || fail "$kib KiB: the limit is not named"
    ! grep -q 'reinstall\|refused' "$work/err" || fail "$kib KiB: the plugin is blamed"
done
[ $limited -gt 0 ] || echo "no limit was found at which the program starts and a plugin does not"

# ---- directories ----
chmod o+w "$work/plugins"
expect_run 2 "anybody may write there" list plugins --plugin-dir "$work/plugins"
PLX_PLUGIN_PATH=$work/plugins expect_run 0 '' list plugins
shows "this directory is not searched: anybody may write there"
grep -q '^  hostile' "$work/out" && fail "a directory that anybody may write into is searched"
chmod o-w "$work/plugins"
(cd "$work" && PLX_PLUGIN_PATH=plugins "$parallax" list plugins >"$work/out" 2>"$work/err")
shows "must name it from / on"
grep -q '^  hostile' "$work/out" && fail "a directory is searched that is another one elsewhere"
(cd "$work" && "$parallax" list plugins --plugin-dir plugins >"$work/out" 2>"$work/err")
grep -q '^  hostile' "$work/out" || fail "a directory of the command line is not searched"

expect_run 2 "is no directory" list plugins --plugin-dir "$parallax"
# Also the installed one, wherever that is.
mkdir -p "$work/lib/parallax" && cp "$built"/.libs/libparallax*.so.* "$work/lib/" && cp "$built/.libs/parallax" "$work/" &&
    cp "$built/.libs/plx-host.so" "$work/lib/parallax/" && chmod 777 "$work/lib/parallax" || exit 99
LD_LIBRARY_PATH=$work/lib "$work/parallax" list plugins >"$work/out" 2>"$work/err"
shows "  parallax  refused: this directory is not searched: anybody may write there"

# ---- files that are no plugins of this machine ----
mkdir "$work/elf"
patched() { # NAME OFFSET BYTE: a plugin with one byte changed
    cp "$built/tests/fakes/.libs/plx-faulty.so" "$work/elf/plx-$1.so" &&
        printf "$3" | dd of="$work/elf/plx-$1.so" bs=1 seek="$2" conv=notrunc 2>/dev/null || exit 99
}
patched words 4 '\001'
patched program 16 '\002'
expect_run 0 '' list plugins --plugin-dir "$work/elf"
shows "the file is made for another word size than this program"
shows "the file is an ELF file, but no shared object"

# ---- the user's own files under names that are read ----
if [ -f "$built/.libs/plx-clblast.so" ]; then
    mkfifo "$work/pipe"
    PLX_CLBLAST_TUNED=$work/pipe PLX_DEADLINE=60 run list devices
    [ $status = 0 ] || fail "a pipe in place of parameters: status $status"
fi

# ---- processes that can't be started ----
# A sandbox that refuses them: plugins are loaded without being tried.
printf '#include <errno.h>\nint posix_spawn(void) { return EAGAIN; }\n' >"$work/sandbox.c"
if ${CC:-cc} -w -fno-builtin -shared -fPIC "$work/sandbox.c" -o "$work/sandbox.so" 2>/dev/null &&
    ! grep -q -a __asan_init "$built/.libs/libparallax.so"; then
    mkdir -p "$work/host" && ln -sf "$(cd "$built/.libs" && pwd)/plx-host.so" "$work/host/" || exit 99
    LD_PRELOAD=$work/sandbox.so XDG_CACHE_HOME=$work/no-process expect_run 0 '' check transpose --quick --backend host --plugin-dir "$work/host"
    shows ' 0 wrong, 0 failed'
fi

# ---- threads that can't be had ----
# Not where another user can't reach what is in $TMPDIR.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && command -v prlimit >/dev/null && chmod 755 "$work" &&
    setpriv --reuid=65534 --clear-groups test -r "$work"; then
    # Where that user may read it, which the directory of the build need not be.
    mkdir -p "$work/nobody" "$work/alone/lib/parallax" && chown 65534 "$work/nobody" &&
        cp "$built"/.libs/libparallax*.so.* "$work/alone/lib/" && cp "$built/.libs/parallax" "$work/alone/" &&
        cp "$built/.libs/plx-host.so" "$built/parallax-inspect" "$work/alone/lib/parallax/" || exit 99
    # A user who may have no thread more; what already runs counts.
    OMP_NUM_THREADS=4 XDG_CACHE_HOME=$work/nobody LD_LIBRARY_PATH=$work/alone/lib setpriv --reuid=65534 --clear-groups \
        prlimit --nproc=1:1 "$work/alone/parallax" run gemm 64 64 64 --backend host --quiet >"$work/out" 2>"$work/err"
    status=$?
    cases=$((cases + 1))
    [ $status = 0 ] || fail "status $status where threads can't be had"
    # A home that can't be written, in which nothing is kept.
    mkdir -p "$work/sealed" && chmod 555 "$work/sealed" || exit 99
    HOME=$work/sealed XDG_CACHE_HOME='' LD_LIBRARY_PATH=$work/alone/lib setpriv --reuid=65534 --clear-groups \
        "$work/alone/parallax" run gemm 64 64 64 --backend host --quiet >"$work/out" 2>"$work/err"
    status=$?
    cases=$((cases + 1))
    [ $status = 0 ] || fail "status $status in a home that can't be written"
    [ -z "$(ls -A "$work/sealed")" ] || fail "something was written in a home that can't be"
fi
finish
