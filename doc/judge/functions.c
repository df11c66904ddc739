/* Functions for `parallax judge --source functions.so`, one for each operation, in f32:
 *
 *     cc -O3 -shared -fPIC $(pkg-config --cflags parallax) functions.c -o functions.so
 *     parallax judge gemm --source functions.so --entry product --shape 512x512x512
 *
 * What they don't take they refuse, by returning 1. */
#include <parallax/subject.h>

#include <string.h>

enum { F32 = 4 };

static int is_f32(const plx_subject_call *call)
{
    return call->in[0].dtype == F32 && call->out.dtype == F32 && call->compute == 0;
}

int sum(const plx_subject_call *call)
{
    const float *x = call->in[0].data;
    float lanes[16] = {0}, all = 0;
    if (!is_f32(call) || call->reduce != 0)
        return 1;
    for (int64_t i = 0; i < call->in[0].cols; i++)
        lanes[i % 16] += x[i];
    for (int i = 0; i < 16; i++)
        all += lanes[i];
    *(float *)call->out.data = all;
    return 0;
}

int turn(const plx_subject_call *call)
{
    const plx_subject_operand *in = &call->in[0], *out = &call->out;
    if (!is_f32(call))
        return 1;
    for (int64_t i = 0; i < in->rows; i++)
        for (int64_t j = 0; j < in->cols; j++)
            ((float *)out->data)[j * out->ld + i] = ((const float *)in->data)[i * in->ld + j];
    return 0;
}

int rows_by_vector(const plx_subject_call *call)
{
    const plx_subject_operand *a = &call->in[0];
    const float *x = call->in[1].data;
    float *y = call->out.data;
    if (!is_f32(call) || call->trans_a || call->alpha != 1 || call->beta != 0)
        return 1;
    for (int64_t i = 0; i < a->rows; i++) {
        const float *row = (const float *)a->data + i * a->ld;
        float all = 0;
        for (int64_t j = 0; j < a->cols; j++)
            all += row[j] * x[j];
        y[i] = all;
    }
    return 0;
}

/* As much as it needs for one row of C. */
uint64_t product_workspace(const plx_subject_call *call)
{
    return sizeof(float) * (uint64_t)call->out.cols;
}

int product(const plx_subject_call *call)
{
    const plx_subject_operand *a = &call->in[0], *b = &call->in[1], *c = &call->out;
    float *row = call->workspace;
    if (!is_f32(call) || call->trans_a || call->trans_b || call->alpha != 1 || call->beta != 0)
        return 1;
    for (int64_t i = 0; i < c->rows; i++) {
        memset(row, 0, sizeof(float) * (size_t)c->cols);
        for (int64_t k = 0; k < a->cols; k++) {
            const float factor = ((const float *)a->data)[i * a->ld + k];
            const float *terms = (const float *)b->data + k * b->ld;
            for (int64_t j = 0; j < c->cols; j++)
                row[j] += factor * terms[j];
        }
        memcpy((float *)c->data + i * c->ld, row, sizeof(float) * (size_t)c->cols);
    }
    return 0;
}
