#!/bin/sh
# judge --source: what a function on a device puts into its stream is captured, listed and replayed, on a driver that needs no
# device; where that can't be done the reason is said, and the verdict is what it is without.
. "${top_srcdir:-.}/tests/support.sh"
cc=${CC:-cc}
driver=$built/tests/fakes/.libs/fake-cuda.so
[ -f "$driver" ] && [ -f "$built/.libs/plx-cuda.so" ] || {
    echo "there is no driver that needs no device"
    exit 77
}
only host cuda
export PLX_CALL_SECONDS=60 PLX_NVML_LIBRARY=/nonexistent FAKE_COMPUTES=1
# Memory for another process lies in files, where that process may write.
mkdir -p "$work/lib" "$work/cache/parallax/subject"
cp "$driver" "$work/lib/libcuda.so.1" || exit 99
LD_LIBRARY_PATH=$work/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} FAKE_SHARED=$work/cache/parallax/subject
export LD_LIBRARY_PATH FAKE_SHARED

cat >"$work/few.json" <<END
{"parallax_recipe": 1, "op": "reduce", "problem": {"dtype": ["i32"], "reduce": ["sum"], "where": ["n >= 1000", "n <= 1001"]},
 "launches": [{"entry": "run", "grid": [1], "block": [1], "args": []}]}
END

# judged KIND WORD...: right, whatever the kind; what else the record says.
shapes='--shape 1000'
judged() {
    cases=$((cases + 1))
    rm -f "$work/record"
    # shellcheck disable=SC2086 # words
    run judge reduce --source "$source" --recipe "$work/few.json" --backend cuda --quick --no-timing $shapes --json "$work/record"
    [ "$status" = 0 ] || fail "status $status, not 0: $*"
    tr -s '\n ' ' ' <"$work/record" >"$work/line" || fail "no record: $*"
    grep -qF '"status": "right"' "$work/line" || fail "the record's status is not right: $*"
    grep -qF "\"kind\": \"$1\"" "$work/line" || fail "the record's kind is not $1: $(grep '"kind"' "$work/record")"
    grep -qF ", $1 in " "$work/out" || fail "the headline does not say $1"
    shift
    for word in "$@"; do
        grep -qF -- "$word" "$work/line" || fail "no $word in the record: $(grep not_captured "$work/record")"
    done
}

# subject KIND TEXT WORD...: a function of $call, whose kernel sum() adds up an operand.
subject() {
    kind=$1
    cat >"$work/case.c" <<END
#define _GNU_SOURCE
#include <parallax/subject.h>
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
typedef unsigned long long at;
static int (*load)(void **, const void *), (*get)(void **, void *, const char *), (*make)(void **, unsigned);
static int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
static int (*copy)(at, at, size_t, void *), (*fill)(at, unsigned char, size_t, void *), (*wait_for)(void *);
static int (*up)(at, const void *, size_t, void *), (*host)(void *, void (*)(void *), void *);
static void *module, *first, *second, *own;
static const unsigned char image[16] __attribute__((aligned(8))) = {0x50, 0xed, 0x55, 0xba};
static int failed; /* a call of the driver's */
#define FIND(slot, name) (*(void **)&slot = dlsym(RTLD_DEFAULT, "cu" name))
static void begin(void)
{
    if (first != NULL)
        return;
    FIND(load, "ModuleLoadData"), FIND(get, "ModuleGetFunction"), FIND(launch, "LaunchKernel"), FIND(make, "StreamCreate");
    FIND(copy, "MemcpyDtoDAsync_v2"), FIND(fill, "MemsetD8Async"), FIND(wait_for, "StreamSynchronize");
    FIND(up, "MemcpyHtoDAsync_v2"), FIND(host, "LaunchHostFunc");
    if (load(&module, image) + get(&first, module, "reduce_vector_first") + get(&second, module, "reduce_vector_second") != 0)
        exit(90);
    (void)make(&own, 1);
}
static void sum(const plx_subject_call *call, void *function, void *to, void *stream)
{
    at x = (at)(size_t)call->in[0].data, out = (at)(size_t)to, n = (at)call->in[0].cols;
    void *parameters[] = {&x, &out, &n};
    failed += launch(function, 1, 1, 1, 64, 1, 1, 128, stream, parameters, NULL);
}
static void nothing(void *data) { (void)data; }
uint64_t run_workspace(const plx_subject_call *call) { (void)call; return 64; }
int run(const plx_subject_call *call)
{
    const at out = (at)(size_t)call->out.data, room = (at)(size_t)call->workspace;
    static int calls, answer;
    calls++, failed = 0, begin();
    (void)out, (void)room, (void)calls, (void)answer, (void)nothing;
    $2
    return 0;
}
END
    # shellcheck disable=SC2086 # words
    $cc -O1 -shared -fPIC -I"${top_srcdir:-.}/include" "$work/case.c" -o "$work/case.so" 2>"$work/err" || fail "$2 does not compile"
    source=$work/case.so
    shift 2
    judged "$kind" "$@"
}

# ---- captured ----
plain='sum(call, first, call->out.data, call->stream);'
subject 'captured host code' "$plain" \
    '"captured": { "kernels": 1, "copies": 0, "fills": 0, "allocations": 0, "others": 0, "list": [ { "name": "reduce_vector_first", "grid": [ 1, 1, 1 ], "block": [ 64, 1, 1 ], "shared_bytes": 128 } ] }'
