#!/bin/sh
# Every kernel on the host and on the first OpenCL device: each that is in the tree ran, is
# within its bound in each case, and agrees with the others.  PoCL's compiler takes most of the time.  `make check` tries
# probes in all cases, and every other kernel with a few problems that reach its edges.  CHECK_FORM=long (make check-long)
# tries products in all cases in bf16, transposes in all types, matrix-vector products and reductions in f32, and what is for
# some shapes alone by its own kernels in other types; the rest have the texts of those.  CHECK_FORM=full tries all.
set -u
export LC_ALL=C
unset PLX_BACKEND PLX_PLUGIN_PATH 2>/dev/null
parallax=${PARALLAX:-./parallax}
tree=${top_srcdir:-.}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM
failures=0

fail() {
    failures=$((failures + 1))
    echo "FAIL: $1"
}

"$parallax" list devices >"$work/devices" 2>&1 || {
    cat "$work/devices"
    exit 1
}
if ! grep -q '^ *opencl:0 ' "$work/devices"; then
    # The host's kernels are still judged.
    "$parallax" check --quick --backend host || exit 1
    echo "skipped: there is no OpenCL device; the host's kernels passed"
    "$parallax" doctor | grep '^opencl'
    exit 77
fi

form=${CHECK_FORM:-short} wanted="--dtype bf16" single="--dtype f32" spared='^\(gemm\|matvec\|reduce\|transpose\|probe\),.*,not-run,'
[ "$form" != full ] || wanted='' single='' spared='^$'

# check_into ARGUMENT...: of an operation or several, added to what is known.
check_into() {
    "$parallax" check "$@" --quick --backend host --backend opencl --csv "$work/part.csv" >>"$work/out" 2>>"$work/err" </dev/null
    part=$?
    cat "$work/part.csv" >>"$work/check.csv"
    [ $part -eq 0 ] || status=$part
}
status=0
# shellcheck disable=SC2086 # words
if [ "$form" = short ]; then
    "$parallax" check --quick --backend host >>"$work/out" 2>>"$work/err" </dev/null || status=$?
    check_into probe --dtype i32
    check_into probe --dtype f32
else
    check_into transpose probe
    check_into reduce $single
    check_into matvec $single
    check_into gemm $wanted
fi

# once_into OPERATION KERNELS ARGUMENT...: one problem by these kernels, as if it had been checked; 4: one alone has none to be
# compared with, 3: one is not for this driver (few-rows from PoCL 5 on), as check would say.
once_into() {
    operation=$1 by=$(printf ' --kernel %s' $2)
    shift 2
    for _ in 1 2 3; do # again where PoCL ended it by an assertion of its own (doc/findings.md)
        # shellcheck disable=SC2086 # words
        "$parallax" compare "$operation" "$@" $by --no-timing --backend host --backend opencl:0 --csv "$work/part.csv" \
            >"$work/once" 2>&1 </dev/null
        part=$?
        [ $part -ne 0 ] && grep -q 'pocl_release_dlhandle_cache: Assertion' "$work/once" || break
    done
    cat "$work/part.csv" >>"$work/check.csv"
    [ $part -ne 3 ] || ! grep -q ',unsupported,' "$work/part.csv" || ! grep -q ',ok,' "$work/part.csv" || part=0
    [ $part -eq 0 ] || [ $part -eq 4 ] || { status=$part && cat "$work/once" >>"$work/err"; }
    awk -F, '/,(wrong|failed),/ && match($0, /,opencl:0,[^,]*,[^,]*,/) {
        split(substr($0, RSTART + 1), word); print "wrong " $1 "/" word[3] ", on opencl:0: compared" }' "$work/part.csv" >>"$work/out"
}
if [ "$form" = short ]; then
    once_into transpose all 67x130
    once_into transpose 'vector tall-skinny reference' 65x33 --dtype i8
    once_into reduce all 70001
    once_into reduce 'unroll4 onepass reference' 33 --dtype i32 --reduce max
    once_into matvec all 261x1030 --alpha 1.5 --beta -0.75
    once_into matvec all 131x67 --trans
    once_into gemm all 65x70x37 --dtype bf16
fi
if [ -n "$wanted" ]; then
    once_into gemm all 66x70x130 --alpha 1.5 --beta -0.75
    # By all that satisfy them: PoCL 5 and later has no f16x3 and no bf16x6, and the host neither.
    once_into gemm all 129x65x70 --trans-a --compute f16x3
    once_into gemm all 65x130x70 --trans-b --compute bf16x6
fi
if [ "$form" = short ]; then
    once_into gemm 'few-rows reference' 7x261x1030
    once_into gemm 'short-k reference' 127x129x17
    once_into gemm 'matvec reference' 1x131x67
    once_into gemm all 65x70x37 --compute tf32
fi
if [ "$form" = long ]; then
    once_into gemm 'few-rows split-k reference' 7x261x1030
    once_into gemm 'short-k tile-2d reference' 127x129x17
    once_into gemm all 65x70x37 --compute tf32
    once_into matvec 'vector warp-per-row split reference' --shape 261x1030 --dtype bf16
    once_into matvec 'row-per-thread vector reference' --shape 1030x37 --dtype f64 --trans
    once_into reduce 'onepass smem reference' --shape 100003 --dtype i64
    once_into reduce 'segments unroll4 reference' --shape 70001 --dtype f64
fi
cat "$work/out" "$work/err" >"$work/said"
grep -E '^[0-9]+ (cases|pairs)' "$work/out"

