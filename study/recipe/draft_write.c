/* A draft as it is written: a recipe in JSON, and a note wherever something was taken that the text does not say. */
#define _XOPEN_SOURCE 700

#include "study/recipe/draft.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *operand_name(const plx_draft *of, size_t operand)
{
    const plx_problem problem = {.op = of->operation->op};
    plx_extent extents[PLX_MAX_OPERANDS] = {{.name = ""}};
    of->operation->extents(&problem, extents);
    return extents[operand].name;
}

static void write_number(plx_draft *of, const plx_source_parameter *parameter)
{
    const size_t which = plx_draft_number(of, parameter->name);
    (void)fprintf(of->to, "{\"%c%u\": ", parameter->is_unsigned && parameter->bits >= 32 ? 'u' : 'i', parameter->bits);
    if (which == PLX_DRAFT_NOTHING) {
        plx_draft_note(of, "%s: no size of %s is called that; put a number or an expression in its place",
                       parameter->name, of->operation->name);
        (void)fprintf(of->to, "\"%s\"}", parameter->name);
        return;
    }
    of->used[which] = true;
    (void)fprintf(of->to, "\"%s\"}", of->habit->numbers[which].is);
}

static void write_real(plx_draft *of, const plx_source_parameter *parameter, bool is_element)
{
    char plain[PLX_SIGNATURE_WORD];
    plx_dtype dtype = PLX_F32;
    plx_draft_plain_name(parameter->name, plain);
    const bool is_alpha = strcmp(plain, "alpha") == 0, is_beta = strcmp(plain, "beta") == 0;
    const bool has_factors = plx_field_of_kind(of->operation, PLX_FIELD_ALPHA) != NULL;
    (void)plx_draft_element_type(of, plx_draft_parameter(of, 0), &dtype);
    const unsigned wide = plx_element_size(dtype) < 4 ? 32 : (unsigned)plx_element_size(dtype) * 8;
    if ((is_alpha || is_beta) && has_factors) {
        of->uses_alpha |= is_alpha;
        of->uses_beta |= is_beta;
        if (is_element || parameter->bits == wide)
            (void)fprintf(of->to, "{\"scalar\": \"%s\"}", plain);
        else
            (void)fprintf(of->to, "{\"f%u\": \"%s\"}", parameter->bits, plain);
        return;
    }
    plx_draft_note(of, "%s: a number that is none of %s's; put it in its place", parameter->name, of->operation->name);
    (void)fprintf(of->to, "{\"f%u\": \"%s\"}", is_element ? 32 : parameter->bits, parameter->name);
}

static void write_threads(plx_draft *of, FILE *to)
{
    (void)fprintf(to, "%s", of->block[0]);
    for (int i = 1; i < 3 && of->block[i][0] != '\0'; i++)
        (void)fprintf(to, " * %s", of->block[i]);
}

static void write_argument(plx_draft *of, size_t index)
{
    const plx_source_parameter *parameter = &of->kernel.parameters[index];
    switch (parameter->kind) {
    case PLX_PARAMETER_POINTER:
        if (of->operand_of[index] != PLX_DRAFT_NOTHING)
            (void)fprintf(of->to, "{\"operand\": \"%s\"}", operand_name(of, of->operand_of[index]));
        else
            (void)fprintf(of->to, "{\"scratch\": \"%s\"}", parameter->name);
        break;
    case PLX_PARAMETER_LOCAL:
        plx_draft_note(of, "%s: local memory of one element for each thread; say how many bytes it needs",
                       parameter->name);
        (void)fprintf(of->to, "{\"local\": \"");
        write_threads(of, of->to);
        (void)fprintf(of->to, " * esize\"}");
        break;
    case PLX_PARAMETER_WHOLE:
        write_number(of, parameter);
        break;
    case PLX_PARAMETER_REAL:
        write_real(of, parameter, false);
        break;
    case PLX_PARAMETER_OTHER:
        if (plx_draft_has_type(of, parameter->type)) {
            write_real(of, parameter, true);
            break;
        }
        plx_draft_note(of, "%s: of type %s, whose members the text of the kernel does not tell; list them",
                       parameter->name, parameter->type);
        (void)fprintf(of->to, "{\"struct\": [{\"i64\": \"members_of_%.40s\"}]}", parameter->name);
    }
}

