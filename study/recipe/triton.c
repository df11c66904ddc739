/* Launches of kernels that Triton compiled: NAME.json, which it keeps beside NAME.ptx, says block, shared memory and
 * clusters.  It does not say what the parameters are: the text of PTX has their types, with which those of the recipe
 * are compared.  Behind them Triton has pointers of its own, to scratch memory, also where that has no bytes. */
#include "study/recipe/triton.h"

#include "study/recipe/image.h"
#include "study/recipe/load.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 20, MOST_WARPS = 64, MOST_HIDDEN = 2 };

/* What the JSON says of one kernel. */
typedef struct kernel {
    const char *name;
    int64_t warps, warp_size, shared, arch, cluster[3];
    bool cooperative, dependent;
    bool has_scratch[MOST_HIDDEN];
    int64_t scratch[MOST_HIDDEN], align[MOST_HIDDEN]; /* of a program */
    const json_t *descriptors;
} kernel;

static const char *const scratch_names[MOST_HIDDEN] = {"global_scratch", "profile_scratch"};

/* ---- the JSON -------------------------------------------------------------------------------------- */

/* A key that is not there, or is null, has the fallback. */
static int64_t read_integer(plx_reader *reader, const json_t *object, const char *key, int64_t least, int64_t most,
                            int64_t fallback)
{
    const json_t *value = json_object_get(object, key);
    if (value == NULL || json_is_null(value))
        return fallback;
    const int64_t number = json_integer_value(value);
    const size_t mark = plx_reader_enter(reader, key);
    if (!json_is_integer(value) || number < least || number > most)
        plx_reader_refuse(reader, "a whole number from %" PRId64 " to %" PRId64 " is expected", least, most);
    plx_reader_leave(reader, mark);
    return number;
}

static bool read_flag(plx_reader *reader, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (value == NULL || json_is_null(value))
        return false;
    const size_t mark = plx_reader_enter(reader, key);
    const bool flag = plx_read_flag(reader, value);
    plx_reader_leave(reader, mark);
    return flag;
}

static const char *read_text(plx_reader *reader, const json_t *object, const char *key, const char *fallback)
{
    const json_t *value = json_object_get(object, key);
    if (value == NULL || json_is_null(value))
        return fallback;
    const size_t mark = plx_reader_enter(reader, key);
    const char *text = plx_read_text(reader, value, 1024);
    plx_reader_leave(reader, mark);
    return text;
}

/* The first versions had three numbers, later ones have one. */
static void read_cluster(plx_reader *reader, const json_t *root, kernel *to)
{
    const json_t *dims = json_object_get(root, "cluster_dims");
    to->cluster[0] = read_integer(reader, root, "num_ctas", 1, 16, 1);
    to->cluster[1] = to->cluster[2] = 1;
    if (!json_is_array(dims) || json_array_size(dims) != 3)
        return;
    for (size_t i = 0; i < 3; i++) {
        to->cluster[i] = json_integer_value(json_array_get(dims, i));
        if (to->cluster[i] < 1 || to->cluster[i] > 16)
            plx_reader_refuse(reader, "cluster_dims: numbers from 1 to 16 are expected");
    }
}

static void read_target(plx_reader *reader, const json_t *root, kernel *to)
{
    const json_t *target = json_object_get(root, "target");
    const char *backend = read_text(reader, target, "backend", "");
    if (!plx_reader_fails(reader) && strcmp(backend, plx_dialect_of_launches(true)->name) != 0)
        plx_reader_refuse(reader, "target.backend: compiled for '%.40s', and recipes take '%s'", backend,
                          plx_dialect_of_launches(true)->name);
    to->arch = read_integer(reader, target, "arch", 10, 999, 0);
    to->warp_size = read_integer(reader, target, "warp_size", 1, 64, 32);
    if (to->arch == 0)
        plx_reader_refuse(reader, "target.arch is missing");
}

