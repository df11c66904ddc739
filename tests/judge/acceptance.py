#!/usr/bin/env python3
"""What `parallax judge` must get right, with results of others: none that is right is an alarm, and each fault is wrong,
not judged, or named by what it is like.

    acceptance.py PARALLAX [--library numpy|torch|cupy|jax] [--results N] [--seeds N] [--longest K] [--keep DIR]

Cases are written as a challenge of our own (doc/challenge.md, data/challenge.schema.json) and judged in one go.  Needs
NumPy; on a GPU the results are those of torch, CuPy or JAX, at their highest precision.  Exit status: 0 as it must be,
1 not, 77 there is no such library.
"""
import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("skipped: there is no NumPy")
    sys.exit(77)


# ---- operands -------------------------------------------------------------------------------

def drawn(rng, kind, shape, dtype, summed=None):
    """(-1, 1), (0, 1), small integers, or thirds along the rows scaled by 1, 2^-10, 2^-20."""
    if kind == "integer":
        return rng.integers(-8, 9, shape).astype(dtype)
    x = rng.random(shape) * (1 if kind == "positive" else 2) - (0 if kind == "positive" else 1)
    if kind == "graded":
        step = 3 if dtype == np.float16 else 10
        for axis in range(x.ndim):
            thirds = np.arange(x.shape[axis]) * 3 // max(1, x.shape[axis])
            if summed is not None and axis == summed[0] and summed[1]:
                thirds = 2 - thirds
            x = x * np.exp2(-float(step) * thirds).reshape([-1 if a == axis else 1 for a in range(x.ndim)])
    return x.astype(dtype)


def tf32(x, cut=False):
    bits = x.astype(np.float32).view(np.uint32)
    return ((bits if cut else bits + np.uint32(0x1000)) & np.uint32(0xffffe000)).view(np.float32)


def bf16(x, cut=False):
    bits = np.asarray(x, np.float32).view(np.uint32)
    if not cut:
        bits = bits + np.uint32(0x7fff) + ((bits >> np.uint32(16)) & np.uint32(1))
    return (bits & np.uint32(0xffff0000)).view(np.float32)


# ---- challenges -----------------------------------------------------------------------------

class Challenge:
    def __init__(self, directory):
        self.directory = directory
        self.cases = []
        self.wanted = []
        os.makedirs(directory)

    def put(self, name, array):
        path = os.path.join(self.directory, name)
        np.save(path, array)
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()

    def add(self, op, fields, shape, operands, result, what, wanted="ok"):
        """wanted: "ok", or "caught"."""
        names = {np.dtype(np.float32): "f32", np.dtype(np.float64): "f64", np.dtype(np.float16): "f16",
                 np.dtype(np.int32): "i32", np.dtype(np.int64): "i64"}
        name = "%s-%05d" % (op, len(self.cases))
        case = {"name": name, "purpose": what, "input": "own", "op": op, "dtype": names[operands[0][1].dtype],
                "shape": list(shape), **fields, "operands": []}
        for operand, array in operands:
            file = "%s-%s.npy" % (name, operand)
            case["operands"].append({"operand": operand, "file": file, "dtype": names[array.dtype],
                                     "shape": list(array.shape), "sha256": self.put(file, array)})
        result = np.asarray(result)
        case["result"] = {"file": name + "-result.npy", "dtype": names[result.dtype], "shape": list(result.shape)}
        if result.dtype != operands[0][1].dtype:
            case["output_dtype"] = names[result.dtype]
        self.put(case["result"]["file"], result)
        self.cases.append(case)
        self.wanted.append((what, wanted))

    def judge(self, parallax, *options):
        manifest = {"schema": "parallax-challenge/1", "tool": {"name": "acceptance.py", "version": "1"}, "seed": 0,
                    "cases": self.cases}
        with open(os.path.join(self.directory, "manifest.json"), "w") as file:
            json.dump(manifest, file)
        done = subprocess.run([parallax, "judge", self.directory, "--json", "-", *options], stdout=subprocess.PIPE)
        if done.returncode not in (0, 1, 4):
            print("parallax judge ends with status", done.returncode)
            sys.exit(1)
        return json.loads(done.stdout)["verdicts"]


