"""The Python package on arrays of the host: results against NumPy's, and what is refused."""

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np

import plx
from plx import _arrays, _library

DRAWN = np.random.default_rng(7)


def whole(*shape, dtype="f4"):
    """Small whole numbers, whose sums are exact."""
    return DRAWN.integers(-8, 9, shape).astype(dtype)


class Results(unittest.TestCase):
    def same(self, ours, theirs):
        self.assertEqual(ours.shape, theirs.shape)
        self.assertTrue((ours == theirs).all())

    def test_products_of_every_layout(self):
        for dtype in ("f4", "f8"):
            for way in range(64):
                a, b, c = whole(3, 5, dtype=dtype), whole(5, 4, dtype=dtype), np.zeros((3, 4), dtype)
                lay = [np.asfortranarray(m) if way >> i & 1 else m for i, m in enumerate((a, b, c))]
                room = [np.zeros((m.shape[0] + 3, m.shape[1] + 3), dtype, order="F" if way >> i & 1 else "C") for i, m in enumerate(lay)]
                for i, m in enumerate(lay):
                    if way >> 3 + i & 1:
                        room[i][: m.shape[0], 1: 1 + m.shape[1]] = m
                        lay[i] = room[i][: m.shape[0], 1: 1 + m.shape[1]]
                result = plx.gemm(lay[0], lay[1], out=lay[2])
                self.assertIs(result, lay[2])
                self.same(result, a @ b)

    def test_views_are_no_copies(self):
        a, b = whole(5, 3), whole(4, 5)
        self.same(plx.gemm(a.T, b.T), a.T @ b.T)
        self.same(plx.gemm(a, b, trans_a=True, trans_b=True), a.T @ b.T)
        x = whole(5)
        self.same(plx.matvec(a, x, trans=True), a.T @ x)

    def test_batches(self):
        for dtype in ("f4", "f8"):
            a, b, x = whole(4, 3, 5, dtype=dtype), whole(4, 5, 2, dtype=dtype), whole(4, 5, dtype=dtype)
            self.same(plx.gemm(a, b), a @ b)
            self.same(plx.gemm(a, b[1]), a @ b[1])
            self.same(plx.gemm(a[2], b), a[2] @ b)
            self.same(plx.gemm(a[:1], b), a[:1] @ b)
            self.same(plx.gemm(a.swapaxes(1, 2), b.swapaxes(1, 2), trans_a=True, trans_b=True), a @ b)
            self.same(plx.gemm(a[::2], b[::-2][::-1]), a[::2] @ b[1::2])
            self.same(plx.matvec(a, x), (a @ x[:, :, None])[:, :, 0])
            self.same(plx.matvec(a[0], x), x @ a[0].T)
            self.same(plx.matvec(a, x[3]), a @ x[3])
            self.same(plx.transpose(a), a.swapaxes(1, 2))
            out = np.zeros((4, 6, 7), dtype)[:, 1:4, 2:4]
            self.assertIs(plx.gemm(a, b, out=out, alpha=2, beta=3), out)
            self.same(out, 2 * (a @ b))
            four = whole(2, 2, 3, 5, dtype=dtype)
            self.same(plx.gemm(four, b[0]), four @ b[0])

    def test_batches_that_do_not_fit(self):
        a, b = whole(4, 3, 5), whole(3, 5, 2)
        with self.assertRaisesRegex(ValueError, "stack of 3, and the result of 4"):
            plx.gemm(a, b)
        with self.assertRaisesRegex((ValueError, plx.Error), "a batch of 0"):
            plx.gemm(a[:0], b[:0])
        with self.assertRaisesRegex(ValueError, "no product"):
            plx.gemm(a, b[0], out=np.zeros((3, 2), "f4"))

    def test_reductions_along_an_axis(self):
        for dtype, reductions in (("f4", ("sum", "min", "max")), ("i4", ("sum", "max"))):
            for name in reductions:
                for shape in ((6,), (4, 5), (3, 4, 5), (2, 3, 4, 5)):
                    x = whole(*shape, dtype=dtype)
                    for axis in range(-len(shape), len(shape)):
                        self.same(plx.reduce(x, name, axis=axis), getattr(x, name)(axis=axis))
        x, out = whole(3, 4, 5), np.zeros((4, 9), "f4")[:, 1:6]
        turned = whole(5, 3).T
        self.same(plx.reduce(turned, axis=0), turned.sum(axis=0))
        self.same(plx.reduce(turned, axis=1), turned.sum(axis=1))
        rows = np.zeros((3, 9), "f4")[:, 1:6]
        self.assertIs(plx.reduce(x, axis=1, out=rows), rows)
        self.same(rows, x.sum(axis=1))
        with self.assertRaises(plx.Unsupported):
            plx.reduce(x, axis=0, out=out)
        for axis in (3, -4):
            with self.assertRaisesRegex(ValueError, "axis %d of an array of 3 dimensions" % axis):
                plx.reduce(x, axis=axis)
        with self.assertRaises(TypeError):
            plx.reduce(x, axis=1.0)

    def test_factors(self):
        a, b, c = whole(3, 5), whole(5, 4), whole(3, 4)
        expected = 2 * (a @ b) - c
        self.same(plx.gemm(a, b, out=c, alpha=2, beta=-1), expected)
        x, y = whole(5), whole(3)
        expected = 3 * (a @ x) + 2 * y
        self.same(plx.matvec(a, x, out=y, alpha=3, beta=2), expected)

    def test_the_other_operations(self):
        for dtype in ("f4", "f8", "i4", "i8"):
            a = whole(6, 7, dtype=dtype)
            self.same(plx.transpose(a), a.T)
            self.same(plx.transpose(a.T), a)
            self.assertEqual(plx.reduce(a), a.sum())
            self.assertEqual(plx.reduce(a, "min"), a.min())
            self.assertEqual(plx.reduce(a.T, "max"), a.max())
        self.assertEqual(plx.reduce(np.zeros(0, "f4")), 0)
        self.assertEqual(plx.reduce(np.float32(3).reshape(())), 3)

    def test_halves(self):
        a, b = whole(3, 5, dtype="f2"), whole(5, 4, dtype="f2")
        self.same(plx.gemm(a, b), a @ b)
        wide = np.zeros((3, 4), "f4")
        self.same(plx.gemm(a, b, out=wide), a.astype("f4") @ b.astype("f4"))

    def test_plans(self):
        a, b, c = whole(3, 5), whole(5, 4), np.zeros((3, 4), "f4")
        plan = plx.plan("gemm", a, b, c, alpha=2)
        for _ in range(3):
            a[...] = whole(3, 5)
            self.same(plan(a, b, c), 2 * (a @ b))
        with self.assertRaisesRegex(ValueError, "lie otherwise"):
            plan(a, b, np.zeros((3, 4), "f4", order="F"))
        with self.assertRaisesRegex(ValueError, "no operation 'gem'"):
            plx.plan("gem", a, b, c)

    def test_a_kernel_by_name(self):
        a, b = whole(3, 5), whole(5, 4)
        name = plx.gemm(a, b, kernel="best")
        self.same(name, a @ b)
        with self.assertRaisesRegex(plx.Error, "nowhere"):
            plx.gemm(a, b, kernel="nowhere")

    def test_drawn_shapes_from_threads(self):
        failed = []

        def work(seed):
            draw = np.random.default_rng(seed)
            for _ in range(100):
                m, n, k = draw.integers(1, 20, 3)
                a, b = draw.integers(-4, 5, (m, k)).astype("f4"), draw.integers(-4, 5, (k, n)).astype("f4")
                if not (plx.gemm(a, b) == a @ b).all():
                    failed.append((m, n, k))

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])


