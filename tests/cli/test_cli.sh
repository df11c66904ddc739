#!/bin/sh
# The program as scripts see it: exit statuses, messages, files that come and go.
. "${top_srcdir:-.}/tests/support.sh"
data=${top_srcdir:-.}/data

# expect STATUS MESSAGE ARGUMENT...: the status, a word on standard error, and, when it
# is a complaint about the command line, nothing on standard output and one line.
expect() {
    expect_run "$@"
    case $wanted:$3 in
    3:check) ;; # its table says why
    2:* | 3:*)
        [ -s "$work/out" ] && fail "standard output of a refusal: $*"
        [ "$(wc -l <"$work/err")" -eq 1 ] || fail "a refusal is one line: $*"
        ;;
    esac
}

# ---- help, version, words ------------------------------------------------------
expect 0 '' --version
shows "parallax "
expect 0 '' --help
shows compare
for verb in list doctor run check compare attribute bench diff probe explain completion; do
    expect 0 '' "$verb" --help
    shows "Usage: parallax $verb"
    expect 0 '' "$verb" --version
    expect 0 '' help "$verb"
    shows "Usage: parallax $verb"
    expect 2 "unknown option" "$verb" --no-such-option
    expect 2 "unknown option" "$verb" -Z
done
cases=$((cases + 1))
run
[ "$status" = 2 ] || fail "no verb is usage"
expect 2 "did you mean 'compare'" compair
expect 2 "run, check" nonsense
expect 2 "a verb comes first" --backend host
expect 2 "did you mean 'gemm'" run gem
expect 2 "reduce, transpose, matvec, gemm" run nonsense
expect 2 "which operation" run
expect 2 "which operation" compare
expect 0 '' explain
expect 2 "did you mean '--backend'" run gemm --bakend host
expect 2 "write more of it" run gemm --trans-
expect 2 "needs an argument" run gemm --shape
expect 2 "takes no argument" run gemm --trans-a=1
expect 2 "did you mean 'f32'" run gemm --dtype f33
expect 2 "did you mean 'max'" run reduce --reduce mux
expect 2 "uniform, positive" run reduce --input nonsense
expect 2 "is no number" run gemm --alpha x
expect 2 "--seed" run gemm --seed -1
expect 2 "--seed" run gemm --seed 18446744073709551616
expect 2 "contradict" check --quick --full
expect 2 "means nothing to reduce, which takes --reduce, --inner, --out-dtype" run reduce --trans-a
expect 2 "means nothing to transpose" run transpose --alpha 2
expect 2 "divergence, ceilings, matrix-units" probe nonsense
expect 2 "did you mean 'devices'" list device
expect 2 "did you mean 'gemm'" list kernels gem
expect 3 "there are: " list --backend nonsense
expect 2 "takes no operand" doctor gemm

# ---- shapes --------------------------------------------------------------------
expect 0 '' run gemm 5 6 7 --backend host
shows "gemm f32 5x6x7 on host:0"
expect 0 '' run gemm 5x6x7 --backend host
shows "gemm f32 5x6x7 on host:0"
expect 0 '' run gemm --shape=5x6x7 --backend host
shows "C is 5 x 6"
expect 0 '' run --backend host -- gemm 5 6 7
shows "C is 5 x 6"
POSIXLY_CORRECT=1 expect 0 '' run gemm --backend host 5 6 7
shows "C is 5 x 6"
expect 0 '' run gemm 0 6 7 --backend host
expect 0 '' run gemm 5 6 0 --backend host
expect 0 '' run reduce 0 --backend host
expect 0 '' run transpose 1x1 --backend host
expect 2 "MxNxK" run gemm 5 6
expect 2 "MxNxK" run gemm 5 6 7 8
expect 2 "is no shape" run gemm 5 6 seven
expect 2 "is no shape" run gemm 5xx7
expect 2 "is no shape" run gemm 5x6x
expect 2 "is no shape" run gemm "5 x6x7"
expect 2 "is no shape" run reduce -- -5
expect 2 "64 bits" run reduce 9223372036854775808
expect 2 "" run reduce 9223372036854775807
expect 2 "" run gemm 4611686018427387904x4611686018427387904x4611686018427387904
expect 2 "one shape" run gemm --shape 5x6x7 --shape 5x6x8
expect 2 "" run gemm 5 6 7 --dtype i32

