/* Code of our own on the device that is screened: operands are generated where they are used, and results compared with
 * the proven ones there, so that hardly anything travels while it computes.  The kernels (on_device.cl and
 * on_device.cu) are launched as those of recipes are, by backends that take such; elsewhere operands are uploaded, and
 * results are looked at by other means. */
#include "study/screen/on_device.h"

#include "study/recipe/languages.h"

#include <parallax/tool.h>

#include "kernels/image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const plx_image plx_screen_images[];

enum { THREADS = 256, GROUPS_OF_UNIT = 8, PART = 4096, MOST_ARGUMENTS = 6, FORM_WORDS = 16, WORD = 4, ROUNDS = 4096 };
/* What generate() of the device code is told. */
enum { UNIFORM_F32 = 0, UNIFORM_F64, UNIFORM_F16, UNIFORM_BF16, SMALL_I32, NO_KIND };

typedef enum kind { COMPARES, GENERATES, COMPUTES, KINDS } kind;

/* In which language, and under which key of the images. */
typedef struct code_form {
    plx_source_kind language;
    const char *image, *names[KINDS];
} code_form;
static const code_form forms[] = {
    {PLX_SOURCE_CUBIN,
     "on_device.fatbin",
     {"screen-compare.fatbin", "screen-generate.fatbin", "screen-compute.fatbin"}},
    {PLX_SOURCE_CL, "on_device.cl", {"screen-compare.cl", "screen-generate.cl", "screen-compute.cl"}},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

/* ---- launches ------------------------------------------------------------------------------ */

typedef struct made_list {
    plx_launch_list list; /* first: it is what others see */
    plx_given arguments[MOST_ARGUMENTS];
    int64_t numbers[MOST_ARGUMENTS];
} made_list;

static const plx_image *image_of(const char *key)
{
    for (const plx_image *image = plx_screen_images; image->key != NULL; image++)
        if (strcmp(image->key, key) == 0)
            return image;
    return NULL;
}

/* PLX_UNSUPPORTED: this build has no code in that language. */
static plx_status new_list(const code_form *of, made_list **list, plx_error *error)
{
    const plx_image *image = image_of(of->image);
    if (image == NULL)
        return plx_fail(error, PLX_UNSUPPORTED, "%s was not built", of->image);
    made_list *made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for launches");
    made->list = (plx_launch_list){.name = of->image,
                                   .language = plx_languages[of->language].passed_as,
                                   .code = image->bytes,
                                   .length = image->length,
                                   .options = ""};
    *list = made;
    return PLX_OK;
}

static void release(void *data, const plx_launch_list *list)
{
    (void)data;
    free((made_list *)(uintptr_t)list);
}

/* As many groups as keep the device busy, and no more than there is work for. */
static plx_launch *add_launch(made_list *made, const plx_device_info *device, const char *entry, int64_t work)
{
    const int64_t most = (int64_t)GROUPS_OF_UNIT * (device->units > 0 ? device->units : 1);
    plx_launch *launch = &made->list.launches[made->list.launch_count++];
    *launch = (plx_launch){.entry = entry,
                           .carveout = -1,
                           .grid = {(uint64_t)(work < most ? work : most), 1, 1},
                           .block = {THREADS, 1, 1},
                           .cluster = {1, 1, 1},
                           .arguments = made->arguments};
    return launch;
}

static void give_operand(made_list *made, plx_launch *launch, uint32_t which)
{
    made->arguments[launch->argument_count++] = (plx_given){.kind = PLX_GIVEN_OPERAND, .which = which};
}

static void give_number(made_list *made, plx_launch *launch, int64_t number)
{
    const size_t at = launch->argument_count++;
    made->numbers[at] = number;
    made->arguments[at] = (plx_given){.kind = PLX_GIVEN_BYTES, .size = sizeof number, .bytes = &made->numbers[at]};
}

/* A is the ring, a slot in each row; x what is proven; y how many words of each slot differ, and how many slots. */
static plx_status comparing(void *data, const plx_problem *problem, const plx_device_info *device,
                            const plx_launch_list **list, plx_error *error)
{
    made_list *made = NULL;
    const plx_matvec_problem *of = &problem->of.matvec;
    const plx_status status = new_list(data, &made, error);
    if (status != PLX_OK)
        return status;
    const int64_t slots = of->rows - 1;
    plx_launch *launch = add_launch(made, device, "words_differ", slots * ((of->cols + PART - 1) / PART));
    for (uint32_t i = 0; i < 3; i++)
        give_operand(made, launch, i);
    give_number(made, launch, slots);
    give_number(made, launch, of->cols);
    give_number(made, launch, of->lda);
    *list = &made->list;
    return PLX_OK;
}

/* A is what is generated, as FORM_WORDS rows; y how. */
static plx_status generating(void *data, const plx_problem *problem, const plx_device_info *device,
                             const plx_launch_list **list, plx_error *error)
{
    static const char *const entries[] = {"generate", "digest"};
    made_list *made = NULL;
    const plx_status status = new_list(data, &made, error);
    if (status != PLX_OK)
        return status;
    for (size_t i = 0; i < 2; i++) { /* with the same arguments */
        plx_launch *launch = add_launch(made, device, entries[i], FORM_WORDS * problem->of.matvec.cols / THREADS + 1);
        give_operand(made, launch, 0);
        give_operand(made, launch, 2);
    }
    *list = &made->list;
    return PLX_OK;
}

/* y is the finding of each group: its multiprocessor, and what it computed. */
static plx_status computing(void *data, const plx_problem *problem, const plx_device_info *device,
                            const plx_launch_list **list, plx_error *error)
{
    made_list *made = NULL;
    const plx_status status = new_list(data, &made, error);
    if (status != PLX_OK)
        return status;
    plx_launch *launch = add_launch(made, device, "compute_alike", problem->of.matvec.rows / 2);
    give_operand(made, launch, 2);
    give_number(made, launch, ROUNDS);
    *list = &made->list;
    return PLX_OK;
}

/* Nobody is to take it for a product: baselines are never chosen. */
static plx_added_kernel added_kernel(const code_form *of, kind what)
{
    static const char *const ideas[KINDS] = {"compares results with proven ones", "generates operands",
                                             "computes the same on every multiprocessor"};
    static plx_status (*const launches[KINDS])(void *, const plx_problem *, const plx_device_info *,
                                               const plx_launch_list **,
                                               plx_error *) = {comparing, generating, computing};
    return (plx_added_kernel){
        .op = PLX_MATVEC,
        .about = {.name = of->names[what],
                  .idea = ideas[what],
                  .gain = "nothing travels",
                  .limit = "a screen's own",
                  .needs = "",
                  .dtypes = PLX_DTYPE_BIT(PLX_F32),
                  .flags = PLX_KERNEL_BASELINE,
                  .accumulator_f32 = PLX_F32},
        .data = (void *)(uintptr_t)of,
        .launches = launches[what],
        .release = release,
    };
}

/* A context that has them already, or has no room, needs nothing: names are looked up where they are used. */
void plx_on_device_add(plx_context *context)
{
    for (size_t i = 0; i < FORMS; i++)
        for (int what = 0; what < KINDS; what++) {
            const plx_added_kernel kernel = added_kernel(&forms[i], (kind)what);
            if (image_of(forms[i].image) != NULL)
                (void)plx_context_add_kernel(context, &kernel);
        }
}

static plx_status plan_any(plx_backend *backend, const plx_problem *problem, kind what, plx_plan **plan)
{
    plx_status status = PLX_UNSUPPORTED;
    for (size_t i = 0; i < FORMS && status != PLX_OK; i++)
        status = plx_plan_create(backend, problem, forms[i].names[what], plan);
    return status == PLX_NOT_FOUND ? PLX_UNSUPPORTED : status;
}

/* ---- comparing --------------------------------------------------------------------------------- */

plx_status plx_on_device_comparer(plx_backend *backend, size_t slots, uint64_t bytes, uint64_t stride, plx_plan **plan)
{
    plx_problem problem = plx_matvec_of(PLX_F32, false, (int64_t)slots + 1, (int64_t)(bytes / WORD));
    if (bytes % WORD != 0 || stride % WORD != 0)
        return PLX_UNSUPPORTED;
    problem.of.matvec.lda = (int64_t)(stride / WORD);
    return plan_any(backend, &problem, COMPARES, plan);
}

/* ---- generating ----------------------------------------------------------------------------------- */

static int kind_of(const plx_generated *form)
{
    if (form->integers)
        return form->dtype == PLX_I32 ? SMALL_I32 : NO_KIND;
    switch (form->dtype) {
    case PLX_F32:
        return UNIFORM_F32;
    case PLX_F64:
        return UNIFORM_F64;
    case PLX_F16:
        return UNIFORM_F16;
    case PLX_BF16:
        return UNIFORM_BF16;
    default:
        return NO_KIND;
    }
}

void plx_screen_digest(const void *bytes, uint64_t count, uint32_t digest[2])
{
    const unsigned char *of = bytes;
    uint32_t first = 0, second = 0;
    for (uint64_t at = 0; at < count / WORD; at++) {
        uint32_t word;
        memcpy(&word, of + at * WORD, WORD);
        word ^= (uint32_t)at * UINT32_C(0x9e3779b1);
        word = (word ^ word >> 16) * UINT32_C(0x85ebca6b);
        word ^= word >> 13;
        first += word;
        word *= UINT32_C(0xc2b2ae35);
        second += word ^ word >> 16;
    }
    digest[0] = first;
    digest[1] = second;
}

static plx_status run_generator(plx_backend *backend, const plx_generated *form, plx_plan *plan, plx_buffer *to,
                                uint64_t offset, uint32_t digest[2])
{
    uint64_t told[FORM_WORDS / 2] = {form->key,
                                     (uint64_t)(form->rows * form->cols),
                                     (uint64_t)form->cols,
                                     (uint64_t)form->row_step,
                                     (uint64_t)form->col_step,
                                     form->threshold,
                                     (uint64_t)kind_of(form) | (uint64_t)form->limit << 32};
    plx_buffer *described = NULL;
    plx_status status = plx_buffer_create(backend, sizeof told, &described);
    if (status == PLX_OK)
        status = plx_upload(NULL, described, 0, told, sizeof told);
    const plx_view views[] = {{to, offset}, {to, offset}, {described, 0}};
    if (status == PLX_OK)
        status = plx_execute(plan, NULL, views, 3);
    if (status == PLX_OK)
        status = plx_download(NULL, told, described, 0, sizeof told);
    if (status == PLX_OK)
        status = plx_synchronize(backend, NULL);
    memcpy(digest, &told[FORM_WORDS / 2 - 1], 2 * WORD);
    plx_buffer_destroy(described);
    return status;
}

/* Pieces from all over it. */
static plx_status look_at_samples(plx_buffer *buffer, uint64_t offset, const void *data, uint64_t bytes, bool *same)
{
    enum { SAMPLES = 8, SAMPLE = 1024 };
    unsigned char seen[SAMPLES][SAMPLE];
    uint64_t at[SAMPLES];
    plx_status status = PLX_OK;
    const uint64_t length = bytes < SAMPLE ? bytes : SAMPLE;
    for (size_t i = 0; i < SAMPLES && status == PLX_OK; i++) {
        at[i] = (bytes - length) / (SAMPLES - 1) * i / WORD * WORD;
        status = plx_download(NULL, seen[i], buffer, offset + at[i], length);
    }
    if (status == PLX_OK)
        status = plx_synchronize(plx_buffer_backend(buffer), NULL);
    for (size_t i = 0; i < SAMPLES && status == PLX_OK; i++)
        *same = *same && memcmp(seen[i], (const unsigned char *)data + at[i], length) == 0;
    return status;
}

plx_status plx_on_device_generate(plx_backend *backend, const plx_inputs *inputs, size_t operand, plx_buffer *to,
                                  uint64_t offset, bool *same)
{
    plx_generated form;
    plx_plan *plan = NULL;
    uint32_t there[2], here[2];
    const uint64_t bytes = (uint64_t)inputs->elements[operand] * plx_dtype_size(plx_inputs_dtype(inputs, operand));
    const uint64_t row = (bytes / WORD + FORM_WORDS - 1) / FORM_WORDS;
    if (!plx_generated_form(inputs, operand, &form) || kind_of(&form) == NO_KIND || bytes % WORD != 0 || bytes == 0)
        return PLX_UNSUPPORTED;
    if (offset + row * FORM_WORDS * WORD > plx_buffer_bytes(to))
        return PLX_UNSUPPORTED; /* the rows of the launch end behind it */
    const plx_problem problem = plx_matvec_of(PLX_F32, false, FORM_WORDS, (int64_t)row);
    plx_status status = plan_any(backend, &problem, GENERATES, &plan);
    if (status == PLX_OK)
        status = run_generator(backend, &form, plan, to, offset, there);
    plx_plan_destroy(plan);
    if (status != PLX_OK)
        return status;
    plx_screen_digest(inputs->data[operand], bytes, here);
    *same = memcmp(here, there, sizeof here) == 0;
    return look_at_samples(to, offset, inputs->data[operand], bytes, same);
}

/* ---- multiprocessors ---------------------------------------------------------------------------------- */

/* What each group adds up to. */
static uint32_t sum_of_group(void)
{
    uint32_t sum = 0;
    for (uint32_t thread = 0; thread < THREADS; thread++) {
        uint32_t x = thread * UINT32_C(2654435761) + 1, bits;
        float real = 0.5F;
        for (int i = 0; i < ROUNDS; i++) {
            x = x * UINT32_C(1664525) + UINT32_C(1013904223);
            real = fmaf(real, 0.9990234375F, (float)(x >> 8) * 0x1p-24F);
        }
        memcpy(&bits, &real, sizeof bits);
        sum += x ^ bits;
    }
    return sum;
}

static bool is_among(const uint32_t *numbers, size_t count, uint32_t number)
{
    for (size_t i = 0; i < count; i++)
        if (numbers[i] == number)
            return true;
    return false;
}

static void note_units(const uint32_t *said, size_t groups, uint32_t right, plx_units_found *found)
{
    for (size_t i = 0; i < groups; i++) {
        const uint32_t unit = said[2 * i];
        found->groups++;
        found->wrong_groups += said[2 * i + 1] != right;
        if (said[2 * i + 1] != right && unit != UINT32_MAX && found->wrong_count < PLX_MOST_WRONG_UNITS &&
            !is_among(found->wrong, found->wrong_count, unit))
            found->wrong[found->wrong_count++] = unit;
        found->numbered = found->numbered || unit != UINT32_MAX;
    }
}

static plx_status compute_once(plx_backend *backend, plx_plan *plan, plx_buffer *beside, plx_buffer *results,
                               uint32_t *said, size_t groups)
{
    const plx_view views[] = {{beside, 0}, {beside, 0}, {results, 0}};
    plx_status status = plx_fill(NULL, results, 0, 0, 2 * groups * WORD);
    if (status == PLX_OK)
        status = plx_execute(plan, NULL, views, 3);
    if (status == PLX_OK)
        status = plx_download(NULL, said, results, 0, 2 * groups * WORD);
    return status == PLX_OK ? plx_synchronize(backend, NULL) : status;
}

plx_status plx_on_device_units(plx_backend *backend, size_t times, plx_units_found *found)
{
    const plx_device_info *device = plx_backend_device(backend);
    const size_t groups = (size_t)GROUPS_OF_UNIT * (device->units > 0 ? device->units : 1);
    const plx_problem problem = plx_matvec_of(PLX_F32, false, (int64_t)(2 * groups), 1);
    plx_plan *plan = NULL;
    plx_buffer *beside = NULL, *results = NULL;
    uint32_t *said = malloc(2 * groups * WORD);
    *found = (plx_units_found){.groups = 0};
    plx_status status = said != NULL ? plan_any(backend, &problem, COMPUTES, &plan) : PLX_NO_MEMORY;
    if (status == PLX_OK)
        status = plx_buffer_create(backend, 2 * groups * WORD, &beside);
    if (status == PLX_OK)
        status = plx_buffer_create(backend, 2 * groups * WORD, &results);
    for (size_t i = 0; i < times && status == PLX_OK; i++) {
        status = compute_once(backend, plan, beside, results, said, groups);
        if (status == PLX_OK)
            note_units(said, groups, sum_of_group(), found);
    }
    plx_buffer_destroy(results);
    plx_buffer_destroy(beside);
    plx_plan_destroy(plan);
    free(said);
    return status;
}