class Counted:
    """How many arrays go all the way meanwhile."""

    def __enter__(self):
        self.count, self._init = 0, _arrays.Operand.__init__

        def init(operand, *given):
            self.count += 1
            self._init(operand, *given)
        _arrays.Operand.__init__ = init
        return self

    def __exit__(self, *_):
        _arrays.Operand.__init__ = self._init


class Again(unittest.TestCase):
    """Calls like one before: nothing is looked at again but what tells them apart.  (Mutations: no _ready; a key without the
    strides, the type, what is read-only, alpha.)"""

    def test_nothing_goes_all_the_way_twice(self):
        a, b, c = whole(3, 5), whole(5, 4), np.zeros((3, 4), "f4")
        plan = plx.plan("gemm", a, b, c)
        plan(a, b, c), plx.gemm(a, b, out=c), plx.reduce(a), plx.matvec(a, b[:, 0].copy()), plx.transpose(a)
        with Counted() as counted:
            for _ in range(20):
                a, b = whole(3, 5), whole(5, 4)
                for product in (plan(a, b, np.zeros((3, 4), "f4")), plx.gemm(a, b)):
                    self.assertTrue((product == a @ b).all())
                self.assertEqual(plx.reduce(a), a.sum())
                self.assertTrue((plx.matvec(a, b[:, 0].copy()) == a @ b[:, 0]).all())
                self.assertTrue((plx.transpose(a) == a.T).all())
        self.assertEqual(counted.count, 0)

    def test_what_differs_is_told_apart(self):
        for _ in range(3):
            for dtype in ("f4", "f8"):
                a, b = whole(4, 4, dtype=dtype), whole(4, 4, dtype=dtype)
                room = np.zeros((4, 7), dtype)
                room[:, :4] = a
                for left in (a, np.asfortranarray(a), room[:, :4]):
                    for alpha in (1, 2, -1.5):
                        self.assertTrue((plx.gemm(left, b, alpha=alpha) == alpha * (a @ b)).all())
                    out = np.ones((4, 4), dtype, order="F")
                    self.assertTrue((plx.gemm(left, b, out=out, beta=1) == a @ b + 1).all())
            self.assertEqual([plx.reduce(a, way) for way in ("sum", "min", "max")], [a.sum(), a.min(), a.max()])

    def test_failures_are_the_same(self):
        a, b, c = whole(2, 2), whole(2, 2), np.zeros((2, 2), "f4")
        fixed = np.zeros((2, 2), "f4")
        fixed.flags.writeable = False
        for _ in range(3):
            plx.gemm(a, b, out=c)
            with self.assertRaisesRegex(plx.Error, "overlaps"):
                plx.gemm(a, b, out=a)
            with self.assertRaisesRegex(plx.Error, "C is written"):
                plx.gemm(a, b, out=fixed)

    def test_plans_that_made_room(self):
        for n in range(1, plx._MOST_PLANS + 20):
            plx.reduce(np.ones(n, "f4"))
        self.assertLessEqual(len(plx._ready), plx._MOST_PLANS)
        self.assertEqual(plx.reduce(np.ones(3, "f4")), 3)