# ---- backends and kernels --------------------------------------------------------
expect 3 'did you mean "host"' run gemm --backend hots
expect 3 "host" run gemm --backend host:99
expect 2 "" run gemm --backend host:x
expect 3 "reference" run gemm --backend host --kernel nonsense
expect 3 "" compare gemm 4 4 4 --backend nonsense
expect 3 "" compare gemm 4 4 4 --backend host --kernel nonsense
expect 2 "one backend at a time" run gemm --backend all
expect 2 "one backend at a time" run gemm --backend host --backend host
expect 2 "one kernel at a time" run gemm --kernel all
expect 2 "plugin directory" run gemm --plugin-dir "$work/no-such-directory"
PLX_BACKEND=nonsense expect 3 "" run gemm 4 4 4
PLX_BACKEND=host expect 0 "" run gemm 4 4 4
shows "on host:0"
# One alone: judged by the reference, timed or not; without elements there is nothing to judge.
expect 0 "" compare gemm 4 4 4 --backend host --no-timing
expect 4 "nothing could be compared" compare gemm 0 4 4 --backend host --no-timing
expect 0 "" compare gemm 4 4 4 --backend host --seconds 0.01
shows "host:0"
# Nothing here is reached by two APIs that take each other's device code: the texts are counted, if there are any.
expect 2 "which operation" attribute
expect 2 "a problem of its own" attribute --all --shape 4x4x4
expect 3 "" attribute gemm 4 4 4 --backend host --kernel nonsense
expect 4 "no device here is reached by two APIs" attribute gemm 4 4 4 --backend host

# ---- check ------------------------------------------------------------------------
expect 0 '' check transpose reduce --backend host --quick
shows "transpose"
shows " 0 wrong, 0 failed, 0 unsupported"
expect 2 "did you mean 'gemm'" check gem
expect 3 '' check --backend nonsense
expect 3 '' check gemm --backend host --kernel nonsense

# ---- list, explain, doctor ---------------------------------------------------------
expect 0 '' list
shows "host:0"
shows "reference"
expect 0 '' list plugins
shows "host"
expect 0 '' list kernels gemm
shows "gemm kernels"
grep -q 'reduce kernels' "$work/out" && fail "list kernels gemm lists others"
expect 0 '' list gemm f64 --backend host
shows "reference"
grep -q '^plugins' "$work/out" && fail "list gemm f64 lists more than kernels"
grep -v '^gemm kernels' "$work/out" | grep -v ' host ' | grep -v ' host$' && fail "list --backend host lists kernels of others"
expect 0 '' list kernels gemm --dtype i32
shows "none"
expect 0 '' list host --json "$work/list.json"
grep -q '"label": "host:0"' "$work/list.json" || fail "list host has no device"
[ "$(grep -c '"label"' "$work/list.json")" -eq 1 ] || fail "list host lists devices of others"
expect 0 '' list kernels --json -
shows '"schema": "parallax-list/1"'
expect 0 '' list devices --json "$work/list.json"
grep -q '"label": "host:0"' "$work/list.json" || fail "list --json FILE"
mkdir "$work/refused" && : >"$work/refused/plx-empty.so"
expect 0 '' doctor --json "$work/doctor.json" --plugin-dir "$work/refused"
shows "host:0       works"
expect 0 '' doctor --json - --plugin-dir "$work/refused"
sed '/"date":/d' "$work/out" >"$work/doctor.out"
sed '/"date":/d' "$work/doctor.json" | cmp -s "$work/doctor.out" - || fail "doctor --json - is not what --json FILE writes"
shows '"schema": "parallax-doctor/1"'
shows '"status": "works"'
shows '"status": "refused"'
shows 'the file is empty'
expect 2 "can't write" doctor --json /no/such/directory/file
expect 2 "which shell" completion
expect 2 "did you mean 'bash'" completion bsh
expect 0 '' explain gemm
shows "MxNxK"
if "$parallax" list kernels | grep -q '^  few-rows '; then
    "$parallax" explain reduce gemm >"$work/textbook"
    for kernel in interleaved divergent bank-conflict coalesced; do
        grep -q "^ *[0-9]*  $kernel " "$work/textbook" || fail "the ladders lack the step $kernel"
    done
    awk '/^the ladder:/ { steps = 1 } /^for special shapes/ { steps = 0; special = 1 } /^to compare with/ { special = 0 }
        / double-buffer / && steps { found++ } / few-rows / && special { found++ } END { exit found != 2 }' "$work/out" ||
        fail "explain gemm: the ladder and the kernels for special shapes are not apart"
