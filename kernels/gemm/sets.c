/* The shapes of gemm that bench knows, and how others are drawn. */

#include "kernels/sets.h"

static const plx_set_shape quick[] = {{128, 128, 128}, {256, 256, 256}, {512, 512, 512}};
static const plx_set_shape square[] = {
    {512, 512, 512}, {1024, 1024, 1024}, {2048, 2048, 2048}, {4096, 4096, 4096}, {8192, 8192, 8192}};
static const plx_set_shape skinny[] = {{64, 64, 65536}, {16, 4096, 4096}};
static const plx_set_shape odd[] = {{1023, 1025, 1027}, {4095, 4097, 4099}, {5124, 700, 2048}};
static const plx_set_shape published[] = {{256, 256, 256}, {512, 512, 512}, {1024, 1024, 1024}, {2048, 2048, 2048}};
static const plx_set_shape special[] = {{4096, 4096, 16}, {8, 8192, 8192}, {8192, 1, 8192}};

static const plx_set_row listed[] = {
    PLX_SET_ROW("quick", quick), PLX_SET_ROW("square", square),       PLX_SET_ROW("skinny", skinny),
    PLX_SET_ROW("odd", odd),     PLX_SET_ROW("published", published), PLX_SET_ROW("special", special),
};

static plx_problem draw(plx_draw *from)
{
    const uint64_t layout = plx_draw_below(from, 4);
    const int64_t m = plx_draw_side(from, 16), n = plx_draw_side(from, 16), k = plx_draw_side(from, 20);
    plx_problem made = plx_gemm_of(PLX_F32, layout & 1, layout >> 1, m, n, k);
    made.of.gemm.lda = plx_draw_pitch(from, made.of.gemm.lda);
    made.of.gemm.ldb = plx_draw_pitch(from, made.of.gemm.ldb);
    made.of.gemm.ldc = plx_draw_pitch(from, made.of.gemm.ldc);
    return made;
}

/* As the layers of models have them: no side below 16, rows one behind the other. */
static plx_problem draw8(plx_draw *from)
{
    const uint64_t layout = plx_draw_below(from, 4);
    const int64_t m = plx_draw_size(from, 4, 14), n = plx_draw_size(from, 4, 14), k = plx_draw_size(from, 6, 15);
    return plx_gemm_of(PLX_F32, layout & 1, layout >> 1, (m + 7) / 8 * 8, (n + 7) / 8 * 8, (k + 7) / 8 * 8);
}

static const plx_layer layers[] = {
    {"attention", 1280, 5120},  {"attention", 2112, 7168},  {"attention", 4096, 4096}, {"attention", 6144, 4096},
    {"attention", 10240, 8192}, {"attention", 24576, 1536}, {"attention", 32768, 512}, {"gate-up", 28672, 4096},
    {"down", 3584, 18944},      {"down", 4096, 14336},      {"down", 7168, 2048},      {"down", 8192, 28672},
    {"head", 128256, 4096},
};

const plx_op_sets plx_gemm_sets = {
    .rows = listed,
    .row_count = sizeof listed / sizeof listed[0],
    .draw = draw,
    .draw8 = draw8,
    .layers = layers,
    .layer_count = sizeof layers / sizeof layers[0],
};
