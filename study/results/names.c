/* What files of results and tables call things. */
#include "study/results/names.h"

#include <parallax/study.h>

#include <string.h>

#define NAMES(count, ...)                   \
    {                                       \
        (count), (const char *const[count]) \
        {                                   \
            __VA_ARGS__                     \
        }                                   \
    }

const plx_names plx_input_names =
    NAMES(PLX_INPUT_COUNT, [PLX_INPUT_UNIFORM] = "uniform", [PLX_INPUT_POSITIVE] = "positive",
          [PLX_INPUT_INTEGER] = "integer", [PLX_INPUT_GRADED] = "graded", [PLX_INPUT_CANCELLING] = "cancelling",
          [PLX_INPUT_EXTREME] = "extreme", [PLX_INPUT_SPECIAL] = "special");
const plx_names plx_outcome_names = NAMES(PLX_OUTCOME_COUNT, [PLX_OUTCOME_OK] = "ok", [PLX_OUTCOME_WRONG] = "wrong",
                                          [PLX_OUTCOME_UNSUPPORTED] = "unsupported", [PLX_OUTCOME_FAILED] = "failed",
                                          [PLX_OUTCOME_NOT_RUN] = "not-run", [PLX_OUTCOME_NOT_JUDGED] = "not-judged");
const plx_names plx_bound_names =
    NAMES(PLX_BOUND_KIND_COUNT, [PLX_BOUND_EXACT] = "exact", [PLX_BOUND_DETERMINISTIC] = "deterministic",
          [PLX_BOUND_PROBABILISTIC] = "probabilistic");
const plx_names plx_ceiling_names = NAMES(
    PLX_CEILING_COUNT, [PLX_CEILING_COPY] = "copy", [PLX_CEILING_READ] = "read", [PLX_CEILING_FMA_F32] = "fma-f32",
    [PLX_CEILING_FMA_F64] = "fma-f64", [PLX_CEILING_LAUNCH] = "launch", [PLX_CEILING_UNITS_F16] = "f16-units",
    [PLX_CEILING_UNITS_BF16] = "bf16-units", [PLX_CEILING_UNITS_TF32] = "tf32-units",
    [PLX_CEILING_UNITS_F64] = "f64-units", [PLX_CEILING_UNITS_I8] = "i8-units");
static const plx_names ceiling_units =
    NAMES(PLX_CEILING_COUNT, [PLX_CEILING_COPY] = "GB/s", [PLX_CEILING_READ] = "GB/s",
          [PLX_CEILING_FMA_F32] = "GFLOP/s", [PLX_CEILING_FMA_F64] = "GFLOP/s", [PLX_CEILING_LAUNCH] = "ns",
          [PLX_CEILING_UNITS_F16] = "GFLOP/s", [PLX_CEILING_UNITS_BF16] = "GFLOP/s",
          [PLX_CEILING_UNITS_TF32] = "GFLOP/s", [PLX_CEILING_UNITS_F64] = "GFLOP/s", [PLX_CEILING_UNITS_I8] = "GOP/s");
const plx_names plx_effort_names =
    NAMES(PLX_FULL + 1, [PLX_QUICK] = "quick", [PLX_NORMAL] = "normal", [PLX_FULL] = "full");
static const plx_names phase_names =
    NAMES(PLX_CHECK_PHASE_COUNT, [PLX_CHECK_OTHER] = "other", [PLX_CHECK_INPUTS] = "inputs",
          [PLX_CHECK_REFERENCE] = "references", [PLX_CHECK_PLAN] = "plans", [PLX_CHECK_RUN] = "runs",
          [PLX_CHECK_JUDGE] = "judgement", [PLX_CHECK_REPEAT] = "repetition", [PLX_CHECK_PAIRS] = "pairs");
const plx_names plx_role_names =
    NAMES(PLX_PROBE_ASIDE + 1, [PLX_PROBE_OTHER] = "other", [PLX_PROBE_BASELINE] = "baseline",
          [PLX_PROBE_SUSPECT] = "suspect", [PLX_PROBE_ASIDE] = "aside");