# ---- results of libraries ---------------------------------------------------------------------

def library(name):
    """matmul, matvec, sum and transpose of arrays of NumPy."""
    if name == "numpy":
        return np.matmul, np.matmul, np.sum, lambda x: np.ascontiguousarray(x.T)
    if name == "torch":
        import torch
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
        torch.set_float32_matmul_precision("highest")
        on = lambda x: torch.from_numpy(x).cuda() if torch.cuda.is_available() else torch.from_numpy(x)
        back = lambda x: x.cpu().numpy()
        return (lambda a, b: back(on(a) @ on(b)), lambda a, b: back(on(a) @ on(b)), lambda x: back(on(x).sum(dtype=on(x).dtype)),
                lambda x: back(on(x).T.contiguous()))
    if name == "cupy":
        import cupy
        # Pedantic: cuBLAS may add up parts of k in f16 otherwise; and CuPy and JAX sum f16 in f16 unless another type is asked for.
        cupy._core._routines_linalg.set_compute_type(np.float16, 2)
        return (lambda a, b: cupy.asnumpy(cupy.asarray(a) @ cupy.asarray(b)),
                lambda a, b: cupy.asnumpy(cupy.asarray(a) @ cupy.asarray(b)),
                lambda x: cupy.asnumpy(cupy.asarray(x).sum(dtype=np.promote_types(x.dtype, np.float32)).astype(x.dtype)),
                lambda x: cupy.asnumpy(cupy.ascontiguousarray(cupy.asarray(x).T)))
    import jax
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_default_matmul_precision", "highest")
    # Sums of f16 are kept in f32 where that is asked for: XLA adds a product with a vector up in f16 otherwise.
    wide = lambda dtype: np.promote_types(dtype, np.float32)
    product = lambda a, b: np.asarray(jax.numpy.matmul(a, b, preferred_element_type=wide(a.dtype)).astype(a.dtype))
    return (product, product, lambda x: np.asarray(jax.numpy.sum(x, dtype=wide(x.dtype)).astype(x.dtype)),
            lambda x: np.asarray(jax.numpy.transpose(x)))


KINDS = ("uniform", "positive", "graded", "integer")


def sizes(rng, compiled, most):
    """1 to most; of eight values where the library compiles a program for each shape, which takes it a quarter of a second."""
    return int(most ** (int(rng.integers(1, 9)) / 8)) if compiled else int(rng.integers(1, most + 1))


