/* beta * C. */
#include "plugins/openblas/scale.h"

static void scale_f32(float *row, int64_t cols, float beta)
{
    for (int64_t j = 0; j < cols; j++)
        row[j] = beta == 0 ? 0 : beta * row[j];
}

static void scale_f64(double *row, int64_t cols, double beta)
{
    for (int64_t j = 0; j < cols; j++)
        row[j] = beta == 0 ? 0 : beta * row[j];
}

void plx_scale(plx_dtype dtype, void *matrix, int64_t rows, int64_t cols, int64_t ld, double beta)
{
    for (int64_t i = 0; i < rows; i++)
        if (dtype == PLX_F32)
            scale_f32((float *)matrix + i * ld, cols, (float)beta);
        else
            scale_f64((double *)matrix + i * ld, cols, beta);
}