class Elsewhere(unittest.TestCase):
    """Arrays of the host on another backend, where there is one."""

    def test_they_are_copied_there_and_back(self):
        try:
            _library.backend("opencl")
        except plx.Error:
            self.skipTest("there is no OpenCL device")
        a, b = whole(9, 5), whole(5, 7)
        self.assertTrue((plx.gemm(a, b, backend="opencl") == a @ b).all())
        self.assertTrue((plx.gemm(b.T, a.T, backend="opencl") == b.T @ a.T).all())
        c = np.asfortranarray(whole(9, 7))
        expected = a @ b + c
        self.assertTrue((plx.gemm(a, b, out=c, beta=1, backend="opencl") == expected).all())
        self.assertEqual(plx.reduce(a, backend="opencl"), a.sum())


class Producer:
    """A library's array, of which everything can be told."""

    def __init__(self, array, device=(1, 0), old=False):
        self.array, self.device, self.old, self.asked = array, device, old, []

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **given):
        self.asked.append(given)
        if self.old and "max_version" in given:
            raise TypeError("unexpected keyword argument 'max_version'")
        given.pop("max_version", None)
        return self.array.__dlpack__(**given)

    @property
    def shape(self):
        return self.array.shape


class Refusals(unittest.TestCase):
    def test_layouts(self):
        a, x = whole(4, 4), whole(4)
        for bad, word in ((a[::-1], "negative"), (a[::2, ::2], "both are above 1"),
                          (np.lib.stride_tricks.as_strided(a, (4, 4), (8, 4)), "overlap")):
            with self.assertRaisesRegex(BufferError, word):
                plx.gemm(bad, whole(bad.shape[1], 4))
        with self.assertRaisesRegex(BufferError, "broadcast"):
            plx.gemm(a, a, out=np.broadcast_to(np.zeros(4, "f4"), (4, 4)))
        with self.assertRaisesRegex(BufferError, "apart"):
            plx.matvec(a, whole(8)[::2])
        with self.assertRaisesRegex(ValueError, "rank"):
            plx.gemm(np.zeros((2, 2, 2, 2, 2), "f4"), a, out=a.copy())
        with self.assertRaisesRegex(ValueError, r"4 x 4 of f32 \(rank 2\) and 1 x 3"):
            plx.matvec(a, whole(3))
        with self.assertRaisesRegex(ValueError, "beta needs out="):
            plx.gemm(a, a, beta=1)
        with self.assertRaisesRegex(ValueError, "no reduction 'mean'"):
            plx.reduce(x, "mean")

    def test_types(self):
        for dtype in ("?", "u1", "u4"):
            with self.assertRaisesRegex(plx.Unsupported, "elements of"):
                plx.reduce(np.zeros(4, dtype))
        for dtype, word in ((">f4", "big-endian"), ("S4", "no number in DLPack"), ("V2", "no number in DLPack"), ("M8[s]", "no number in DLPack")):
            with self.assertRaisesRegex(BufferError, word):
                plx.reduce(np.zeros(4, dtype))
        with self.assertRaisesRegex(TypeError, "__array_interface__"):
            plx.reduce([1, 2, 3])
        with self.assertRaisesRegex(ValueError, "compute"):
            plx.gemm(whole(2, 2), whole(2, 2), compute="f33")

    def test_what_is_to_be_read_is_no_result(self):
        fixed = np.zeros((2, 2), "f4")
        fixed.flags.writeable = False
        with self.assertRaisesRegex(plx.Error, "out is written|C is written"):
            plx.gemm(whole(2, 2), whole(2, 2), out=fixed)
        self.assertEqual(plx.reduce(fixed), 0)

    def test_overlap(self):
        room = whole(10)
        with self.assertRaisesRegex(plx.Error, "overlaps"):
            plx.transpose(room[:4].reshape(2, 2), out=room[3:7].reshape(2, 2))

    def test_two_devices(self):
        with self.assertRaisesRegex(ValueError, "type 1, number 0, type 2, number 1"):
            plx.gemm(whole(2, 2), Producer(whole(2, 2), (2, 1)), out=whole(2, 2))
        with self.assertRaisesRegex(ValueError, "type 10"):
            plx.reduce(Producer(whole(2, 2), (10, 0)), out=Producer(whole(1), (10, 0)))

    def test_an_older_producer(self):
        given = Producer(whole(2, 3), old=True)
        out = np.zeros((3, 2), "f4")
        plx.transpose(given, out=out)
        self.assertTrue((out == given.array.T).all())
        self.assertEqual(given.asked, [{"max_version": (1, 0)}, {}])

    def test_a_capsule_is_used_once(self):
        capsule = whole(4).__dlpack__()

        class Same(Producer):
            def __dlpack__(self, **given):
                return capsule

        given = Same(whole(4))
        self.assertIsNotNone(plx.reduce(given, out=np.zeros((), "f4")))  # borrowed: not used up
        np.from_dlpack(given)  # now it is
        with self.assertRaisesRegex(BufferError, "was used before"):
            plx.reduce(given, out=np.zeros((), "f4"))

    def test_a_version_that_is_not_known(self):
        made = _arrays._Versioned(major=2, minor=0)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        capsule = new(ctypes.addressof(made), b"dltensor_versioned", None)

        class Newer(Producer):
            def __dlpack__(self, **given):
                return capsule

        with self.assertRaisesRegex(BufferError, "version 2 of DLPack"):
            plx.reduce(Newer(whole(4)), out=np.zeros((), "f4"))

    def test_what_a_producer_refuses_is_its_own_word(self):
        """Conjugated, sparse, requiring gradients, without storage: whoever has such an array says so."""
        for kind, word in ((BufferError, "conjugate bit"), (RuntimeError, "requires grad"), (ValueError, "sparse")):
            class Refuses(Producer):
                def __dlpack__(self, **given):
                    raise kind(word)
            out = np.full((), 7, "f4")
            with self.assertRaisesRegex(kind, word):
                plx.reduce(Refuses(whole(4)), out=out)
            self.assertEqual(out, 7)

    def test_strange_tensors(self):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        words, shape = (ctypes.c_float * 4)(1, 2, 3, 4), (ctypes.c_int64 * 5)(4, 1, 1, 1, 1)

        def tensor(data=ctypes.addressof(words), ndim=1, code=2, bits=32, lanes=1, strides=None, offset=0):
            made = _arrays.DLTensor(data=data, device=_arrays._Device(1, 0), ndim=ndim, dtype=_arrays._Type(code, bits, lanes),
                                    shape=shape, byte_offset=offset)
            if strides is not None:
                made.strides = (ctypes.c_int64 * 5)(*strides)

            class Given:
                def __dlpack_device__(self):
                    return 1, 0

                def __dlpack__(self, **given):
                    self.kept = made
                    return new(ctypes.addressof(made), b"dltensor", None)
            return Given()

        out = np.full((), 7, "f4")
        for given, kind, word in ((tensor(data=None), BufferError, "NULL"), (tensor(lanes=2), plx.Unsupported, "2 lanes"),
                                  (tensor(ndim=-1), BufferError, "-1 dimensions"), (tensor(ndim=65), BufferError, "65 dimensions"),
                                  (tensor(code=6, bits=8), plx.Unsupported, "bool8"), (tensor(code=1, bits=8), plx.Unsupported, "uint8"),
                                  (tensor(code=10, bits=8), plx.Unsupported, "code 10"), (tensor(strides=[-1]), BufferError, "negative"),
                                  (tensor(strides=[0]), BufferError, "broadcast"), (tensor(strides=[1 << 62]), BufferError, ""),
                                  (tensor(offset=1), plx.Error, "")):
            with self.assertRaisesRegex(kind, word):
                plx.reduce(given, out=out)
            self.assertEqual(out, 7)
        plx.reduce(tensor(ndim=5), out=out) # leading dimensions are joined
        self.assertEqual(out, 10)
        plx.reduce(tensor(ndim=0), out=out)
        self.assertEqual(out, 1)
        plx.reduce(tensor(offset=4, ndim=0), out=out)
        self.assertEqual(out, 2)
        halves = (ctypes.c_uint16 * 4)(0x3f80, 0x4000, 0x4040, 0x4080)  # bfloat16 by DLPack's own code
        plx.reduce(tensor(data=ctypes.addressof(halves), code=4, bits=16), out=out)
        self.assertEqual(out, 10)

    def test_bfloat16_by_its_name(self):
        class Named:
            dtype = type("dtype", (), {"name": "bfloat16"})

            def __init__(self, array):
                self.__array_interface__ = dict(array.__array_interface__, typestr="<V2")
                self.shape = array.shape

        words = np.array([0x3f80, 0x4000, 0x4040], "u2")  # 1, 2, 3
        out = np.zeros((), "f4")
        plx.reduce(Named(words), out=out)
        self.assertEqual(out, 6)


