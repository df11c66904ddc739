#!/bin/sh
# Kernels that Triton compiled, versions 3.2 to 3.6: their launches, and what does not go with the recipe.  The files under
# tests/recipe/triton are Triton's own; no GPU and no Triton is needed.
. "${top_srcdir:-.}/tests/support.sh"
source=$(cd "${top_srcdir:-.}" && pwd)

# refuses MESSAGE ARGUMENT...: usage, in one line.
refuses() {
    expect_run 2 "$@"
    [ "$(wc -l <"$work/err")" = 1 ] || fail "not one line: $*"
    [ ! -s "$work/out" ] || fail "something on standard output: $*"
}

# recipe ARGS [MEMBERS]: of the kernel in $work/k.json, one program for each row.
recipe() {
    printf '{"parallax_recipe": 1, "op": "transpose", %s "launches": [{"triton": "k.json", "grid": ["rows", 3], "args": [%s]}]}\n' \
        "${2:-}" "$1" >"$work/r.json"
}
own='{"operand": "in"}, {"operand": "out"}, {"i32": "rows"}, {"i32": "cols"}, {"i32": "ld_in"}, {"i32": "ld_out"}'
print="judge --recipe $work/r.json --print --shape 100x200"
files=$source/tests/recipe/triton
take() { cp "$files/$1.json" "$work/k.json" && cp "$files/$1.ptx" "$work/k.ptx" || exit 99; }

