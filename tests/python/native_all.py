"""One process with PyTorch, CuPy, JAX, numba and Triton, whichever are here, and plx: 4 threads, calls with drawn shapes,
layouts and beginnings.  Elements are small whole numbers, so that every result has one right form, bit for bit, whatever
kernel and buffers it is from.  The device and context of each thread stay as they were, and after the first thousand calls
nothing grows.

    native_all.py [--calls 10000] [--only torch,cupy,jax,numba,triton,numpy] [--first plx]

It imports the libraries in the order that --only says, plx behind them or, with --first plx, before.  numpy: arrays of the
host, where there is no GPU."""

import ctypes
import random
import resource
import sys
import threading

import numpy as np


def option(name, default):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default


CALLS, NAMES = int(option("--calls", "10000")), option("--only", "torch,cupy,jax,numba,triton").split(",")
THREADS, GROWTH = 4, 64 << 20


# ---- arrays of each library: one of the host's there, room for a result there, and back ------------------------------------

def with_torch():
    import torch
    return (lambda a: torch.from_numpy(a).cuda(), lambda shape: torch.full(shape, -1., device="cuda"), lambda a: a.cpu().numpy())


def with_cupy():
    import cupy
    return cupy.asarray, lambda shape: cupy.full(shape, -1, "f4"), cupy.asnumpy


def with_numba():
    from numba import cuda
    return cuda.to_device, lambda shape: cuda.to_device(np.full(shape, -1, "f4")), lambda a: a.copy_to_host()


def with_jax():
    import jax
    device = jax.devices("gpu")[0]
    return lambda a: jax.device_put(a, device), None, None  # its arrays can't be written


def with_triton():
    """Operands that a kernel of Triton's has written."""
    import torch
    import triton
    import triton.language as tl

    @triton.jit
    def move(to, source, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(to + at, tl.load(source + at, mask=at < n), mask=at < n)

    def there(a):
        source = torch.from_numpy(a).cuda()
        to = torch.empty_like(source)
        move[(triton.cdiv(a.size, 256) or 1,)](to, source, a.size, BLOCK=256)
        return to
    return there, None, None


def with_numpy():
    return np.array, lambda shape: np.full(shape, -1, "f4"), np.array


if option("--first", "") == "plx":
    import plx
libraries = {}
for name in NAMES:
    try:
        libraries[name] = globals()["with_" + name]()
    except Exception as why:  # not here, or it finds no GPU
        print("note: no %s: %s" % (name, str(why).splitlines()[0] if str(why) else type(why).__name__))
import plx  # noqa: E402

writers = [name for name in libraries if libraries[name][1] is not None]
if not writers:
    print("skipped: there is none of %s" % ", ".join(NAMES))
    sys.exit(77)
try:
    driver = ctypes.CDLL("libcuda.so.1") if "numpy" not in libraries else None
except OSError:
    driver = None


def state():
    """The thread's context, and the device that torch would take."""
    context = ctypes.c_void_p()
    if driver is not None:
        driver.cuCtxGetCurrent(ctypes.byref(context))
    torch = sys.modules.get("torch")
    return context.value, torch.cuda.current_device() if torch is not None and torch.cuda.is_available() else None


def used():
    """Bytes of the process, and of the device."""
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    if driver is not None:
        driver.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, total.value - free.value


def operand(draw, name, rows, cols):
    """(it as the library has it, the same as NumPy has it): as it is or turned, whole or a part that begins anywhere.
    Arrays of numba and JAX stay as they are: what they turn is a copy, by a kernel that is compiled for each shape."""
    alone = name in ("numba", "jax")
    turned, part = draw.random() < .5 and not alone, draw.random() < .5 and not alone
    shape = (cols, rows) if turned else (rows, cols)
    room = np.array([[draw.randint(-8, 8) for _ in range(shape[1] + 3)] for _ in range(shape[0] + 2)], "f4")
    whole = room if part else np.ascontiguousarray(room[1:1 + shape[0], 2:2 + shape[1]])
    there = libraries[name][0](whole)
    if part:
        there, whole = there[1:1 + shape[0], 2:2 + shape[1]], whole[1:1 + shape[0], 2:2 + shape[1]]
    return (there.T, whole.T) if turned else (there, whole)


failed, lock, settled = [], threading.Lock(), []


def work(seed):
    draw = random.Random(seed)
    for i in range(CALLS // THREADS):
        name, writer = draw.choice(list(libraries)), draw.choice(writers)
        m, n, k = (draw.randint(1, 40) for _ in range(3))
        try:
            (a, host_a), (b, host_b) = operand(draw, name, m, k), operand(draw, name, k, n)
            out = libraries[writer][1]((m, n))
            before = state()
            plx.gemm(a, b, out=out)
            after = state()
            well = after == before and np.array_equal(libraries[writer][2](out), host_a @ host_b)
            why = "" if well else "state %s, then %s" % (before, after) if after != before else "another result"
        except Exception as raised:
            well, why = False, "%s: %s" % (type(raised).__name__, raised)
        with lock:
            if not well:
                failed.append("thread %d, call %d, %s into %s, %d x %d x %d: %s" % (seed, i, name, writer, m, n, k, why))
            if len(settled) == 0 and i * THREADS >= min(1000, CALLS // 2):
                settled.append(used())


threads = [threading.Thread(target=work, args=(seed,)) for seed in range(THREADS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
grown = [now - then for now, then in zip(used(), settled[0])]
print("%d calls of %d threads, of %s: %d failed; memory since the first thousand: %+d of the process, %+d of the device" %
      (CALLS // THREADS * THREADS, THREADS, ", ".join(libraries), len(failed), *grown))
for line in failed[:10]:
    print("  " + line)
if max(grown) > GROWTH:
    print("FAILED: memory grows")
sys.exit(bool(failed) or max(grown) > GROWTH)
