/* What the tests of the judge share: inputs and references that must succeed, and plain
 * kernels to be judged. */
#ifndef PLX_TESTS_JUDGE_SUPPORT_H
#define PLX_TESTS_JUDGE_SUPPORT_H

#include "study/judge/judge.h"
#include "study/measure/measure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static inline plx_inputs inputs_of(plx_problem problem, plx_input input, uint64_t seed)
{
    plx_inputs inputs;
    plx_error error = {.text = ""};
    if (plx_inputs_generate(&problem, input, seed, &inputs, &error) != PLX_OK)
        fail_msg("%s", error.text);
    return inputs;
}

static inline plx_reference_result reference_of(const plx_inputs *inputs, bool baseline)
{
    plx_reference_result reference;
    plx_error error = {.text = ""};
    if (plx_reference_result_make(inputs, baseline, &reference, &error) != PLX_OK)
        fail_msg("%s", error.text);
    return reference;
}

#endif
