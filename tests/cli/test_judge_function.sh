#!/bin/sh
# judge --source FILE.so and FILE.py: functions that launch what they like, in a process of their own.  The examples of the
# tree are right; what a function must not do is not done, or is said; nothing is left running.  CHECK_FORM=full: all of them.
. "${top_srcdir:-.}/tests/cli/judging.sh"
only host cuda
cc=${CC:-cc}
export PLX_CALL_SECONDS=60

# A recipe with few cases, for functions that are wrong.
cat >"$work/few.json" <<END
{"parallax_recipe": 1, "op": "reduce", "problem": {"dtype": ["f32"], "where": ["n == 1000"]},
 "launches": [{"entry": "run", "grid": [1], "block": [1], "args": []}]}
END

# ---- C ----
compile() { # NAME: $work/NAME.c becomes $work/NAME.so
    # shellcheck disable=SC2086 # words
    $cc -O1 -shared -fPIC -I"${top_srcdir:-.}/include" "$1" -o "$2" 2>"$work/err" || fail "$1 does not compile"
}
compile "$examples/functions.c" "$work/functions.so"
judged 0 right '"kind": "host code"' reduce --source "$work/functions.so" --entry sum --quick --shape 1000 --seconds 0.05 --processes 1
grep -q 'no descriptors' "$work/record" || fail "the record does not say what fences it in"
others="turn:transpose rows_by_vector:matvec product:gemm" # a second for each
[ "${CHECK_FORM-}" = full ] || others=product:gemm
for one in $others; do
    judged 0 right '"language": "C function"' "${one#*:}" --source "$work/functions.so" --entry "${one%:*}" --quick --no-timing
done
judged 0 compiled 'nothing was run' gemm --source "$work/functions.so" --entry product --compile-only
judged 2 bad_recipe "has no function 'none'" gemm --source "$work/functions.so" --entry none --shape 8x8x8
expect_run 0 '' compare gemm 64x64x64 --backend host --source "$work/functions.so" --entry product --no-timing
shows 'mine:functions'
echo 'no library' >"$work/text.so"
judged 2 bad_recipe "can't be loaded" gemm --source "$work/text.so" --shape 8x8x8

# Those that begin with "full" are for the long form.
full() {
    [ "${CHECK_FORM-}" != full ] || "$@"
}

# subject EXIT STATUS WORD TEXT: one that is wrong, of $call and nothing else.
subject() {
    wanted=$1 status_word=$2 word=$3
    cat >"$work/case.c" <<END
#define _GNU_SOURCE
#include <parallax/subject.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
static int honest(const plx_subject_call *call)
{
    double sum = 0;
    for (int64_t i = 0; i < call->in[0].cols; i++)
        sum += ((const float *)call->in[0].data)[i];
    *(float *)call->out.data = (float)sum;
    return 0;
}
int run(const plx_subject_call *call) { $4 }
END
    compile "$work/case.c" "$work/case.so"
    judged "$wanted" "$status_word" "$word" reduce --source "$work/case.so" --recipe "$work/few.json" --quick --no-timing --shape 1000
}
full subject 0 right '' 'signal(SIGTERM, SIG_IGN); signal(SIGSEGV, SIG_IGN); printf("\033[2J\a"); fflush(stdout); return honest(call);'
full subject 1 wrong 'first_wrong": {' 'memset(call->out.data, 0, 4); return 0;'
subject 1 wrong 'first_wrong": {' 'return 0;'
subject 4 not_judged 'does not support it' 'return 1;'
subject 5 failed 'run returned 7' 'return 7;'
full subject 5 crashed 'ended with status 3' 'exit(3);'
full subject 5 crashed 'SIGABRT' 'abort();'
full subject 5 crashed 'SIGSEGV' 'return *(volatile int *)8;'
subject 5 crashed 'its process ' 'for (int i = 3; i < 1024; i++) close(i); return honest(call);'
subject 1 wrote_elsewhere 'wrote to a read-only operand' 'float *x = (float *)call->in[0].data; x[0] += 1; return honest(call);'
subject 1 wrote_elsewhere 'wrote outside' '((float *)call->out.data)[1] = 7; return honest(call);'
# What it may not: each returns 0 where that was refused.
subject 0 right '' 'if (fork() >= 0) return 7; return honest(call);'
subject 0 right '' "if (open(\"$work/left\", O_CREAT | O_WRONLY, 0600) >= 0) return 7; return honest(call);"
subject 0 right '' 'if (socket(AF_INET, SOCK_STREAM, 0) >= 0 || kill(getppid(), 0) == 0 || setsid() >= 0) return 7; return honest(call);'
subject 0 right '' 'void *p = (void *)((uintptr_t)call->in[0].data & ~(uintptr_t)4095); if (mprotect(p, 4096, PROT_READ | PROT_WRITE) == 0) return 7; return honest(call);'
full subject 0 right '' 'char *args[] = {"true", NULL}; execv("/bin/true", args); return honest(call);'
[ ! -e "$work/left" ] || fail "a function has written a file"
PLX_CALL_SECONDS=3
subject 5 timeout 'did not come back' 'for (;;) pause();'
PLX_CALL_SECONDS=60

