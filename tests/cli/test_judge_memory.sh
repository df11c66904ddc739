#!/bin/sh
# judge --source: kernels and functions that ask for more memory than a device has, or keep all of it, are told apart by a
# sentence, with status 5, in time, and nothing is left running.  On a driver that needs no device, and on PoCL with a limit.
. "${top_srcdir:-.}/tests/support.sh"
only host cuda opencl
examples=${top_srcdir:-.}/doc/judge
cc=${CC:-cc}
driver=$built/tests/fakes/.libs/fake-cuda.so
export PLX_CALL_SECONDS=60 PLX_NVML_LIBRARY=/nonexistent

# judged EXIT STATUS TEXT ARGUMENT...: the status, and why; nobody is left.
judged() {
    exit_status=$1 status_word=$2 text=$3
    shift 3
    rm -f "$work/record"
    expect_run "$exit_status" '' judge "$@" --quick --no-timing --json "$work/record"
    grep -q "\"status\": \"$status_word\"" "$work/record" || fail "the record's status is no $status_word: $*"
    [ -z "$text" ] || tail -1 "$work/out" | grep -qF -- "$text" || fail "the last line has no \"$text\""
    [ -z "$(running "parallax-subject .*$work")" ] || fail "a process is left: $*"
}

# scratch FILE BYTES: the recipe of an example whose kernel asks for so much scratch memory, too.
scratch() {
    sed -e "s/\"launches\":/\"scratch\": {\"all\": {\"bytes\": \"$2\", \"before\": \"garbage\"}}, \"launches\":/" \
        -e 's/"where": \[/"where": ["rows <= 100", /' "$examples/$1" >"$work/scratch.json"
}

# ---- OpenCL ----
if "$parallax" run reduce 1 --backend opencl >"$work/out" 2>&1; then
    export POCL_MEMORY_LIMIT=1
    scratch transpose.json 1500000000
    judged 5 failed 'scratch memory of its recipe: 1500000000 bytes of memory' transpose --source "$examples/transpose.cl" \
        --recipe "$work/scratch.json" --shape 100x100
    unset POCL_MEMORY_LIMIT
else
    echo "OpenCL's memory is not tried: there is no device"
fi

[ -f "$driver" ] && [ -f "$built/.libs/plx-cuda.so" ] || {
    echo "there is no driver that needs no device"
    finish
    exit
}
# ---- CUDA: scratch memory ----
mkdir -p "$work/lib" "$work/cache/parallax/subject"
cp "$driver" "$work/lib/libcuda.so.1" || exit 99
LD_LIBRARY_PATH=$work/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} FAKE_SHARED=$work/cache/parallax/subject FAKE_COMPUTES=1 FAKE_FULL=0:64000000
export LD_LIBRARY_PATH FAKE_SHARED FAKE_COMPUTES FAKE_FULL
triton="transpose --source $work/turn_rows.ptx --recipe $work/scratch.json --shape 100x100"
scratch transpose-triton.json 35184372088832
cp "$examples/turn_rows.json" "$examples/turn_rows.ptx" "$work/" || exit 99
# shellcheck disable=SC2086 # words
judged 5 failed 'scratch memory of its recipe: Fake GPU 0 has no 35184372088832 bytes left' $triton
sed -i 's/35184372088832/100000000/' "$work/scratch.json"
# shellcheck disable=SC2086 # words
judged 5 failed 'scratch memory of its recipe: Fake GPU 0 has no 100000000 bytes left' $triton

# ---- functions; reductions along an axis need a transpose ahead that this driver does not compute ----
cat >"$work/few.json" <<END
{"parallax_recipe": 1, "op": "reduce", "problem": {"dtype": ["i32"], "reduce": ["sum"], "where": ["n >= 5000", "n <= 1000000"]},
 "launches": [{"entry": "run", "grid": [1], "block": [1], "args": []}]}
END
# subject EXIT STATUS TEXT CODE: take() gets a piece of the device's memory, NULL where there is none.
subject() {
    exit_status=$1 status_word=$2 text=$3
    cat >"$work/case.c" <<END
#define _GNU_SOURCE
#include <parallax/subject.h>
#include <dlfcn.h>
#include <stddef.h>
static void *take(size_t bytes)
{
    int (*allocate)(unsigned long long *, size_t);
    unsigned long long piece = 0;
    *(void **)&allocate = dlsym(RTLD_DEFAULT, "cuMemAlloc_v2");
    return allocate(&piece, bytes) == 0 ? (void *)(size_t)piece : NULL;
}
static void give_back(void *piece)
{
    int (*release)(unsigned long long);
    *(void **)&release = dlsym(RTLD_DEFAULT, "cuMemFree_v2");
    (void)release((unsigned long long)(size_t)piece);
}
static int honest(const plx_subject_call *call)
{
    int sum = 0;
    for (int64_t i = 0; i < call->in[0].cols; i++)
        sum += ((const int *)call->in[0].data)[i];
    *(int *)call->out.data = sum;
    return 0;
}
static void (*const keep)(void *) = give_back;
$4
END
    # shellcheck disable=SC2086 # words
    $cc -O1 -shared -fPIC -I"${top_srcdir:-.}/include" "$work/case.c" -o "$work/case.so" 2>"$work/err" || fail "$4 does not compile"
    judged "$exit_status" "$status_word" "$text" reduce --source "$work/case.so" --recipe "$work/few.json" --backend cuda --shape 1000000
}
subject 0 right '' 'int run(const plx_subject_call *call)
{
    void *piece = take(1 << 20);
    if (piece == NULL)
        return 7;
    keep(piece);
    return honest(call);
}'
# All that is left is kept, from the first call on.
subject 5 failed 'Fake GPU 0 has no ' 'int run(const plx_subject_call *call)
{
    for (size_t bytes = 1 << 20; bytes >= 4096; bytes /= 2)
        while (take(bytes) != NULL)
            ;
    return honest(call);
}'
subject 5 failed 'run returned 7' 'int run(const plx_subject_call *call) { return take((size_t)1 << 30) == NULL ? 7 : honest(call); }'
subject 5 failed 'there is not as much memory as it asks for its workspace' 'int run(const plx_subject_call *call) { return honest(call); }
uint64_t run_workspace(const plx_subject_call *call) { (void)call; return (uint64_t)1 << 40; }'
finish
