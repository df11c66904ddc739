/* Names of sets of shapes, as --set takes them.  A name that is accepted has cases, each of them a problem
 * that can be, and the same ones every time. */
#include "tests/fuzz/fuzz.h"

#include <string.h>

enum { MOST_CASES = 64 };

static void check_case(const plx_set_case *found)
{
    plx_error error = {""};
    fuzz_require(plx_problem_check(&found->problem, &error) == PLX_OK, "a case is a problem that can be");
}

static bool same_text(const plx_set_case *a, const plx_set_case *b)
{
    char first[256], second[256];
    plx_problem_text(&a->problem, a->shift, first, sizeof first);
    plx_problem_text(&b->problem, b->shift, second, sizeof second);
    return strcmp(first, second) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char name[256];
    plx_set_case found, again;
    plx_error error = {""};
    size_t count = 0;
    if (size >= sizeof name)
        return 0;
    memcpy(name, bytes, size);
    name[size] = '\0';
    if (plx_set_check(name, &error) != PLX_OK) {
        fuzz_require(!plx_set_at(name, 0, &found), "a set that is refused has no case");
        return 0;
    }
    for (; count < MOST_CASES && plx_set_at(name, count, &found); count++) {
        check_case(&found);
        fuzz_require(plx_set_at(name, count, &again) && same_text(&found, &again), "a set is the same every time");
    }
    fuzz_require(count > 0, "a set has cases");
    return 0;
}