ON_A_FAKE = """
import ctypes, os, plx
driver = ctypes.CDLL(os.environ["PLX_CUDA_LIBRARY"])
context, stream = ctypes.c_void_p(), ctypes.c_void_p()
assert driver.cuInit(0) == 0 and driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
assert driver.cuCtxSetCurrent(context) == 0 and driver.cuStreamCreate(ctypes.byref(stream), 1) == 0

class Array:
    def __init__(self, shape):
        address = ctypes.c_uint64()
        assert driver.cuMemAlloc_v2(ctypes.byref(address), 4096) == 0
        self.shape = shape
        self.__cuda_array_interface__ = {"shape": shape, "typestr": "<f4", "data": (address.value, False), "version": 3}

class Stream:
    def __cuda_stream__(self):
        return 0, stream.value

class State(ctypes.Structure):  # the beginning of fake_cuda_state
    _fields_ = [("failing_function", ctypes.c_char_p), ("failing_result", ctypes.c_int), ("failing_call", ctypes.c_size_t),
                ("knobs", ctypes.c_int * 5), ("argument_counts", ctypes.c_size_t * 16), ("most_bytes", ctypes.c_size_t),
                ("elapsed", ctypes.c_double), ("alive", ctypes.c_size_t * 6), ("ever", ctypes.c_size_t * 3), ("captured", ctypes.c_size_t)]
driver.fake_cuda_control.restype = ctypes.POINTER(State)
fake = driver.fake_cuda_control().contents

a, b, c, x, s = Array((4, 5)), Array((5, 6)), Array((4, 6)), Array((5,)), Array(())
before = ctypes.c_void_p()
for given in (None, 0, 1, 2, stream.value, Stream()):
    assert plx.gemm(a, b, out=c, stream=given) is c
plx.reduce(a, out=s)
plan, queue = plx.plan("gemm", a, b, c), plx.Queue(stream.value)
queue.reserve(plan)
graph = ctypes.c_void_p()
assert driver.cuStreamBeginCapture_v2(stream, 0) == 0
plan(a, b, c, queue=queue)
plx.reduce(a, out=s, stream=Stream())
assert driver.cuStreamEndCapture(stream, ctypes.byref(graph)) == 0
# A batch is captured as so many launches.
many = Array((3, 4, 5)), b, Array((3, 4, 6))
batch = plx.plan("gemm", *many, kernel="naive")
batch(*many, queue=queue)
queue.reserve(batch)
captured = fake.captured
assert driver.cuStreamBeginCapture_v2(stream, 0) == 0
batch(*many, queue=queue)
assert driver.cuStreamEndCapture(stream, ctypes.byref(graph)) == 0
assert fake.captured == captured + 3, fake.captured - captured
# What another stream writes is waited for, by the device: nobody told its library of ours.
library, waits = plx._library.library(), []
wait = library.plx_queue_wait
library.plx_queue_wait = lambda later, earlier: waits.append((later.value, earlier.value)) or wait(later, earlier)
other = ctypes.c_void_p()
assert driver.cuStreamCreate(ctypes.byref(other), 1) == 0
for _ in range(2):
    x.__cuda_array_interface__["stream"] = other.value
    plx.reduce(x, out=s, stream=stream.value)
assert len(waits) == 2 and waits[0][0] != waits[0][1], waits
x.__cuda_array_interface__["stream"] = stream.value
plx.reduce(x, out=s, stream=stream.value)
assert len(waits) == 2
for key, value in (("stream", 0), ("mask", a)):
    x.__cuda_array_interface__ = dict(x.__cuda_array_interface__, **{"stream": None, key: value})
    try:
        plx.reduce(x, out=s)
    except BufferError as why:
        print(why)
try:
    plx.gemm(a, b)
except TypeError as why:
    print(why)
assert driver.cuCtxGetCurrent(ctypes.byref(before)) == 0 and before.value == context.value
# A queue ends before the stream that it was given, an import before its array, when nobody else holds those.
def ends(make, what):
    order, destroy = [], getattr(library, what)
    setattr(library, what, lambda value: order.append("ours") or destroy(value))
    made = make(type("Theirs", (), {"__del__": lambda self: order.append("theirs")})())
    made = None
    setattr(library, what, destroy)
    return order

def queue_of(theirs):
    theirs.__class__.__cuda_stream__ = lambda self: (0, stream.value)
    return plx.Queue(theirs)

def operand_of(theirs):
    theirs.__class__.__cuda_array_interface__ = b.__cuda_array_interface__
    theirs.shape = b.shape
    return plx._arrays.Operand(theirs, plx._library.backend("cuda"), stream.value)

for make, what in ((queue_of, "plx_queue_destroy"), (operand_of, "plx_buffer_destroy")):
    assert ends(make, what) == ["ours", "theirs"], what
a.__cuda_array_interface__["data"] = (id(a), False)
try:
    plx.reduce(a, out=s)
except BufferError as why:
    print(why)
"""