# Without a recipe the sign of a zero is not compared.
cat >"$work/zero.c" <<'END'
#include <parallax/subject.h>
int run(const plx_subject_call *call)
{
    if (call->in[0].dtype != call->out.dtype || call->reduce != 0)
        return 1;
    double sum = 0;
    for (int64_t i = 0; i < call->in[0].cols; i++)
        sum += ((const float *)call->in[0].data)[i];
    *(float *)call->out.data = sum == 0 ? (float)-sum : (float)sum;
    return 0;
}
END
compile "$work/zero.c" "$work/zero.so"
judged 0 right '"zeros_of_any_sign": true' reduce --source "$work/zero.so" --dtype f32 --quick --no-timing --shape 1000

# A function of tensors, as TVM's compilers export them; in the order that the recipe says.
cat >"$work/tvm.c" <<'END'
#include <parallax/dlpack.h>
typedef struct { int32_t type; uint32_t zero; union { int64_t i; double d; DLTensor *t; } is; } value;
int __tvm_ffi_run(void *self, const value *args, int32_t count, value *result)
{
    const DLTensor *c = args[0].is.t, *a = args[1].is.t, *b = args[2].is.t;
    (void)self, (void)result;
    if (count != 4 || args[0].type != 7 || args[3].type != 3 || a->ndim != 2 || a->dtype.bits != 32)
        return -1;
    for (int64_t i = 0; i < c->shape[0]; i++)
        for (int64_t j = 0; j < c->shape[1]; j++) {
            float sum = 0;
            for (int64_t k = 0; k < a->shape[1]; k++)
                sum += ((float *)a->data)[i * a->strides[0] + k * a->strides[1]] * ((float *)b->data)[k * b->strides[0] + j * b->strides[1]];
            ((float *)c->data)[i * c->strides[0] + j] = (float)args[3].is.d * sum;
        }
    return 0;
}
END
cat >"$work/tvm.json" <<'END'
{"parallax_recipe": 1, "op": "gemm", "problem": {"dtype": ["f32"], "trans": ["nn", "tn", "nt"], "where": ["beta == 0", "k > 0", "k < 200"]},
 "launches": [{"entry": "run", "grid": [1], "block": [1],
   "args": [{"operand": "C"}, {"operand": "A"}, {"operand": "B"}, {"scalar": "alpha"}]}]}
END
compile "$work/tvm.c" "$work/tvm.so"
judged 0 right '"kind": "host code"' gemm --source "$work/tvm.so" --quick --no-timing --shape 20x30x40
sed 's/{"scalar": "alpha"}/{"i32": 1}/' "$work/tvm.json" >"$work/wrong.json"
judged 2 bad_recipe 'is given operands, alpha and beta' gemm --source "$work/tvm.so" --recipe "$work/wrong.json" --shape 20x30x40

