#!/bin/sh
# Libraries that run here as peers, OpenBLAS and CLBlast: judged like every backend,
# never chosen unasked, and CLBlast with what its tuners found.  CHECK_FORM=full: in f64 as well as in f32, and CLBlast's
# products, which PoCL takes long to compile, in every case, not in one.
set -u
export LC_ALL=C
unset PLX_BACKEND PLX_PLUGIN_PATH PLX_CLBLAST_TUNED 2>/dev/null
parallax=${PARALLAX:-./parallax}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM
failures=0
peers=
single='--dtype f32'
types=$single
[ "${CHECK_FORM-}" != full ] || types="$single --dtype f64"

fail() {
    failures=$((failures + 1))
    echo "FAIL: $1"
}

has_device() { # backend
    grep -q "^ *$1:0 " "$work/devices"
}

# Every kernel of a backend within its bound in every case.
judge() { # backend, operations and options
    backend=$1
    shift
    "$parallax" check "$@" --quick --backend "$backend" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    totals=$(grep -E '^[0-9]+ cases:' "$work/out")
    echo "$backend, $*: $totals"
    [ "$status" = 0 ] || {
        cat "$work/out" "$work/err"
        fail "check $* --backend $backend ended with status $status"
    }
    case $totals in
    *" cases: "[1-9]*" ok, 0 wrong, 0 failed, "*) ;;
    *) fail "check $* --backend $backend: not all cases passed" ;;
    esac
}

# As judge, but a library may spoil NaN that signal: doc/validation.md.  Of other input nothing
# may be wrong.
judge_but_for_nan() { # backend, options
    backend=$1
    shift
    "$parallax" check transpose "$@" --quick --backend "$backend" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    echo "$backend, transpose $*: $(grep -E '^[0-9]+ cases:' "$work/out")"
    [ "$status" = 0 ] && return
    grep '^ *case: ' "$work/err" >"$work/cases"
    [ "$status" = 1 ] && grep -q 'special input' "$work/cases" && ! grep -qv 'special input' "$work/cases" && return
    cat "$work/out" "$work/err"
    fail "check transpose $* --backend $backend ended with status $status"
}

agrees_with_host() { # backend, a comparison
    backend=$1
    shift
    "$parallax" compare "$@" --no-timing --backend host --backend "$backend" >"$work/out" 2>"$work/err" </dev/null ||
        {
            cat "$work/out" "$work/err"
            fail "compare $* of host and $backend"
        }
    grep -q '^agreement with libraries: 1 of 1 pair agrees' "$work/out" || fail "$backend does not agree with host: $*"
}

# Whether the library's own sum is wrong on this processor, which is not the plugin's fault.
wrong_sums=$("${top_builddir:-.}/tests/plugins/ask_openblas") || exit 99
is_left_out() { # backend, dtype
    [ "$1" = openblas ] || return 1
    case " $(echo $wrong_sums) " in *" $2 "*) ;; *) return 1 ;; esac
    echo "left out: openblas reduce/sum in $2: OpenBLAS's own function is wrong here"
}

# All operations but transposes, or all but those and the sum.
judge_openblas() { # dtype
    if is_left_out openblas "$1"; then
        judge openblas matvec gemm --dtype "$1"
    else
        judge openblas reduce matvec gemm --dtype "$1"
    fi
}

see_peer() { # backend
    peers="$peers $1"
    agrees_with_host "$1" gemm 130 67 70 --trans-a --alpha 0.5 --beta 2
    [ "$1" = clblast ] && [ "$types" = "$single" ] || agrees_with_host "$1" gemm 33 65 31 --trans-b --dtype f64
    agrees_with_host "$1" matvec 70 131 --trans --beta -1
    agrees_with_host "$1" transpose 130 67
    is_left_out "$1" f32 || agrees_with_host "$1" reduce 100003
    "$parallax" compare reduce 100 --reduce min --no-timing --backend "$1" >"$work/out" 2>"$work/err" </dev/null
    cat "$work/out" "$work/err" | grep -q 'sums, but no minimum or maximum' ||
        fail "$1 does not say why it has no minimum"
}

# A plugin that this build has and that finds a device is tried; else it is said why not.
"$parallax" list devices >"$work/devices" 2>&1 || {
    cat "$work/devices"
    exit 1
}
"$parallax" doctor >"$work/doctor" 2>&1
for backend in openblas clblast; do
    has_device "$backend" && see_peer "$backend" && continue
    echo "without $backend:"
    grep "^$backend" "$work/doctor" || fail "doctor has no word on $backend"
