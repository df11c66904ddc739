/* The attributions of a file. */
#include "study/results/archive.h"

#include <parallax/attribute.h>

#include <math.h>

/* ---- launches and instructions --------------------------------------------------------- */

static void sizes(plx_archive *archive, const char *name, uint64_t *x, uint64_t *y, uint64_t *z)
{
    if (!plx_archive_open(archive, name, true))
        return;
    *x = plx_archive_natural(archive, "x", *x, 0);
    *y = plx_archive_natural(archive, "y", *y, 0);
    *z = plx_archive_natural(archive, "z", *z, 0);
    plx_archive_close(archive);
}

/* null: not known. */
static void launch_fields(plx_archive *archive, plx_attributed_cell *cell)
{
    plx_launch_facts *launch = &cell->launch;
    uint64_t block[3] = {launch->block[0], launch->block[1], launch->block[2]};
    if (!plx_archive_open(archive, "launch", cell->described))
        return;
    cell->described = true;
    plx_archive_text(archive, "entry", launch->entry, sizeof launch->entry);
    sizes(archive, "grid", &launch->grid[0], &launch->grid[1], &launch->grid[2]);
    sizes(archive, "block", &block[0], &block[1], &block[2]);
    for (int axis = 0; axis < 3; axis++)
        launch->block[axis] = (uint32_t)block[axis];
    launch->registers = (int32_t)plx_archive_index(archive, "registers", launch->registers);
    launch->local_bytes = (int32_t)plx_archive_index(archive, "local_bytes", launch->local_bytes);
    launch->shared_bytes = plx_archive_index(archive, "shared_bytes", launch->shared_bytes);
    launch->blocks_per_unit = (int32_t)plx_archive_index(archive, "blocks_per_multiprocessor", launch->blocks_per_unit);
    cell->launches = (size_t)plx_archive_natural(archive, "of_launches", cell->launches, 1);
    plx_archive_close(archive);
}

static void count_fields(plx_archive *archive, const char *name, plx_instruction_counts *counts)
{
    if (!plx_archive_open(archive, name, counts->all > 0))
        return;
    for (int i = 0; i < PLX_INSTRUCTION_COUNT; i++)
        counts->of[i] =
            (uint32_t)plx_archive_natural(archive, plx_instruction_name((plx_instruction)i), counts->of[i], 0);
    counts->all = (uint32_t)plx_archive_natural(archive, "all", counts->all, 0);
    plx_archive_close(archive);
}

static void listing_fields(plx_archive *archive, const char *name, plx_attributed_code *code)
{
    if (!plx_archive_open(archive, name, true))
        return;
    code->counted = plx_archive_flag(archive, "counted", code->counted, false);
    plx_archive_remark(archive, "reason", code->reason, sizeof code->reason);
    plx_archive_remark(archive, "entry", code->instructions.entry, sizeof code->instructions.entry);
    count_fields(archive, "whole", &code->instructions.whole);
    count_fields(archive, "loop", &code->instructions.loop);
    plx_archive_close(archive);
}

/* ---- cells and effects -------------------------------------------------------------------- */

static void cell_fields(plx_archive *archive, const char *name, plx_attributed_cell *cell)
{
    if (!plx_archive_open(archive, name, true))
        return;
    cell->outcome = plx_archive_outcome(archive, cell->outcome);
    plx_archive_remark(archive, "reason", cell->reason, sizeof cell->reason);
    plx_archive_error(archive, &cell->error);
    plx_archive_time(archive, &cell->time);
    cell->same_bits = plx_archive_flag(archive, "same_bits", cell->same_bits, false);
    launch_fields(archive, cell);
    plx_archive_close(archive);
}

static void effect_fields(plx_archive *archive, const char *name, plx_ratio *ratio)
{
    if (!plx_archive_open(archive, name, ratio->known))
        return;
    ratio->value = plx_archive_number(archive, "ratio", ratio->value, INFINITY, 0);
    if (plx_archive_reads(archive))
        ratio->low = ratio->high = ratio->value;
    plx_archive_interval(archive, "ci95", &ratio->low, &ratio->high);
    ratio->known = ratio->value > 0;
    plx_archive_close(archive);
}

static void api_fields(plx_archive *archive, const char *name, plx_attribution *this, int api)
{
    if (!plx_archive_open(archive, name, true))
        return;
    plx_archive_text(archive, "backend", this->backends[api], sizeof this->backends[api]);
    plx_archive_text(archive, "compiler", this->compilers[api], sizeof this->compilers[api]);
    plx_archive_remark(archive, "reason", this->reasons[api], sizeof this->reasons[api]);
    plx_archive_close(archive);
}

static void named_fields(plx_archive *archive, plx_attribution *this)
{
    if (plx_archive_open(archive, "cells", true)) {
        for (int i = 0; i < PLX_CELL_COUNT; i++)
            cell_fields(archive, plx_cell_name((plx_cell)i), &this->cells[i]);
        plx_archive_close(archive);
    }
    if (plx_archive_open(archive, "effects", true)) {
        for (int i = 0; i < PLX_EFFECT_COUNT; i++)
            effect_fields(archive, plx_effect_name((plx_effect)i), &this->effects[i]);
        plx_archive_close(archive);
    }
    if (plx_archive_open(archive, "instructions", true)) {
        for (int i = 0; i < PLX_LISTING_COUNT; i++)
            listing_fields(archive, plx_listing_name((plx_listing)i), &this->listings[i]);
        plx_archive_close(archive);
    }
}

void plx_archive_attribution(plx_archive *archive, size_t devices, plx_attribution *this)
{
    const bool ran = this->backends[PLX_FIRST_API][0] != '\0';
    if (plx_archive_reads(archive))
        *this = (plx_attribution){.device = 0};
    plx_archive_problem(archive, &this->problem);
    plx_archive_text(archive, "kernel", this->kernel, sizeof this->kernel);
    api_fields(archive, "first", this, PLX_FIRST_API);
    api_fields(archive, "second", this, PLX_SECOND_API);
    if (plx_archive_reads(archive) ? plx_archive_has(archive, "device") : ran)
        this->device = (size_t)plx_archive_natural(archive, "device", this->device, SIZE_MAX);
    if (plx_archive_reads(archive) && this->backends[PLX_FIRST_API][0] != '\0' && this->device >= devices)
        plx_archive_refuse(archive, "device");
    this->agree = plx_archive_flag(archive, "agree", this->agree, false);
    plx_archive_text(archive, "verdict", this->verdict, sizeof this->verdict);
    plx_archive_remark(archive, "bits", this->bits, sizeof this->bits);
    named_fields(archive, this);
}
