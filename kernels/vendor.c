/* The depth of a vendor's sums. */
#include "kernels/vendor.h"

int64_t plx_vendor_depth(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    switch (problem->op) {
    case PLX_GEMM:
        return problem->of.gemm.k;
    case PLX_MATVEC:
        return problem->of.matvec.trans ? problem->of.matvec.rows : problem->of.matvec.cols;
    case PLX_REDUCE:
        return problem->of.reduce.n;
    default: /* no sums */
        return 0;
    }
}
