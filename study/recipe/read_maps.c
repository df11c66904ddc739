/* Reads the tensor maps of a recipe. */
#include "study/recipe/read.h"

#include <string.h>

#define COUNT_OF(list) (sizeof(list) / sizeof(list)[0])

const plx_map_type plx_map_types[] = {
    {"dtype", 0}, {"out_dtype", 0}, {"u8", 1},   {"u16", 2}, {"u32", 4}, {"i32", 4},  {"u64", 8},
    {"i64", 8},   {"f16", 2},       {"bf16", 2}, {"f32", 4}, {"f64", 8}, {"tf32", 4},
};
const size_t plx_map_type_count = COUNT_OF(plx_map_types);

static void read_of(plx_reader *reader, const json_t *value, void *into)
{
    ((plx_map *)into)->of = plx_read_text(reader, value, PLX_NAME_LENGTH);
}

static void read_of_scratch(plx_reader *reader, const json_t *value, void *into)
{
    ((plx_map *)into)->of_scratch = plx_read_text(reader, value, PLX_NAME_LENGTH);
}

static void read_offset(plx_reader *reader, const json_t *value, void *into)
{
    plx_read_formula(reader, value, &((plx_map *)into)->offset);
}

static void read_dtype(plx_reader *reader, const json_t *value, void *into)
{
    const char *words[COUNT_OF(plx_map_types)];
    for (size_t i = 0; i < COUNT_OF(plx_map_types); i++)
        words[i] = plx_map_types[i].name;
    ((plx_map *)into)->dtype = plx_read_word(reader, value, words, COUNT_OF(words));
}

static void read_item(plx_reader *reader, const json_t *value, size_t index, void *into)
{
    plx_read_formula(reader, value, &((plx_formulas *)into)->at[index]);
}

static void read_size(plx_reader *reader, const json_t *value, void *into)
{
    plx_map *map = into;
    map->size.count = plx_read_list(reader, value, 1, PLX_RECIPE_RANK, read_item, &map->size);
}

static void read_stride(plx_reader *reader, const json_t *value, void *into)
{
    plx_map *map = into;
    map->stride.count = plx_read_list(reader, value, 0, PLX_RECIPE_RANK - 1, read_item, &map->stride);
}

static void read_box(plx_reader *reader, const json_t *value, void *into)
{
    plx_map *map = into;
    map->box.count = plx_read_list(reader, value, 1, PLX_RECIPE_RANK, read_item, &map->box);
}

static void read_step(plx_reader *reader, const json_t *value, void *into)
{
    plx_map *map = into;
    map->step.count = plx_read_list(reader, value, 1, PLX_RECIPE_RANK, read_item, &map->step);
}

static void read_swizzle(plx_reader *reader, const json_t *value, void *into)
{
    static const int64_t bytes[] = {0, 32, 64, 128};
    ((plx_map *)into)->swizzle = plx_read_choice(reader, value, bytes, COUNT_OF(bytes));
}

static void read_interleave(plx_reader *reader, const json_t *value, void *into)
{
    static const int64_t bytes[] = {0, 16, 32};
    ((plx_map *)into)->interleave = plx_read_choice(reader, value, bytes, COUNT_OF(bytes));
}

static void read_fill(plx_reader *reader, const json_t *value, void *into)
{
    static const char *const words[] = {"zero", "nan"};
    ((plx_map *)into)->fill_nan = plx_read_word(reader, value, words, COUNT_OF(words)) == 1;
}

static void read_l2(plx_reader *reader, const json_t *value, void *into)
{
    static const int64_t bytes[] = {0, 64, 128, 256};
    ((plx_map *)into)->l2 = plx_read_choice(reader, value, bytes, COUNT_OF(bytes));
}

static void check(plx_reader *reader, const plx_map *map)
{
    const size_t rank = map->size.count;
    if ((map->of != NULL) == (map->of_scratch != NULL))
        plx_reader_refuse(reader, "one of `of`, an operand, and `of_scratch` is expected");
    if (rank == 0 || map->box.count == 0)
        plx_reader_refuse(reader, "`%s` is missing", rank == 0 ? "size" : "box");
    if (map->box.count != rank)
        plx_reader_refuse(reader, "`size` has %zu numbers, `box` %zu", rank, map->box.count);
    if (map->stride.count + 1 != rank)
        plx_reader_refuse(reader, "%zu sizes need %zu strides, in bytes, not %zu", rank, rank - 1, map->stride.count);
    if (map->step.count != 0 && map->step.count != rank)
        plx_reader_refuse(reader, "`size` has %zu numbers, `step` %zu", rank, map->step.count);
    if (map->of_scratch != NULL && plx_map_types[map->dtype].bytes == 0)
        plx_reader_refuse(reader, "`dtype` of a map of scratch memory is a type's name");
}

static void read_map(plx_reader *reader, const char *name, const json_t *value, void *into)
{
    static const plx_key keys[] = {
        {"of", read_of},           {"of_scratch", read_of_scratch}, {"offset", read_offset}, {"dtype", read_dtype},
        {"size", read_size},       {"stride", read_stride},         {"box", read_box},       {"step", read_step},
        {"swizzle", read_swizzle}, {"interleave", read_interleave}, {"fill", read_fill},     {"l2", read_l2},
    };
    plx_recipe_file *recipe = into;
    plx_map *map = &recipe->maps[recipe->map_count++];
    plx_read_name(reader, name);
    map->name = name;
    plx_note_field(reader, map->field);
    plx_read_object(reader, value, keys, COUNT_OF(keys), map);
    if (!plx_reader_fails(reader))
        check(reader, map);
}

void plx_read_maps(plx_reader *reader, const json_t *value, void *into)
{
    plx_read_members(reader, value, PLX_RECIPE_MAPS, read_map, into);
}
