#!/bin/sh
# The page of `report`: whole, alone, and true to its files, whatever these hold.
set -u
export LC_ALL=C
parallax=${PARALLAX:-./parallax}
source=${top_srcdir:-.}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM
failures=0

# The record is packed; here its lines are counted and changed.
mkdir "$work/h200" || exit 99
results=$work/h200
for file in "$source"/results/h200/*.json; do
    "$parallax" report "$file" --unpack -o "$results/${file##*/}" || exit 99
done

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

# Elements that are opened and not closed, or closed and not opened, in the right order.  The ends of cells, rows and
# parts of tables may be left out, as HTML allows: they begin inside a table and nothing else.
cat >"$work/balance.awk" <<'END'
BEGIN { RS = "<"; split("meta link br input path rect tr td th tbody thead", names, " "); for (i in names) empty[names[i]] = 1 }
NR > 1 {
    tag = $0; sub(/>.*/, "", tag)
    if (tag ~ /^!/) next
    name = tag; sub(/^\//, "", name); sub(/[ \t\n\/].*/, "", name)
    if (tag ~ /^\//) {
        if (depth == 0 || stack[depth] != name) { if (!(name in empty)) { print "at </" name ">: " stack[depth] " is open"; bad = 1; exit } }
        else depth--
    } else if (name ~ /^(t[rdh]|tbody|thead)$/) {
        if (stack[depth] != "table") { print "<" name "> inside " stack[depth]; bad = 1; exit }
    } else if (tag !~ /\/$/ && (!(name in empty) || (name ~ /^(path|rect)$/))) stack[++depth] = name
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
    grep -oE 'href="?[^#"]' "$1" && fail "$1: a link that leaves the page"
}

# The records of the table of all: each has a name of its own.
count_rows() {
    sed -n '/<section id="records">/,/<\/section>/p' "$1" | grep -oE ' id=r[0-9]+[ >]' | sort -u | wc -l
}

# legible PICTURE...: no text lies on another, and none leaves its picture.
legible() {
    awk -f "$source/tests/page/overlaps.awk" "$@" || fail "texts that can't be read"
}

# The checker of texts can tell.
picture='<svg viewBox="0 0 100 50" font-size="10">'
printf '%s<text x="0" y="20">first</text><text x="10" y="22">second</text></svg>' "$picture" >"$work/over.svg"
printf '%s<g text-anchor="end"><text x="20" y="20">too long</text></g></svg>' "$picture" >"$work/out.svg"
printf '%s<text x="0" y="20">first</text><text x="50" y="20">second</text></svg>' "$picture" >"$work/fine.svg"
for bad in over out; do
    awk -f "$source/tests/page/overlaps.awk" "$work/$bad.svg" >"$work/out" && fail "texts of $bad.svg are taken as legible"
done
legible "$work/fine.svg"

# ---- real results -----------------------------------------------------------------
expect 0 "$results/ladder-gemm.json" "$results/bench-gemm.json" -o "$work/page.html"
good_page "$work/page.html"
records=$(cat "$results/ladder-gemm.json" "$results/bench-gemm.json" | grep -c '"kernel":')
[ "$(count_rows "$work/page.html")" = "$records" ] || fail "not every record is in the table"
for word in answer peers ladders roofline sizes agreement summary records environment; do
    grep -q "<section id=\"$word\">" "$work/page.html" || fail "no section $word"
    grep -q "<a href=\"#$word\">" "$work/page.html" || fail "$word is not in the navigation"
done
grep -q 'NVIDIA H200' "$work/page.html" || fail "the device is not named"
gain=$(awk '/"kernel": "smem-block"/ { ours = 1 } ours && /"gain":/ { gsub(/[",]/, ""); printf "%.3g", $2; exit }' \
    "$results/ladder-gemm.json")
[ -n "$gain" ] && grep -q "smem-block: [^<]*, $gain times the step before</title>" "$work/page.html" || fail "the gain of smem-block, $gain, is missing"
[ -s "$work/out" ] && fail "something on standard output"
expect 0 "$results/ladder-gemm.json"
good_page "$work/out"

# The same file twice is one; what a newer one has again is in the table twice.
expect 0 "$results/ladder-gemm.json" "$results/ladder-gemm.json" -o "$work/page.html"
grep -q '1 file is the same' "$work/page.html" || fail "the copy is not told"
sed 's/"driver": "580/"driver": "581/' "$results/bench-gemm.json" >"$work/newer.json"
expect 0 "$results/bench-gemm.json" "$work/newer.json" -o "$work/page.html"
records=$(grep -c '"status": "ok"' "$results/bench-gemm.json")
[ "$(grep -c 'measured again in a newer file' "$work/page.html")" = "$records" ] || fail "older records are not told"
# The date of a file counts before its place.
sed 's/"date": "2026/"date": "2030/' "$work/newer.json" >"$work/dated.json"
expect 0 "$work/dated.json" "$results/bench-gemm.json" -o "$work/page.html"
sed -n '/<section id="records">/,$p' "$work/page.html" | awk '/<tbody/ { first = /file 1 *[×<]/ } /measured again/ && first { old = 1 }
    END { exit !old }' && fail "the file with the newest date is not the newest"

# ---- error against the number of terms -----------------------------------------------
# Of every type as many points as lengths, none above the bound, of results that are made here.
lengths="16 64 256 1024"
shapes=$(for k in $lengths; do printf ' --shape 24x40x%s' "$k"; done)
# shellcheck disable=SC2086
"$parallax" compare gemm $shapes --dtype f32 --dtype f16 --dtype bf16 --out-dtype f32 --backend host --no-timing \
    --json "$work/accuracy.json" >"$work/out" 2>&1
[ $? = 0 ] || { fail "no accuracies" && cat "$work/out"; }
expect 0 "$work/accuracy.json" --plot accuracy-gemm -o "$work/accuracy.svg"
legible "$work/accuracy.svg"
grep -o '<title>[a-z0-9]*, [0-9]* terms: error [^<]*</title>' "$work/accuracy.svg" | tr -d ',' | sed 's/<[^>]*>//g' |
    awk '{ types[$1] = 1; points++; if (!($5 > 0 && $5 <= $7)) bad = 1 }
    END { for (t in types) count++; exit !(count == 3 && points == 12 && !bad) }' ||
    { fail "not three curves of four points below their bounds" && cat "$work/accuracy.svg"; }
expect 0 "$work/accuracy.json" -o "$work/page.html"
good_page "$work/page.html"
[ "$(sed -n '/<section id="accuracy">/,/<\/section>/p' "$work/page.html" | grep -c '^<tr><td')" = 12 ] ||
    fail "not every accuracy is in the table"
# Files from before it was recorded have no such section.
expect 0 "$results/ladder-gemm.json" -o "$work/page.html"
grep -q 'id="accuracy"' "$work/page.html" && fail "accuracies of a file that has none"

# ---- the whole record of a device ---------------------------------------------------------
# Not too large to be sent, and everything in its pictures can be read.
ls "$results"/*.json >"$work/files" # as README has it: with the list of devices, the manifest, the dispatches
# shellcheck disable=SC2046 # names without blanks
expect 0 $(cat "$work/files") -o "$work/record.html"
good_page "$work/record.html"
legible "$work/record.html"
[ "$(wc -c <"$work/record.html")" -le 1500000 ] || fail "the page has $(wc -c <"$work/record.html") bytes: more than 1.5 MB"
records=$(cat $(cat "$work/files") | grep -c '^ *"step":')
[ "$(count_rows "$work/record.html")" = "$records" ] || fail "not each of the $records records has a name"
for word in probes counters attribution accuracy; do
    grep -q "<section id=\"$word\">" "$work/record.html" || fail "the record has no section $word"
done
# Every link within the page leads somewhere.
grep -oE 'href="?#[a-z0-9-]+' "$work/record.html" | sed 's/.*#//' | sort -u >"$work/links"
grep -oE ' id="?[a-z0-9-]+' "$work/record.html" | sed 's/ id="*//' | sort >"$work/ids"
sort -u "$work/ids" | comm -23 "$work/links" - >"$work/dangling"
[ -s "$work/dangling" ] && fail "links that lead nowhere: $(head -n 3 "$work/dangling")"
[ -z "$(uniq -d "$work/ids")" ] || fail "names that are not unique: $(uniq -d "$work/ids" | head -n 3)"
# The best of the ways of a library comes first, each by itself is folded away; a cell has its time.
sed -n '/<section id="peers">/,/<\/section>/p' "$work/record.html" | awk '/best of its ways/ { best = NR }
    /Each way of the libraries/ { each = NR } END { exit !(best > 0 && best < each) }' || fail "no best of the ways"
# The names of a roofline lie beside its points, not on them.
# shellcheck disable=SC2046
expect 0 $(cat "$work/files") --plot roofline-0 -o "$work/roofline.svg"
legible "$work/roofline.svg"
awk -f "$source/tests/page/hidden.awk" "$work/roofline.svg" >"$work/hidden"
read -r dots names hidden <"$work/hidden"
[ "$dots" -gt 500 ] && [ "$names" -ge 7 ] && [ "$hidden" -le 4 ] || fail "$names names hide $hidden of $dots points of the roofline"
# What the answer counts is what stands in the table of it.
behind=$(sed -n 's/.*slower beyond the intervals in \([0-9]*\);.*/\1/p' "$work/record.html")
[ "${behind:-0}" -gt 0 ] && grep -q "faster beyond the intervals: $behind problems" "$work/record.html" ||
    fail "the answer counts $behind slower problems, and its table others"
# Ladders stand by operation and size; the one chip of all is named once, above them.
sed -n '/<section id="ladders">/,/<\/section>/p' "$work/record.html" >"$work/ladders"
[ "$(sed 's/aria-label="[^"]*"//' "$work/ladders" | grep -c 'on NVIDIA H200')" = 1 ] || fail "the chip is not named once above the ladders"
sed -n 's/.*id="ladder-[0-9]*"><summary>reduce f32 \([0-9]*\) sum.*/\1/p' "$work/ladders" >"$work/sizes"
[ "$(wc -l <"$work/sizes")" -ge 5 ] && sort -rnc "$work/sizes" || fail "the smaller ladders stand in no order"
grep '…</text>' "$work/ladders" && fail "the name of a kernel is cut off"
sed -n '/<section id="attribution">/,/<\/section>/p' "$work/record.html" | grep '<th class=g' | grep '[0-9]x[0-9]' &&
    fail "a shape of the attributions is written as nowhere else"
sed -n '/<section id="attribution">/,/<\/section>/p' "$work/record.html" | grep -q '<th class="n">second-first</th>' ||
    fail "no table of the cells"
sed -n '/<section id="counters">/,/<\/section>/p' "$work/record.html" | grep -q 'bytes over formula' || fail "no counters"
# On a phone the first columns are those that answer; a problem is named once, above its kernels; no number is long.
grep -q '<tr><th>operation</th><th>ours</th><th class="n">mean</th><th class="n">least to most</th>' "$work/record.html" ||
    fail "the answer of the peers is not in the first columns"
sed -n '/<section id="counters">/,/<\/section>/p' "$work/record.html" >"$work/counters"
grep -o '<th class=g [^>]*>.*' "$work/counters" | sort >"$work/heads"
[ "$(wc -l <"$work/heads")" = 4 ] && [ -z "$(uniq -d "$work/heads")" ] || fail "not a head for each problem that was counted"
grep -oE '<td class="n">[0-9.]{6}' "$work/counters" && fail "numbers of the counters that nobody reads"
for section in probes attribution; do
    sed -n "/<section id=\"$section\">/,/<\/section>/p" "$work/record.html" | sed -n '/<table/,/<\/table>/p;/<\/table>/q' |
        grep -o '<th class=g [^>]*>[^<]*' >"$work/heads"
    [ "$(wc -l <"$work/heads")" -ge 2 ] && [ -z "$(sort "$work/heads" | uniq -d)" ] || fail "heads of the $section: $(cat "$work/heads")"
done
sed -n '/<section id="agreement">/,/<\/section>/p' "$work/record.html" >"$work/agreement"
grep -q 'over a million ulp' "$work/agreement" && ! grep -qE '[0-9]e\+?[0-9]' "$work/agreement" || fail "powers of ten for people"
# Choices without a script: what is chosen hides the rest by its class.
for mark in o b s; do
    grep -oE "^#f${mark}[0-9]+:checked~main" "$work/record.html" | sed 's/:.*//; s/#//' | sort >"$work/rules"
    grep -oE "<input [^>]*id=\"f${mark}[0-9]+\"" "$work/record.html" | sed 's/.*id="//; s/"//' | sort | cmp -s - "$work/rules" ||
        fail "the choices $mark have no rule each"
    [ -s "$work/rules" ] || fail "no choice of $mark"
done

# A roof for each unit, with its name; a name for each operation and type, however near the roofs are.
awk '{ print } /"ceilings": \[/ { n = split("f16 780 bf16 800 tf32 400 f64 62 i8 1500", of, " ")
    for (i = 1; i < n; i += 2) printf "{\"kind\": \"%s-units\", \"unit\": \"GFLOP/s\", \"value\": %d000},\n", of[i], of[i + 1] }' \
    "$results/bench-gemm.json" >"$work/units.json"
expect 0 "$work/units.json" "$results/bench-units.json" "$results/bench-units-tf32.json" "$results/bench-memory.json" \
    "$results/bench-gemm-f64.json" --plot roofline-0 -o "$work/roofline.svg"
legible "$work/roofline.svg"
for unit in fma-f32 fma-f64 f16-units bf16-units tf32-units f64-units; do
    grep -q ">[^<]*$unit [0-9.]* T[^<]*</text>" "$work/roofline.svg" || fail "the roof of $unit has no name"
done
for name in 'gemm f32' 'gemm f64' 'gemm bf16' 'gemm tf32' 'matvec f32' 'reduce f32'; do
    grep -q ">$name</text>" "$work/roofline.svg" || fail "the roofline has no $name"
done

# What is wrong comes first, with a link.  Probes alone make a page.
sed 's/"status": "ok"/"status": "wrong"/' "$results/bench-gemm-clblast.json" | awk '/"status": "wrong"/ && n++ { sub(/wrong/, "ok") } 1' \
    >"$work/wrong.json"
expect 0 "$work/wrong.json" -o "$work/page.html"
good_page "$work/page.html"
sed -n '/<section id="answer">/,/<svg/p' "$work/page.html" | awk '/What is wrong/ { wrong = NR } /were judged/ { said = NR }
    /<a href="#r0">/ { link = 1 } END { exit !(wrong > 0 && wrong < said && link) }' || fail "what is wrong does not come first"
expect 0 "$results/probe.json" -o "$work/page.html"
good_page "$work/page.html"
grep -q 'bank conflicts of 4-byte elements' "$work/page.html" || fail "no probes"

# ---- before and after --------------------------------------------------------------------------
# All times twice as long, but for one kernel: as many are slower.
sed -E 's/("(median|least|most)_ns": )([0-9.]+)/\12\3/; s/"date": "2026/"date": "2027/' "$results/bench-gemm-clblast.json" |
    awk '/"ci95_ns"/ { inside = 1 } inside && /^ *[0-9.]+,?$/ { sub(/[0-9]/, "2&") } /\]/ { inside = 0 } 1' >"$work/later.json"
expect 0 --history "$results/bench-gemm-clblast.json" "$work/later.json" -o "$work/page.html"
good_page "$work/page.html"
slower=$(grep -c '<td class="bad">slower</td>' "$work/page.html")
timed=$(grep -c '"time": {' "$results/bench-gemm-clblast.json")
[ "$slower" -gt 0 ] && [ "$slower" = "$timed" ] || fail "$slower of $timed became slower"
grep -q "<b class=\"bad\">$slower became slower</b>" "$work/page.html" || fail "the history does not say how many"
# Its chart: a mark for the first file, one for the later, at the mean that is told.
legible "$work/page.html"
grep -o '<title>gemm f32, file [12]: [^<]*' "$work/page.html" | sort | tr '\n' ' ' >"$work/marks"
mean=$(sed -n 's/.* the last is \([0-9.]*\) times as fast as the first.*/\1/p' "$work/page.html")
grep -q "file 1: 1.00 times.*file 2: ${mean:-none} times" "$work/marks" || fail "the chart of the history: $(cat "$work/marks")"
sed 's/"date": "2026/"date": "2028/' "$results/bench-gemm.json" >"$work/third.json"
expect 0 --history "$results/bench-gemm.json" "$results/bench-memory.json" "$work/third.json" "$results/bench-units.json" \
    "$work/later.json" "$results/bench-gemm-clblast.json" -o "$work/page.html"
good_page "$work/page.html"
legible "$work/page.html"
grep -q 'file 3: 1.00 times as fast as at first' "$work/page.html" || fail "a file between others is not in the chart"
expect 0 "$results/bench-gemm-clblast.json" "$work/later.json" --plot history -o "$work/history.svg"
legible "$work/history.svg"
expect 2 --history "$results/bench-gemm-clblast.json" -o "$work/none.html"
expect 2 --history "$work/later.json" "$work/later.json" -o "$work/none.html"
expect 2 --history "$work/later.json" "$results/bench-gemm-clblast.json" --markdown -o "$work/none.html"

# ---- noisy times are shown, and nothing follows from them ------------------------------------------
cat >"$work/noisy.json" <<'END'
{"schema": "parallax-results/1", "devices": [{"label": "x", "name": "chip"}], "pairs": [], "records": [
 {"op": "reduce", "dtype": "f32", "shape": [700], "backend": "x", "device": 0, "kernel": "k", "status": "ok",
  "error": {"max_over_bound": 0.9, "max_ulp": 0.5, "compared": 1}, "time": {"median_ns": 4000, "ci95_ns": [2000, 6000]}, "rate": {"gbps": 123},
  "ceiling": {"kind": "copy", "value": 2, "fraction": 0.47}}]}
END
expect 0 "$work/noisy.json" -o "$work/page.html"
good_page "$work/page.html"
grep -q 'All times are noisy' "$work/page.html" || fail "noisy times are told as if there were none"
grep -qF '4 µs ±50%' "$work/page.html" && grep -q 'noisy, not ranked' "$work/page.html" || fail "a noisy time is not shown"
sed -n '/<section id="records">/,/<\/section>/p' "$work/page.html" | grep -q '123\|47%' && fail "a rate of a noisy time"

grep -q '<td>rounded<td>' "$work/page.html" || fail "a result that is as near as its type can be has a share of a bound"

# ---- without gnuplot -----------------------------------------------------------------
mkdir "$work/empty" # what the build directory's program needs to find itself, and no gnuplot
for tool in sh sed ls cat grep dirname basename expr file rm mv chmod; do
    ln -s "$(command -v $tool)" "$work/empty/" 2>/dev/null
done
PATH=$work/empty "$parallax" report "$results/ladder-gemm.json" -o "$work/plain.html" 2>"$work/err" ||
    fail "no page without gnuplot"
"$parallax" report "$results/ladder-gemm.json" -o "$work/page.html"
cmp -s "$work/plain.html" "$work/page.html" || fail "the page without gnuplot is another"
PATH=$work/empty "$parallax" report "$results/ladder-gemm.json" --plot ladder-gemm -o "$work/none.png" 2>"$work/err"
[ $? = 2 ] && grep -q 'needs gnuplot' "$work/err" || fail "a .png without gnuplot is not refused"

# A gnuplot that a signal ends is named with it.
mkdir "$work/broken"
printf '#!/bin/sh\nkill -KILL $$\n' >"$work/broken/gnuplot" && chmod +x "$work/broken/gnuplot"
PATH=$work/broken:$PATH "$parallax" report "$results/ladder-gemm.json" --plot ladder-gemm -o "$work/broken.png" 2>"$work/err"
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
# Ceilings alone, as probe writes them, are a page, and a column for each backend.
expect 0 "$source/results/h100/ceilings.json" --markdown --section ceilings
grep -q '^| bf16-units | 970400 GFLOP/s, at the power limit | 970400 GFLOP/s, at the power limit |$' "$work/out" ||
    fail "no table of ceilings"
expect 0 "$source/results/h100/ceilings.json" -o "$work/page.html"
good_page "$work/page.html"
grep -q '<td>i8-units</td><td class="n">1925000 GOP/s</td>' "$work/page.html" || fail "no ceilings on the page"
expect 2 "$results/bench-gemm.json" --markdown --section none
grep -q "there are: peers, twins, ladders, attribution, probes, ceilings, aims, without" "$work/err" || fail "the sections are not named"
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
refused "$results/devices.json" "$results/manifest.json"
expect 0 "$results/devices.json" "$results/ladder-reduce.json" -o "$work/others.html"
grep -q "1 file holds no results" "$work/others.html" || fail "a file without results is left out in silence"
refused "$results/ladder-gemm.json" "$work/cut.json"
refused
refused "$results/ladder-gemm.json" --plot no-such
expect 2 "$results/ladder-gemm.json" -o "$work/no/such/directory.html"
expect 2 "$results/ladder-gemm.json" --plot ladder-gemm -o "$work/plot.jpeg"

# ---- one plot ---------------------------------------------------------------------------------
expect 0 "$results/ladder-gemm.json" --plot ladder-gemm -o "$work/plot.gp"
grep -q "'double-buffer'" "$work/plot.gp" || fail "the script of the ladder has no kernels"
# An apostrophe is one, and what is dashed is dashed on every terminal: the line of the library is many strokes.
expect 0 "$results/bench-gemm.json" --plot answer -o "$work/answer.gp"
grep -q "vendor’s" "$work/answer.gp" && ! grep -q 'vendor?s' "$work/answer.gp" || fail "no apostrophe in a script"
expect 0 "$results/ladder-gemm.json" "$results/bench-gemm.json" --plot ladder-gemm -o "$work/library.gp"
[ "$(grep -c '^set arrow' "$work/library.gp")" -gt 40 ] || fail "no dashes in a script"
expect 2 "$results/ladder-gemm.json" --plot ladder-reduce -o "$work/none.gp"
[ -e "$work/none.gp" ] && fail "a file without a plot"
grep -q 'there are: ladder-gemm-f32-nn, sweep-gemm-f32-nn, roofline-0' "$work/err" || fail "the plots are not named"
for plot in answer ladder-gemm sweep-gemm ratio-gemm roofline-0; do
    expect 0 "$results/ladder-gemm.json" "$results/bench-gemm.json" --plot $plot -o "$work/$plot.svg"
    legible "$work/$plot.svg"
    sed '/<style>/,/<\/style>/d' "$work/$plot.svg" >"$work/body"
    awk -f "$work/balance.awk" "$work/body" || fail "the picture of $plot is not balanced"
done
# Of each kernel that has a bar a row of 26 pixels, the library's speed as a line, and the share of it beside each.
bars=$(grep -o '<rect [^>]*height="16"><title>' "$work/ladder-gemm.svg" | wc -l)
[ "$bars" -gt 10 ] || fail "a ladder of $bars bars"
[ "$(grep -o '>[0-9.]* %</text>' "$work/ladder-gemm.svg" | wc -l)" = "$bars" ] || fail "not every bar has its share"
grep -o '<rect [^>]*height="16"><title>' "$work/ladder-gemm.svg" | sed 's/.* y="//; s/".*//' |
    awk 'NR > 1 && $1 - last != 26 { exit 1 } { last = $1 }' || fail "rows that are not 26 pixels high"
grep -q 'class="l8 da"' "$work/ladder-gemm.svg" && grep -q 'dashed: the fastest way of cuBLAS' "$work/ladder-gemm.svg" ||
    fail "no line of the library"
if command -v gnuplot >/dev/null; then
    expect 0 "$results/ladder-gemm.json" --plot sweep-gemm -o "$work/plot.png"
    head -c 4 "$work/plot.png" | grep -q PNG || fail "no PNG"
else
    echo "gnuplot is not installed: .png was not tried"
fi
[ "$failures" -eq 0 ] || { echo "$failures failures" && exit 1; }
