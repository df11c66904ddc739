#!/bin/sh
# All OpenCL kernels once under Oclgrind, each searched twice: for data races and accesses
# out of bounds, and for values that nobody wrote.  First the searches must find what is
# planted in real kernels.
#
# $CHECK_FORM: "full" for all of them (make check-full), else the kernels of three operations in f32, reductions by their sums.
set -u
export LC_ALL=C
unset PLX_BACKEND 2>/dev/null
top=${top_builddir:-.}
source=${top_srcdir:-.}
examples=$source/tests/opencl/oclgrind
run_kernels=$top/tests/opencl/run_kernels
PLX_PLUGIN_PATH=${PLX_PLUGIN_PATH:-$top/.libs}
export PLX_PLUGIN_PATH
for tool in oclgrind oclgrind-kernel; do
    command -v $tool >/dev/null 2>&1 || {
        echo "skipped: $tool is not installed"
        exit 77
    }
done
[ -x "$run_kernels" ] || {
    echo "there is no program $run_kernels"
    exit 99
}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM

# ---- how Oclgrind is asked ------------------------------------------------------------

# shows FAULT TEXT: whether this Oclgrind has the fault that the example shows.
shows() {
    cp "$examples/$1.cl" "$work" || exit 99
    printf '%s.cl\n%s\n1 1 1\n1 1 1\n<size=4 noinit>\n<size=4 noinit>\n' "$1" "$1" >"$work/$1.sim"
    (cd "$work" && oclgrind-kernel --uninitialized --build-options -cl-opt-disable "$1.sim" 2>&1) |
        grep -q "$2" || return 1
    echo "Oclgrind has the fault of tests/opencl/oclgrind/$1.cl"
}

# What was written is searched as it was written: the optimiser chooses among values that
# nobody needs, wherever they come from, and makes `freeze`, which Oclgrind does not know.
plain=-cl-opt-disable
shows inlined noalias.scope.decl && plain="$plain -Dalways_inline=noinline"
# All exchanges here are for the value that they leave, which a store leaves as well; how
# they meet others is the race search's affair, and there they are what they are.
written=$plain
shows exchange 'Uninitialized value written' &&
    written="$written -Datomic_xchg(place,value)=(*(place)=(value),0)"

# oclgrind_on DIRECTORY SEARCH OPTIONS ARGUMENT...: it has 32 KiB of local memory unless told,
# gemm/warp-tile needs more.  A directory's cache serves one set of options: they are no part
# of its keys.  Messages are taken from stderr: a file that --log names begins anew with
# every session, and run_kernels opens one for each run.
oclgrind_on() {
    directory=$work/$1 search=$2
    OCLGRIND_BUILD_OPTIONS=$3
    XDG_CACHE_HOME=$directory
    export OCLGRIND_BUILD_OPTIONS XDG_CACHE_HOME
    shift 3
    mkdir -p "$directory"
    oclgrind --local-mem-size 49152 --num-threads 1 --max-errors 20 "$search" \
        "$run_kernels" "$@" >"$directory/out" 2>"$directory/err" </dev/null
    status=$?
    grep -v -e '^$' -e '^[0-9]* warnings* generated\.$' "$directory/err" >"$directory/messages"
    return $status
}

fail() {
    echo "FAIL: $1" | tee -a "$work/failed"
    head -30 "$directory/messages"
    grep ': failed$' "$directory/out"
}

# clean DIRECTORY SEARCH OPTIONS ARGUMENT...: every message is a failure.
clean() {
    oclgrind_on "$@"
    shift 3
    if [ "$status" != 0 ] || [ -s "$directory/messages" ] || ! grep -q ': ran$' "$directory/out"; then
        fail "status $status: $search run_kernels $*"
    fi
    cat "$directory/out" >>"$directory.all"
}

# caught TEXT DIRECTORY SEARCH OPTIONS ARGUMENT...: what is planted is found.
caught() {
    text=$1
    shift
    oclgrind_on "$@"
    planted=$3
    shift 3
    grep -q "$text" "$directory/messages" || fail "not found: $planted in $*"
}

# ---- what is asked --------------------------------------------------------------------

