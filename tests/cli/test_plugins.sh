#!/bin/sh
# What verbs say of plugins that are not like ours: kernels with configurations and compute types, a vendor's
# library, two APIs of one chip, devices that can't be, nothing that could be tuned.  CHECK_FORM=full: attribute's own shape.
. "${top_srcdir:-.}/tests/support.sh"
only host
for name in dummy-good first second modelled; do
    [ -f "$built/tests/fakes/.libs/plx-$name.so" ] || {
        echo "skipped: there is no plx-$name.so"
        exit 77
    }
    cp "$built/tests/fakes/.libs/plx-$name.so" "$work/plugins/" || exit 99
done
PLX_PLUGIN_PATH=$work/plugins
export PLX_PLUGIN_PATH

# ---- explain ----
expect_run 0 '' explain gemm/naive
shows "2 at 1024x1024x1024, of which it takes once, on dummy device"
expect_run 0 '' explain gemm/rounded
shows "compute type"
FAULTY_VENDOR=1 expect_run 0 '' explain reduce/wrong
shows "a library of the maker of the device"
FAULTY_DEVICE=units expect_run 0 '' explain reduce/right
shows "unknown: faulty: "

# ---- run: a configuration, and a kernel that was named ----
expect_run 0 '' run gemm 2 2 2 --backend dummy-good --kernel naive:once --dtype f32 --verbose
shows "configuration once"
expect_run 3 'no configuration "thrice"' run gemm 2 2 2 --backend dummy-good --kernel naive:thrice --dtype f32

# ---- attribute: without a shape, and all that was found ----
apis="--backend first --backend second --kernel any --seconds 0.001"
shape='--shape 3000' number=3000
[ "${CHECK_FORM-}" != full ] || shape='' number=16777216
# shellcheck disable=SC2086 # words
{
    expect_run 0 '' attribute reduce $apis $shape --verbose
    shows "reduce f32 $number"
    expect_run 0 '' attribute reduce $apis --shape 3000 --quiet --json "$work/any.json"
    [ -s "$work/out" ] && fail "attribute --quiet says something"
    expect_run 0 '' attribute reduce $apis --shape 3000 --json -
    shows '"attributions"'
}

# ---- tune ----
tune="--dtype i32 --backend faulty --seconds 0.001"
# shellcheck disable=SC2086
{
    expect_run 3 '' tune reduce 10 $tune --kernel unsupported
    expect_run 0 '' tune reduce 10 $tune --kernel right --quiet
    expect_run 0 '' tune reduce 10 $tune --kernel right --json -
    shows '"schema"'
}
expect_run 0 '' tune reduce 10 --dtype i32 --seconds 0.001
shows "dummy-good:"
expect_run 0 '' tune forget --quiet

# what is chosen over a set, by a plugin that has a model of its time: tests/cli/test_verbs.sh has one that is right
chosen="tune reduce --backend modelled --dtype f64 --seconds 0.0001"
# shellcheck disable=SC2086
{
    expect_run 2 'needs one operation' $chosen --set quick --dtype f32
    expect_run 2 "don't go with --set" $chosen --set quick --kernel plain
    expect_run 2 'is no directory' $chosen --set quick --rates "$work/none"
    expect_run 2 '--rates needs --set' $chosen 10 --rates "$work"
    expect_run 2 'nosuch' $chosen --set nosuch
    expect_run 2 'runs probe' tune probe --set quick --backend modelled
    expect_run 4 'nothing could be timed' $chosen --set quick --budget 0.000001 --json "$work/none.json"
}
PLX_NO_CACHE=1 expect_run 2 "choices can't be kept" tune forget

# ---- numbers, and options that are none ----
for word in x 1x -1 99999999999999999999 ''; do
    expect_run 2 'is no number' run reduce 10 --seed "$word"
done
for word in x 1x 0 -1 inf ''; do
    expect_run 2 '--seconds: ' compare reduce 10 --seconds "$word"
done
long=--$(printf '%070d' 0 | tr 0 a)
expect_run 2 "unknown option '--aaaaaaaa" run reduce 10 "$long"
expect_run 2 "unknown option '-Z'" run reduce 10 -Z
expect_run 2 'needs an argument' run reduce 10 --seed
expect_run 2 'takes no argument' run reduce 10 --quiet=yes
expect_run 2 'may be one of' run reduce 10 --i
expect_run 0 '' run --help --version
shows "Usage: parallax run"

# ---- list, doctor ----
expect_run 0 '' list devices --backend all --backend first --json -
shows '"uuid": "07070707'
expect_run 0 '' list reduce i32 --backend faulty
shows "faulty"
expect_run 3 "unknown backend 'nobody'" list --backend nobody
FAULTY_DEVICE=units expect_run 5 '' doctor

# shellcheck disable=SC2086
{
    expect_run 4 'nothing could be timed' tune reduce --set quick --backend modelled
    expect_run 4 '' $chosen --set quick --budget 0.000001 --json -
    expect_run 2 'needs one operation' tune reduce transpose --set quick --backend modelled
    expect_run 3 'nobody' tune reduce --set quick --backend nobody
    expect_run 2 'is no directory' $chosen --set quick --rates "$work/out"
}
expect_run 0 '' list devices --backend dummy-good:1 --backend first
shows "dummy-good:1"