const plx_names plx_visibility_names = NAMES(
    PLX_NO_SUBJECT + 1, [PLX_VISIBLE] = "visible", [PLX_NOT_VISIBLE] = "not visible",
    [PLX_TOO_NOISY] = "too noisy to tell", [PLX_INCONCLUSIVE] = "inconclusive", [PLX_NO_SUBJECT] = "does not apply");
const plx_names plx_rounding_names =
    NAMES(PLX_ROUNDING_COUNT, [PLX_ROUNDING_UNKNOWN] = "unknown", [PLX_ROUNDING_NONE] = "none",
          [PLX_ROUNDING_TO_ZERO] = "to-zero", [PLX_ROUNDING_NEAREST] = "nearest",
          [PLX_ROUNDING_NEAREST_AWAY] = "nearest-away", [PLX_ROUNDING_DOWN] = "down", [PLX_ROUNDING_UP] = "up");
const plx_names plx_subnormals_names = NAMES(PLX_SUBNORMALS_COUNT, [PLX_SUBNORMALS_UNKNOWN] = "unknown",
                                             [PLX_SUBNORMALS_KEPT] = "kept", [PLX_SUBNORMALS_FLUSHED] = "flushed");
const plx_names plx_like_names =
    NAMES(PLX_LIKE_COUNT, [PLX_LIKE_UNKNOWN] = "unknown", [PLX_LIKE_OWN] = "own", [PLX_LIKE_ROUNDED] = "rounded",
          [PLX_LIKE_ROUGHER] = "rougher", [PLX_LIKE_FINER] = "finer");
static const plx_names change_names =
    NAMES(PLX_CHANGE_COUNT, [PLX_CHANGE_BROKEN] = "broken", [PLX_CHANGE_SLOWER] = "slower",
          [PLX_CHANGE_LESS_ACCURATE] = "less accurate", [PLX_CHANGE_FASTER] = "faster",
          [PLX_CHANGE_MORE_ACCURATE] = "more accurate", [PLX_CHANGE_REPAIRED] = "repaired",
          [PLX_CHANGE_VANISHED] = "vanished", [PLX_CHANGE_UNTIMED] = "untimed", [PLX_CHANGE_ADDED] = "new",
          [PLX_CHANGE_UNCOMPARED] = "not compared");

int plx_name_find(const plx_names *names, const char *name, int fallback)
{
    for (int i = 0; i < names->count; i++)
        if (strcmp(names->list[i], name) == 0)
            return i;
    return fallback;
}

bool plx_input_from_name(const char *name, plx_input *input)
{
    const int found = plx_name_find(&plx_input_names, name, PLX_INPUT_COUNT);
    if (found < PLX_INPUT_COUNT)
        *input = (plx_input)found;
    return found < PLX_INPUT_COUNT;
}

/* The function that a public header has for a list. */
#define NAME_OF(function, type, names)                                                      \
    const char *function(type which)                                                        \
    {                                                                                       \
        return (unsigned)which < (unsigned)(names).count ? (names).list[which] : "unknown"; \
    }

NAME_OF(plx_input_name, plx_input, plx_input_names)
NAME_OF(plx_outcome_name, plx_outcome, plx_outcome_names)
NAME_OF(plx_bound_kind_name, plx_bound_kind, plx_bound_names)
NAME_OF(plx_ceiling_name, plx_ceiling_kind, plx_ceiling_names)
NAME_OF(plx_ceiling_unit, plx_ceiling_kind, ceiling_units)
NAME_OF(plx_effort_name, plx_effort, plx_effort_names)
NAME_OF(plx_check_phase_name, plx_check_phase, phase_names)
NAME_OF(plx_probe_role_name, plx_probe_role, plx_role_names)
NAME_OF(plx_visibility_name, plx_visibility, plx_visibility_names)
NAME_OF(plx_rounding_name, plx_rounding, plx_rounding_names)
NAME_OF(plx_subnormals_name, plx_subnormals, plx_subnormals_names)
NAME_OF(plx_like_name, plx_like, plx_like_names)
NAME_OF(plx_change_name, plx_change, change_names)
