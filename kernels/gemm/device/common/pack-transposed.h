/* How operands of f32 are turned: what the C compiler and nvcc share. */

#define GEMM_TURN_SIDE 64 /* of a tile whose rows become columns */