# What `check --quick` says of one kernel, KEPT: with what PoCL has compiled for the run above; else with empty caches.
alone() { # OPERATION/KERNEL [KEPT]
    caches=$(mktemp -d -p "$work")
    (
        if [ $# -eq 1 ]; then
            XDG_CACHE_HOME=$caches POCL_CACHE_DIR=$caches/pocl
            export XDG_CACHE_HOME POCL_CACHE_DIR
            mkdir "$POCL_CACHE_DIR"
        fi
        "$parallax" check "${1%/*}" --quick --kernel "${1#*/}" --backend opencl:0 --csv "$work/alone.csv"
    ) >"$work/alone" 2>&1 </dev/null
}

# PoCL 5 and later compile the same text rightly one time and wrongly another, and keep the last that they compiled
# (doc/validation.md).  That is shown of a kernel if what is kept has the same verdict each time, and it is right in all its
# cases with what is kept or with an empty cache.  Then those results take the place of the wrong ones.
compiled_wrong_once() { # OPERATION/KERNEL
    alone "$1" kept
    verdict=$?
    alone "$1" kept
    [ $? -eq $verdict ] || return 1
    for _ in 1 2 3 4 5 6 7 8; do
        [ $verdict -eq 0 ] && break
        alone "$1"
        verdict=$?
    done
    [ $verdict -eq 0 ] || return 1
    grep -v "^${1%/*},.*,opencl:0,.*,${1#*/}," "$work/check.csv" >"$work/others.csv"
    grep "^${1%/*},.*,opencl:0,.*,${1#*/}," "$work/alone.csv" | cat "$work/others.csv" - >"$work/check.csv"
}

if [ "$status" = 1 ] && grep -q '^ *opencl:0 .*PoCL \([5-9]\|[1-9][0-9]\)\.' "$work/devices"; then
    sed -n 's,^wrong \([a-z]*/[a-z0-9-]*\).* on opencl:0: .*,\1,p' "$work/said" | sort -u >"$work/wrong"
    status=0
    while read -r kernel; do
        if compiled_wrong_once "$kernel"; then
            echo "$kernel: wrong as PoCL compiled it at first, right as it compiled it later: PoCL's fault"
        else
            cat "$work/alone"
            status=1
        fi
        # What disagrees has to be with one of them.
        grep -v "opencl:0 ${kernel#*/}[ ,:]" "$work/said" >"$work/rest"
        mv "$work/rest" "$work/said"
    done <"$work/wrong"
    grep -q ': DISAGREE' "$work/said" && status=1
    [ -s "$work/wrong" ] || status=1
else
    grep -q '^[1-9][0-9]* pairs of results: [1-9][0-9]* agree, 0 disagree' "$work/out" || fail "not all pairs agree"
fi
[ "$status" = 0 ] || {
    cat "$work/out" "$work/err"
    fail "check --quick ended with status $status"
}
grep -q '^[1-9][0-9]* cases: [1-9][0-9]* ok, ' "$work/out" || fail "no case passed"
# A kernel of types that were left out has no case.
grep -E ',(wrong|failed|not-run),' "$work/check.csv" | grep -v "$spared" && fail "a kernel is wrong, failed or was not run"

for operation in reduce transpose matvec gemm; do
    grep -q "^$operation,.*,host:0,.*,reference,ok," "$work/check.csv" || fail "$operation was not tried on the host"
done

# What a device may lack, as the reason says it; any other kernel runs everywhere.
lacks() {
    case $1 in
    reduce/shuffle) echo "offers no shuffles" ;;
    reduce/bulk) echo "needs " ;;
    gemm/dmma) echo "needs the f64 matrix units" ;;
    gemm/mma-sync | gemm/mma-direct) echo "needs an NVIDIA device" ;;
    gemm/wgmma | gemm/wgmma-* | gemm/dmma-bulk) echo "needs compute capability 9.0" ;;
    matvec/split | gemm/few-rows | gemm/f16x3 | gemm/bf16x6) echo "PoCL [0-9]* compiles it wrong" ;;
    esac
}

kernels=0
for text in "$tree"/kernels/*/*.cl "$tree"/kernels/*/device/*/*.cl; do
    kernel=${text##*/}
    kernel=${kernel%.cl}
    operation=${text#"$tree/kernels/"} operation=${operation%%/*}
    kernels=$((kernels + 1))
    grep -q "^$operation,.*,opencl:0,.*,$kernel,ok," "$work/check.csv" && continue
    case $wanted/$kernel in ?*/dmma*) continue ;; esac # of f64 alone
    lacking=$(lacks "$operation/$kernel")
    if [ -n "$lacking" ] && grep -q "^$operation,.*,opencl:0,.*,$kernel,unsupported,.*$lacking" "$work/check.csv"; then
        echo "$operation/$kernel: unsupported here ($lacking)"
        continue
    fi
    fail "$operation/$kernel did not pass on opencl:0"
    grep "^$operation,.*,opencl:0,.*,$kernel," "$work/check.csv"
done
[ "$kernels" -gt 30 ] || fail "only $kernels kernels found under $tree/kernels"

# Sums in more chunks than the cases above have: a last group's threads share them.
for words in "1 70001" "3 70001" "70001 3 --trans" "70001 33 --trans"; do
    # shellcheck disable=SC2086
    "$parallax" compare matvec $words --kernel split --kernel reference --backend opencl:0 --backend host \
        --no-timing >"$work/out" 2>&1 </dev/null
    status=$?
    [ "$status" = 0 ] || { [ "$status" = 3 ] && grep -q '^opencl:0 *split *unsupported' "$work/out"; } || {
        cat "$work/out"
        fail "matvec $words by split"
    }
    grep -q '^opencl:0 *split *\(ok\|unsupported\)' "$work/out" || fail "matvec $words was not run by split"
done

[ "$failures" -eq 0 ] || exit 1
echo "$kernels kernels in OpenCL C"
