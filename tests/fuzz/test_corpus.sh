#!/bin/sh
# Each fuzz target on its corpus, and those that read results on the files of older versions as well: none
# crashes, none breaks a promise.
set -u
built=${top_builddir:-.}
source=${top_srcdir:-..}
TMPDIR=$(mktemp -d) || exit 99
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT HUP INT TERM
failures=0
inputs=0
for corpus in "$source"/tests/fuzz/corpus/*/; do
    name=$(basename "$corpus")
    target=$built/tests/fuzz/fuzz_$name
    if [ ! -x "$target" ]; then
        case $name in
        clbin | clblast) echo "$name: not built, for OpenCL or CLBlast is missing" && continue ;;
        esac
    fi
    case $name in
    results | report | diff | resume) more=$source/tests/data/results ;;
    *) more= ;;
    esac
    # shellcheck disable=SC2086 # one directory or none
    if "$target" "$corpus" $more >"$TMPDIR/log" 2>&1; then
        inputs=$((inputs + $(sed -n 's/^\([0-9]*\) inputs$/\1/p' "$TMPDIR/log")))
    else
        failures=$((failures + 1))
        echo "FAIL: $name"
        tail -n 30 "$TMPDIR/log"
    fi
done
echo "$inputs inputs, $failures targets failed"
[ $failures -eq 0 ] && [ $inputs -gt 0 ]