races=--data-races values=--uninitialized

# No barriers: items meet in local memory, in global memory, and read what comes later.
# Partial sums that nobody writes: scratch memory counts as unwritten, all but its counters.
plants() {
    alone='-Dbarrier(fence)='
    caught 'data race' alone $races "$alone" transpose coalesced f32
    caught 'data race' alone $races "$alone" reduce gmem i32 min
    caught 'data race' alone $races "$alone" gemm smem-block f32 tt
    caught 'Uninitialized value' alone-plain $values "$plain $alone" transpose coalesced f32
    caught 'on uninitialized value' alone-plain $values "$plain $alone" gemm smem-block f64 tt
    lost='-Datomic_xchg(place,value)=0'
    caught 'Uninitialized value' lost $values "$plain $lost" matvec split f32 wide
    caught 'Uninitialized value' lost $values "$plain $lost" reduce onepass f32 sum
}

# i16 without the optimiser: of the 128-bit constants that it makes of transpose/vector
# Oclgrind 21.10 says "Unsupported constant int size: 16 bytes".
all_races() {
    clean races $races '' reduce
    clean races $races '' matvec
    clean races $races '' gemm
    clean races $races '' probe
    for dtype in i8 i32 i64 f32 f64 c64 c128; do
        clean races $races '' transpose all $dtype
    done
    clean races-plain $races "$plain" transpose all i16
}

# The types that make different programs.  Where tiles are large each type takes one way.
gemm_values() {
    clean written-gemm $values "$written" gemm all f32 tt
    clean written-gemm $values "$written" gemm all f32 long
    clean written-gemm $values "$written" gemm all f64 nn
    for dtype in f16 bf16; do
        clean written-gemm $values "$written" gemm all $dtype
    done
}

other_values() {
    clean written $values "$written" reduce
    clean written $values "$written" matvec
    clean written $values "$written" probe
    clean written $values "$written" transpose all i8 80
    clean written $values "$written" transpose all i16 37
    clean written $values "$written" transpose all f32
    clean written $values "$written" transpose all f64 80
    clean written $values "$written" transpose all c128 37
}

# Every kernel that there is a .cl of, or it is one of those that need what Oclgrind has not: NVIDIA's PTX,
# shuffles.  These say so when they are asked to run, so that none stays here when it no longer does.
not_here='reduce/bulk reduce/shuffle gemm/dmma gemm/dmma-bulk gemm/mma-sync gemm/mma-direct gemm/wgmma'
not_here="$not_here gemm/wgmma-pipelined gemm/wgmma-narrow gemm/wgmma-tf32"

held_against_the_files() {
    for file in "$source"/kernels/*/*.cl "$source"/kernels/*/device/*/*.cl; do
        kernel=${file#"$source/kernels/"} kernel=${kernel%%/*}/${kernel##*/} kernel=${kernel%.cl} end=': ran$'
        case " $not_here " in
        *" $kernel "*) end=': unsupported here' ;;
        esac
        for search in "$@"; do
            cat "$work/$search"*.all | grep "^$kernel .*$end" >/dev/null ||
                echo "FAIL: $kernel under $search: no line \"$end\"" | tee -a "$work/failed"
        done
    done
}

some_races() {
    clean races $races '' reduce all f32 sum
    clean races $races '' transpose all f32
    clean races $races '' matvec all f32
}
some_values() {
    clean written $values "$written" reduce all f32 sum
    clean written $values "$written" transpose all f32
}

: >"$work/failed"
if [ "${CHECK_FORM:-}" = full ]; then
    { plants && all_races && gemm_values; } >"$work/first" &
    other_values >"$work/second"
else
    { plants && some_races; } >"$work/first" &
    some_values >"$work/second"
fi
wait
cat "$work/first" "$work/second"
cat "$work"/*.all | grep 'unsupported here' | sort -u
[ "${CHECK_FORM:-}" != full ] || held_against_the_files races written
echo "$(cat "$work"/*.all | grep -c ': ran$') runs under Oclgrind, $(grep -c . "$work/failed") failures"
[ ! -s "$work/failed" ]
