#!/bin/sh
# Each step of results/record is a command that the program takes: where every backend is one that there is not, it is
# refused for that and for nothing else.
set -u
: "${top_builddir:=.}" "${top_srcdir:=.}"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM
record=$top_srcdir/results/record
failures=0
steps=0

fail() {
    failures=$((failures + 1))
    echo "FAIL: $*"
}

mkdir "$work/out" || exit 99
cat >"$work/parallax" <<END
#!/bin/sh
for word; do # every backend is one that there is not
    shift
    [ "\${before:-}" != --backend ] || word=nosuch
    before=\$word
    set -- "\$@" "\$word"
done
exec "$(cd "$top_builddir" && pwd)/parallax" "\$@"
END
printf '#!/bin/sh\necho "nosuch"\n' >"$work/dispatch-cuda"
cat >"$work/compute-sanitizer" <<'END'
#!/bin/sh
while [ "${1%/parallax}" = "$1" ]; do shift; done
exec "$@"
END
chmod +x "$work/parallax" "$work/compute-sanitizer" "$work/dispatch-cuda"
cp "$work/dispatch-cuda" "$work/dispatch-opencl" || exit 99
export PATH="$work:$PATH" PARALLAX="$work/parallax" LIBEXEC="$work" DATA="$top_srcdir/data"
export XDG_CACHE_HOME="$work/cache"
"$record" "$work/out" >"$work/log" 2>&1
for step in $("$record" --list); do
    steps=$((steps + 1))
    cat "$work/out/$step.txt" "$work/out/$step.json" >"$work/said" 2>/dev/null
    [ "$step" = devices ] || grep -q "nosuch" "$work/said" || fail "$step: $(head -n 3 "$work/said")"
done
[ "$steps" -ge 40 ] || fail "there are only $steps steps"
"$record" "$work/out" nosuch >"$work/log" 2>&1
[ $? -eq 2 ] && grep -q "no step 'nosuch'" "$work/log" || fail "an unknown step: $(cat "$work/log")"
echo "$steps steps"
[ "$failures" -eq 0 ]
