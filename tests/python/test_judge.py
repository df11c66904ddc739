"""Judging from Python: results of any library, challenges, assertions, pytest."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import plx
from plx import _judge, _program, testing

DRAWN = np.random.default_rng(11)


def drawn(*shape, dtype="f4"):
    return DRAWN.random(shape).astype(dtype)


def as_tf32(x):
    """Rounded to 11 bits of significand, as a matrix unit does it."""
    return ((x.view("u4") + 0x1000) & np.uint32(0xffffe000)).view("f4")


class Judging(unittest.TestCase):
    def test_right_and_wrong(self):
        a, b, c0 = drawn(20, 30), drawn(30, 10), drawn(20, 10)
        self.assertTrue(plx.judge("gemm", a, b, result=a @ b))
        self.assertTrue(plx.judge("gemm", a.T, b, result=a @ b, trans_a=True))
        self.assertTrue(plx.judge("gemm", a, b, c0, result=2 * (a @ b) - c0, alpha=2, beta=-1))
        self.assertTrue(plx.judge("matvec", a, b[:, 0], result=a @ b[:, 0]))
        self.assertTrue(plx.judge("transpose", a, result=a.T))
        self.assertTrue(plx.judge("reduce", a, result=a.max(), reduction="max"))
        self.assertTrue(plx.judge("gemm", np.asfortranarray(a), b[:, ::-1], result=(a @ b)[:, ::-1]))
        c = a @ b
        c[3, 4] += 1
        verdict = plx.judge("gemm", a, b, result=c)
        self.assertFalse(verdict)
        self.assertIn("C[3][4] is", str(verdict))
        self.assertEqual(verdict["error"]["wrong"], 1)
        self.assertFalse(plx.judge("gemm", a, b, c0, result=2 * (a @ b), alpha=2, beta=-1))

    def test_promises_are_passed_on(self):
        a, b = drawn(8, 2000), drawn(2000, 8)
        rough = as_tf32(a) @ as_tf32(b)
        self.assertTrue(plx.judge("gemm", a, b, result=rough, compute="tf32"))
        self.assertFalse(plx.judge("gemm", a, b, result=rough, typical=True))
        self.assertEqual(plx.judge("gemm", a, b, result=a @ b, sums="pairwise", units=False)["promise"]["matrix_units"], False)

    def test_bfloat16_of_ml_dtypes(self):
        class Named(np.ndarray):
            @property
            def dtype(self):
                return type("dtype", (), {"name": "bfloat16"})

        words = np.array([[0x3f80, 0x4000], [0x4040, 0x3f80]], "u2")  # 1 2; 3 1
        given, named = _judge.on_host(words.view(Named))
        self.assertEqual((given.dtype.str, named), ("|V2", "bf16"))
        self.assertTrue(plx.judge("transpose", words.view(Named), result=words.T.copy().view(Named)))

    def test_what_is_wrong_with_the_call(self):
        a, b = drawn(2, 3), drawn(2, 3)
        with self.assertRaisesRegex(ValueError, "inner sizes 2 and 3 differ|inner sizes 3 and 2 differ"):
            plx.judge("gemm", a, b, result=a)
        with self.assertRaisesRegex(ValueError, "no operation 'gem'"):
            plx.judge("gem", a, b, result=a)
        with self.assertRaisesRegex(ValueError, "operands A, B, C, and 4"):
            plx.judge("gemm", a, b, a, b, result=a)
        with self.assertRaisesRegex(ValueError, "typicall"):
            plx.judge("transpose", a, result=a.T, typicall=True)
        named = os.environ["PLX_PROGRAM"]
        os.environ["PLX_PROGRAM"] = "/nowhere/parallax"
        try:
            with self.assertRaisesRegex(OSError, "/nowhere/parallax"):
                plx.judge("transpose", a, result=a.T)
        finally:
            os.environ["PLX_PROGRAM"] = named

    def test_failures_are_repeated_from_their_folder(self):
        for op, operands, result, given in (("gemm", (drawn(9, 7), drawn(7, 8)), drawn(9, 8), {}),
                                            ("gemm", (drawn(7, 9), drawn(8, 7), drawn(9, 8)), drawn(9, 8),
                                             {"trans_a": True, "trans_b": True, "alpha": 2, "beta": 3}),
                                            ("matvec", (drawn(9, 7), drawn(7)), drawn(9), {}),
                                            ("reduce", (drawn(9),), np.float32(77), {"reduction": "max"}),
                                            ("transpose", (drawn(9, 7),), drawn(7, 9), {"typical": True})):
            with tempfile.TemporaryDirectory() as folder:
                verdict = plx.judge(op, *operands, result=result, save=folder, **given)
                self.assertFalse(verdict)
                self.assertIn(folder, verdict["repeat"])
                again = _judge.judge_folder(folder)
                self.assertEqual([one["reason"] for one in again], [verdict["reason"]])
                more = plx.judge(op, *operands, result=result, save=folder, **given)  # beside the first
                self.assertEqual(len(_judge.judge_folder(more["repeat"].split()[2])), 1)
                self.assertNotEqual(more["repeat"], verdict["repeat"])


class Challenges(unittest.TestCase):
    def test_functions(self):
        def product(a, b):
            with np.errstate(all="ignore"):
                return a @ b

        def wrong(a, b):
            return product(as_tf32(np.ascontiguousarray(a)), as_tf32(np.ascontiguousarray(b)))

        verdicts = plx.challenge("gemm", product)
        self.assertGreater(len(verdicts), 10)
        self.assertEqual([str(one) for one in verdicts if not one], [])
        self.assertFalse(all(plx.challenge("gemm", wrong)))
        with_factors = plx.challenge("matvec", lambda a, x, y=None, **given: a @ x)
        self.assertGreater(len(with_factors), len(plx.challenge("matvec", lambda a, x: a @ x)))
        self.assertFalse(all(with_factors))

    def test_batches(self):
        def total(x, reduction, axis=None):
            return {"sum": np.sum, "min": np.min, "max": np.max}[reduction](x, axis=axis).astype(x.dtype)

        def turned(a):
            return np.swapaxes(a, -1, -2)
        verdicts = plx.challenge("transpose", turned, batches=True)
        self.assertGreater(len(verdicts), len(plx.challenge("transpose", turned)))
        self.assertEqual(sum(one["batch"] > 1 and one.ok for one in verdicts if "batch" in one), 3)  # the fourth is one of all
        with tempfile.TemporaryDirectory() as folder:
            found = _judge.cases("reduce", os.path.join(folder, "cases"), dtype="i32", batches=True)
            along = [case for case in found if case.settings.get("axis") == -2]
            self.assertTrue(along and [case for case in found if case.settings.get("axis") == -1])
            for case in along:
                case.write(total(*case.operands, **case.settings))
            verdicts = {one["name"]: one for one in _judge.judge_folder(os.path.join(folder, "cases"))}
            self.assertEqual([str(verdicts[case.name]) for case in along if not verdicts[case.name]], [])

    def test_saved_batches(self):
        a, b = np.ones((2, 3, 4), np.float32), np.ones((2, 4, 5), np.float32)
        with tempfile.TemporaryDirectory() as folder:
            verdict = plx.judge("gemm", a, b, result=np.full((2, 3, 5), 7, np.float32), save=folder)
            self.assertFalse(verdict)
            again, = _judge.judge_folder(verdict["repeat"].split()[2])
            self.assertEqual((again["status"], again["reason"]), (verdict["status"], verdict["reason"]))

    def test_what_raises_is_wrong(self):
        def thrown(a):
            if len(a) > 50:
                raise RuntimeError("too long for me")
            return a.T
        verdicts = plx.challenge("transpose", thrown)
        self.assertIn("RuntimeError: too long for me", [one["reason"] for one in verdicts])
        self.assertTrue(any(verdicts))

    def test_brought_into_a_library(self):
        class Wrapped:
            def __init__(self, array):
                self.array = array

            def __array__(self, dtype=None, copy=None):
                return self.array
        verdicts = plx.challenge("transpose", lambda a: Wrapped(a.array.T), like=Wrapped)
        self.assertEqual([str(one) for one in verdicts if not one], [])


class Studies(unittest.TestCase):
    def test_lists_of_dicts(self):
        rows = plx.compare("gemm", (8, 9, 10), backend="host", no_timing=True)
        self.assertEqual([(row["backend"], row["shape"], row["status"]) for row in rows], [("host:0", [8, 9, 10], "ok")])
        rows = plx.bench("transpose", shape=[(8, 9), (9, 8)], backend=["host"], no_timing=True)
        self.assertEqual([row["shape"] for row in rows], [[8, 9], [9, 8]])
        with self.assertRaisesRegex(plx.Error, "nobody"):
            plx.compare("gemm", (8, 8, 8), backend="nobody")

    def test_options(self):
        self.assertEqual(_program.options({"no_timing": True, "kernel": ["a", "b"], "hot": False, "seed": 3, "set": None}),
                         ["--no-timing", "--kernel", "a", "--kernel", "b", "--seed", "3"])


class Assertions(unittest.TestCase):
    def test_each(self):
        a, b, x = drawn(20, 64), drawn(64, 20), drawn(64)
        testing.assert_gemm(a, b, a @ b)
        testing.assert_gemm(a, b, a @ b + b[:20], old=b[:20].copy(), beta=1)
        testing.assert_matvec(a, x, a @ x)
        testing.assert_transpose(a, a.T)
        testing.assert_reduce(a, a.min(), "min")
        for call in (lambda: testing.assert_gemm(a, b, b @ a if False else a @ b + 1), lambda: testing.assert_matvec(a, x, a @ x + 1),
                     lambda: testing.assert_transpose(a, a.T + 1), lambda: testing.assert_reduce(a, a.min(), "max")):
            with self.assertRaisesRegex(AssertionError, "wrong"):
                call()

    def test_tf32_is_not_f32(self):
        a, b = drawn(64, 4096) - np.float32(0.5), drawn(4096, 16) - np.float32(0.5)
        rough = as_tf32(a) @ as_tf32(b)
        testing.assert_gemm(a, b, a @ b)
        testing.assert_gemm(a, b, rough, typical=False)  # the bound of a long sum has room for it
        with self.assertRaisesRegex(AssertionError, "tf32"):
            testing.assert_gemm(a, b, rough)


PROJECT = """
import numpy as np, pytest
from plx.testing import assert_gemm