shows '    captured: 1 kernel'
subject 'captured host code' 'fill(room, 0, 64, call->stream); sum(call, first, call->workspace, call->stream);
    sum(call, second, call->workspace, call->stream); copy(out, room, 4, call->stream);' \
    '"kernels": 2, "copies": 1, "fills": 1,' '"name": "reduce_vector_first"' '"name": "reduce_vector_second"'
shows '    captured: 2 kernels, 1 copy, 1 fill'
FAKE_NAMELESS=1
export FAKE_NAMELESS
judged 'captured host code' '"list": [ { "name": null, "grid": [ 1, 1, 1 ]'
unset FAKE_NAMELESS

# ---- not captured, and right all the same ----
subject 'host code' "$plain wait_for(call->stream);" '"captured": null' 'it does what ends the capture of its stream: '
shows '    not captured: it does what ends the capture'
subject 'host code' "$plain failed += wait_for(call->stream); if (failed) return 7;" 'it does what ends the capture of its stream: '
subject 'host code' 'sum(call, first, call->out.data, own);' 'it puts nothing into the stream that it is given'
subject 'host code' "$plain host(call->stream, nothing, NULL);" 'it calls host code from its stream, 1 time'
subject 'host code' "$plain if (*(int *)call->in[0].data == 0 && ((int *)call->in[0].data)[999] == 0) return 7;" \
    'it returned 7 while its stream was captured'
# What it computes itself, here from memory that only this driver lets it read.
subject 'host code' 'answer = 0; for (int64_t i = 0; i < call->in[0].cols; i++) answer += ((int *)call->in[0].data)[i];
    up(out, &answer, 4, call->stream);' 'the captured graph gives another result than the call: '
# One shape is not captured, the other is; the stream is as before.
shapes='--shape 1000 --shape 1001'
subject 'host code' "$plain if (call->in[0].cols == 1000) wait_for(call->stream);" \
    'it does what ends the capture of its stream: ' '"captured": { "kernels": 1,'
shapes='--shape 1000'
# What ends or hangs when it is captured is right without it.
subject 'host code' "$plain if (wait_for(call->stream) != 0) exit(3);" 'its process ended with status 3'
PLX_CALL_SECONDS=10
subject 'host code' "$plain while (wait_for(call->stream) != 0) sleep(1);" 'it did not come back within 10 seconds'
PLX_CALL_SECONDS=60

# ---- the same of Python's ----
for found in ${PYTHON:-python3} /usr/bin/python3; do
    "$found" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null && PLX_PYTHON=$found && break
done
# python KIND LINE WORD...
python() {
    kind=$1
    cat >"$work/case.py" <<END
import ctypes
driver = ctypes.CDLL("libcuda.so.1")
image = ctypes.create_string_buffer(bytes([0x50, 0xed, 0x55, 0xba]) + bytes(12))
function, own, answer = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()
called = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda data: None)


def run(x, out, stream):
    if function.value is None:
        module = ctypes.c_void_p()
        assert driver.cuModuleLoadData(ctypes.byref(module), image) == 0
        assert driver.cuModuleGetFunction(ctypes.byref(function), module, b"reduce_vector_mine") == 0
        assert driver.cuStreamCreate(ctypes.byref(own), 1) == 0
    stream = ctypes.c_void_p(stream)
    elements = (ctypes.c_int * x.shape[0]).from_address(x.ptr)

    def add(stream):
        values = [ctypes.c_uint64(one) for one in (x.ptr, out.ptr, x.shape[0])]
        parameters = (ctypes.c_void_p * 3)(*(ctypes.addressof(one) for one in values))
        assert driver.cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 128, stream, parameters, None) == 0
    $2
END
    source=$work/case.py
    shift 2
    judged "$kind" "$@"
}
if [ -n "${PLX_PYTHON-}" ]; then
    export PLX_PYTHON
    python 'captured host code' 'add(stream)' '"kernels": 1, "copies": 0,' \
        '"list": [ { "name": "reduce_vector_mine", "grid": [ 1, 1, 1 ], "block": [ 64, 1, 1 ], "shared_bytes": 128 } ]'
    python 'host code' 'add(stream), driver.cuStreamSynchronize(stream)' 'it does what ends the capture of its stream: '
    python 'host code' 'add(own)' 'it puts nothing into the stream that it is given'
    python 'host code' 'add(stream), driver.cuLaunchHostFunc(stream, called, None)' 'it calls host code from its stream, 1 time'
    python 'host code' 'add(stream), 1 // any(elements)' 'while its stream was captured it raised ZeroDivisionError'
    python 'host code' 'answer.value = sum(elements)
    driver.cuMemcpyHtoDAsync_v2(ctypes.c_uint64(out.ptr), ctypes.byref(answer), ctypes.c_size_t(4), stream)' \
        'the captured graph gives another result than the call: '
else
    echo "functions of Python are not run: there is no python3 of 3.9 or later"
fi

# ---- nobody is left ----
cases=$((cases + 1))
if [ -n "$(running "$work/case")" ]; then
    fail "a process is left"
fi
finish