static void read_kernel(plx_reader *reader, const json_t *root, kernel *to)
{
    if (!json_is_object(root) || json_object_get(root, "name") == NULL || json_object_get(root, "num_warps") == NULL ||
        !json_is_object(json_object_get(root, "target")))
        plx_reader_refuse(reader,
                          "no JSON of a kernel that Triton compiled: `name`, `num_warps` and `target` are expected");
    to->name = read_text(reader, root, "name", "");
    to->warps = read_integer(reader, root, "num_warps", 1, MOST_WARPS, 4);
    to->shared = read_integer(reader, root, "shared", 0, INT64_C(1) << 30, 0);
    to->cooperative = read_flag(reader, root, "launch_cooperative_grid");
    to->dependent = read_flag(reader, root, "launch_pdl");
    to->descriptors = json_object_get(root, "tensordesc_meta");
    read_cluster(reader, root, to);
    read_target(reader, root, to);
    for (size_t i = 0; i < MOST_HIDDEN; i++) {
        char size[40], align[40];
        (void)snprintf(size, sizeof size, "%s_size", scratch_names[i]);
        (void)snprintf(align, sizeof align, "%s_align", scratch_names[i]);
        to->has_scratch[i] = json_object_get(root, size) != NULL;
        to->scratch[i] = read_integer(reader, root, size, 0, INT64_C(1) << 40, 0);
        to->align[i] = read_integer(reader, root, align, 1, 1024, 1);
    }
}

/* 3.2 did not say which it was, nor had it pointers of its own. */
static void note_version(plx_reader *reader, const json_t *root, const kernel *of, plx_triton *to)
{
    const char *version = read_text(reader, root, "triton_version", of->has_scratch[0] ? "of no version" : "3.2");
    static const char *const known[] = {"3.2", "3.3", "3.4", "3.5", "3.6"};
    (void)snprintf(to->version, sizeof to->version, "%s", version);
    to->arch = of->arch;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        to->known |= strncmp(version, known[i], 3) == 0 && (version[3] == '.' || version[3] == '\0');
}

/* ---- a launch of it ------------------------------------------------------------------------------------ */

static plx_formula number_at(const char *field, int64_t number)
{
    plx_formula made = {.there = true, .number = number};
    (void)snprintf(made.field, sizeof made.field, "%s", field);
    return made;
}

static void set_launch(plx_recipe_launch *launch, const kernel *of)
{
    const bool clustered = of->cluster[0] * of->cluster[1] * of->cluster[2] > 1;
    launch->entry = of->name;
    launch->block = (plx_dimensions){.at = {number_at(launch->field, of->warps * of->warp_size)}, .count = 1};
    launch->shared = number_at(launch->field, of->shared);
    launch->cooperative = of->cooperative;
    launch->dependent = of->dependent;
    launch->cluster.count = clustered ? 3 : 0;
    for (size_t i = 0; i < 3; i++) {
        launch->triton.blocks[i] = of->cluster[i];
        launch->cluster.at[i] = number_at(launch->field, of->cluster[i]);
    }
}

static size_t map_of(const plx_recipe_file *recipe, const char *name)
{
    size_t index = 0;
    while (index < recipe->map_count && strcmp(recipe->maps[index].name, name) != 0)
        index++;
    return index;
}

/* How many arguments a descriptor is: the map, a size and a stride of each dimension. */
static size_t spread(const plx_recipe_file *recipe, const plx_recipe_argument *argument)
{
    const size_t map =
        argument->kind == PLX_GIVES_MAP && !argument->by_pointer ? map_of(recipe, argument->name) : PLX_RECIPE_MAPS;
    return map < recipe->map_count ? 1 + 2 * recipe->maps[map].size.count : 1;
}

static plx_recipe_argument number_of_map(const plx_recipe_argument *descriptor, plx_recipe_argument_kind kind,
                                         const plx_formula *value)
{
    plx_recipe_argument made = {.kind = kind, .value = *value};
    memcpy(made.field, descriptor->field, sizeof made.field);
    return made;
}

/* Outermost first, strides in elements, of which the last is 1. */
static void spread_descriptor(plx_recipe_file *recipe, size_t from, size_t to)
{
    const plx_recipe_argument descriptor = recipe->pool[from];
    const size_t index = map_of(recipe, descriptor.name);
    const plx_map *map = &recipe->maps[index];
    const plx_formula one = number_at(descriptor.field, 1);
    plx_recipe_argument *at = &recipe->pool[to];
    *at++ = descriptor;
    for (size_t i = map->size.count; i-- > 0;)
        *at++ = number_of_map(&descriptor, PLX_GIVES_I32, &map->size.at[i]);
    for (size_t i = map->stride.count; i-- > 0;) {
        *at = number_of_map(&descriptor, PLX_GIVES_I64, &map->stride.at[i]);
        at++->of_map = index + 1;
    }
    *at = number_of_map(&descriptor, PLX_GIVES_I64, &one);
}

