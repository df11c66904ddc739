/* Recipes: the launches of a kernel that is not ours, as one file of JSON (doc/recipe.md), and what they are for a problem
 * on a device.  No context, no backend and no device is needed. */
#ifndef PARALLAX_RECIPE_H
#define PARALLAX_RECIPE_H

#include <parallax/files.h>
#include <parallax/results.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct plx_recipe_file plx_recipe_file;

/* Reads and checks a recipe.  PLX_IO: the file can't be read; PLX_INVALID: it is no recipe: one line says what is wrong,
 * and in which field.  Free with plx_recipe_file_free(). */
PLX_API plx_status plx_recipe_file_read(const char *path, plx_recipe_file **recipe, plx_error *error);
PLX_API void plx_recipe_file_free(plx_recipe_file *recipe);
PLX_API plx_op plx_recipe_file_op(const plx_recipe_file *recipe);

/* A tunable's value, by its name. */
typedef struct plx_chosen {
    char name[52];
    uint32_t reserved; /* 0 */
    int64_t value;
} plx_chosen;

/* A device that is described by words, not by a driver: "h100", "h100,sms=114", "cc=90,sms=132".  Of what is not said
 * it has what the first of the list has. */
PLX_API plx_status plx_described_device(const char *words, plx_device_info *device, plx_error *error);
/* The devices that have a name: 0, 1, ...; NULL at the end. */
PLX_API const char *plx_described_device_name(size_t index);

/* The launches of a recipe for one problem on one device. */
typedef struct plx_launches plx_launches;

/* Of tunables that are not chosen the first values are taken for which tune_where holds.  The recipe is to outlive the
 * launches.
 * PLX_UNSUPPORTED: the recipe does not take this problem or device, and *error has the clause; PLX_INVALID: what it says
 * has no value here, or can't be launched. */
PLX_API plx_status plx_launches_make(const plx_recipe_file *recipe, const plx_problem *problem,
                                     const plx_device_info *device, const plx_chosen *chosen, size_t chosen_count,
                                     plx_launches **launches, plx_error *error);
PLX_API void plx_launches_free(plx_launches *launches);
/* Compares their arguments and blocks with the entries of a text of PTX.  PLX_INVALID: *error says what differs, or which
 * entry is missing. */
PLX_API plx_status plx_launches_compare(const plx_launches *launches, const char *path, plx_error *error);

/* What came of one of several problems. */
typedef struct plx_launches_shown {
    plx_problem problem;
    plx_launches *launches; /* NULL: none, for this reason */
    char reason[512];
    uint64_t reserved[4]; /* 0 */
} plx_launches_shown;

/* For people, and as JSON (schema parallax-launches/1). */
PLX_API plx_status plx_launches_write_text(const plx_recipe_file *recipe, const plx_device_info *device,
                                           const plx_launches_shown *shown, size_t count, FILE *to, plx_error *error);
PLX_API plx_status plx_launches_write_json(const plx_recipe_file *recipe, const plx_device_info *device,
                                           const plx_launches_shown *shown, size_t count, FILE *to, plx_error *error);

#ifdef __cplusplus
}
#endif

#endif
