#!/bin/sh
# On a machine with a GPU, from the build directory: ../tests/whole/judge_gpu.sh [cost OLD].  Functions of PyTorch, CuPy, Triton
# and KernelBench's form, for whichever is there; our own CUDA kernels as files give their bits; liars in CUDA C++ are
# refused.  "cost" instead: what compare
# takes by the wall clock, beside the program OLD; 40 seconds.
set -u
parallax=${PARALLAX:-./parallax}
examples=${top_srcdir:-..}/doc/judge
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM
failures=0

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

# function MODULE FILE ENTRY DTYPE
function_of() {
    "${PLX_PYTHON:-python3}" -c "import $1" 2>/dev/null || {
        echo "$2: no $1 here"
        return
    }
    "$parallax" judge gemm --source "$examples/$2" --entry "$3" --backend cuda --dtype "$4" --quick --shape 1024x1024x1024 \
        --seconds 0.2 --json "$work/record" >"$work/out" 2>&1 && echo "$2: right" && return
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
  "where": ["alpha == 1", "beta == 0", "m * n <= 48 * 48"]}, "globals": {"list": "scratch"$1},
 "launches": [{"entry": "liar", "grid": [1], "block": [1], "args": [{"operand": "A"}, {"operand": "B"}, {"operand": "C"},
  {"i64": "m"}, {"i64": "n"}, {"i64": "k"}, {"i64": "lda"}, {"i64": "ldb"}, {"i64": "ldc"}]}]}
END
}
refused() {
    verb=$1
    shift
    "$parallax" "$verb" gemm 48x48x32 --backend cuda --source "$work/keeps-in-device-memory.cu" "$@" >"$work/out" 2>&1
    status=$?
    if [ "$status" = 1 ] && tr '\n' ' ' <"$work/out" | tr -s ' ' | grep -qE 'of other data, which it had met before|wrong while timed'; then
        echo "keeps-in-device-memory: refused by $verb"
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

for op in reduce:100003 transpose:70x33 matvec:200x3000 gemm:256x256x256; do
    for kernel in $("$parallax" explain "${op%:*}" | awk '$1 ~ /^([0-9]+|-)$/ && $2 ~ /^[a-z]/ { print $2 }'); do
        rm -f "$work"/*.npy
        set -- "${op%:*}" --backend cuda --shape "${op#*:}"
        file=$("$parallax" explain "$@" --kernel "$kernel" --recipe "$work" 2>"$work/err") || {
            echo "$op $kernel: $(tail -1 "$work/err")"
            continue
        }
        "$parallax" run "$@" --kernel "$kernel" --seed 7 --quiet --out "$work/a.npy" >/dev/null 2>&1
        "$parallax" run "$@" --source "$file" --seed 7 --quiet --out "$work/b.npy" >/dev/null 2>"$work/err"
        if cmp -s "$work/a.npy" "$work/b.npy"; then
            echo "$op $kernel: the same bits"
        else
            failures=$((failures + 1))
            echo "FAIL: $op $kernel: $(tail -1 "$work/err")"
        fi
    done
done
exit $((failures > 0))