/* "16 * 2 * (ceildiv(m, 64)) * (1)": bytes for all programs. */
static const char *scratch_bytes(plx_recipe_file *recipe, const plx_recipe_launch *launch, int64_t bytes,
                                 int64_t blocks)
{
    plx_line line = {.length = 0};
    plx_line_add(&line, "%" PRId64 " * %" PRId64, bytes, blocks);
    for (size_t i = 0; i < launch->grid.count; i++) {
        const plx_formula *grid = &launch->grid.at[i];
        if (grid->text != NULL)
            plx_line_add(&line, " * (%s)", grid->text);
        else
            plx_line_add(&line, " * %" PRId64, grid->number);
    }
    return line.length + 1 < sizeof line.text ? plx_recipe_keep(recipe, plx_text("%s", line.text)) : NULL;
}

static void add_scratch(plx_reader *reader, plx_recipe_file *recipe, plx_recipe_launch *launch, const kernel *of,
                        size_t which, plx_recipe_argument *to)
{
    plx_scratch *scratch = &recipe->scratches[recipe->scratch_count];
    const int64_t blocks = of->cluster[0] * of->cluster[1] * of->cluster[2];
    memcpy(to->field, launch->field, sizeof to->field);
    to->kind = PLX_GIVES_NULL;
    if (of->scratch[which] == 0)
        return;
    *scratch = (plx_scratch){.align = of->align[which] > 256 ? of->align[which] : 256, .before = PLX_BEFORE_GARBAGE};
    scratch->bytes = number_at(launch->field, 0);
    scratch->bytes.text = scratch_bytes(recipe, launch, of->scratch[which], blocks);
    scratch->name = plx_recipe_keep(recipe, plx_text("%s of %s", scratch_names[which], launch->field));
    if (scratch->bytes.text == NULL || scratch->name == NULL) {
        plx_reader_refuse(
            reader,
            "the expressions of `grid` are too long for the size of Triton's scratch memory; give them names by `let`");
        return;
    }
    to->kind = PLX_GIVES_SCRATCH;
    to->name = scratch->name;
    recipe->scratch_count++;
}

static size_t hidden_of(const kernel *of)
{
    return (size_t)of->has_scratch[0] + (size_t)of->has_scratch[1];
}

static void spread_arguments(plx_reader *reader, plx_recipe_file *recipe, plx_recipe_launch *launch, const kernel *of)
{
    size_t count = hidden_of(of), first, at;
    for (size_t i = 0; i < launch->argument_count; i++)
        count += spread(recipe, &recipe->pool[launch->first + i]);
    if (!plx_recipe_reserve(recipe, count, &first)) {
        plx_reader_no_memory(reader);
        return;
    }
    at = first;
    for (size_t i = 0; i < launch->argument_count; i++) {
        const size_t more = spread(recipe, &recipe->pool[launch->first + i]);
        if (more > 1)
            spread_descriptor(recipe, launch->first + i, at);
        else
            recipe->pool[at] = recipe->pool[launch->first + i];
        at += more;
    }
    for (size_t i = 0; i < MOST_HIDDEN; i++)
        if (of->has_scratch[i])
            add_scratch(reader, recipe, launch, of, i, &recipe->pool[at++]);
    launch->triton.hidden = hidden_of(of);
    launch->first = first;
    launch->argument_count = count;
}

/* ---- compared with the image ------------------------------------------------------------------------------ */

static void compare_descriptors(plx_reader *reader, const plx_recipe_file *recipe, const plx_recipe_launch *launch,
                                const kernel *of)
{
    static const int64_t swizzles[] = {0, 32, 64, 128};
    size_t number = 0;
    for (size_t i = 0; i < launch->argument_count; i++) {
        const plx_recipe_argument *argument = &recipe->pool[launch->first + i];
        if (argument->kind != PLX_GIVES_MAP || argument->by_pointer)
            continue;
        const json_t *of_map = json_array_get(of->descriptors, number++),
                     *block = json_object_get(of_map, "block_size");
        const size_t index = map_of(recipe, argument->name);
        if (!json_is_object(of_map) || index == recipe->map_count)
            continue;
        const plx_map *map = &recipe->maps[index];
        const int64_t code = json_integer_value(json_object_get(of_map, "swizzle"));
        if (code >= 0 && code < 4 && swizzles[code] != map->swizzle)
            plx_reader_refuse(reader, "map %s has swizzle %" PRId64 ", Triton's descriptor %" PRId64, map->name,
                              map->swizzle, swizzles[code]);
        for (size_t d = 0; d < map->box.count && json_array_size(block) == map->box.count; d++) {
            const int64_t wanted = json_integer_value(json_array_get(block, map->box.count - 1 - d));
            if (map->box.at[d].text == NULL && map->box.at[d].number != wanted)
                plx_reader_refuse(reader, "map %s: box[%zu] is %" PRId64 ", Triton's descriptor has %" PRId64,
                                  map->name, d, map->box.at[d].number, wanted);
        }
    }
    if (json_is_array(of->descriptors) && json_array_size(of->descriptors) != number)
        plx_reader_refuse(reader, "Triton has %zu descriptors, the recipe gives %zu maps",
                          json_array_size(of->descriptors), number);
}