fi
expect 0 '' explain reduce gemm/reference
shows "reproducibility"
expect 0 '' explain gemm/reference
if grep -q ', step' "$work/out"; then fail "the host's only kernel is no step of a ladder"; fi
if "$parallax" list kernels | grep -q '^  tile-2d '; then
    expect 0 '' explain gemm/tile-2d
    shows "gemm/tile-2d, step 5"
fi
expect 0 '' check reduce --quick --backend host --repeats 0
shows "runs repeated to compare their bits: 0"
expect 0 '' check reduce --quick --backend host --repeats 1 --verbose
shows "references"
expect 2 "no number from 0 on" check reduce --repeats -1
expect 0 '' check reduce --quick --backend host --dtype f32 --repeats 0
counted=$(sed -n 's/^\([0-9]*\) cases: .*/\1/p' "$work/out")
expect 0 '' check reduce --quick --backend host --dtype f32 --repeats 0 --json -
shows "\"cases\": $counted,"
shows '"unsupported_reasons": []'
# What no case suits has a record, and its file can be read again.
if "$parallax" run gemm 8x8x8 --backend opencl --kernel tile-2d >/dev/null 2>&1; then
    expect 4 'no case suits it' check gemm --quick --dtype f16 --backend opencl --kernel tile-2d --repeats 0 \
        --json "$work/unsuited.json"
    expect 0 '' report "$work/unsuited.json" --out "$work/unsuited.html"
fi
# A kernel for special shapes is no step: it gains nothing over the one before, nor the one after over it.
if "$parallax" run gemm 8x8x8 --backend opencl --kernel async-copy >/dev/null 2>&1; then
    expect 0 '' compare gemm 40x40x40 --backend opencl --kernel naive --kernel async-copy --seconds 0.02 --json "$work/special.json"
    shows "for special shapes, beside the ladder:"
    awk '/"kernel": "async-copy"/ { special = 1 } special && /"special": true/ { marked = 1 }
        special && /"gain": [0-9]*[1-9]/ { gained = 1 } END { exit !marked || gained }' "$work/special.json" ||
        fail "a kernel for special shapes has a gain"
fi
if "$parallax" explain probe/shared-static >/dev/null 2>&1; then
    expect 0 '' explain probe/shared
    [ "$(grep -c '^probe/shared-' "$work/out")" = 2 ] || fail "probe/shared does not explain both its sides"
    expect 3 'unknown probe kernel' explain probe/share
fi
expect 3 "did you mean 'reference'" explain gemm/referense
expect 2 "did you mean 'gemm'" explain gem/reference

# ---- gains that are remembered ---------------------------------------------------
mkdir -p "$work/cache/parallax"
host=$("$parallax" run reduce 4 --backend host --json - | sed -n '/"devices"/,/"vendor"/s/^ *"name": "\(.*\)",$/\1/p')
cat >"$work/cache/parallax/gains.json" <<END
{"schema": "parallax-gains/1", "gains": [
 {"device": "$host", "backend": "host", "op": "gemm", "dtype": "f32", "kernel": "reference",
  "shape": "64x64x64", "variant": "nn", "over": "guess", "gain": 1.1701, "gbps": 1.0,
  "gflops": 12.25, "date": "2026-01-02"}]}
END
expect 0 '' explain gemm/reference
shows "last measured here  1.17x over guess at 64x64x64 on $host (host:0), 2026-01-02; f32 nn, 12.2 GFLOP/s"
for text in '' '{' '{"schema": "parallax-gains/1", "gains": [[]]}'; do
    echo "$text" >"$work/cache/parallax/gains.json"
    expect 0 '' explain gemm/reference
    cases=$((cases + 1))
    grep -q "last measured" "$work/out" && fail "a gain out of nothing"
    [ -s "$work/err" ] && fail "a complaint about what is only remembered"
done

