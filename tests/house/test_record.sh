#!/bin/sh
# Each step of results/record is a command that the program takes: where every backend is one that there is not, it is
# refused for that and for nothing else.
set -u
: "${top_builddir:=.}" "${top_srcdir:=.}"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM
record=$top_srcdir/results/record
program=${PARALLAX:-$(cd "$top_builddir" && pwd)/parallax} # not what PARALLAX becomes below
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
exec "$program" "\$@"
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

# ---- manifests: what a folder holds is what its manifest says ---------------------------------------
# holds FOLDER: whether its manifest is the one that its files give
holds() {
    PARALLAX=$program "$record" --manifest "$1" >"$work/manifest" 2>"$work/err" && cmp -s "$work/manifest" "$1/manifest.json"
}
for folder in "$top_srcdir"/results/*/; do
    holds "${folder%/}" || fail "${folder}manifest.json is not of its files: results/record --manifest writes it
$(diff "$work/manifest" "${folder}manifest.json" | cut -c1-160 | head -n 4)"
    folders=$((${folders:-0} + 1))
done
[ "${folders:-0}" -ge 4 ] || fail "there are only ${folders:-0} folders of results"
# The record of both chips is small enough for everybody's clone.
bytes=$(cat "$top_srcdir"/results/h100/* "$top_srcdir"/results/h200/* | wc -c)
[ "$bytes" -gt 100000 ] && [ "$bytes" -le 3000000 ] || fail "the record of H100 and H200 has $bytes bytes, more than 3 MB"
copy=$work/copy
mkdir "$copy" && cp "$top_srcdir"/results/h100x2/*.json "$copy" && chmod -R u+w "$copy" || exit 99
holds "$copy" || fail "a copy of a folder does not hold what its manifest says"
mv "$copy/seal.json" "$work/seal.json"
holds "$copy" && fail "a file that is gone is not seen"
mv "$work/seal.json" "$copy/" && cp "$copy/seal.json" "$copy/extra.json"
holds "$copy" && fail "a file too many is not seen"
rm "$copy/extra.json" && echo >>"$copy/seal.json"
holds "$copy" && fail "other content is not seen"
grep -q '"file":"seal.json",.*"verb":"seal".*"kernels_hash":"[0-9a-f]*".*"date":".*"rows":[1-9]' "$work/manifest" ||
    fail "the manifest does not tell what seal.json is of"
grep -q '"file":"bench-gemm.json","command":"parallax bench gemm .*"dtypes":\["f32"\].*"driver":"580' \
    "$top_srcdir/results/h200/manifest.json" || fail "the manifest does not tell what bench-gemm.json is of"
echo "$steps steps"
[ "$failures" -eq 0 ]