# ---- Python ----
for found in ${PYTHON:-python3} /usr/bin/python3; do
    "$found" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || continue
    PLX_PYTHON=${PLX_PYTHON:-$found}
    "$found" -c 'import numpy' 2>/dev/null && PLX_PYTHON=$found with_numpy=yes && break
done
export PLX_PYTHON
# python EXIT STATUS WORD LINE...
python() {
    wanted=$1 status_word=$2 word=$3
    shift 3
    printf '%s\n' "$@" >"$work/case.py"
    judged "$wanted" "$status_word" "$word" reduce --source "$work/case.py" --recipe "$work/few.json" --quick --no-timing --shape 1000
}
if [ -n "${PLX_PYTHON-}" ]; then
    sum='    import ctypes, math
    values = (ctypes.c_float * x.shape[0]).from_address(x.ptr)
    ctypes.c_float.from_address(out.ptr).value = math.fsum(values)'
    python 0 right '"language": "Python"' 'def run(x, out):' "$sum"
    python 5 failed 'ValueError: so it is, line 2' 'def run(x, out):' '    raise ValueError("so it is")'
    full python 5 failed 'SystemExit' 'def run(x, out):' '    raise SystemExit(4)'
    python 5 crashed 'ended with status 4' 'import os' 'def run(x, out):' '    os._exit(4)'
    full python 4 not_judged 'not for me' 'def run(x, out):' '    raise NotImplementedError("not for me")'
    python 2 bad_recipe "has no function 'run'" 'def other(x, out):' '    pass'
    full python 2 bad_recipe 'No module named' 'import nothing_that_is_there' 'def run(x, out):' '    pass'
    python 2 bad_recipe 'SyntaxError' 'def run(x, out)'
    python 5 failed 'PermissionError' 'def run(x, out):' "    open('$work/left', 'w')"
    PLX_CALL_SECONDS=3
    full python 5 timeout 'did not come back' 'import time' 'def run(x, out):' '    time.sleep(1000)'
    PLX_CALL_SECONDS=60
    [ ! -e "$work/left" ] || fail "a function of Python's has written a file"
    # A virtual environment has its own packages.
    if "$PLX_PYTHON" -m venv --without-pip "$work/venv" 2>/dev/null; then
        packages=$("$work/venv/bin/python" -c 'import site; print(site.getsitepackages()[0])')
        echo 'there = True' >"$packages/only_here.py"
        other=$PLX_PYTHON PLX_PYTHON=$work/venv/bin/python
        python 0 right '"language": "Python"' 'import only_here' 'def run(x, out):' "$sum"
        PLX_PYTHON=$other
    fi
    if [ -n "${with_numpy-}" ]; then
        others="total:reduce turn:transpose rows_by_vector:matvec product:gemm"
        [ "${CHECK_FORM-}" = full ] || others=product:gemm
        for one in $others; do
            judged 0 right '"language": "Python"' "${one#*:}" --source "$examples/with_numpy.py" --entry "${one%:*}" --quick --no-timing
        done
    else
        echo "functions with NumPy are not run: no python3 here has it"
    fi
    # A class as KernelBench has them: it knows no alpha and no beta, and says so; of PyTorch there is only what it uses.
    mkdir "$work/model" && cp "$examples/kernelbench.py" "$work/model/" || exit 99
    cat >"$work/model/torch.py" <<'END'
# What kernelbench.py and its caller use of PyTorch, on the host: matrices in the judge's memory, f32.
import ctypes


class nn:
    class Module:
        def __call__(self, *operands):
            return self.forward(*operands)