LIKE_TORCH = """
import ctypes, os, sys, types, plx
from plx import _arrays
driver = ctypes.CDLL(os.environ["PLX_CUDA_LIBRARY"])
context, streams = ctypes.c_void_p(), [ctypes.c_void_p(), ctypes.c_void_p()]
assert driver.cuInit(0) == 0 and driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
assert driver.cuCtxSetCurrent(context) == 0
for stream in streams:
    assert driver.cuStreamCreate(ctypes.byref(stream), 1) == 0
torch = sys.modules["torch"] = types.ModuleType("torch")
current = [streams[0].value]
torch._C = types.SimpleNamespace(_cuda_getCurrentRawStream=lambda index: current[0])
torch.cuda = types.SimpleNamespace(current_stream=lambda device: types.SimpleNamespace(cuda_stream=current[0]))

class Tensor:
    __module__ = "torch"
    requires_grad, looked = False, 0

    def __init__(self, *shape):
        address = ctypes.c_uint64()
        assert driver.cuMemAlloc_v2(ctypes.byref(address), 4096) == 0
        self.shape, self.dtype, self.device, self.address = shape, "float32", device, address.value

    def stride(self): return (self.shape[1], 1)
    def is_conj(self): return False
    def is_neg(self): return False
    def data_ptr(self): return self.address

    @property
    def __cuda_array_interface__(self):
        Tensor.looked += 1
        if self.requires_grad: raise RuntimeError("it requires a gradient")
        return {"shape": self.shape, "typestr": "<f4", "data": (self.address, False), "version": 3}

def looks(call):
    before = Tensor.looked
    call()
    return Tensor.looked > before

class Device:
    index = 0
device = Device()
a, b, c = Tensor(4, 5), Tensor(5, 6), Tensor(4, 6)
call = lambda **given: plx.gemm(a, b, out=c, **given)
call()
queues = lambda: sorted(key[1] for key in plx._queues)
assert not looks(call) and queues() == [streams[0].value], queues()
current[0] = streams[1].value # another stream needs its queue, and nothing more
assert not looks(call) and queues() == sorted(s.value for s in streams), queues()
assert looks(lambda: call(stream=streams[0].value)) # its producer has to be told
assert not looks(lambda: call(stream=streams[1].value))
current[0] = 0
assert not looks(call) and 1 in queues()
a.requires_grad = True
try:
    call()
    print("a gradient is lost")
except RuntimeError as why:
    print(why)
"""