# ---- .npy in and out -----------------------------------------------------------------
pixels=$data/digits-pixels-1797x64-f32.npy
labels=$data/digits-labels-1797-f32.npy
whole=$data/digits-labels-1797-i32.npy
expect 0 '' run reduce --in "$pixels" --backend host -q
[ "$(cat "$work/out")" = 561718 ] || fail "the sum of the pixels"
expect 0 '' run reduce --in "$whole" --backend host -q
[ "$(cat "$work/out")" = 8070 ] || fail "the sum of the labels"
expect 0 '' run reduce --in "$pixels" --reduce max --backend host -q
[ "$(cat "$work/out")" = 16 ] || fail "the largest pixel"
expect 0 '' run transpose --in "$pixels" --out "$work/t.npy" --backend host
shows "out is 64 x 1797"
expect 0 '' run transpose --in "$work/t.npy" --out "$work/tt.npy" --backend host
cmp "$pixels" "$work/tt.npy" || fail "transposed twice is not what it was"
expect 0 '' run gemm --in "$pixels" --trans-a --out "$work/gram.npy" --backend host
shows "C is 64 x 64"
expect 0 '' run gemm --in "$pixels" --in "$pixels" --trans-a --out "$work/gram2.npy" --backend host
cmp "$work/gram.npy" "$work/gram2.npy" || fail "one file for A and B"
expect 0 '' run gemm --in "$pixels" --trans-b --backend host
shows "C is 1797 x 1797"
expect 0 '' run gemm 5x6x7 --dtype bf16 --out-dtype f32 --backend host --out "$work/wide.npy"
grep -q "'<f4'" "$work/wide.npy" || fail "a result in f32 of inputs in bf16"
expect 0 '' run gemm 6x6x6 --dtype bf16 --backend host --out "$work/half.npy"
grep -q "'<V2'" "$work/half.npy" || fail "bf16 as ml_dtypes has it written"
expect 0 '' run gemm --in "$work/half.npy" --in "$work/half.npy" --backend host
shows "gemm bf16 6x6x6"
expect 2 "the result is of the inputs' type" run gemm 4x4x4 --out-dtype f16 --backend host
expect 2 "the compute type is plain" run gemm 4x4x4 --dtype f64 --compute tf32 --backend host
expect 2 "unknown type 'tf33'; there are: plain, tf32, f16x3, bf16x6, or all" run gemm 4x4x4 --compute tf33
expect 3 "no kernel of gemm takes f32 with compute type tf32" run gemm 4x4x4 --compute tf32 --backend host
expect 2 "one shape, dtype and compute type at a time" run gemm 4x4x4 --compute all --backend host
expect 0 '' compare gemm 4x4x4 --compute all --backend host --no-timing
for compute in 'nn,' 'nn, tf32,' 'nn, f16x3,' 'nn, bf16x6,'; do
    shows "gemm f32 4x4x4 $compute"
done
grep -q "what each type" "$work/out" && fail "a table of types where there is one"
if [ -f "$built/.libs/plx-openblas.so" ]; then
    expect 0 '' compare gemm 5x6x7 --dtype f32 --dtype bf16 --backend host --backend openblas --no-timing
    shows "what each type costs and gains: gemm 5x6x7 nn"
    [ "$(grep -cE '^  (f32|bf16) +host:0 ' "$work/out")" -eq 2 ] || fail "each type stands in the table of types once"
fi
expect 0 '' run gemm --in "$pixels" --in "$pixels" --in "$work/gram.npy" --trans-a --beta -1 --backend host --out "$work/zero.npy"
expect 0 '' run reduce --in "$work/zero.npy" --reduce max --backend host -q
[ "$(cat "$work/out")" = 0 ] || fail "the difference of a product and itself"
expect 0 '' run matvec --in "$pixels" --in "$labels" --trans --backend host
shows "y has 64 elements"

expect 2 "takes an x of 64" run matvec --in "$pixels" --in "$labels" --backend host
expect 2 "takes 2 arrays" run gemm --in "$pixels" --backend host
expect 2 "takes 3 arrays" run gemm --in "$pixels" --trans-a --beta 1 --backend host
expect 2 "takes 1 array" run reduce --in "$pixels" --in "$pixels"
expect 2 "i32" run matvec --in "$pixels" --in "$whole" --trans
expect 2 "--dtype f64" run reduce --in "$pixels" --dtype f64
expect 2 "comes from the files" run reduce 5 --in "$pixels"
expect 2 "contradict" run reduce --shape 5 --in "$pixels"
expect 2 "No such file" run reduce --in "$work/none.npy"
expect 2 "not a regular file" run reduce --in "$work"
mkfifo "$work/fifo"
expect 2 "not a regular file" run reduce --in "$work/fifo"
# Elements that are none of ours: moved as what they are, but not computed with.
printf '\223NUMPY\001\000\100\000%-63s\n\001\002\377\004\005\006' \
    "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }" >"$work/u1.npy"
