/* Products to be judged: a plain kernel, its results, and their references. */
#ifndef PLX_TESTS_VALIDATE_SUPPORT_H
#define PLX_TESTS_VALIDATE_SUPPORT_H

#include "judge_support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const plx_kernel plain;
extern const plx_device_info device;

int64_t plain_depth(const plx_problem *problem, const plx_device_info *info);
/* C = alpha A B + beta C in f32, dense and untransposed. */
float *multiply(const plx_inputs *inputs, bool narrow);

/* A product, its reference and a right result. */
typedef struct scene {
    plx_inputs inputs;
    plx_reference_result reference;
    plx_bound bound;
    float *c;
    plx_error_measure found;
} scene;

scene scene_of(plx_problem problem, plx_input input, uint64_t seed);
void judge(scene *s);
void end(scene *s);
scene small_scene(void);

#endif