class Device(unittest.TestCase):
    """What a GPU's arrays go through, on a driver that is not there."""

    def test_the_current_stream_of_each_call(self):
        fake = os.path.join(os.environ.get("top_builddir", "."), "tests/fakes/.libs/fake-cuda.so")
        if not os.path.exists(fake):
            self.skipTest("there is no fake driver in this build")
        done = subprocess.run([sys.executable, "-c", LIKE_TORCH], env=dict(os.environ, PLX_CUDA_LIBRARY=os.path.abspath(fake)),
                              capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        self.assertEqual((done.returncode, done.stderr, done.stdout), (0, "", "it requires a gradient\n"))

    def test_streams_and_captures(self):
        fake = os.path.join(os.environ.get("top_builddir", "."), "tests/fakes/.libs/fake-cuda.so")
        if not os.path.exists(fake):
            self.skipTest("there is no fake driver in this build")
        done = subprocess.run([sys.executable, "-c", ON_A_FAKE], env=dict(os.environ, PLX_CUDA_LIBRARY=os.path.abspath(fake)),
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("give out=", done.stdout)
        self.assertIn("CUDA knows of no memory", done.stdout)
        self.assertIn("its stream is 0", done.stdout)
        self.assertIn("it is masked", done.stdout)


class Process(unittest.TestCase):
    def run_python(self, text, **environment):
        return subprocess.run([sys.executable, "-c", text], env=dict(os.environ, **environment), capture_output=True, text=True)

    def test_import_loads_and_looks_for_nothing(self):
        done = self.run_python("import plx, sys\nassert 'libparallax' not in open('/proc/self/maps').read()\n"
                               "assert 'numpy' not in sys.modules", PLX_LIBRARY="/nowhere")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_library_that_is_missing_is_named(self):
        done = self.run_python("import plx\nplx.version()", PLX_LIBRARY="/nowhere/libparallax.so")
        self.assertIn("ImportError: libparallax was not found (/nowhere/libparallax.so", done.stderr)

    def test_the_interpreter_may_end_with_everything_alive(self):
        done = self.run_python("import numpy as np, plx\na = np.ones((3, 3), 'f4')\nc = plx.gemm(a, a)\n"
                               "p = plx.plan('gemm', a, a, c)\np(a, a, c)\nprint(c[0, 0])")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "3.0\n", ""))

    def test_a_child_that_executes_a_program_is_a_new_process(self):
        done = self.run_python("import numpy as np, os, sys, plx\na = np.ones((2, 2), 'f4')\nplx.gemm(a, a)\n"
                               "if os.fork() == 0:\n  os.execv(sys.executable, [sys.executable, '-c', 'import numpy as np, plx\\n"
                               "a = np.ones((2, 2), \"f4\")\\nprint(plx.gemm(a, a)[0, 0])'])\nos.wait()")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "2.0\n", ""))

    def test_a_home_that_can_only_be_read(self):
        nowhere = os.path.join(tempfile.mkdtemp(), "nowhere")
        self.addCleanup(shutil.rmtree, os.path.dirname(nowhere))
        for home in ("/proc", nowhere, ""):
            done = self.run_python("import numpy as np, os, plx\nos.environ.pop('XDG_CACHE_HOME', None)\na = np.ones((2, 2), 'f4')\n"
                                   "print(plx.gemm(a, a)[0, 0])", HOME=home, XDG_CACHE_HOME=home)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "2.0\n", ""))
        self.assertFalse(os.path.exists(nowhere), "a home that was not there was made")

    def test_arrays_that_another_thread_lets_go(self):
        """The last reference of an array, and with it its producer's deleter, ends in a thread that never called us."""
        done = self.run_python("import numpy as np, threading, plx\nx = [np.ones(1000, 'f4') for _ in range(100)]\n"
                               "class P:\n  def __init__(self, a): self.a = a\n  def __dlpack_device__(self): return 1, 0\n"
                               "  def __dlpack__(self, **k): return self.a.__dlpack__()\n"
                               "out = np.zeros((), 'f4')\nfor i, a in enumerate(x):\n  plx.reduce(P(a), out=out)\n  assert out == 1000\n"
                               "del a\nthread = threading.Thread(target=x.clear)\nthread.start()\nthread.join()\n"
                               "a = np.ones((2, 2), 'f4')\nprint(plx.gemm(a, a)[0, 0])")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "2.0\n", ""))

    def test_a_child_is_told(self):
        done = self.run_python("import numpy as np, os, plx\na = np.ones((2, 2), 'f4')\nplx.gemm(a, a)\n"
                               "if os.fork() == 0:\n  try: plx.gemm(a, a)\n  except plx.Error as why: print(type(why).__name__, why, flush=True)\n"
                               "  os._exit(0)\nos.wait()")
        self.assertIn("DeviceLost", done.stdout)
        self.assertIn("forked", done.stdout)


if __name__ == "__main__":
    unittest.main()
