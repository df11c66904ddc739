#!/bin/sh
# With raised privileges nothing that the user brings along is heeded: no directories, no variables, no programs,
# no output files.  The same without, to see that each would have had an effect.
#
# First the privileges are a getauxval() that says so.  Then, for a test that runs as root, they are real: a copy of the
# program that belongs to one user, of mode 4755, is started by another.
. "${top_srcdir:-.}/tests/support.sh"
built=$(cd "$built" && pwd) || exit 99
secure=$built/tests/fakes/.libs/fake-secure.so
marker=$built/tests/fakes/.libs/fake-marker.so
[ -f "$secure" ] && [ -f "$marker" ] || exit 99
owner=54321 nobody=65534

# A picture is drawn by this, if anybody starts it.
mkdir "$work/bin" && printf '#!/bin/sh\ntouch "%s/gnuplot.started"\nexit 1\n' "$work/bin" >"$work/bin/gnuplot" &&
    chmod 755 "$work/bin/gnuplot" || exit 99
cp "${top_srcdir:-.}/tests/data/results/bench-0.1.json" "$work/bench.json" || exit 99
plot=sweep-transpose-f32

# as_fake, as_owner, as_user ARGUMENT...: with fake privileges, with real ones, and with none.
as_fake() {
    ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0 \
        LD_LIBRARY_PATH=$built/.libs LD_PRELOAD=$secure "$built/.libs/parallax" "$@"
}
as_owner() {
    setpriv --reuid=$nobody --regid=$nobody --clear-groups "$work/setuid/parallax" "$@"
}
as_user() {
    "$parallax" "$@"
}
as_nobody() {
    setpriv --reuid=$nobody --regid=$nobody --clear-groups "$work/plain/parallax" "$@"
}

# raised ARGUMENT..., plainly ARGUMENT...: as $with and $without say.
raised() {
    $with "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    cases=$((cases + 1))
}
plainly() {
    $without "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    cases=$((cases + 1))
}
# What leaves a file beside itself when it is loaded or started.
untouched() { # FILE WHAT
    [ ! -e "$1" ] || fail "$with: $2"
}
touched() { # FILE WHAT
    [ -e "$1" ] || fail "$without: without privileges neither: $2"
    rm -f "$1"
}

sum="run reduce 10 --dtype i32 --backend host --quiet"