expect 0 '' run transpose --in "$work/u1.npy" --backend host --out "$work/u1-t.npy"
shows 'out is 3 x 2 of u1'
shows '255'
grep -q "'|u1'" "$work/u1-t.npy" || fail "the result of unsigned bytes is of another type"
expect 0 '' run transpose --in "$work/u1-t.npy" --backend host --out "$work/u1-tt.npy" -q
[ "$(tail -c 6 "$work/u1-tt.npy" | od -An -tu1 | tr -s ' ')" = ' 1 2 255 4 5 6' ] || fail "unsigned bytes were not only moved"
expect 0 '' compare transpose --in "$work/u1.npy" --backend host --no-timing
expect 0 '' run transpose --in "$work/u1.npy" --backend host --json "$work/u1.json" -q
for word in '"result": {' '"type": "u1"' '"shown_rows": 3' '"values": [' '"255"'; do
    grep -qF "$word" "$work/u1.json" || fail "no $word in the JSON of run"
done
expect 0 '' run gemm 100x200x3 --backend host --json "$work/corner.json" -q
grep -q '"shown_rows": 4' "$work/corner.json" || fail "more than a corner of a large result in JSON"
expect 0 '' report "$work/u1.json" -o "$work/u1.html"
expect 2 'x is u1, and reduce takes i32 i64' run reduce --in "$work/u1.npy"
expect 2 'transpose takes any element' compare gemm --in "$work/u1.npy" --trans-b
expect 2 'u1.npy is u1' run transpose --in "$work/u1.npy" --dtype f32
printf 'PK\003\004and so on' >"$work/a.npz"
expect 2 'a zip archive, as .npz is' run transpose --in "$work/a.npz"
echo garbage >"$work/garbage.npy"
expect 2 "not a .npy file" run reduce --in "$work/garbage.npy"
head -c 1000 "$pixels" >"$work/short.npy"
expect 2 "truncated" run reduce --in "$work/short.npy"
{ cat "$pixels" && echo; } >"$work/long.npy"
expect 2 "follow the data" run reduce --in "$work/long.npy"

# ---- outputs ----------------------------------------------------------------------------
expect 2 "can't write" run gemm 4 4 4 --backend host --out "$work/none/c.npy"
expect 2 "can't write" compare gemm 4 4 4 --backend host --json "$work/none/c.json"
expect 2 "can't write" compare gemm 4 4 4 --backend host --csv "$work"
expect 2 "standard output" compare gemm 4 4 4 --json - --csv -
expect 2 "standard output" run gemm 4 4 4 --out -
expect 2 "name one file" compare gemm 4 4 4 --json "$work/one" --csv "$work/one"
expect 2 "name one file" compare gemm 4 4 4 --json "$work/one" --csv "$work/../${work##*/}/one"
: >"$work/one" && ln -s one "$work/other"
expect 2 "name one file" run gemm 4 4 4 --json "$work/one" --out "$work/other"
[ -s "$work/one" ] && fail "a file that two outputs name was written"
expect 0 '' run gemm 4 4 4 --backend host -q --json /dev/null --csv /dev/null
expect 2 "a name is needed" run gemm 4 4 4 --backend=""
# What is not timed needs no operands beyond the cache.  (Sanitizers need more addresses than that in any case.)
if (ulimit -v 600000 && "$parallax" --version) >"$work/out" 2>&1; then
    cases=$((cases + 1))
    (ulimit -v 600000 && OMP_NUM_THREADS=2 "$parallax" run reduce 10 --backend host --quiet) >"$work/out" 2>"$work/err" ||
        fail "run reduce 10 takes 600 MB"
