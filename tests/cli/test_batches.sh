#!/bin/sh
# Batches in the program: generated ones, files of three dimensions, reductions along an axis, their words in tables and
# files, and what is refused in one line.
. "${top_srcdir:-.}/tests/support.sh"

# refuses MESSAGE ARGUMENT...: usage, in one line.
refuses() {
    expect_run 2 "$@"
    [ "$(wc -l <"$work/err")" = 1 ] || fail "not one line: $*"
}

# tells STATUS TEXT ARGUMENT...: the same on standard output.
tells() {
    told=$2 ended=$1
    shift 2
    expect_run "$ended" '' "$@"
    shows "$told"
}

# array FILE SHAPE NUMBER...: a .npy file of f32, small whole numbers, in C order.
array() {
    to=$1
    head="{'descr': '<f4', 'fortran_order': False, 'shape': ($2,), }"
    shift 2
    awk -v head="$head" -v numbers="$*" '
        function byte(n) { printf "\\%03o", n }
        BEGIN {
            while ((10 + length(head) + 1) % 64) head = head " "
            printf "\\223NUMPY\\001\\000"; byte((length(head) + 1) % 256); byte(int((length(head) + 1) / 256)); printf "%s\\n", head
            count = split(numbers, list, " ")
            for (i = 1; i <= count; i++) {
                if (list[i] == 0) { byte(0); byte(0); byte(0); byte(0); continue }
                for (e = 0; 2 ^ (e + 1) <= list[i]; e++) {}
                bits = (127 + e) * 8388608 + (list[i] / 2 ^ e - 1) * 8388608
                byte(bits % 256); byte(int(bits / 256) % 256); byte(int(bits / 65536) % 256); byte(int(bits / 16777216))
            }
        }' >"$work/words"
    # shellcheck disable=SC2059 # it is one
    printf "$(cat "$work/words")" >"$to"
}

array "$work/a.npy" "2, 2, 3" 1 2 3 4 5 6 7 8 9 1 2 3
array "$work/b.npy" "2, 3, 1" 1 0 1 2 1 0
array "$work/shared.npy" "3, 1" 1 0 1
array "$work/c.npy" "2, 2, 1" 4 10 22 4
array "$work/wrong.npy" "2, 2, 1" 4 10 23 4
array "$work/x.npy" "2, 3" 1 1 1 1 2 0
array "$work/y.npy" "2, 2" 6 15 23 5
array "$work/along0.npy" "2, 3" 8 10 12 5 7 9
array "$work/along1.npy" "2, 3" 5 7 9 8 10 12
array "$work/along2.npy" "2, 2" 6 15 24 6

# ---- judged by numbers from elsewhere ----
tells 0 "batch 2" judge gemm --in "$work/a.npy" --in "$work/b.npy" --result "$work/c.npy"
tells 1 "C[1][0][0] is 23, not 22" judge gemm --in "$work/a.npy" --in "$work/b.npy" --result "$work/wrong.npy"
tells 0 "batch 2" judge matvec --in "$work/a.npy" --in "$work/x.npy" --result "$work/y.npy"
for axis in 0 1 2; do
    tells 0 " ok " judge reduce --in "$work/a.npy" --axis $axis --result "$work/along$axis.npy"
done
tells 1 wrong judge reduce --in "$work/a.npy" --axis 1 --result "$work/along0.npy"
tells 0 " ok " judge reduce --in "$work/a.npy" --axis -1 --result "$work/along2.npy"

# ---- computed, judged, saved ----
backends=host
run run reduce 8 --backend opencl --quiet
[ "$status" = 0 ] && backends="host opencl"
for backend in $backends; do
    for how in "gemm --in $work/a.npy --in $work/b.npy" "gemm --in $work/a.npy --in $work/shared.npy" \
        "matvec --in $work/a.npy --in $work/x.npy" "transpose --in $work/a.npy" "reduce --in $work/a.npy --axis 0" \
        "reduce --in $work/a.npy --axis 1" "reduce --in $work/a.npy --axis 2"; do
        # shellcheck disable=SC2086 # words
        expect_run 0 '' run $how --backend "$backend" --out "$work/made.npy" --quiet
        # shellcheck disable=SC2086 # words
        expect_run 0 '' judge $how --result "$work/made.npy" --quiet
    done
done
tells 0 "gemm f32 40x30x20 nn, batch 3, stride of B 0" compare gemm 40x30x20 --batch 3 --stride-b 0 --backend host \
    --seconds 0.01 --json "$work/batch.json"
grep -q '"batch": 3' "$work/batch.json" && tr -d ' \n' <"$work/batch.json" | grep -q '"strides":\[800,0,1200\]' ||
    fail "the file does not tell of the batch"
tells 0 "batch 3" report "$work/batch.json"
tells 0 "inner 7, batch 2" compare reduce 300 --inner 7 --batch 2 --backend host --seconds 0.01

# ---- what is refused ----
refuses "--batch: '0' is below 1" compare gemm 8x8x8 --batch 0 --backend host
refuses "is no whole number" compare gemm 8x8x8 --batch many --backend host
refuses "results would overlap" compare gemm 8x8x8 --batch 2 --stride-c 0 --backend host
refuses "it is 1 to 2147483647" compare gemm 8x8x8 --batch 2147483648 --backend host
refuses "does not fit in 63 bits" compare gemm 8x8x8 --batch 3 --stride-a 4611686018427387904 --backend host
refuses "means nothing to reduce" compare reduce 8 --batch 2 --stride-a 1 --backend host
refuses "--stride-c is of a batch: say of how many with --batch" compare gemm 8x8x8 --stride-c 80 --backend host
refuses "--stride-a is of a batch" run gemm 8x8x8 --stride-a 0 --backend host
refuses "--stride-b is of generated data" run gemm --in "$work/a.npy" --in "$work/b.npy" --stride-b 0
refuses "x has 3 dimensions, from 0 on, and no such axis" run reduce --in "$work/a.npy" --axis 3
refuses "is no whole number" run reduce --in "$work/a.npy" --axis one
refuses "is for reduce" run transpose --in "$work/a.npy" --axis 1
refuses "with --in" run reduce 64 --axis 0
refuses "one or the other" run reduce --in "$work/a.npy" --axis 0 --batch 2
refuses "for a batch of 2" run gemm --in "$work/a.npy" --in "$work/b.npy" --batch 3
finish
