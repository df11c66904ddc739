# parallax judge gemm --source with_cupy.py --entry product --backend cuda --shape 4096x4096x4096
import cupy


def product(a, b, c, *, alpha, beta, stream):
    if alpha != 1 or beta != 0:
        raise NotImplementedError("alpha and beta are not for it")
    with cupy.cuda.ExternalStream(stream):
        cupy.matmul(cupy.asarray(a), cupy.asarray(b), out=cupy.asarray(c))