done
if [ -z "$peers" ]; then
    [ "$failures" -eq 0 ] || exit 1
    echo "skipped: no library to compare with"
    exit 77
fi

# Only when asked for by name.
"$parallax" run reduce 100 >"$work/out" 2>&1 </dev/null || {
    cat "$work/out"
    fail "run reduce"
}
grep -E 'openblas|clblast' "$work/out" && fail "a peer was chosen unasked"

if has_device openblas; then
    judge_openblas f32
    [ "$types" = "$single" ] || judge_openblas f64 # which --quick leaves out of what is not named
    # shellcheck disable=SC2086 # words
    judge_but_for_nan openblas $types
fi

# ---- CLBlast and the files of its tuners ------------------------------------

tuned_file() { # name, family, device, parameters
    printf '{\n "kernel_family": "%s",\n "precision": "32",\n "device": "%s",\n "best_parameters": "%s"\n}\n' \
        "$2" "$3" "$4" >"$work/$1"
}

sum_with() { # files
    PLX_CLBLAST_TUNED=$1 "$parallax" compare reduce 100003 --no-timing --backend clblast:0 >"$work/out" 2>&1 </dev/null
    status=$?
}

expect() { # what is tried, text of the output, which may be folded
    grep -q "$2" "$work/out" && return
    tr -s '\n ' ' ' <"$work/out" | grep -q "$2" && return
    cat "$work/out"
    fail "$1: no '$2'"
}

if has_device clblast; then
    # shellcheck disable=SC2086 # words
    judge clblast:0 reduce matvec $types
    [ "$types" = "$single" ] || judge clblast:0 gemm --dtype f32
    # Its f16 is summed in f16, if the device has any.
    "$parallax" compare gemm 8x8x8 --dtype f16 --no-timing --backend clblast:0 >"$work/out" 2>&1 </dev/null
    expect "a product of f16" 'CLBlast \(takes f16 where OpenCL has\|keeps sums of f16\)'
    # shellcheck disable=SC2086 # words
    judge_but_for_nan clblast:0 $types

    device=$(sed -n 's/^ *clblast:0 *works: \(.*\), OpenCL .*/\1/p' "$work/doctor")
    [ -n "$device" ] || fail "the name of clblast:0 was not found"

    tuned_file one.json xdot_1 "$device" "PRECISION=32 VW=1 WGS1=32"
    tuned_file two.json xdot_2 "$device" "PRECISION=32 WGS2=16"
    tuned_file large.json xdot_1 "$device" "PRECISION=32 WGS1=1048576"
    tuned_file other.json xaxpy "$device" "PRECISION=32 WGS=64"
    tuned_file words.json xdot_1 "$device" "PRECISION=32 WGS1=many"
    tuned_file elsewhere.json xdot_1 "Some other device" "WGS1=1048576"
    echo '{"kernel_family": "xdot_1"' >"$work/broken.json"
    echo '{"kernel_family": "xdot_1"}' >"$work/short.json"

    sum_with "$work/one.json:$work/two.json:$work/other.json"
    [ "$status" = 0 ] || fail "tuned parameters: status $status"
    expect "tuned parameters" '^clblast:0 *sum *ok'
    sum_with "$work/large.json:$work/two.json" # proves that they are used
    expect "parameters too large for the device" 'larger work-groups than the device has'
    sum_with "$work/one.json"
    expect "half of the parameters" 'parameters of Xdot, 32 bits, are missing; name all files'
    sum_with "$work/elsewhere.json"
    expect "parameters of another device" '^clblast:0 *sum *ok'
    PLX_CLBLAST_TUNED=$work/elsewhere.json "$parallax" doctor >"$work/out" 2>&1
    expect "parameters of another device" 'was tuned on "Some other device", which is no device here'
    for bad in "broken.json is no JSON: line" 'short.json has no "precision"' "nowhere.json No such file" \
        'words.json has a "best_parameters" that is no list'; do
        sum_with "$work/${bad%% *}"
        [ "$status" != 0 ] || fail "${bad%% *}: status 0"
        expect "${bad%% *}" "$bad"
    done
fi

[ "$failures" -eq 0 ] || exit 1
echo "peers:$peers"
