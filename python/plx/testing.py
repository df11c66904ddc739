"""Assertions on results of any library, whose bound follows from the arithmetic that is promised:

    from plx.testing import assert_gemm
    def test_product():
        a, b = operands()
        assert_gemm(a, b, mine(a, b))

A result that is like something less exact than was promised (operands rounded to TF32, say) fails as well, though the bound of
a long sum would have room for it; typical=False asks for the bound alone."""

import os

from . import _judge

#: The folder that failures leave their operands in, for `parallax judge FOLDER`; $PLX_SAVE_FAILURE, --plx-save-failure of pytest.
save_failures = os.environ.get("PLX_SAVE_FAILURE")


def _assert(op, operands, result, given):
    __tracebackhide__ = True
    given.setdefault("typical", True)
    verdict = _judge.judge(op, *operands, result=result, save=save_failures, **given)
    if verdict.ok:
        return verdict
    lines = [str(verdict)]
    if verdict.get("repeat"):
        lines.append("repeat: " + verdict["repeat"])
    raise AssertionError("\n".join(lines))


def assert_gemm(a, b, c, *, old=None, **given):
    """c = alpha a b + beta old.  given: as of plx.judge()."""
    __tracebackhide__ = True
    return _assert("gemm", (a, b) if old is None else (a, b, old), c, given)


def assert_matvec(a, x, y, *, old=None, **given):
    """y = alpha a x + beta old."""
    __tracebackhide__ = True
    return _assert("matvec", (a, x) if old is None else (a, x, old), y, given)


def assert_transpose(a, out, **given):
    """out[j, i] = a[i, j]."""
    __tracebackhide__ = True
    return _assert("transpose", (a,), out, given)


def assert_reduce(x, result, reduction="sum", **given):
    """The sum, min or max of all elements."""
    __tracebackhide__ = True
    return _assert("reduce", (x,), result, dict(given, reduction=reduction))
