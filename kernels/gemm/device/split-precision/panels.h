/* f16x3 of small operands, for the C compiler and nvcc. */

#define GEMM_PANEL_SIDE 8    /* rows or columns that a block splits whole */
#define GEMM_PANEL_MOST 2048 /* their longest: a block reads them twice, the second time from its cache */

#define GEMM_F16X3_FLAT_ROWS 64 /* of a tile, where tiles are few: of one warpgroup */
#define GEMM_F16X3_FLAT_STAGES 4
