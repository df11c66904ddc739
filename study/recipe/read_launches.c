/* Reads the launches of a recipe, and their arguments. */
#include "study/recipe/read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(list) (sizeof(list) / sizeof(list)[0])

const char *const plx_argument_words[PLX_GIVES_KINDS] = {
    [PLX_GIVES_OPERAND] = "operand", [PLX_GIVES_SCRATCH] = "scratch", [PLX_GIVES_MAP] = "map",
    [PLX_GIVES_I8] = "i8",           [PLX_GIVES_I16] = "i16",         [PLX_GIVES_I32] = "i32",
    [PLX_GIVES_I64] = "i64",         [PLX_GIVES_U32] = "u32",         [PLX_GIVES_U64] = "u64",
    [PLX_GIVES_F16] = "f16",         [PLX_GIVES_BF16] = "bf16",       [PLX_GIVES_F32] = "f32",
    [PLX_GIVES_F64] = "f64",         [PLX_GIVES_SCALAR] = "scalar",   [PLX_GIVES_LOCAL] = "local",
    [PLX_GIVES_NULL] = "null",       [PLX_GIVES_STRUCT] = "struct",
};

/* ---- arguments ------------------------------------------------------------------------------------ */

bool plx_recipe_reserve(plx_recipe_file *recipe, size_t count, size_t *first)
{
    plx_recipe_argument *grown = realloc(recipe->pool, (recipe->pool_count + count + 1) * sizeof *grown);
    *first = recipe->pool_count;
    if (grown == NULL)
        return false;
    recipe->pool = grown;
    memset(grown + *first, 0, count * sizeof *grown);
    recipe->pool_count += count;
    return true;
}

static size_t reserve(plx_reader *reader, plx_recipe_file *recipe, size_t count)
{
    size_t first;
    if (!plx_recipe_reserve(recipe, count, &first))
        plx_reader_no_memory(reader);
    return first;
}

static bool is_float(plx_recipe_argument_kind kind)
{
    return kind >= PLX_GIVES_F16 && kind <= PLX_GIVES_F64;
}

static void read_by(plx_reader *reader, const json_t *value, plx_recipe_argument *argument)
{
    static const char *const words[] = {"value", "pointer"};
    argument->by_pointer = plx_read_word(reader, value, words, COUNT_OF(words)) == 1;
}

static void read_struct_align(plx_reader *reader, const json_t *value, plx_recipe_argument *argument)
{
    static const int64_t bytes[] = {1, 2, 4, 8, 16, 32, 64, 128};
    argument->align = plx_read_choice(reader, value, bytes, COUNT_OF(bytes));
}

/* "offset", "by" or "align", where the kind has such a thing. */
static bool read_beside(plx_reader *reader, const char *key, const json_t *value, plx_recipe_argument *argument)
{
    const plx_recipe_argument_kind kind = argument->kind;
    const size_t mark = plx_reader_enter(reader, key);
    bool known = true;
    if (strcmp(key, "offset") == 0 && (kind == PLX_GIVES_OPERAND || kind == PLX_GIVES_SCRATCH))
        plx_read_formula(reader, value, &argument->value);
    else if (strcmp(key, "by") == 0 && (kind == PLX_GIVES_MAP || kind == PLX_GIVES_SCALAR))
        read_by(reader, value, argument);
    else if (strcmp(key, "align") == 0 && kind == PLX_GIVES_STRUCT)
        read_struct_align(reader, value, argument);
    else
        known = false;
    plx_reader_leave(reader, mark);
    return known;
}

static void read_real(plx_reader *reader, const json_t *value, plx_recipe_argument *argument)
{
    if (!json_is_real(value)) {
        plx_read_formula(reader, value, &argument->value);
        return;
    }
    argument->is_real = true;
    argument->real = json_real_value(value);
}

static void read_argument(plx_reader *reader, const json_t *value, plx_recipe_file *recipe, size_t at, bool in_struct);

/* Where its members go, and of which recipe. */
typedef struct members {
    plx_recipe_file *recipe;
    size_t first;
} members;

static void read_member(plx_reader *reader, const json_t *value, size_t index, void *into)
{
    const members *to = into;
    read_argument(reader, value, to->recipe, to->first + index, true);
}

static void read_struct(plx_reader *reader, const json_t *value, plx_recipe_file *recipe, size_t at)
{
    const size_t count = json_is_array(value) ? json_array_size(value) : 0;
    members to = {recipe, 0};
    if (count >= 1 && count <= PLX_RECIPE_MEMBERS)
        to.first = reserve(reader, recipe, count);
    (void)plx_read_list(reader, value, 1, PLX_RECIPE_MEMBERS, read_member, &to);
    recipe->pool[at].which = to.first;
    recipe->pool[at].member_count = count;
}