def honest(challenge, lib, count, seed, longest, compiled):
    matmul, matvec, total, transpose = lib
    rng = np.random.default_rng(seed)
    dtypes = (np.float32, np.float32, np.float64, np.float16)
    for i in range(count):
        kind, dtype = KINDS[i % 4], dtypes[i // 4 % 4]
        m, n = sizes(rng, compiled, 39), 39 if compiled else sizes(rng, False, 39)
        k = sizes(rng, compiled, 399)
        if i % 16 == 0:
            k = int(2 ** (int(rng.integers(1, 9)) / 8 * np.log2(longest) if compiled else rng.uniform(0, np.log2(longest))))
        what = "%s %s" % (kind, np.dtype(dtype).name)
        turn = i // 16 % 6
        if dtype == np.float16 and kind != "graded":
            k = min(k, 2000)
        if turn < 3:
            ta, tb = bool(rng.integers(2)), bool(rng.integers(2))
            a = drawn(rng, kind, (k, m) if ta else (m, k), dtype, (0 if ta else 1, False))
            b = drawn(rng, kind, (n, k) if tb else (k, n), dtype, (1 if tb else 0, True))
            c = matmul(a.T if ta else a, b.T if tb else b)
            challenge.add("gemm", {"trans_a": ta, "trans_b": tb}, (m, n, k), [("A", a), ("B", b)], c, what)
        elif turn == 3:
            a = drawn(rng, kind, (m, k), dtype, (1, False))
            x = drawn(rng, kind, (k,), dtype, (0, True))
            challenge.add("matvec", {}, (m, k), [("A", a), ("x", x)], matvec(a, x), what)
        elif turn == 4:
            x = drawn(rng, kind, (k * 8,), dtype)
            challenge.add("reduce", {"reduction": "sum"}, (k * 8,), [("x", x)], total(x), what)
        else:
            a = drawn(rng, kind, (m, k), dtype)
            challenge.add("transpose", {}, (m, k), [("in", a)], transpose(a), what)


# ---- faults ------------------------------------------------------------------------------------

def loop(a, b, rounded):
    """Sums that are rounded after every step."""
    sum_ = np.zeros((a.shape[0], b.shape[1]), np.float32)
    for l in range(a.shape[1]):
        sum_ = rounded(sum_ + rounded(np.outer(a[:, l], b[l, :])))
    return sum_


def strassen(a, b, least=16):
    m, k, n = a.shape[0], a.shape[1], b.shape[1]
    if min(m, k, n) <= least or m % 2 or k % 2 or n % 2:
        return a @ b
    a11, a12, a21, a22 = a[:m // 2, :k // 2], a[:m // 2, k // 2:], a[m // 2:, :k // 2], a[m // 2:, k // 2:]
    b11, b12, b21, b22 = b[:k // 2, :n // 2], b[:k // 2, n // 2:], b[k // 2:, :n // 2], b[k // 2:, n // 2:]
    p = [strassen(a11 + a22, b11 + b22), strassen(a21 + a22, b11), strassen(a11, b12 - b22), strassen(a22, b21 - b11),
         strassen(a11 + a12, b22), strassen(a21 - a11, b11 + b12), strassen(a12 - a22, b21 + b22)]
    return np.block([[p[0] + p[3] - p[4] + p[6], p[2] + p[4]], [p[1] + p[3], p[0] - p[1] + p[2] + p[5]]])


def spoilt(c, how, rng, a, b):
    c = c.copy()
    m, n = c.shape
    i, j = int(rng.integers(m)), int(rng.integers(n))
    if how == "zeros":
        c[:] = 0
    elif how == "twice its bound":
        size = np.abs(a[i].astype(np.float64)) @ np.abs(b[:, j].astype(np.float64))
        exact = a[i].astype(np.float64) @ b[:, j].astype(np.float64)
        c[i, j] = exact + 2 * (a.shape[1] + 2) * 2.0 ** -24 * size
    elif how == "exchanged rows":
        c[[i, (i + 1) % m]] = c[[(i + 1) % m, i]]
    elif how == "missing tile":
        c[-16:, -16:] = 0
    elif how == "NaN":
        c[i, j] = np.nan
    return c


def faults(challenge, seeds, longest):
    lengths = [k for k in (64, 512, 4096, 32768) if k <= longest]
    half = lambda x: np.asarray(x, np.float16).astype(np.float32)
    for seed in range(seeds):
        rng = np.random.default_rng(1000 + seed)
        add = lambda a, b, c, what: challenge.add("gemm", {}, (a.shape[0], b.shape[1], a.shape[1]), [("A", a), ("B", b)],
                                                  c, what, "caught")
        for kind in KINDS:
            a, b = drawn(rng, kind, (32, 300), np.float32, (1, False)), drawn(rng, kind, (300, 32), np.float32, (0, True))
            for how in ("zeros", "twice its bound", "exchanged rows", "missing tile", "NaN"):
                add(a, b, spoilt(a @ b, how, rng, a, b), "%s, %s" % (how, kind))
        x, y = (rng.random((16, 64)) * 100).astype(np.float16), (rng.random((64, 16)) * 100).astype(np.float16)
        add(x, y, np.clip(x.astype(np.float32) @ y.astype(np.float32), -65504, 65504).astype(np.float16), "saturated f16")
        for k in lengths:
            for kind in ("uniform", "positive"):
                a, b = drawn(rng, kind, (16, k), np.float32), drawn(rng, kind, (k, 16), np.float32)
                for how, to in (("tf32", tf32), ("tf32, cut off", lambda v: tf32(v, True)), ("bf16", bf16),
                                ("bf16, cut off", lambda v: bf16(v, True)), ("f16", half)):
                    add(a, b, to(a) @ to(b), "operands in %s, %s, k %d" % (how, kind, k))
                add(a, b, loop(a, b, half), "sums in f16, %s, k %d" % (kind, k))
                add(a, b, loop(a, b, bf16), "sums in bf16, %s, k %d" % (kind, k))
            x, y = drawn(rng, "uniform", (16, k), np.float16), drawn(rng, "uniform", (k, 16), np.float16)
            add(x, y, loop(x.astype(np.float32), y.astype(np.float32), half).astype(np.float16), "f16, sums in f16, k %d" % k)
        a, b = drawn(rng, "graded", (64, 64), np.float32, (1, False)), drawn(rng, "graded", (64, 64), np.float32, (0, True))
        add(a, b, strassen(a, b), "Strassen, graded")


# ---- verdicts ------------------------------------------------------------------------------------

def is_caught(verdict):
    like = verdict.get("likeness", {}).get("like", "unknown")
    return verdict["status"] != "ok" or like not in ("own", "unknown")


def main():
    reader = argparse.ArgumentParser()
    reader.add_argument("parallax")
    reader.add_argument("--library", default="numpy", choices=("numpy", "torch", "cupy", "jax"))
    reader.add_argument("--results", type=int, default=320)
    reader.add_argument("--seeds", type=int, default=1)
    reader.add_argument("--longest", type=int, default=4096)
    reader.add_argument("--seed", type=int, default=1)
    reader.add_argument("--keep")
    options = reader.parse_args()
    try:
        lib = library(options.library)
    except ImportError as why:
        print("skipped: %s" % why)
        return 77
    work = tempfile.mkdtemp()
    bad = 0
    try:
        piece = 2000
        alarms, rough, done = 0, 0, 0
        for first in range(0, options.results, piece):
            right = Challenge(os.path.join(work, "right-%d" % first))
            honest(right, lib, min(piece, options.results - first), options.seed + first, options.longest,
                   options.library == "jax")
            for verdict, (what, _) in zip(right.judge(options.parallax), right.wanted):
                alarm = verdict["status"] == "wrong"
                named = verdict.get("likeness", {}).get("like", "unknown") not in ("own", "unknown")
                alarms += alarm
                rough += named
                if alarm or named:
                    print("FALSE ALARM: %s, %s: %s %s" % (verdict["name"], what, verdict["reason"], verdict.get("likeness")))
            done += len(right.cases)
            shutil.rmtree(right.directory)
        print("%s: %d right results, %d called wrong, %d named as less exact" % (options.library, done, alarms, rough))
        bad += alarms + rough
        wrong = Challenge(os.path.join(work, "wrong"))
        faults(wrong, options.seeds, options.longest)
        missed, kinds = 0, {}
        for verdict, (what, _) in zip(wrong.judge(options.parallax), wrong.wanted):
            caught = is_caught(verdict)
            kind = what.split(", ")[0] if not what.startswith("f16") else "f16 with sums in f16"
            found = kinds.setdefault(kind, {})
            how = verdict["status"] if verdict["status"] != "ok" else "like " + verdict.get("likeness", {}).get("like", "?")
            found[how] = found.get(how, 0) + 1
            missed += not caught
            if not caught:
                print("MISSED: %s, %s: %s" % (verdict["name"], what, verdict.get("likeness")))
        for kind, found in kinds.items():
            print("  %-22s %s" % (kind, ", ".join("%d %s" % (number, how) for how, number in sorted(found.items()))))
        print("%d faults, %d missed" % (len(wrong.cases), missed))
        bad += missed
        if options.keep:
            shutil.copytree(work, options.keep)
    finally:
        shutil.rmtree(work)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
