#!/bin/sh
# All OpenCL kernels once under Oclgrind: no data race between work-items, no access out
# of bounds; and where Oclgrind can tell, nothing read that nobody wrote.
set -u
export LC_ALL=C
unset PLX_BACKEND 2>/dev/null
top=${top_builddir:-.}
run_kernels=$top/tests/run_kernels
PLX_PLUGIN_PATH=${PLX_PLUGIN_PATH:-$top/.libs}
export PLX_PLUGIN_PATH
command -v oclgrind >/dev/null 2>&1 || {
    echo "skipped: oclgrind is not installed"
    exit 77
}
[ -x "$run_kernels" ] || {
    echo "there is no program $run_kernels"
    exit 99
}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM
failures=0

# watch CACHE OPTION... -- ARGUMENT...: every message of Oclgrind is a failure.  It has 32 KiB
# of local memory unless told; gemm/warp-tile needs more.  Programs are compiled anew:
# the cache does not know of Oclgrind's options.
watch() {
    XDG_CACHE_HOME=$work/$1
    export XDG_CACHE_HOME
    shift
    options=
    while [ "$1" != -- ]; do
        options="$options $1"
        shift
    done
    shift
    # shellcheck disable=SC2086
    oclgrind --local-mem-size 49152 --max-errors 20 --log "$work/log" $options \
        "$run_kernels" "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    if [ "$status" != 0 ] || [ -s "$work/log" ] || ! grep -q ': ran$' "$work/out"; then
        failures=$((failures + 1))
        echo "FAIL: status $status: oclgrind$options run_kernels $*"
        head -30 "$work/log" "$work/err" 2>/dev/null
        grep ': failed$' "$work/out"
    fi
    cat "$work/out" >>"$work/all"
    rm -f "$work/log"
}

watch races --data-races -- reduce
watch races --data-races -- matvec
watch races --data-races -- gemm
for kernel in copy copy-shared naive coalesced padded swizzled diagonal skewed skinny; do
    watch races --data-races -- transpose "$kernel"
done
# Without i16: Oclgrind 21.10 refuses the 128-bit constants that its compiler makes of it
# ("Unsupported constant int size: 16 bytes").
for dtype in i8 i32 i64 f32 f64 c64 c128; do
    watch races --data-races -- transpose vector "$dtype"
done

# Of Oclgrind 21.10's search for uninitialised values these kernels alone can be asked:
# it knows no `freeze`, which only its optimiser makes, and without that its compiler leaves
# llvm.experimental.noalias.scope.decl in gemm and transpose, which it does not know
# either; and of the scratch buffers of reductions and split sums it reports elements that
# were written, for a reason not found (uploads are one: it takes those at an offset for
# uploads to the first byte, which is why run_kernels uploads there).
for kernel in row-per-thread row-scattered shared-x shared-a-x warp-per-row; do
    watch written --uninitialized --build-options -cl-opt-disable -- matvec "$kernel"
done

grep 'unsupported here' "$work/all"
echo "$(grep -c ': ran$' "$work/all") runs under Oclgrind, $failures with messages"
[ "$failures" = 0 ]