static void read_scalar(plx_reader *reader, const json_t *value, plx_recipe_argument *argument)
{
    static const char *const words[] = {"alpha", "beta"};
    argument->which = plx_read_word(reader, value, words, COUNT_OF(words));
    argument->name = words[argument->which];
}

static void read_kind(plx_reader *reader, const json_t *value, plx_recipe_file *recipe, size_t at)
{
    plx_recipe_argument *argument = &recipe->pool[at];
    const plx_recipe_argument_kind kind = argument->kind;
    if (kind <= PLX_GIVES_MAP)
        argument->name = plx_read_text(reader, value, PLX_NAME_LENGTH);
    else if (is_float(kind))
        read_real(reader, value, argument);
    else if (kind == PLX_GIVES_SCALAR)
        read_scalar(reader, value, argument);
    else if (kind == PLX_GIVES_NULL) {
        if (!plx_read_flag(reader, value))
            plx_reader_refuse(reader, "true is expected");
    } else if (kind == PLX_GIVES_STRUCT)
        read_struct(reader, value, recipe, at); /* which moves the pool */
    else
        plx_read_formula(reader, value, &argument->value);
}

/* The key that says what it is. */
static bool find_kind(plx_reader *reader, const json_t *value, plx_recipe_argument_kind *kind)
{
    const char *found = NULL, *key;
    json_t *member;
    json_object_foreach((json_t *)(uintptr_t)value, key, member)
    {
        for (unsigned i = 0; i < PLX_GIVES_KINDS; i++)
            if (strcmp(key, plx_argument_words[i]) == 0) {
                if (found != NULL)
                    plx_reader_refuse(reader, "'%s' and '%s': an argument is one of them", found, key);
                found = key;
                *kind = (plx_recipe_argument_kind)i;
            }
    }
    return found != NULL;
}

static void refuse_argument(plx_reader *reader, const json_t *value)
{
    const char *key = json_object_iter_key(json_object_iter((json_t *)(uintptr_t)value));
    char meant[80] = "";
    if (key != NULL)
        plx_did_you_mean(key, plx_argument_words, PLX_GIVES_KINDS, meant, sizeof meant);
    plx_reader_refuse(
        reader,
        "%s%.60s%s is no argument%s; there are operand, scratch, map, i8, i16, i32, i64, u32, u64, f16, bf16, "
        "f32, f64, scalar, local, null and struct",
        key != NULL ? "'" : "an empty object", key != NULL ? key : "", key != NULL ? "'" : "", meant);
}

static void read_argument(plx_reader *reader, const json_t *value, plx_recipe_file *recipe, size_t at, bool in_struct)
{
    plx_recipe_argument_kind kind = PLX_GIVES_NULL;
    const char *key;
    json_t *member;
    if (!json_is_object(value)) {
        plx_reader_refuse(reader, "an object is expected: {\"operand\": \"A\"}");
        return;
    }
    if (!find_kind(reader, value, &kind) && !plx_reader_fails(reader))
        refuse_argument(reader, value);
    if (in_struct && (kind == PLX_GIVES_STRUCT || kind == PLX_GIVES_LOCAL || kind == PLX_GIVES_MAP))
        plx_reader_refuse(reader, "a struct has no %s in it", plx_argument_words[kind]);
    if (plx_reader_fails(reader))
        return;
    recipe->pool[at].kind = kind;
    plx_note_field(reader, recipe->pool[at].field);
    json_object_foreach((json_t *)(uintptr_t)value, key, member)
    {
        if (plx_reader_fails(reader))
            return;
        if (strcmp(key, plx_argument_words[kind]) == 0) {
            const size_t mark = plx_reader_enter(reader, key);
            read_kind(reader, member, recipe, at);
            plx_reader_leave(reader, mark);
        } else if (strncmp(key, "x_", 2) != 0 && !read_beside(reader, key, member, &recipe->pool[at])) {
            plx_reader_refuse(reader, "unknown key '%.60s' of %s", key, plx_argument_words[kind]);
        }
    }
}

/* ---- a launch ---------------------------------------------------------------------------------------- */

typedef struct reading {
    plx_recipe_file *recipe;
    plx_recipe_launch *launch;
} reading;

static plx_recipe_launch *launch_of(void *into)
{
    return ((reading *)into)->launch;
}

