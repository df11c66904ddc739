#!/bin/sh
# The page of `report`: whole, alone, and true to its files, whatever these hold.
set -u
export LC_ALL=C
parallax=${PARALLAX:-./parallax}
source=${top_srcdir:-.}
results=$source/results/h200
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM
failures=0

fail() {
    failures=$((failures + 1))
    echo "FAIL: $*"
}

# expect STATUS ARGUMENT...: of parallax report
expect() {
    wanted=$1
    shift
    "$parallax" report "$@" >"$work/out" 2>"$work/err"
    status=$?
    [ "$status" = "$wanted" ] && return
    fail "status $status, not $wanted: report $*"
    cat "$work/err"
}

# Elements that are opened and not closed, or closed and not opened, in the right order.
cat >"$work/balance.awk" <<'END'
BEGIN { RS = "<"; split("meta link br path circle rect use", names, " "); for (i in names) empty[names[i]] = 1 }
NR > 1 {
    tag = $0; sub(/>.*/, "", tag)
    if (tag ~ /^!/) next
    name = tag; sub(/^\//, "", name); sub(/[ \t\n\/].*/, "", name)
    if (tag ~ /^\//) {
        if (depth == 0 || stack[depth] != name) { if (!(name in empty)) { print "at </" name ">: " stack[depth] " is open"; bad = 1; exit } }
        else depth--
    } else if (tag !~ /\/$/ && !(name in empty)) stack[++depth] = name
}
END { if (depth > 0 && !bad) { print stack[depth] " is not closed"; bad = 1 } exit bad }
END

# good_page FILE: well formed, and nothing in it that a browser would fetch or run.
good_page() {
    sed '/<style>/,/<\/style>/d' "$1" >"$work/body"
    awk -f "$work/balance.awk" "$work/body" || fail "$1: the elements are not balanced"
    head -n 1 "$1" | grep -qx '<!DOCTYPE html>' || fail "$1: does not begin as HTML"
    tail -n 1 "$1" | grep -qx '</html>' || fail "$1: does not end as HTML"
    grep -nEi '<(script|link|img|iframe|object|embed|form|base)|https?:|src=|@import|url\(|javascript:| on[a-z]+=' "$1" |
        cut -c1-200 | grep . && fail "$1: refers to something outside"
    grep -oE 'href=.[^#]' "$1" && fail "$1: a link that leaves the page"
}

# The rows of the table of records.
count_rows() {
    sed -n '/<section id="records">/,/<\/section>/p' "$1" | grep -c '^<tr><td'
}

# ---- real results -----------------------------------------------------------------
expect 0 "$results/ladder-gemm.json" "$results/bench-gemm.json" -o "$work/page.html"
good_page "$work/page.html"
records=$(cat "$results/ladder-gemm.json" "$results/bench-gemm.json" | grep -c '"kernel":')
[ "$(count_rows "$work/page.html")" = "$records" ] || fail "not every record is in the table"
for word in summary peers ladders roofline sizes agreement records environment; do
    grep -q "<section id=\"$word\">" "$work/page.html" || fail "no section $word"
done
grep -q 'NVIDIA H200' "$work/page.html" || fail "the device is not named"
gain=$(awk '/"kernel": "smem-block"/ { ours = 1 } ours && /"gain":/ { gsub(/[",]/, ""); printf "%.3g", $2; exit }' \
    "$results/ladder-gemm.json")
[ -n "$gain" ] && grep -q "×$gain<" "$work/page.html" || fail "the gain of smem-block, $gain, is missing"
[ -s "$work/out" ] && fail "something on standard output"
expect 0 "$results/ladder-gemm.json"
good_page "$work/out"

# The same file twice is one; what a newer one has again is in the table twice.
expect 0 "$results/ladder-gemm.json" "$results/ladder-gemm.json" -o "$work/page.html"
grep -q '1 file is the same' "$work/page.html" || fail "the copy is not told"
sed 's/"driver": "580/"driver": "581/' "$results/bench-gemm.json" >"$work/newer.json"
expect 0 "$results/bench-gemm.json" "$work/newer.json" -o "$work/page.html"
records=$(grep -c '"kernel":' "$results/bench-gemm.json")
[ "$(grep -c 'measured again in a newer file' "$work/page.html")" = "$records" ] || fail "older records are not told"
# The date of a file counts before its place.
sed 's/"date": "2026/"date": "2030/' "$work/newer.json" >"$work/dated.json"
expect 0 "$work/dated.json" "$results/bench-gemm.json" -o "$work/page.html"
sed -n '/<section id="records">/,$p' "$work/page.html" | grep 'measured again' | grep -q '^<tr><td class="n">1<' &&
    fail "the file with the newest date is not the newest"

# ---- error against the number of terms -----------------------------------------------
# Of every type as many points as lengths, none above the bound, of results that are made here.
lengths="16 64 256 1024"
shapes=$(for k in $lengths; do printf ' --shape 24x40x%s' "$k"; done)
# shellcheck disable=SC2086
"$parallax" compare gemm $shapes --dtype f32 --dtype f16 --dtype bf16 --out-dtype f32 --backend host --no-timing \
    --json "$work/accuracy.json" >"$work/out" 2>&1
[ $? = 4 ] || { fail "no accuracies" && cat "$work/out"; } # of one backend there is no pair
expect 0 "$work/accuracy.json" --plot accuracy-gemm -o "$work/accuracy.gp"
awk '/^\$type/ { types++ } /^EOD/ { next }
    NF == 3 && $1 + 0 == $1 { points++; if (!($2 > 0 && $2 <= $3)) bad = 1 }
    END { exit !(types == 3 && points == 12 && !bad) }' "$work/accuracy.gp" ||
    { fail "not three curves of four points below their bounds" && cat "$work/accuracy.gp"; }
expect 0 "$work/accuracy.json" -o "$work/page.html"
good_page "$work/page.html"
[ "$(sed -n '/<section id="accuracy">/,/<\/section>/p' "$work/page.html" | grep -c '^<tr><td')" = 12 ] ||
    fail "not every accuracy is in the table"
# Files from before it was recorded have no such section.
expect 0 "$results/ladder-gemm.json" -o "$work/page.html"
grep -q 'id="accuracy"' "$work/page.html" && fail "accuracies of a file that has none"

# ---- without gnuplot -----------------------------------------------------------------
mkdir "$work/empty" # what the build directory's program needs to find itself, and no gnuplot
for tool in sh sed ls cat grep dirname basename expr file rm mv chmod; do
    ln -s "$(command -v $tool)" "$work/empty/" 2>/dev/null
done
PATH=$work/empty "$parallax" report "$results/ladder-gemm.json" -o "$work/plain.html" 2>"$work/err" ||
    fail "no page without gnuplot"
good_page "$work/plain.html"
grep -q '<svg' "$work/plain.html" && fail "a plot without gnuplot"
[ "$(grep -c 'plots are left out' "$work/plain.html")" = 1 ] || fail "the page does not say why it has no plots"
[ "$(grep -c . "$work/err")" = 1 ] || fail "not one line about gnuplot"
[ "$(count_rows "$work/plain.html")" = "$(grep -c '"kernel":' "$results/ladder-gemm.json")" ] ||
    fail "records are missing without gnuplot"

# A gnuplot that a signal ends is named with it.
mkdir "$work/broken"
printf '#!/bin/sh\nkill -KILL $$\n' >"$work/broken/gnuplot" && chmod +x "$work/broken/gnuplot"
PATH=$work/broken:$PATH "$parallax" report "$results/ladder-gemm.json" -o "$work/broken.html" 2>"$work/err"
grep -q 'gnuplot failed: it was ended by SIGKILL (Killed)' "$work/err" || fail "no word of the signal that ended gnuplot"

# ---- names that are markup, or commands ------------------------------------------------
# evil OF: a file of results with OF in every text, two sizes, ceilings, a peer.
record() {
    printf '{"op": "gemm", "dtype": "f32", "shape": [%s, %s, %s], "backend": "%s", "device": %s,\n' "$2" "$2" "$2" \
        "$3" "$4"
    printf ' "kernel": "%s%s", "idea": "%s", "status": "%s", "reason": "%s", "group": %s, "vendor": %s,\n' "$5" "$1" "$1" \
        "$6" "$1" "$2" "$7"
    printf ' "time": {"median_ns": %s, "ci95_ns": [%s, %s], "clock": "%s", "dropped": 3, "settled": false},\n' "$2" "$2" "$2" "$1"
    printf ' "ceiling": {"kind": "copy", "value": 2, "fraction": 1.5, "over": "%s"},\n' "$1"
    printf ' "rate": {"gbps": 3.5, "gflops": %s}, "gain": 1.25}' "$2"
}
evil() {
    printf '{"schema": "parallax-results/1", "environment": {"compiler": "%s", "%s": "x", "date": "%s"},\n' "$1" "$1" "$1"
    printf '"host": {"cpu": "%s"}, "devices": [\n' "$1"
    for label in a "b$1"; do
        printf '{"label": "%s", "name": "%s", "physical": 0, "environment": {"driver": "%s"}, "ceilings": [\n' "$label" "$1" "$1"
        printf '{"kind": "copy", "value": 3000, "unit": "GB/s"}, {"kind": "%s", "value": 9000, "unit": "GFLOP/s"}]}' "$1"
        [ "$label" = a ] && printf ',\n'
    done
    printf '], "records": [\n'
    for size in 16 32; do
        record "$1" $size a 0 one ok false && printf ',\n'
        record "$1" $size a 0 two ok false && printf ',\n'
        record "$1" $size "b$1" 1 one ok false && printf ',\n'
        record "$1" $size "b$1" 1 "" ok true && printf ',\n'
    done
    record "$1" 64 a 0 wrong wrong false
    printf '], "pairs": [{"records": [0, 2], "compared": true, "agree": false, "identical": false, "max_ulp": 1e9},\n'
    printf '{"records": [0, 3], "compared": false}]}\n'
}
evil '<script>alert(1)</script>&amp;<b x=\"y\" '"'"'z>' >"$work/evil.json"
expect 0 "$work/evil.json" -o "$work/page.html"
good_page "$work/page.html"
grep -q '&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;&lt;b x=&quot;y&quot; &#39;z&gt;' "$work/page.html" ||
    fail "the text is not there as it was"
grep -q '<script\|<b x' "$work/page.html" && fail "a name became markup"
[ "$(count_rows "$work/page.html")" = 9 ] || fail "not every record of the evil file"
grep -q '1 of 1 disagree' "$work/page.html" || fail "the disagreement is not told"
grep -q 'more than the ceiling' "$work/page.html" || fail "more than the ceiling is not flagged"
evil "'; system 'touch $work/pwned'; \`touch $work/pwned\` \\\\\\\" @x \\u0007 \\n" >"$work/evil.json"
expect 0 "$work/evil.json" -o "$work/page.html"
good_page "$work/page.html"
for plot in ladder sweep roofline; do
    expect 0 "$work/evil.json" --plot $plot -o "$work/plot.gp"
    sed "s/'[^']*'//g" "$work/plot.gp" | grep -q "touch\|[\`@]" && fail "$plot: a name became part of the script"
done
[ -e "$work/pwned" ] && fail "a name was run as a command"

# ---- what this version has no words for is left out, and said --------------------------------
cat >"$work/newer.json" <<'END'
{"schema": "parallax-results/1", "devices": [{"label": "x", "name": ""}], "pairs": [{"records": [0, 1]}],
 "records": [{"op": "convolve", "dtype": "f32", "shape": [7], "backend": "", "device": 0, "kernel": "", "status": "ok"},
 {"op": "reduce", "dtype": "f8", "shape": [7], "backend": "", "device": 0, "kernel": "", "status": "ok"},
 {"op": "reduce", "dtype": "f32", "shape": [0], "backend": "", "device": 0, "kernel": "", "status": "ok", "more": []}]}
END
expect 0 "$work/newer.json" -o "$work/page.html"
good_page "$work/page.html"
[ "$(count_rows "$work/page.html")" = 1 ] || fail "not the one record that is known"
grep -q '2 records are left out' "$work/page.html" || fail "what was left out is not told"

# ---- as tables -----------------------------------------------------------------------------
expect 0 "$results/bench-gemm.json" "$results/ladder-gemm.json" --markdown
grep -q '^| gemm f32 nn | cublas gemm | 10 | 8192×8192×8192 |' "$work/out" || fail "no table of peers"
grep -q '^| double-buffer |' "$work/out" || fail "no table of a ladder"
expect 0 "$results/bench-memory.json" --markdown --section peers
grep -q '^| reduce f32 sum | cublas cub | 10 |' "$work/out" || fail "no table of peers where inputs are positive"
expect 0 "$results/probe.json" --markdown --section probes
grep -q '^| partition/regions | partition camping | visible' "$work/out" || fail "no table of probes"
expect 2 "$results/bench-gemm.json" --markdown --section probes
grep -q 'nothing for the section probes' "$work/err" || fail "an empty section is not told"
expect 2 "$results/bench-gemm.json" --markdown --section none
grep -q "there are: peers, twins, ladders, attribution, probes" "$work/err" || fail "the sections are not named"
expect 2 "$results/bench-gemm.json" --section peers -o "$work/none.html"
expect 2 "$results/bench-gemm.json" --markdown --plot ladder-gemm -o "$work/none.svg"

# ---- bad input: one line, status 2, and what was there stays -------------------------------
refused() {
    echo before >"$work/kept.html"
    expect 2 "$@" -o "$work/kept.html"
    [ "$(grep -c . "$work/err")" = 1 ] || { fail "not one line: report $*" && cat "$work/err"; }
    [ "$(cat "$work/kept.html")" = before ] || fail "the old page is gone: report $*"
    [ "$(ls "$work" | grep -c tmp)" = 0 ] || fail "a temporary file stays: report $*"
}
head -c 3000 "$results/ladder-gemm.json" >"$work/cut.json"
echo '{"schema": "parallax-results/1", "devices": [], "records": [], "pairs": []}' >"$work/none.json"
refused "$work/no-such.json"
refused "$work/cut.json"
refused "$work/none.json"
refused "$work"
refused "$results/devices.json"
refused "$results/probe.json"
refused "$results/ladder-gemm.json" "$work/cut.json"
refused
refused "$results/ladder-gemm.json" --plot no-such
expect 2 "$results/ladder-gemm.json" -o "$work/no/such/directory.html"
expect 2 "$results/ladder-gemm.json" --plot ladder-gemm -o "$work/plot.jpeg"

# ---- one plot ---------------------------------------------------------------------------------
expect 0 "$results/ladder-gemm.json" --plot ladder-gemm -o "$work/plot.gp"
grep -q "'double-buffer'" "$work/plot.gp" || fail "the script of the ladder has no kernels"
expect 2 "$results/ladder-gemm.json" --plot ladder-reduce -o "$work/none.gp"
[ -e "$work/none.gp" ] && fail "a file without a plot"
grep -q 'there are: ladder-gemm-f32-nn, sweep-gemm-f32-nn, roofline-0' "$work/err" || fail "the plots are not named"
if command -v gnuplot >/dev/null; then
    expect 0 "$results/ladder-gemm.json" -o "$work/page.html"
    [ "$(grep -c '<svg class' "$work/page.html")" = 4 ] || fail "not two plots, wide and narrow"
    sed '/<style>/,/<\/style>/d' "$work/page.html" | grep -q 'rgb(' && fail "a colour that does not follow dark and light"
    ids=$(grep -oE " id='[^']*'" "$work/page.html" | sort | uniq -d)
    [ -z "$ids" ] || fail "names that are not unique: $ids"
    expect 0 "$results/ladder-gemm.json" --plot ladder-gemm -o "$work/plot.svg"
    sed '/<style>/,/<\/style>/d; /<metadata>/,/<\/metadata>/d' "$work/plot.svg" >"$work/body"
    awk -f "$work/balance.awk" "$work/body" || fail "the picture is not balanced"
    expect 0 "$results/ladder-gemm.json" --plot sweep-gemm -o "$work/plot.png"
    head -c 4 "$work/plot.png" | grep -q PNG || fail "no PNG"
else
    echo "gnuplot is not installed: the plots were not tried"
    expect 2 "$results/ladder-gemm.json" --plot ladder-gemm -o "$work/plot.svg"
fi
[ "$failures" -eq 0 ] || { echo "$failures failures" && exit 1; }