def as_tf32(x):
    return ((np.ascontiguousarray(x).view("u4") + 0x1000) & np.uint32(0xffffe000)).view("f4")

def exact(a, b):
    with np.errstate(all="ignore"):
        return a @ b

def rough(a, b):
    return exact(as_tf32(a), as_tf32(b))

@pytest.mark.parametrize("product", [exact, rough])
def test_product(product):
    a, b = np.random.default_rng(1).random((2, 64, 64)).astype("f4")
    assert_gemm(a, b, product(a, b))

@pytest.mark.plx_cases("gemm", dtype="f32")
def test_challenge(plx_case):
    plx_case.check(exact)
"""


class Pytest(unittest.TestCase):
    def test_a_project(self):
        try:
            import pytest
        except ImportError:
            self.skipTest("there is no pytest")
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "test_mine.py"), "w") as file:
                file.write(PROJECT)
            saved = os.path.join(folder, "saved")
            done = subprocess.run([sys.executable, "-m", "pytest", "-p", "plx.pytest_plugin", "-p", "no:cacheprovider", "-q", "-rs",
                                   "--plx-save-failure", saved, folder], cwd=folder, capture_output=True, text=True)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertRegex(done.stdout, r"1 failed, \d+ passed, \d+ skipped")
            self.assertIn("test_product[rough]", done.stdout)
            self.assertIn("tf32", done.stdout)
            self.assertIn("repeat: parallax judge " + saved, done.stdout)
            self.assertEqual([one["status"] for one in _judge.judge_folder(saved, typical=True)], ["wrong"])
            with open(os.path.join(saved, "manifest.json")) as file:
                self.assertEqual(len(json.load(file)["cases"]), 1)


if __name__ == "__main__":
    unittest.main()
