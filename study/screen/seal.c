/* Seals: digests of proven results, by which a device is held against itself or its equals later, without a reference.
 */
#include "study/screen/screen.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CASES = 65536 };

typedef struct sealed_case {
    char model[128];
    uint32_t units;
    plx_screened_case of;
} sealed_case;

struct plx_seal {
    plx_environment environment;
    uint64_t seed;
    sealed_case *cases;
    size_t count;
};

/* ---- fields -------------------------------------------------------------------------------- */

static void sealed_fields(plx_archive *archive, sealed_case *one)
{
    plx_archive_text(archive, "model", one->model, sizeof one->model);
    one->units = (uint32_t)plx_archive_natural(archive, "units", one->units, 0);
    plx_archive_screened_case(archive, &one->of);
    if (plx_archive_reads(archive) && (strlen(one->of.digest) != 64 || strlen(one->of.inputs) != 64))
        plx_archive_refuse(archive, "digest");
}

/* The same bits each time, and proven. */
static bool is_to_be_sealed(const plx_screened_case *of)
{
    return of->outcome == PLX_OUTCOME_OK && of->digest[0] != '\0' && of->inputs[0] != '\0' &&
           (of->reproducibility != PLX_R2 || plx_is_exact(&of->problem));
}

static void put_case(plx_archive *archive, const plx_screened_device *device, const plx_screened_case *of)
{
    sealed_case one = {.units = device->info.units, .of = *of};
    (void)snprintf(one.model, sizeof one.model, "%s", device->info.name);
    one.of.runs = one.of.differing = 0;
    one.of.launch_ns = 0;
    one.of.seal = PLX_SEAL_NONE;
    plx_archive_item(archive, 0);
    sealed_fields(archive, &one);
    plx_archive_item_end(archive);
}

plx_status plx_seal_write_json(const plx_screen *screen, FILE *to, plx_error *error)
{
    plx_json json = {.to = to};
    plx_archive archive = {.to = &json};
    plx_environment environment = screen->environment;
    if (environment.parallax[0] == '\0')
        plx_environment_now(&environment);
    plx_json_object(&json, NULL);
    plx_json_text(&json, "schema", "parallax-seal/1");
    plx_archive_environment(&archive, &environment);
    plx_json_natural(&json, "seed", screen->seed);
    plx_json_list(&json, "cases");
    for (size_t i = 0; i < screen->device_count; i++)
        for (size_t k = 0; k < screen->devices[i].case_count; k++)
            if (is_to_be_sealed(&screen->devices[i].cases[k]))
                put_case(&archive, &screen->devices[i], &screen->devices[i].cases[k]);
    plx_json_list_end(&json);
    plx_json_object_end(&json);
    return plx_json_end(&json, error);
}

/* ---- reading ----------------------------------------------------------------------------------- */

static plx_status take(const json_t *root, const char *path, plx_seal *seal, plx_error *error)
{
    plx_archive archive = plx_archive_of(root);
    const char *schema = json_string_value(json_object_get(root, "schema"));
    if (schema == NULL || strcmp(schema, "parallax-seal/1") != 0)
        return plx_fail(error, PLX_INVALID,
                        "%.200s: no seal: the schema is %.60s, parallax-seal/1 is needed; 'parallax seal' "
                        "writes one",
                        path, schema != NULL ? schema : "not told");
    plx_archive_environment(&archive, &seal->environment);
    seal->seed = plx_archive_natural(&archive, "seed", 0, 0);
    const size_t count = plx_archive_list(&archive, "cases", 0);
    seal->cases = count <= MOST_CASES ? calloc(count + 1, sizeof *seal->cases) : NULL;
    if (seal->cases == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "%.200s: no memory for its %zu cases", path, count);
    for (size_t i = 0; i < count && !plx_archive_fails(&archive); i++) {
        plx_archive_item(&archive, i);
        sealed_fields(&archive, &seal->cases[i]);
        plx_archive_item_end(&archive);
        seal->count = i + 1;
    }
    plx_archive_list_end(&archive);
    if (plx_archive_fails(&archive))
        return plx_fail(error, PLX_INVALID, "%.200s: %s is wrong; seal it anew", path,
                        archive.wrong != NULL ? archive.wrong : "a name that this version does not know");
    return count > 0 ? PLX_OK : plx_fail(error, PLX_INVALID, "%.200s: the seal has no case; seal it anew", path);
}

plx_status plx_seal_read(const char *path, plx_seal **seal, plx_error *error)
{
    json_t *root = NULL;
    plx_seal *made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for a seal");
    plx_status status = plx_json_load(path, &root, error);
    if (status == PLX_OK)
        status = take(root, path, made, error);
    json_decref(root);
    if (status == PLX_OK) {
        *seal = made;
        return PLX_OK;
    }
    plx_seal_free(made);
    plx_text_clean(error->text, sizeof error->text);
    return status;
}

void plx_seal_free(plx_seal *seal)
{
    if (seal != NULL)
        free(seal->cases);
    free(seal);
}

uint64_t plx_seal_seed(const plx_seal *seal)
{
    return seal->seed;
}

/* ---- finding --------------------------------------------------------------------------------------- */

static bool same_kernels(const plx_seal *seal)
{
    return strcmp(seal->environment.kernels_hash, plx_build_facts()->kernels_hash) == 0;
}

static bool is_model(const sealed_case *one, const plx_device_info *info)
{
    return strcmp(one->model, info->name) == 0 && one->units == info->units;
}

void plx_seal_mismatch(const plx_seal *seal, const plx_device_info *info, char *reason, size_t capacity)
{
    reason[0] = '\0';
    if (!same_kernels(seal)) {
        (void)snprintf(reason, capacity,
                       "the seal is of kernels %.12s, and these are %.12s: seal it anew with this version",
                       seal->environment.kernels_hash, plx_build_facts()->kernels_hash);
        return;
    }
    for (size_t i = 0; i < seal->count; i++)
        if (is_model(&seal->cases[i], info))
            return;
    (void)snprintf(reason, capacity, "the seal is of %.60s with %u units, and this is %.60s with %u: seal one of these",
                   seal->count > 0 ? seal->cases[0].model : "nothing",
                   seal->count > 0 ? (unsigned)seal->cases[0].units : 0U, info->name, (unsigned)info->units);
}

const plx_screened_case *plx_seal_find(const plx_seal *seal, const plx_device_info *info, const plx_screened_case *of)
{
    if (seal == NULL || !same_kernels(seal))
        return NULL;
    for (size_t i = 0; i < seal->count; i++) {
        const plx_screened_case *one = &seal->cases[i].of;
        if (is_model(&seal->cases[i], info) && plx_same_way(one->backend, of->backend) &&
            strcmp(one->kernel, of->kernel) == 0 && one->input == of->input &&
            memcmp(&one->problem, &of->problem, sizeof one->problem) == 0)
            return one;
    }
    return NULL;
}
