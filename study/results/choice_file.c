/* What was found of a backend's choice, in a file. */
#include "study/results/archive.h"

#include <parallax/tune.h>

#include <stdlib.h>

static void regret_fields(plx_archive *archive, const char *name, plx_regret *regret)
{
    if (!plx_archive_open(archive, name, regret->problems > 0))
        return;
    regret->problems = (size_t)plx_archive_natural(archive, "problems", regret->problems, 0);
    regret->within = (size_t)plx_archive_natural(archive, "within_5_percent", regret->within, 0);
    regret->mean = plx_archive_number(archive, "mean", regret->mean, 1e9, 0);
    regret->most = plx_archive_number(archive, "most", regret->most, 1e9, 0);
    if (plx_archive_open(archive, "most_at", true)) {
        plx_archive_problem(archive, &regret->most_at);
        regret->most_at_shift = plx_archive_shift(archive, regret->most_at_shift);
        plx_archive_close(archive);
    }
    plx_archive_close(archive);
}

static void fit_fields(plx_archive *archive, plx_rates_fit *fit)
{
    plx_archive_text(archive, "kernel", fit->kernel, sizeof fit->kernel);
    fit->times = (size_t)plx_archive_natural(archive, "times", fit->times, 0);
    fit->rates = (size_t)plx_archive_natural(archive, "rates", fit->rates, 0);
    fit->before = plx_archive_number(archive, "error_before", fit->before, 1e9, 0);
    fit->after = plx_archive_number(archive, "error_after", fit->after, 1e9, 0);
}

static void without_fields(plx_archive *archive, plx_kernel_without *without)
{
    plx_archive_text(archive, "kernel", without->kernel, sizeof without->kernel);
    without->problems = (size_t)plx_archive_natural(archive, "problems", without->problems, 0);
    without->chosen = (size_t)plx_archive_natural(archive, "chosen", without->chosen, 0);
    without->lost = (size_t)plx_archive_natural(archive, "lost", without->lost, 0);
    without->mean = plx_archive_number(archive, "mean", without->mean, 1e9, 0);
}

void plx_archive_choice(plx_archive *archive, plx_choice_study *choice)
{
    plx_archive_text(archive, "backend", choice->backend, sizeof choice->backend);
    choice->problems = (size_t)plx_archive_natural(archive, "problems", choice->problems, 0);
    regret_fields(archive, "chosen", &choice->chosen);
    choice->fitted = plx_archive_mark(archive, "fitted", choice->fitted);
    regret_fields(archive, "by_fitted", &choice->by_fitted);
    const size_t count = plx_archive_list(archive, "fits", choice->fit_count);
    choice->fit_count = count < PLX_MOST_FITS ? count : PLX_MOST_FITS;
    for (size_t i = 0; i < choice->fit_count; i++) {
        plx_archive_item(archive, i);
        fit_fields(archive, &choice->fits[i]);
        plx_archive_item_end(archive);
    }
    plx_archive_list_end(archive);
    const size_t kernels = plx_archive_list(archive, "without", choice->without_count);
    if (plx_archive_reads(archive))
        choice->without = calloc(kernels > 0 ? kernels : 1, sizeof *choice->without);
    choice->without_count = choice->without != NULL ? kernels : 0;
    for (size_t i = 0; i < choice->without_count; i++) {
        plx_archive_item(archive, i);
        without_fields(archive, &choice->without[i]);
        plx_archive_item_end(archive);
    }
    plx_archive_list_end(archive);
}