# ---- each version ----
expect_run 0 '' judge transpose --recipe "$source/doc/judge/transpose-triton.json" --print --shape 100x200
shows "compiled by Triton 3.6.0 for cc 90, 2 parameters of its own"
shows "grid 100x1x1, block 128x1x1"
shows " 8  null"
recipe "$own"
for version in 3.2:3.2:0 3.3:3.3.1:1 3.4:3.4.0:1 3.5:3.5.1:2; do
    take "${version%%:*}/turn_rows"
    named=${version#*:}
    # shellcheck disable=SC2086 # words
    expect_run 0 '' $print
    shows "compiled by Triton ${named%:*} for cc 90, ${named#*:} parameters of its own"
    shows "grid 100x3x1, block 128x1x1"
    [ "$(grep -c ' null$' "$work/out")" = "${named#*:}" ] || fail "how many null pointers there are: $version"
done
take 3.6/two_ctas
# shellcheck disable=SC2086 # words
expect_run 0 '' $print --json "$work/l.json"
shows "grid 200x3x1, block 256x1x1, cluster 2x1x1"
grep -q '"triton": "3.6.0"' "$work/l.json" && grep -q '"triton_parameters": 2' "$work/l.json" || fail "what is in the JSON"
sed -i 's/"3.6.0"/"4.1.0"/' "$work/k.json"
# shellcheck disable=SC2086 # words
expect_run 0 '' $print
shows "compiled by Triton 4.1.0 (unknown here; its keys are tried) for cc 90"
# shellcheck disable=SC2086 # words
expect_run 4 '' $print --device a100
shows "launches[0].triton: compiled for cc 90, and this device has 80"

# ---- scratch memory of Triton's own, sized per program ----
sed -i 's/"global_scratch_size": 0/"global_scratch_size": 48/; s/"global_scratch_align": 1/"global_scratch_align": 512/' "$work/k.json"
# shellcheck disable=SC2086 # words
expect_run 0 '' $print
shows "global_scratch of launches[0]: 28800 bytes at multiples of 512" # 48 bytes, 2 blocks, 100 x 3 programs
shows " 7  scratch global_scratch of launches[0]"
shows " 8  null"

# ---- descriptors: the map, sizes as i32, strides as i64 in elements ----
take 3.6/copy_tiles
map() { # NAME OPERAND SIZES LD
    printf '"%s": {"of": "%s", "size": [%s], "stride": ["%s * esize"], "box": [%s], "swizzle": %s}' "$1" "$2" "$3" "$4" "$5" "$6"
}
descriptors() { # BOX SWIZZLE
    recipe '{"map": "a"}, {"map": "b"}, {"i32": "rows"}, {"i32": "cols"}' \
        "\"maps\": {$(map a in '"cols", "rows"' ld_in "$1" "$2"), $(map b out '"rows", "cols"' ld_out "$1" "$2")},"
}
descriptors '32, 64' 128
# shellcheck disable=SC2086 # words
expect_run 0 '' $print
shows " 1  map a"
shows " 2  i32 rows = 100"
shows " 3  i32 cols = 200"
shows " 4  i64 ld_in * esize in elements = 200"
shows " 5  i64 1"
shows " 9  i64 ld_out * esize in elements = 100"
shows "14  null"
descriptors '64, 64' 0
# shellcheck disable=SC2086 # words
refuses "map a has swizzle 0, Triton's descriptor 128" $print
descriptors '16, 64' 128
# shellcheck disable=SC2086 # words
refuses "map a: box[0] is 16, Triton's descriptor has 32" $print
recipe "$own"
# shellcheck disable=SC2086 # words
refuses "Triton has 2 descriptors, the recipe gives 0 maps" $print
take 3.4/copy_tiles
descriptors '32, 64' 128
# shellcheck disable=SC2086 # words
expect_run 0 '' $print
shows "13  null"

# ---- arguments that the image does not have ----
take 3.5/turn_rows
wrong() { # MESSAGE ARGS
    recipe "$2"
    # shellcheck disable=SC2086 # words
    refuses "r.json: launches[0]: $1" $print
}
wrong "parameter 3 is .u32, the recipe gives operand out" '{"operand": "in"}, {"operand": "in"}, {"operand": "out"}, {"i32": 1}, {"i32": 1}, {"i32": 1}'
wrong "parameter 1 is .u64 (a pointer), the recipe gives i64" '{"i64": 1}'
wrong "parameter 3 is .u32, the recipe gives i64" '{"operand": "in"}, {"operand": "out"}, {"i64": 1}'
wrong "parameter 4 is .u32, the recipe gives f32" '{"operand": "in"}, {"operand": "out"}, {"i32": 1}, {"f32": 1}'
wrong "parameter 3 is .u32, the recipe gives struct" '{"operand": "in"}, {"operand": "out"}, {"struct": [{"i32": 1}]}'
wrong "'turn_rows' has 8 parameters; the recipe gives 5, and the rest is not what Triton has of its own" '{"operand": "in"}, {"operand": "out"}, {"i32": 1}, {"i32": 1}, {"i32": 1}'
wrong "'turn_rows' has 8 parameters; the recipe gives 7, and the rest is not what Triton has of its own" "$own, {\"null\": true}"

# ---- files that don't go ----
recipe "$own"
edit() { # MESSAGE SED [FILE]
    take 3.5/turn_rows
    sed -i "$2" "$work/${3:-k.json}"
    # shellcheck disable=SC2086 # words
    refuses "$1" $print
}
edit "target.backend: compiled for 'hip', and recipes take 'cuda'" 's/"backend": "cuda"/"backend": "hip"/'
edit "target.arch is missing" 's/"arch": 90, //'
edit "num_warps: a whole number from 1 to 64 is expected" 's/"num_warps": 4/"num_warps": "4"/'
edit "shared: a whole number from 0" 's/"shared": 0/"shared": -1/'
edit "cluster_dims: numbers from 1 to 16" 's/"cluster_dims": .1,/"cluster_dims": [0,/'
edit "launch_pdl: a whole number, where true or false is expected" 's/"launch_pdl": false/"launch_pdl": 1/'
edit "no JSON of a kernel that Triton compiled" 's/"name"/"named"/'
edit "not JSON" 's/^{//'
edit "has no entry 'turned'; there are: turn_rows" 's/"name": "turn_rows"/"name": "turned"/'
edit "a block has 128 threads, and 64 by .reqntid" 's/^.reqntid 128/.reqntid 64/' k.ptx
edit "'turn_rows' is cut short" '/param_3/,$d' k.ptx
edit "has no entry 'turn_rows'; there is none" 's/entry/func/' k.ptx
take 3.5/turn_rows
rm "$work/k.ptx"
# shellcheck disable=SC2086 # words
refuses "k.ptx: can't read: No such file" $print
rm "$work/k.json"
# shellcheck disable=SC2086 # words
refuses "k.json: can't read: No such file" $print
for member in '"entry": "f"' '"block": [1]' '"shared": 1' '"cluster": [1]' '"cooperative": true' '"dependent": true'; do
    printf '{"parallax_recipe": 1, "op": "transpose", "launches": [{"triton": "k.json", "grid": [1], %s}]}' "$member" >"$work/r.json"
    # shellcheck disable=SC2086 # words
    refuses "is what the file of \`triton\` says" $print
done
for path in /k.json ../k.json a/../../k.json; do
    printf '{"parallax_recipe": 1, "op": "transpose", "launches": [{"triton": "%s", "grid": [1]}]}' "$path" >"$work/r.json"
    # shellcheck disable=SC2086 # words
    refuses "is not below the recipe's directory" $print
done
printf '{"parallax_recipe": 1, "op": "transpose", "launches": [{"triton": "k.ptx", "grid": [1]}]}' >"$work/r.json"
# shellcheck disable=SC2086 # words
refuses "'k.ptx' is no path of a .json" $print
finish