fi
expect 2 "a name is needed" compare gemm 4 4 4 --kernel ''
ulimit_of=$(ulimit -f)
ulimit -S -f 8
run run transpose 300x300 --backend host --out "$work/large.npy"
ulimit -S -f "$ulimit_of"
cases=$((cases + 1))
[ "$status" = 2 ] || fail "status $status, not 2, of a file that could not grow"
grep -q "File too large" "$work/err" || fail "a file that could not grow is not told"
[ -e "$work/large.npy" ] && fail "a file that could not grow was left behind"
expect 0 '' run gemm 4 4 4 --backend host --json "$work/run.json" --csv "$work/run.csv"
grep -q '"schema": "parallax-results/1"' "$work/run.json" || fail "run --json FILE"
grep -q '^gemm,f32,4x4x4,nn' "$work/run.csv" || fail "run --csv FILE"
expect 0 '' run gemm 4 4 4 --backend host --json -
cases=$((cases + 1))
[ "$(head -c 1 "$work/out")" = "{" ] || fail "--json - shares standard output"
expect 0 '' run gemm 4 4 4 --backend host --json /dev/null
[ -c /dev/null ] || fail "/dev/null was replaced"
cases=$((cases + 1))
[ -z "$(find "$work" -name '*.tmp')" ] || fail "a temporary file was left behind"

if [ -w /dev/full ]; then
    for command in "list" "doctor" "explain gemm" "--help" "run gemm 4 4 4 --backend host" \
        "run gemm 4 4 4 --backend host --json -" "list --json -"; do
        cases=$((cases + 1))
        : >"$work/out"
        # shellcheck disable=SC2086
        "$parallax" $command >/dev/full 2>"$work/err"
        status=$?
        [ "$status" = 2 ] || fail "status $status on a full device: $command"
        grep -q "No space" "$work/err" || fail "a full device is not told: $command"
    done
    expect 2 "can't write" compare gemm 4 4 4 --backend host --no-timing --json /dev/full -q
fi
cases=$((cases + 1))
"$parallax" list >&- 2>"$work/err"
status=$?
[ "$status" = 2 ] || fail "status $status with standard output closed"
cases=$((cases + 1))
{
    "$parallax" list 2>"$work/err"
    echo $? >"$work/status"
} | :
case $(cat "$work/status") in 0 | 2) ;; *) fail "status $(cat "$work/status") on a closed pipe" ;; esac

# ---- what goes wrong on a device ----------------------------------------------------------
echo "no shared object" >"$work/plugins/plx-broken.so"
set -- --plugin-dir "$work/plugins" --dtype i32 --no-timing --backend host --backend faulty
expect 0 '' compare reduce 100 "$@"
shows "bit-identical"
expect 1 '' compare reduce 100 "$@" --kernel best --kernel wrong
shows "wrong"
expect 5 '' compare reduce 100 "$@" --kernel best --kernel fails
shows "caught fire"
cases=$((cases + 1))
run compare reduce 100 "$@" --kernel best --kernel unsupported
[ "$status" = 3 ] || fail "status $status, not 3, for a named kernel that is unsupported"
shows "blue moon"
set -- --plugin-dir "$work/plugins" --dtype i32 --backend faulty
expect 5 "caught fire" run reduce 10 "$@" --kernel fails
expect 3 "blue moon" run reduce 10 "$@" --kernel unsupported
expect 3 "faulty" run gemm 4 4 4 --plugin-dir "$work/plugins" --backend faulty
set -- --plugin-dir "$work/plugins" --dtype i32 --backend faulty --quick
expect 0 '' check reduce "$@" --kernel right
shows " 0 wrong, 0 failed"
expect 1 'repeat: parallax ' check reduce "$@" --kernel wrong --save-failure "$work/failures"
grep -qF -- "--plugin-dir '$work/plugins'" "$work/err" || fail "repeat without --plugin-dir"
cases=$((cases + 1))
[ "$(grep -c 'repeat: parallax' "$work/err")" = 3 ] || fail "not three of what is wrong were shown"
grep -q '^parallax check: [0-9]* more wrong of reduce/wrong on faulty:0; --verbose shows each' "$work/err" ||
    fail "what else is wrong was not counted"
