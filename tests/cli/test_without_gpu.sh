#!/bin/sh
# A machine without a GPU: what is asked for and can be had ends with 0, what is named and is not there with 3, what needs
# two APIs of one GPU with 4; and what runs where nobody names a backend is OpenCL on the processor, before host.
. "${top_srcdir:-.}/tests/support.sh"
CUDA_VISIBLE_DEVICES=
export CUDA_VISIBLE_DEVICES

expect_run 0 "" list
expect_run 0 "" explain gemm
expect_run 0 "" explain reduce --instructions
expect_run 0 "" run reduce 100
expect_run 0 "" compare reduce 100 --backend host --seconds 0.01
expect_run 0 "" compare reduce 100 --backend host --no-timing
expect_run 0 "" bench reduce --shape 100 --backend host --no-timing
expect_run 4 "no device here is reached by two APIs" attribute reduce 1000
expect_run 4 "" attribute --all reduce
for arguments in 'run reduce 10' 'compare reduce 10' 'check reduce --quick' 'bench reduce --shape 10' 'tune reduce 10' \
    'attribute reduce 10' 'probe' 'probe ceilings' 'screen'; do
    # shellcheck disable=SC2086 # words
    expect_run 3 "" $arguments --backend cuda
    [ "$(wc -l <"$work/err")" -eq 1 ] || fail "not one line on standard error: $arguments"
done
expect_run 3 "cuda" check reduce --quick --require cuda
expect_run 3 "cuda" bench reduce --shape 10 --require cuda

if "$parallax" run reduce 100 --backend opencl >/dev/null 2>&1; then
    expect_run 0 "" run reduce 100
    shows " on opencl:0"
else
    expect_run 0 "" run reduce 100
    shows " on host:0"
fi
finish