# ---- results that are wrong twice, outputs that are one file, a device that is full ----
expect_run 1 '' compare reduce 10 --shape 20 --dtype i32 --backend faulty --kernel wrong --kernel right --no-timing
expect_run 2 '--out and --csv name one file' run transpose 3 5 --backend host --out "$work/one" --csv "$work/one"
if [ -c /dev/full ]; then
    cases=$((cases + 2))
    FAULTY_OP=probe "$parallax" probe shared --backend faulty --seconds 0.001 >/dev/full 2>"$work/err" && fail "probe on a full device"
    NO_COLOR= "$parallax" probe matrix-units --backend host >/dev/full 2>"$work/err" && fail "matrix units on a full device"
fi
FAULTY_OP=probe expect_run 0 '' probe shared --backend all --seconds 0.001 --quiet

# ---- probe: what is refused, and what nobody has ----
expect_run 2 'unknown probe' probe nonsense
expect_run 2 'stands alone' probe matrix-units banks
expect_run 3 '' probe matrix-units --backend nobody
expect_run 4 '' probe matrix-units --backend all --quiet
expect_run 4 '' probe matrix-units --backend dummy-good --json -
shows '"schema"'

# ---- compare ----
expect_run 0 '' compare reduce 10 --dtype i32 --dtype i32 --dtype i64 --backend host --no-timing --verbose
shows "i64"
# One alone was compared with the reference; without elements nothing was.
expect_run 0 '' compare reduce 10 --dtype i32 --backend dummy-good --no-timing
expect_run 4 'nothing could be compared' compare transpose 0 5 --backend all --no-timing
expect_run 0 '' compare reduce 10 --dtype i32 --backend faulty --kernel right --kernel same --no-timing --verbose --json -
shows '"records"'

# ---- counters: of one that counts, and why not of two that stand for one backend without ----
expect_run 0 '' compare reduce 10 --dtype i32 --backend dummy-good --backend faulty --kernel one-by-one --kernel right --kernel same \
    --counters --no-timing --json "$work/c.json"
shows "loads  /request"
cases=$((cases + 3))
grep -qE '^dummy-good:9 +one-by-one +64 +- ' "$work/out" || fail "what was counted is not shown"
grep -qE '^faulty:0 +2 kernels +not available from this API' "$work/out" || fail "why nothing was counted is not said"
[ "$(grep -c '"global_load_sectors": 64.0' "$work/c.json")" = 1 ] &&
    [ "$(grep -c '"reason": "not available from this API"' "$work/c.json")" = 2 ] || fail "counters are not in the JSON"

# ---- plots: by a gnuplot that draws nothing, which is there on every machine ----
narrow "${top_srcdir:-.}/tests/data/results/compare-0.1.json" >"$work/b.json" || exit 99
FAULTY_OP=probe
export FAULTY_OP
probes="probe shared --backend faulty --seconds 0.001 --quiet --plot"
path=$PATH
mkdir "$work/bin" || exit 99
fake_gnuplot() { # what it does; its script is on standard input
    printf '#!/bin/sh\n%s\n' "$1" >"$work/bin/gnuplot" && chmod 755 "$work/bin/gnuplot" || exit 99
}
expect_without() { # MESSAGE ARGUMENT...: with no other programs
    word=$1
    shift
    cases=$((cases + 1))
    PATH=$work/bin "$parallax" "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    [ $status = 2 ] && grep -qF "$word" "$work/err" || fail "status $status, not 2, or no \"$word\": $*"
}
PATH=$work/bin:$path
# shellcheck disable=SC2086,SC2016 # words; the plot's own $
{
    fake_gnuplot 'case $(cat) in *\"svg\"*) echo "<svg>drawn</svg>" ;; *\"pngcairo\"*) printf "\211PNG drawn" ;; esac'
    expect_run 0 '' $probes "$work/p.svg"
    cases=$((cases + 4))
    [ "$(cat "$work/p.svg")" = '<svg>drawn</svg>' ] || fail "what gnuplot draws is not what is in the file"
    expect_run 0 '' $probes "$work/p.PNG"
    [ "$(tail -c +2 "$work/p.PNG")" = 'PNG drawn' ] || fail "the plot is no PNG"
    expect_run 2 'No such file' $probes "$work/none/p.png"
    set -- report "$work/b.json" --plot roofline -o "$work/failed.png"
    fake_gnuplot 'cat >/dev/null; echo "warning: fonts" >&2; echo "   line 3: no such terminal" >&2; exit 1'
    expect_run 2 'gnuplot failed: line 3: no such terminal' "$@"
    fake_gnuplot 'exit 0'
    expect_run 2 'gnuplot failed' "$@"
    fake_gnuplot 'kill -9 $$'
    expect_run 2 'gnuplot failed' "$@"
    printf '#!/none/at/all\n' >"$work/bin/gnuplot"
    expect_without "can't start gnuplot" "$@"
    rm "$work/bin/gnuplot"
    expect_without 'needs gnuplot' "$@"
    [ ! -e "$work/failed.png" ] || fail "a plot that was not drawn has a file"
}
unset FAULTY_OP
PATH=$path
expect_run 2 'must end in .svg or .png' probe shared --backend faulty --plot "$work/picture"
expect_run 2 "must end in .svg, .png or .gp" report "$work/b.json" --plot roofline -o "$work/picture.pdf"
expect_run 0 '' report "$work/b.json" --plot roofline -o "$work/picture.gp"
grep -q 'plot' "$work/picture.gp" || fail "there is no script of a plot"
if command -v gnuplot >/dev/null 2>&1; then
    # shellcheck disable=SC2086 # words
    FAULTY_OP=probe expect_run 0 '' $probes "$work/p.png"
    [ "$(head -c 4 "$work/p.png" | tail -c 3)" = PNG ] || fail "the plot is no PNG"
fi
finish
