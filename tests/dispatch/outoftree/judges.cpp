// A program in C++ that judges the host's product.
#include <parallax/study.h>

int main()
{
    const char *host = "host";
    const plx_problem problem = plx_gemm_of(PLX_F32, false, false, 8, 8, 8);
    plx_compare_options options = plx_compare_options();
    options.backends = &host;
    options.backend_count = 1;
    options.problems = &problem;
    options.problem_count = 1;
    options.no_timing = true;
    plx_context *context;
    plx_results results;
    plx_error error;
    if (plx_context_create(nullptr, &context) != PLX_OK)
        return 1;
    if (plx_compare(context, &options, &results, &error) != PLX_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    const bool right = results.record_count == 1 && results.records[0].outcome == PLX_OUTCOME_OK;
    plx_results_free(&results);
    plx_context_destroy(context);
    return right ? 0 : 1;
}