try_all() { # WITH WITHOUT DIRECTORY: in which either may write
    with=$1 without=$2 place=$3
    mkdir -p "$place/vendors" "$place/marked" && cp "$marker" "$place/plx-marker.so" && cp "$marker" "$place/marked/plx-marker.so" &&
        echo "$place/plx-marker.so" >"$place/vendors/marker.icd" || exit 99
    [ "$with" = as_fake ] || chown -R $nobody "$place" || exit 99
    [ "$with" = as_fake ] || chmod 777 "$place" || exit 99 # whoever is loaded can say so

    raised list plugins --plugin-dir "$work/plugins"
    [ $status = 2 ] && grep -q 'raised privileges' "$work/err" || fail "$with: --plugin-dir is heeded: status $status"

    PLX_PLUGIN_PATH=$place/marked
    export PLX_PLUGIN_PATH
    raised list plugins
    [ $status = 0 ] || fail "$with: status $status"
    untouched "$place/marked/plx-marker.so.loaded" "a plugin of PLX_PLUGIN_PATH was loaded"
    plainly list plugins
    touched "$place/marked/plx-marker.so.loaded" "a plugin of PLX_PLUGIN_PATH is loaded"
    unset PLX_PLUGIN_PATH

    if [ -f "$built/.libs/plx-opencl.so" ]; then
        OCL_ICD_VENDORS=$place/vendors OCL_ICD_FILENAMES=$place/plx-marker.so
        export OCL_ICD_VENDORS OCL_ICD_FILENAMES
        raised list devices
        untouched "$place/plx-marker.so.loaded" "a driver that the user named was loaded"
        plainly list devices
        touched "$place/plx-marker.so.loaded" "a driver that the user named is loaded"
        unset OCL_ICD_VENDORS OCL_ICD_FILENAMES
    fi

    PLX_BACKEND=nosuch raised run reduce 10 --dtype i32 --quiet
    grep -q nosuch "$work/err" && fail "$with: PLX_BACKEND is heeded"
    PLX_BACKEND=nosuch plainly run reduce 10 --dtype i32 --quiet
    grep -q nosuch "$work/err" || fail "$without: PLX_BACKEND is not heeded"
    PLX_WITHOUT=$(printf 'host:0\tbecause') raised compare reduce 10 --dtype i32 --backend host --no-timing
    grep -q because "$work/out" "$work/err" && fail "$with: PLX_WITHOUT is heeded"

    rm -rf "$work/cache" "$place/cache"
    # shellcheck disable=SC2086 # words
    XDG_CACHE_HOME=$place/cache raised $sum
    [ $status = 0 ] && [ "$(cat "$work/out")" != "" ] || fail "$with: status $status of a run"
    untouched "$place/cache" "the user's cache is used"
    # shellcheck disable=SC2086 # words
    XDG_CACHE_HOME=$place/cache plainly $sum
    [ -d "$place/cache" ] || fail "$without: no cache is used"

    for option in --json --csv --out; do
        # shellcheck disable=SC2086 # words
        raised $sum $option "$place/written"
        [ $status = 2 ] && grep -q 'raised privileges' "$work/err" || fail "$with: $option: status $status"
        untouched "$place/written" "$option writes a file"
    done
    raised report "$work/bench.json" -o "$place/written.html"
    [ $status = 2 ] && grep -q 'raised privileges' "$work/err" || fail "$with: report: status $status"
    untouched "$place/written.html" "report writes a file"
    raised check reduce --quick --backend host --save-failure "$place/failures"
    [ $status = 2 ] || fail "$with: --save-failure: status $status"
    untouched "$place/failures" "--save-failure makes a directory"
    # shellcheck disable=SC2086 # words
    raised $sum --json -
    [ $status = 0 ] || fail "$with: standard output is no file: status $status"

    [ "$with" = as_fake ] || chmod 777 "$work/bin"
    PATH=$work/bin:$PATH raised report "$work/bench.json" --plot $plot -o "$place/picture.png"
    untouched "$work/bin/gnuplot.started" "a program of the user's PATH was started"
    PATH=$work/bin:$PATH raised probe banks --backend host --seconds 0.01 --plot "$place/picture.svg"
    untouched "$work/bin/gnuplot.started" "a program of the user's PATH was started for a picture"
    untouched "$place/picture.svg" "a picture is written"
    PATH=$work/bin:$PATH plainly report "$work/bench.json" --plot $plot -o "$place/plain.png"
    touched "$work/bin/gnuplot.started" "a program of the user's PATH is started"
}

try_all as_fake as_user "$work/first"

# ---- a copy that belongs to somebody else ----
# The libraries lie where the user finds them, and the program knows by itself.
make_copies() {
    mkdir -p "$work/setuid" "$work/plain" "$work/lib/parallax" &&
        cp "$built"/.libs/libparallax*.so.* "$work/lib/" && cp "$built"/.libs/plx-*.so "$work/lib/parallax/" &&
        cp "$built/parallax-inspect" "$work/lib/parallax/" || return 1
    (cd "$built" && $CC -o "$work/plain/parallax" cli/main.o .libs/libplx-verbs.a .libs/libplx-page.a \
        "$work"/lib/libparallax-study.so.0 "$work"/lib/libparallax.so.0 .libs/libplx-base.a \
        -Wl,-rpath,"$work/lib" -lm) || return 1
    cp "$work/plain/parallax" "$work/setuid/parallax" && chown -R $owner "$work/setuid" &&
        chmod 4755 "$work/setuid/parallax" && chmod 755 "$work" && chmod 644 "$work/bench.json"
}

# A file system may ignore the mode.
takes_effect() {
    cp "$(command -v id)" "$work/setuid/id" && chown $owner "$work/setuid/id" && chmod 4755 "$work/setuid/id" &&
        [ "$(setpriv --reuid=$nobody --regid=$nobody --clear-groups "$work/setuid/id" -u)" = $owner ]
}

if [ "$(id -u)" != 0 ]; then
    echo "not tried: a set-user-ID copy, for want of root"
elif ! command -v setpriv >/dev/null; then
    echo "not tried: a set-user-ID copy, for want of setpriv"
elif ! make_copies >"$work/out" 2>"$work/err"; then
    fail "a copy can't be linked"
elif ! takes_effect; then
    echo "not tried: a set-user-ID copy, which has no effect on the file system of $work"
else
    echo "with a set-user-ID copy, too"
    try_all as_owner as_nobody "$work/second"
fi
finish
