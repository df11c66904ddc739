#!/bin/sh
# On a machine with a GPU, from the build directory:
#
#     ../tests/whole/judge_gpu.sh             functions of PyTorch, CuPy, Triton and KernelBench's form, for whichever is there; liars
#                                             in CUDA C++ are refused; our own kernels as files give their bits
#     ../tests/whole/judge_gpu.sh bits        the last of these alone
#     ../tests/whole/judge_gpu.sh times       our own kernels as files take their time: both intervals meet in 95 % of them.
#                                             TIMES_LIMIT=SECONDS (200): when it is over no further kernel begins
#     ../tests/whole/judge_gpu.sh cost OLD    what compare takes by the wall clock, beside the program OLD; 40 seconds
set -u
parallax=${PARALLAX:-./parallax}

# own_kernels OPERATION:SHAPE...: a line for each kernel that explain lists and each type that it may have.
own_kernels() {
    for op in "$@"; do
        types='f32 f64'
        [ "${op%:*}" != gemm ] || types='f32 f64 bf16 tf32'
        for type in $types; do
            "$parallax" explain "${op%:*}" |
                awk -v op="${op%:*} ${op#*:}" -v type=$type '$1 ~ /^([0-9]+|-)$/ && $2 ~ /^[a-z]/ { print op, $2, type }'
        done
    done
}
type_option() { # TYPE
    [ "$1" = tf32 ] && echo --compute tf32 || echo --dtype "$1"
}

# --same-bits OPERATION SHAPE KERNEL TYPE: by a process of xargs, with $parallax and $work of the caller.
if [ "${1-}" = --same-bits ]; then
    here=$work/own/$2-$4-$5
    mkdir "$here"
    type=$(type_option "$5")
    # shellcheck disable=SC2086 # words
    file=$("$parallax" explain "$2" --backend cuda --shape "$3" $type --kernel "$4" --recipe "$here" 2>"$here/err") || {
        [ "$5" != f32 ] || echo "$2 $4: $(tail -1 "$here/err")"
        exit 0
    }
    for which in "--kernel $4 --out $here/a.npy" "--source $file --out $here/b.npy"; do
        # shellcheck disable=SC2086 # words
        "$parallax" run "$2" --backend cuda --shape "$3" $type --seed 7 --quiet $which >/dev/null 2>"$here/err"
    done
    if cmp -s "$here/a.npy" "$here/b.npy"; then
        echo "$2 $4 in $5: the same bits"
    else
        echo "FAIL: $2 $4 in $5: $(tail -1 "$here/err")"
    fi
    exit 0
fi

examples=${top_srcdir:-..}/doc/judge
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM
failures=0
XDG_CACHE_HOME=$work/cache # ceilings and trials of plugins are those of this run
export XDG_CACHE_HOME

if [ "${1-}" = cost ]; then
    for run in 1 2; do
        for program in "$parallax" "$2"; do
            for wanted in "gemm --shape 4096x4096x4096" "reduce --shape 67108864"; do
                start=$(date +%s%N)
                # shellcheck disable=SC2086 # words
                "$program" compare $wanted --dtype f32 --backend cuda --kernel best --seconds 0.5 >/dev/null 2>&1 || echo "status $?"
                echo "$run $program $wanted: $((($(date +%s%N) - start) / 1000000)) ms"
            done
        done
    done
    exit 0
fi

# The intervals of a kernel and of its file, in this order, from compare's record.
intervals_of() {
    awk '/"kernel": / { seen = 0 }
        /"ci95_ns": / && !seen++ { getline low; getline high; gsub(/[ ,]/, "", low); gsub(/[ ,]/, "", high); printf "%s %s ", low, high }' "$1"
}
if [ "${1-}" = times ]; then
    until=$(($(date +%s) + ${TIMES_LIMIT:-200}))
    # A copy is no transpose: it runs beside the others, and as a file it would only be wrong.
    own_kernels reduce:4194304 transpose:2048x2048 matvec:2048x4096 gemm:1024x1024x1024 |
        grep -v '^transpose [^ ]* copy' >"$work/list"
    meet=0 apart=0
    while read -r op shape kernel type && [ "$(date +%s)" -lt $until ]; do
        # shellcheck disable=SC2046 # words
        set -- "$op" --backend cuda --shape "$shape" $(type_option "$type")
        file=$("$parallax" explain "$@" --kernel "$kernel" --recipe "$work" 2>/dev/null) || continue
        rm -f "$work/record"
        "$parallax" compare "$@" --kernel "$kernel" --kernel "mine:$kernel" --source "$file" \
            --seconds 0.1 --quiet --json "$work/record" >/dev/null 2>"$work/out"
        both=$(intervals_of "$work/record")
        case $(echo "$both" | awk '{ print NF < 4 ? "none" : $1 <= $4 && $3 <= $2 ? "meet" : "apart" }') in
        meet) meet=$((meet + 1)) ;;
        apart) apart=$((apart + 1)) && echo "$op $kernel in $type: apart: $both" ;;
        none) failures=$((failures + 1)) && echo "FAIL: $op $kernel in $type: $(tail -1 "$work/out")" ;;
        esac
    done <"$work/list"
    echo "$meet kernels take the time of their file within both intervals, $apart do not"
    [ $failures -eq 0 ] && [ $meet -gt 0 ] && [ $((100 * meet)) -ge $((95 * (meet + apart))) ]
    exit