static void read_entry(plx_reader *reader, const json_t *value, void *into)
{
    launch_of(into)->entry = plx_read_text(reader, value, 1024);
}

static void read_triton(plx_reader *reader, const json_t *value, void *into)
{
    const char *file = plx_read_text(reader, value, 512);
    if (!plx_reader_fails(reader) && !plx_is_below(file))
        plx_reader_refuse(reader, "'%.100s' is not below the recipe's directory", file);
    launch_of(into)->triton.file = file;
}

static void read_when(plx_reader *reader, const json_t *value, void *into)
{
    plx_read_formula(reader, value, &launch_of(into)->when);
    if (!plx_reader_fails(reader) && launch_of(into)->when.text == NULL)
        plx_reader_refuse(reader, "a condition as text is expected");
}

static void read_grid(plx_reader *reader, const json_t *value, void *into)
{
    plx_read_dimensions(reader, value, &launch_of(into)->grid);
}

static void read_block(plx_reader *reader, const json_t *value, void *into)
{
    plx_read_dimensions(reader, value, &launch_of(into)->block);
}

static void read_cluster(plx_reader *reader, const json_t *value, void *into)
{
    plx_read_dimensions(reader, value, &launch_of(into)->cluster);
}

static void read_shared(plx_reader *reader, const json_t *value, void *into)
{
    plx_read_formula(reader, value, &launch_of(into)->shared);
}

static void read_carveout(plx_reader *reader, const json_t *value, void *into)
{
    plx_read_formula(reader, value, &launch_of(into)->carveout);
}

static void read_cooperative(plx_reader *reader, const json_t *value, void *into)
{
    launch_of(into)->cooperative = plx_read_flag(reader, value);
}

static void read_dependent(plx_reader *reader, const json_t *value, void *into)
{
    launch_of(into)->dependent = plx_read_flag(reader, value);
}

static void read_argument_item(plx_reader *reader, const json_t *value, size_t index, void *into)
{
    const reading *of = into;
    read_argument(reader, value, of->recipe, of->launch->first + index, false);
}

static void read_arguments(plx_reader *reader, const json_t *value, void *into)
{
    const reading *of = into;
    const size_t count = json_is_array(value) ? json_array_size(value) : 0;
    if (count <= PLX_RECIPE_ARGUMENTS)
        of->launch->first = reserve(reader, of->recipe, count);
    of->launch->argument_count = plx_read_list(reader, value, 0, PLX_RECIPE_ARGUMENTS, read_argument_item, into);
}

/* What Triton's JSON says is not for the recipe. */
static const char *said_twice(const plx_recipe_launch *launch)
{
    return launch->entry != NULL       ? "entry"
           : launch->block.count > 0   ? "block"
           : launch->cluster.count > 0 ? "cluster"
           : launch->shared.there      ? "shared"
           : launch->cooperative       ? "cooperative"
           : launch->dependent         ? "dependent"
                                       : NULL;
}

static void check_launch(plx_reader *reader, const plx_recipe_launch *launch)
{
    const bool of_triton = launch->triton.file != NULL;
    if (launch->entry == NULL && !of_triton)
        plx_reader_refuse(reader, "`entry` is missing");
    if (launch->grid.count == 0)
        plx_reader_refuse(reader, "`grid` is missing");
    if (launch->block.count == 0 && !of_triton)
        plx_reader_refuse(reader, "`block` is missing");
    if (of_triton && said_twice(launch) != NULL)
        plx_reader_refuse(reader, "`%s` is what the file of `triton` says", said_twice(launch));
}

static void read_launch(plx_reader *reader, const json_t *value, size_t index, void *into)
{
    static const plx_key keys[] = {
        {"entry", read_entry},         {"triton", read_triton},     {"when", read_when},
        {"grid", read_grid},           {"block", read_block},       {"cluster", read_cluster},
        {"shared", read_shared},       {"carveout", read_carveout}, {"cooperative", read_cooperative},
        {"dependent", read_dependent}, {"args", read_arguments},
    };
    plx_recipe_file *recipe = into;
    reading of = {recipe, &recipe->launches[index]};
    of.launch->triton = (plx_triton){.blocks = {1, 1, 1}};
    plx_note_field(reader, of.launch->field);
    plx_read_object(reader, value, keys, COUNT_OF(keys), &of);
    check_launch(reader, of.launch);
}

void plx_read_launches(plx_reader *reader, const json_t *value, void *into)
{
    ((plx_recipe_file *)into)->launch_count = plx_read_list(reader, value, 1, PLX_RECIPE_LAUNCHES, read_launch, into);
}
