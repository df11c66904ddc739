# Functions for `parallax judge --source with_numpy.py`, one for each operation:
#
#     parallax judge gemm --source with_numpy.py --entry product --shape 512x512x512
#
# Operands are the judge's memory; numpy.asarray() copies nothing.  A transposed operand comes transposed.
import numpy


def total(x, result, *, reduce):
    if reduce != "sum":
        raise NotImplementedError("NumPy's least and greatest know no sign of zeros")
    x, result = numpy.asarray(x), numpy.asarray(result)
    result[0] = x.sum(dtype=x.dtype) + x.dtype.type(0)  # a sum begins with +0


def turn(matrix, out):
    numpy.asarray(out)[...] = numpy.asarray(matrix).T


def rows_by_vector(a, x, y, *, alpha, beta):
    a, x, y = map(numpy.asarray, (a, x, y))
    if alpha != 1 or beta != 0 or a.size == 0:
        raise NotImplementedError("alpha and beta are not for it")
    numpy.matmul(a, x, out=y)


def product(a, b, c, *, alpha, beta):
    a, b, c = map(numpy.asarray, (a, b, c))
    if alpha != 1 or beta != 0 or a.size == 0:
        raise NotImplementedError("alpha and beta are not for it")
    numpy.matmul(a, b, out=c)