static void write_arguments(plx_draft *of)
{
    (void)fprintf(of->to, "      \"args\": [");
    for (size_t i = 0; i < of->kernel.count; i++) {
        (void)fprintf(of->to, "%s\n        ", i > 0 ? "," : "");
        write_argument(of, i);
    }
    (void)fprintf(of->to, "\n      ]\n    }\n  ]\n}\n");
}

static void write_types(plx_draft *of, const char *key, size_t parameter)
{
    plx_dtype dtype;
    if (plx_draft_has_type(of, of->kernel.parameters[parameter].type))
        (void)fprintf(of->to, "\"%s\": [\"f32\", \"f64\"], ", key);
    else if (plx_draft_element_type(of, parameter, &dtype))
        (void)fprintf(of->to, "\"%s\": [\"%s\"], ", key, plx_dtype_name(dtype));
    else {
        plx_draft_note(of, "%s: of type %s; f32 was taken for the elements", of->kernel.parameters[parameter].name,
                       of->kernel.parameters[parameter].type);
        (void)fprintf(of->to, "\"%s\": [\"f32\"], ", key);
    }
}

static void write_condition(plx_draft *of, bool *first, const char *left, const char *relation, const char *right)
{
    (void)fprintf(of->to, "%s\"%s %s %s\"", *first ? "" : ", ", left, relation, right);
    *first = false;
}

/* Only problems that such parameters can describe. */
static void write_where(plx_draft *of)
{
    const plx_usual *numbers = of->habit->numbers, *last = NULL;
    bool first = true;
    (void)fprintf(of->to, "\"where\": [");
    for (size_t i = 0; i < PLX_DRAFT_SIZES && numbers[i].is != NULL; i++)
        if (numbers[i].smallest == NULL) {
            write_condition(of, &first, numbers[i].is, ">", "0");
            if (of->is_square && last != NULL)
                write_condition(of, &first, last->is, "==", numbers[i].is);
            else if (!of->used[i] && !of->is_square)
                plx_draft_note(of, "%s: no parameter is called like it", numbers[i].is);
            last = &numbers[i];
        }
    for (size_t i = 0; i < PLX_DRAFT_SIZES && numbers[i].is != NULL; i++)
        if (numbers[i].smallest != NULL && !of->used[i])
            write_condition(of, &first, numbers[i].is, "==", numbers[i].smallest);
    if (plx_field_of_kind(of->operation, PLX_FIELD_ALPHA) != NULL && !of->uses_alpha)
        write_condition(of, &first, "alpha", "==", "1");
    if (plx_field_of_kind(of->operation, PLX_FIELD_BETA) != NULL && !of->uses_beta)
        write_condition(of, &first, "beta", "==", "0");
    (void)fprintf(of->to, "]");
}

/* A kernel with one size is one for squares. */
static void look_for_squares(plx_draft *of)
{
    size_t wholes = 0, sizes = 0;
    for (size_t i = 0; i < of->kernel.count; i++)
        wholes += of->kernel.parameters[i].kind == PLX_PARAMETER_WHOLE;
    for (size_t i = 0; i < PLX_DRAFT_SIZES && of->habit->numbers[i].is != NULL; i++)
        sizes += of->habit->numbers[i].smallest == NULL;
    of->is_square = wholes == 1 && sizes > 1;
    if (of->is_square)
        plx_draft_note(of, "it has one size: only square problems are taken");
}

static bool is_scratch(const plx_draft *of, size_t parameter)
{
    return of->kernel.parameters[parameter].kind == PLX_PARAMETER_POINTER &&
           of->operand_of[parameter] == PLX_DRAFT_NOTHING;
}

static void write_scratch(plx_draft *of)
{
    bool first = true;
    for (size_t i = 0; i < of->kernel.count; i++) {
        const plx_source_parameter *parameter = &of->kernel.parameters[i];
        if (!is_scratch(of, i))
            continue;
        plx_draft_note(
            of,
            "%s: no operand of %s; memory of the kernel's own was taken, so large as the result: say how much, and "
            "whether it begins with zeros",
            parameter->name, of->operation->name);
        (void)fprintf(of->to, "%s\"%s\": {\"bytes\": \"%s * %s * osize\", \"align\": 256, \"before\": \"garbage\"}",
                      first ? "  \"scratch\": {" : ", ", parameter->name, of->habit->width, of->habit->height);
        first = false;
    }
    if (!first)
        (void)fprintf(of->to, "},\n");
}