grep -q 'largest inf' "$work/err" && fail "a multiple of a bound of 0"
[ -f "$work/failures/reduce-1-x.npy" ] || fail "--save-failure kept nothing"
repeat=$(sed -n 's/^  repeat: parallax //p' "$work/err" | head -1)
cases=$((cases + 1))
eval "run $repeat"
[ "$status" = 1 ] || fail "status $status, not 1, of the command that repeats a failure: $repeat"
expect 1 '' check reduce "$@" --kernel wrong --verbose
[ "$(grep -c 'repeat: parallax' "$work/err")" -gt 20 ] || fail "--verbose does not show each"
expect 2 "can't make the directory" check reduce "$@" --kernel right --save-failure "$work/none/failures"
: >"$work/file"
expect 2 "is no directory" check reduce "$@" --kernel right --save-failure "$work/file"
expect 5 'repeat: parallax ' check reduce "$@" --kernel fails
cases=$((cases + 1))
[ "$(grep -c 'repeat: parallax' "$work/err")" = 1 ] || fail "one reason to fail was shown more than once"
grep -q '^parallax check: [0-9]* more on faulty:0 for the same reason: .*caught fire' "$work/err" ||
    fail "what failed for the same reason was not counted"
expect 3 '' check reduce "$@" --kernel unsupported
expect 4 'nothing could be validated' check gemm --plugin-dir "$work/plugins" --backend faulty --quick
FAULTY_BEST=right run doctor --plugin-dir "$work/plugins"
shows "faulty:0     works"
shows "plx-broken.so: refused"
shows "$work/plugins"
for best in wrong fails; do
    cases=$((cases + 1))
    FAULTY_BEST=$best run doctor --plugin-dir "$work/plugins"
    [ "$status" = 5 ] || fail "status $status, not 5, of doctor with a device that fails"
    shows "faulty:0     FAILS"
done
cases=$((cases + 1))
FAULTY_BEST=wrong "$parallax" doctor --plugin-dir "$work/plugins" >"$work/out" 2>&1
tail -n 1 "$work/out" | grep -q "^parallax doctor: 1 device" || fail "the verdict comes after the table"

# What a step gained is remembered.
gains=$work/cache/parallax/gains.json
rm -f "$gains"
set -- --plugin-dir "$work/plugins" --dtype i32 --backend faulty --kernel right --kernel same
expect 0 '' compare reduce 100 "$@" --no-timing
[ -e "$gains" ] && fail "a gain without timing"
set -- "$@" --seconds 0.01
PLX_NO_CACHE=1 expect 0 '' compare reduce 100 "$@"
[ -e "$gains" ] && fail "a gain is kept in spite of PLX_NO_CACHE"
# Of a time that is noise nothing is kept, which on a busy machine one of less than a microsecond may be: these sleep.
for _ in 1 2 3 4 5 6 7 8; do
    FAULTY_DELAY=10 expect 0 '' compare reduce 100 "$@"
    [ ! -e "$gains" ] || break
done
expect 0 '' explain reduce/same --plugin-dir "$work/plugins"
shows "x over right at 100 on faulty device (faulty:0), 2"
expect 0 '' explain reduce/right --plugin-dir "$work/plugins"
cases=$((cases + 1))
grep -q "last measured" "$work/out" && fail "a gain of the first step"

# A kernel that takes longer than its time is sampled three times, and that is said.
set -- --plugin-dir "$work/plugins" --dtype i32 --backend faulty
run compare reduce 10 "$@" --kernel slow --seconds 0.001 --json "$work/slow.json"
cases=$((cases + 1))
grep -q '"samples": 3,' "$work/slow.json" || fail "a slow kernel is not sampled three times"
grep -q '"converged": false' "$work/slow.json" || fail "three samples are called converged"

# A plugin that does not have every operation.
FAULTY_OP=transpose
export FAULTY_OP
run doctor --plugin-dir "$work/plugins"
shows "faulty:0     works"
set -- --plugin-dir "$work/plugins" --dtype i32 --no-timing
expect 0 '' compare transpose 5 7 "$@" --backend host --backend faulty
shows "faulty:0"
expect 4 '' compare reduce 100 "$@" --backend host --backend faulty
shows "unsupported"
cases=$((cases + 1))
run compare reduce 100 "$@"
grep -q "faulty" "$work/out" && fail "a plugin without the operation that nobody asked for"
shows "host:0"
run compare reduce 100 "$@" --backend all
grep -q "faulty" "$work/out" && fail "a plugin without the operation that all stands for"
unset FAULTY_OP

finish