class Tensor:
    def __init__(self, shape, strides, elements):
        self.shape, self.strides, self.elements = shape, strides, elements

    def row(self, i):
        return [self.elements[i * self.strides[0] + j * self.strides[1]] for j in range(self.shape[1])]

    def copy_(self, other):
        for i in range(self.shape[0]):
            for j, value in enumerate(other.row(i)):
                self.elements[i * self.strides[0] + j * self.strides[1]] = value


def from_dlpack(operand):
    count = 1 + sum((size - 1) * stride for size, stride in zip(operand.shape, operand.strides)) if 0 not in operand.shape else 0
    return Tensor(operand.shape, operand.strides, (ctypes.c_float * count).from_address(operand.ptr))


def matmul(a, b):
    columns = list(zip(*(b.row(l) for l in range(b.shape[0])))) or [()] * b.shape[1]
    rows = [a.row(i) for i in range(a.shape[0])]
    return Tensor((a.shape[0], b.shape[1]), (b.shape[1], 1),
                  [sum(map(float.__mul__, row, column), 0.0) for row in rows for column in columns])


class no_grad:
    def __enter__(self):
        return self

    def __exit__(self, *unused):
        return False
END
    # model EXIT STATUS WORD CLAUSE ARGUMENT...
    model() {
        wanted=$1 status_word=$2 word=$3
        printf '{"parallax_recipe": 1, "op": "gemm", "problem": {"dtype": ["f32"], "trans": ["nn", "tn", "nt", "tt"], "where": ["%s", %s]},
 "launches": [{"entry": "ModelNew", "grid": [1], "block": [1], "args": []}]}' "$4" '"m * n * k < 30000"' >"$work/model/few.json"
        shift 4
        judged "$wanted" "$status_word" "$word" gemm --source "$work/model/kernelbench.py" --recipe "$work/model/few.json" \
            --entry ModelNew --quick --no-timing --shape 20x30x40 "$@"
    }
    refusal='NotImplementedError: ModelNew has no alpha and no beta'
    model 0 right "$refusal" 'm >= 0'
    says right 'its result is copied, which counts'
    model 4 not_judged "$refusal" 'alpha != 1' --alpha 2
    model 4 not_judged "$refusal" 'beta != 0' --beta 0.5
else
    echo "functions of Python are not run: there is no python3 of 3.9 or later"
fi
PLX_PYTHON=/nonexistent
export PLX_PYTHON
printf 'def run(x, out):\n    pass\n' >"$work/case.py"
judged 2 bad_recipe 'no python3' reduce --source "$work/case.py" --recipe "$work/few.json" --no-timing --shape 1000

# ---- ended from outside: a record, and nobody is left ----
printf '#include <parallax/subject.h>\n#include <unistd.h>\nint run(const plx_subject_call *call) { (void)call; for (;;) pause(); }\n' >"$work/case.c"
compile "$work/case.c" "$work/case.so"
for signal in KILL TERM; do
    rm -f "$work/record"
    "$parallax" judge reduce --source "$work/case.so" --recipe "$work/few.json" --quick --no-timing --shape 1000 \
        --json "$work/record" >"$work/out" 2>"$work/err" </dev/null &
    judge=$!
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do # until it is called
        sleep 0.5
        subject=$(running "parallax-subject C run .*$work/case.so" | tail -1)
        [ -n "$subject" ] && grep -q S "/proc/$subject/stat" 2>/dev/null && grep -q pause "/proc/$subject/wchan" 2>/dev/null && break
    done
    [ -n "$subject" ] || fail "no function is running"
    if [ $signal = KILL ]; then
        kill -KILL "$subject" 2>/dev/null
        wait $judge
        got=$?
        [ $got = 5 ] || fail "status $got, not 5, when the function's process was killed"
        says crashed SIGKILL
    else
        kill -TERM $judge
        wait $judge
        got=$?
        [ $got = 130 ] || fail "status $got, not 130, after SIGTERM"
        says interrupted interrupted
    fi
done

# ---- nobody is left ----
cases=$((cases + 1))
if [ -n "$(running "$work/case")" ]; then
    fail "a process is left"
fi
finish
