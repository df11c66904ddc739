#!/bin/sh
# Numbers and names as people write them; several names behind one option.
. "${top_srcdir:-.}/tests/support.sh"
only host

# shape WANTED WORD...: the shape that these words stand for.
shape() {
    shape_wanted=$1
    shift
    expect_run 0 '' "$@" --backend host
    shows " f32 $shape_wanted on host:0"
}
shape 1000 run reduce 1e3
shape 1500 run reduce 1.5k
shape 2048 run reduce 2Ki
shape 1024 run reduce 2^10
shape 1000000 run reduce 1_000_000
shape 20000 run reduce "20'000"
shape 64x32x16 run gemm --shape 64 32 16
shape 64x32x16 run gemm 64x32*16
shape 64x32x16 run gemm 2^6 32 16
shape 4x5x6 run matmul 4 5 6
shape 7x8 run gemv 7 8
expect_run 2 "is no shape" run reduce 1.5
expect_run 2 "does not fit in 64 bits" run reduce 1e30
expect_run 2 "does not fit in 64 bits" run reduce 2^64
expect_run 2 "is no shape" run reduce 12q
expect_run 2 "is no shape" run reduce 1__0
expect_run 2 "is no shape" run reduce 10_
for seconds in 1e-2 0.01s 10ms; do
    expect_run 0 '' compare reduce 10 --backend host --seconds $seconds
done
expect_run 2 "is no time such as" compare reduce 10 --backend host --seconds 10mm
expect_run 2 "takes a shape of 3 sizes" run gemm --shape 64 --shape 64 --shape 64 --backend host
expect_run 0 '' compare reduce --shape 10 20 --backend host --no-timing --json "$work/two.json"
[ "$(grep -c '"kernel":' "$work/two.json")" = 2 ] || fail "two lengths are not two shapes"

type() {
    expect_run 0 '' run "$3" 4 4 --dtype "$1" --backend host --json "$work/type.json"
    grep -q "\"dtype\": \"$2\"" "$work/type.json" || fail "$1 is not $2"
}
type float32 f32 transpose
type double f64 transpose
type half f16 transpose
type bfloat16 bf16 transpose
type int64 i64 transpose
expect_run 0 '' compare reduce 10 --dtype f32,double --backend host --no-timing --json "$work/types.json"
[ "$(grep -c '"kernel":' "$work/types.json")" = 2 ] || fail "f32,double are not two types"

# Several kernels behind one -k, with blanks or commas between them; what follows is not taken for one.
for words in "right same" "right,same"; do
    # shellcheck disable=SC2086
    expect_run 0 '' compare reduce 10 --dtype i32 --backend faulty --plugin-dir "$work/plugins" -k $words --no-timing \
        --json "$work/kernels.json"
    [ "$(grep -c '"kernel": "\(right\|same\)"' "$work/kernels.json")" = 2 ] || fail "-k $words is not two kernels"
done
expect_run 0 '' compare reduce -k reference 12 --backend host --no-timing
shows "reduce f32 12 sum"
expect_run 3 'no backend has a reduce kernel "nosuch"' compare reduce 12 -k nosuch --backend host

# Help lists the values.
run compare --help
grep -q -- '--dtype TYPE .*: i8, .*f16, bf16' "$work/out" || fail "--help does not list the element types"
grep -q -- '--input CLASS .*: uniform, .*special' "$work/out" || fail "--help does not list the classes of input"
finish