static void write_tunables(plx_draft *of)
{
    bool first = true;
    for (size_t i = 0; i < of->kernel.template_count; i++) {
        const plx_template_parameter *one = &of->kernel.of_template[i];
        if (one->is_type)
            continue;
        if (one->value == 0)
            plx_draft_note(of, "%s: a number of the template; 16 was taken", one->name);
        (void)fprintf(of->to, "%s\"%s\": [%lld]", first ? "  \"tune\": {" : ", ", one->name,
                      (long long)(one->value != 0 ? one->value : 16));
        first = false;
    }
    if (!first)
        (void)fprintf(of->to, "},\n");
}

static void write_entry(plx_draft *of)
{
    bool has_types = false;
    (void)fprintf(of->to, "      \"entry\": \"%s", of->kernel.name);
    for (size_t i = 0; i < of->kernel.template_count; i++) {
        const plx_template_parameter *one = &of->kernel.of_template[i];
        (void)fprintf(of->to, "%s{%s}", i == 0 ? "<" : ", ", one->is_type ? has_types ? "TO" : "T" : one->name);
        has_types |= one->is_type;
    }
    (void)fprintf(of->to, "%s\",\n", of->kernel.template_count > 0 ? ">" : "");
}

/* ---- grid and block ------------------------------------------------------------------------------ */

/* One thread for each element of the result, or of what is read; a row of a tile may be several rows of threads. */
static void write_grid(plx_draft *of)
{
    const plx_habit *result = of->habit;
    if (of->kernel.axes > 1) {
        const bool has_rows = strcmp(of->block[0], of->block[1]) != 0 && of->kernel.threads[0] == 0;
        (void)fprintf(of->to, "      \"grid\": [\"ceildiv(%s, %s)\", \"ceildiv(%s, %s)\"],\n", result->width,
                      of->block[0], result->height, has_rows ? of->block[0] : of->block[1]);
    } else {
        const bool is_flat = strcmp(result->height, "1") != 0;
        (void)fprintf(of->to, "      \"grid\": [\"ceildiv(%s%s%s, %s)\"],\n", result->width, is_flat ? " * " : "",
                      is_flat ? result->height : "", of->block[0]);
    }
    plx_draft_note(of, "grid: one thread for each element of the %s; change it where a thread does more",
                   of->operation->op == PLX_REDUCE ? "input" : "result");
    (void)fprintf(of->to, "      \"block\": [");
    for (int i = 0; i < 3 && of->block[i][0] != '\0'; i++)
        (void)fprintf(of->to, isdigit((unsigned char)of->block[i][0]) ? "%s%s" : "%s\"%s\"", i > 0 ? ", " : "",
                      of->block[i]);
    (void)fprintf(of->to, "],\n");
    if (of->dialect->shared != NULL && strstr(of->text, of->dialect->shared) != NULL) {
        plx_draft_note(of, "shared: one element for each thread; say how many bytes it needs");
        (void)fprintf(of->to, "      \"shared\": \"");
        write_threads(of, of->to);
        (void)fprintf(of->to, " * esize\",\n");
    }
}

/* ---- the whole --------------------------------------------------------------------------------- */

void plx_draft_write(plx_draft *of)
{
    char *arguments = NULL;
    size_t length = 0;
    FILE *to = of->to;
    plx_draft_find_block(of);
    look_for_squares(of);
    /* Which of the operation's numbers there are is known behind the arguments. */
    of->to = open_memstream(&arguments, &length);
    if (of->to != NULL) {
        write_arguments(of);
        (void)fclose(of->to);
    }
    of->to = to;
    (void)fprintf(to, "{\n  \"parallax_recipe\": 1,\n  \"op\": \"%s\",\n  \"api\": \"%s\",\n  \"problem\": {",
                  of->operation->name, of->dialect->name);
    write_types(of, "dtype", plx_draft_parameter(of, 0));
    const size_t output = plx_draft_parameter(of, of->operation->output);
    if (strcmp(of->kernel.parameters[output].type, of->kernel.parameters[plx_draft_parameter(of, 0)].type) != 0)
        write_types(of, "out_dtype", output);
    write_where(of);
    (void)fprintf(to, "},\n");
    write_tunables(of);
    write_scratch(of);
    (void)fprintf(to, "  \"launches\": [\n    {\n");
    write_entry(of);
    write_grid(of);
    (void)fprintf(to, "%s", arguments != NULL ? arguments : "");
    free(arguments);
}
