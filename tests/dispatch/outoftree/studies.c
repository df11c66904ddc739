/* An application of the study: judges the host's product. */
#include <parallax/study.h>

int main(void)
{
    const char *host = "host";
    const plx_problem problem = plx_gemm_of(PLX_F32, false, false, 8, 8, 8);
    const plx_compare_options options = {
        .backends = &host, .backend_count = 1, .problems = &problem, .problem_count = 1, .no_timing = true};
    plx_context *context;
    plx_results results;
    plx_error error;
    if (plx_context_create(NULL, &context) != PLX_OK)
        return 1;
    if (plx_compare(context, &options, &results, &error) != PLX_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    int status = results.record_count == 1 && results.records[0].outcome == PLX_OUTCOME_OK ? 0 : 1;
    plx_results_free(&results);
    plx_context_destroy(context);
    return status;
}