fi

# Our own kernels as files give their bits; several at a time.
ours_as_files() {
    mkdir "$work/own"
    own_kernels reduce:100003 transpose:70x33 matvec:200x3000 gemm:256x256x256 |
        work=$work parallax=$parallax xargs -P "$((($(nproc) + 1) / 2))" -n 4 "$0" --same-bits | tee "$work/bits"
    failures=$((failures + $(grep -c '^FAIL' "$work/bits")))
}
if [ "${1-}" = bits ]; then
    ours_as_files
    exit $((failures > 0))
fi

# function MODULE FILE ENTRY DTYPE
function_of() {
    "${PLX_PYTHON:-python3}" -c "import $1" 2>/dev/null || {
        echo "$2: no $1 here"
        return
    }
    begun=$(date +%s)
    "$parallax" judge gemm --source "$examples/$2" --entry "$3" --backend cuda --dtype "$4" --quick --shape 1024x1024x1024 \
        --seconds 0.2 --json "$work/record" >"$work/out" 2>&1 && {
        echo "$2: right, $(sed -n 's/^ *"kind": "\(.*\)",*/\1/p' "$work/record" | head -1); $(($(date +%s) - begun)) s"
        return
    }
    failures=$((failures + 1))
    echo "FAIL: $2"
    tail -5 "$work/out"
}
function_of torch with_torch.py product f32
function_of cupy with_cupy.py product f32
function_of triton with_triton.py product f16
function_of torch kernelbench.py ModelNew f32

# Results that are kept in a variable: refused by both verbs; without a word for it in the recipe it is none.
liars=${top_srcdir:-..}/tests/fakes/liars
cp "$liars"/*.cu "$work"
kept() {
    cat >"$work/keeps-in-device-memory.json" <<END
{"parallax_recipe": 1, "op": "gemm", "api": "cuda", "problem": {"dtype": ["f32"], "trans": ["nn"],
  "where": ["alpha == 1", "beta == 0", "m * n <= 48 * 48", "k <= 300"]}, "globals": {"list": "scratch"$1},
 "launches": [{"entry": "liar", "grid": [1], "block": [1], "args": [{"operand": "A"}, {"operand": "B"}, {"operand": "C"},
  {"i64": "m"}, {"i64": "n"}, {"i64": "k"}, {"i64": "lda"}, {"i64": "ldb"}, {"i64": "ldc"}]}]}
END
}
refused() {
    verb=$1
    shift
    begun=$(date +%s)
    "$parallax" "$verb" gemm 48x48x32 --backend cuda --source "$work/keeps-in-device-memory.cu" "$@" >"$work/out" 2>&1
    status=$?
    if [ "$status" = 1 ] && tr '\n' ' ' <"$work/out" | tr -s ' ' | grep -qE 'of other data, which it had met before|wrong while timed'; then
        echo "keeps-in-device-memory: refused by $verb; $(($(date +%s) - begun)) s"
    else
        failures=$((failures + 1))
        echo "FAIL: keeps-in-device-memory: $verb, status $status"
        tail -5 "$work/out"
    fi
}
kept ', "count": "scratch"'
refused compare --kernel mine:keeps-in-device-memory
refused judge --quick

# What asks the cache to keep its data gains 3 % at most.
median_of() {
    cat >"$work/evicts-last.json" <<END
{"parallax_recipe": 1, "op": "reduce", "api": "cuda", "problem": {"dtype": ["f32"], "where": ["n > 0"]},
 "compile": {"define": {"EVICT_LAST": $1}}, "scratch": {"part": {"bytes": "4 * 8 * sms"}},
 "launches": [
  {"entry": "parts", "grid": ["8 * sms"], "block": [256], "args": [{"operand": "x"}, {"scratch": "part"}, {"i64": "n"}]},
  {"entry": "whole", "grid": [1], "block": [1], "args": [{"scratch": "part"}, {"operand": "result"}, {"i64": "8 * sms"}]}]}
END
    "$parallax" judge reduce --shape 4194304 --backend cuda --source "$work/evicts-last.cu" --input positive --quick --json "$work/record" >"$work/out" 2>&1
    sed -n 's/.*"median_ns": \([0-9.e+]*\).*/\1/p' "$work/record" | head -1
}
plain=$(median_of 0)
evicting=$(median_of 1)
if awk -v a="$plain" -v b="$evicting" 'BEGIN { exit !(a > 0 && b > 0 && b >= 0.97 * a) }'; then
    echo "evicts-last: $evicting ns, $plain ns without"
else
    failures=$((failures + 1))
    echo "FAIL: evicts-last: $evicting ns, $plain ns without"
    tail -5 "$work/out"
fi
ours_as_files
exit $((failures > 0))