/* ---- files ---------------------------------------------------------------------------------------------------- */

/* Beside the recipe, or below. */
static plx_status path_of(const plx_recipe_file *recipe, const char *name, char *path, size_t capacity)
{
    const char *slash = strrchr(recipe->path, '/');
    const int directory = slash != NULL ? (int)(slash - recipe->path) + 1 : 0;
    const int length = snprintf(path, capacity, "%.*s%s", directory, recipe->path, name);
    return length > 0 && (size_t)length < capacity ? PLX_OK : PLX_INVALID;
}

static void compare_image(plx_reader *reader, const plx_recipe_file *recipe, const plx_recipe_launch *launch,
                          const char *json_path)
{
    plx_beside beside = {
        .arguments = &recipe->pool[launch->first],
        .count = launch->argument_count,
        .hidden = launch->triton.hidden,
        .entry = launch->entry,
        .threads = (uint64_t)launch->block.at[0].number,
    };
    char path[1024];
    plx_error why = {""};
    char *text;
    plx_ptx_entry *entry = malloc(sizeof *entry);
    if (entry == NULL) {
        plx_reader_no_memory(reader);
        return;
    }
    (void)snprintf(path, sizeof path, "%.*s.ptx", (int)(strlen(json_path) - strlen(".json")), json_path);
    plx_status status = plx_recipe_text(path, PLX_PTX_BYTES, &text, &why);
    if (status == PLX_OK) {
        status = plx_ptx_find(path, text, launch->entry, entry, &why);
        free(text);
    }
    if (status != PLX_OK)
        plx_reader_refuse(reader, "%s", why.text);
    else if (!plx_image_fits(&beside, entry))
        plx_reader_refuse(reader, "%s", beside.why);
    free(entry);
}

static void read_launch(plx_reader *reader, plx_recipe_file *recipe, plx_recipe_launch *launch)
{
    char path[1024];
    kernel of = {.name = NULL};
    plx_error why = {""};
    json_t *root = NULL;
    const size_t length = strlen(launch->triton.file);
    if (length <= 5 || strcmp(launch->triton.file + length - 5, ".json") != 0 ||
        path_of(recipe, launch->triton.file, path, sizeof path) != PLX_OK) {
        plx_reader_refuse(reader, "`triton`: '%.100s' is no path of a .json", launch->triton.file);
        return;
    }
    if (plx_recipe_load(path, MOST_BYTES, &root, &why) != PLX_OK) {
        plx_reader_refuse(reader, "%s", why.text);
        return;
    }
    plx_recipe_keep_json(recipe, root);
    plx_reader inner = {.file = path, .error = &why};
    read_kernel(&inner, root, &of);
    note_version(&inner, root, &of, &launch->triton);
    if (plx_reader_fails(&inner)) {
        plx_reader_refuse(reader, "%s", why.text);
        return;
    }
    set_launch(launch, &of);
    compare_descriptors(reader, recipe, launch, &of);
    spread_arguments(reader, recipe, launch, &of);
    if (!plx_reader_fails(reader))
        compare_image(reader, recipe, launch, path);
}

void plx_triton_read(plx_reader *reader, plx_recipe_file *recipe)
{
    for (size_t i = 0; i < recipe->launch_count && !plx_reader_fails(reader); i++) {
        const size_t mark = plx_reader_enter(reader, recipe->launches[i].field);
        if (recipe->launches[i].triton.file != NULL)
            read_launch(reader, recipe, &recipe->launches[i]);
        plx_reader_leave(reader, mark);
    }
}
