#!/bin/sh
# On a machine with a GPU, from the build directory: ../tests/whole/judge_gpu.sh [cost OLD].  Functions of PyTorch, CuPy, Triton
# and KernelBench's form, for whichever is there; our own CUDA kernels as files give their bits.  "cost" instead: what compare
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
        --seconds 0.2 --json "$work/record" >"$work/out" 2>&1 && echo "$2: right" && grep -F 'us (' "$work/out" && return
    failures=$((failures + 1))
    echo "FAIL: $2"
    tail -5 "$work/out"
}
function_of torch with_torch.py product f32
function_of cupy with_cupy.py product f32
function_of triton with_triton.py product f16
function_of torch kernelbench.py ModelNew f32

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
