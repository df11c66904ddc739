/* Reads a recipe: all but its maps and launches. */
#include "study/recipe/read.h"

#include "study/recipe/load.h"
#include "study/recipe/triton.h"

#include "base/text.h"

#include <parallax/parallax.h>

#include <stdlib.h>
#include <string.h>

#define COUNT_OF(list) (sizeof(list) / sizeof(list)[0])

/* ---- numbers and names ------------------------------------------------------------------------ */

void plx_note_field(const plx_reader *reader, char field[PLX_RECIPE_FIELD])
{
    (void)snprintf(field, PLX_RECIPE_FIELD, "%s", reader->place);
}

void plx_read_formula(plx_reader *reader, const json_t *value, plx_formula *formula)
{
    formula->there = true;
    plx_note_field(reader, formula->field);
    if (json_is_integer(value))
        formula->number = json_integer_value(value);
    else if (json_is_string(value))
        formula->text = plx_read_text(reader, value, PLX_EXPRESSION_LENGTH);
    else
        plx_reader_refuse(reader, "a whole number, or an expression as text, is expected");
}

static void read_formula_item(plx_reader *reader, const json_t *value, size_t index, void *into)
{
    plx_read_formula(reader, value, (plx_formula *)into + index);
}

void plx_read_dimensions(plx_reader *reader, const json_t *value, plx_dimensions *dimensions)
{
    dimensions->count = plx_read_list(reader, value, 1, 3, read_formula_item, dimensions->at);
}

void plx_read_name(plx_reader *reader, const char *name)
{
    if (!plx_expression_name(name))
        plx_reader_refuse(
            reader, "no name: a letter or '_', then letters, digits and '_', 48 at most, and none of the functions");
}

/* A condition is no number. */
static void read_clause(plx_reader *reader, const json_t *value, size_t index, void *into)
{
    plx_formulas *list = into;
    plx_formula *formula = &list->at[index];
    formula->there = true;
    plx_note_field(reader, formula->field);
    formula->text = plx_read_text(reader, value, PLX_EXPRESSION_LENGTH);
}

static void read_clauses(plx_reader *reader, const json_t *value, plx_formulas *list)
{
    list->count = plx_read_list(reader, value, 0, PLX_RECIPE_CLAUSES, read_clause, list);
}

static void read_text_item(plx_reader *reader, const json_t *value, size_t index, void *into)
{
    ((plx_texts *)into)->at[index] = plx_read_text(reader, value, 1024);
}

static void read_texts(plx_reader *reader, const json_t *value, plx_texts *list)
{
    list->count = plx_read_list(reader, value, 0, PLX_RECIPE_OPTIONS, read_text_item, list);
}

/* ---- what it takes ------------------------------------------------------------------------------- */

/* Words as bits: which is which comes from a list. */
typedef struct word_bits {
    const char *const *words;
    size_t count;
    uint32_t *bits;
} word_bits;

static void read_bit(plx_reader *reader, const json_t *value, size_t index, void *into)
{
    const word_bits *to = into;
    (void)index;
    const size_t which = plx_read_word(reader, value, to->words, to->count);
    if (!plx_reader_fails(reader) && (*to->bits >> which & 1) != 0)
        plx_reader_refuse(reader, "'%s' stands twice", to->words[which]);
    *to->bits |= UINT32_C(1) << which;
}

static void read_bits(plx_reader *reader, const json_t *value, const char *const *words, size_t count, uint32_t *bits)
{
    word_bits to = {words, count, bits};
    (void)plx_read_list(reader, value, 1, count, read_bit, &to);
}

static void read_dtypes(plx_reader *reader, const json_t *value, void *into)
{
    const char *words[PLX_DTYPE_COUNT];
    for (unsigned i = 0; i < PLX_DTYPE_COUNT; i++)
        words[i] = plx_dtype_name((plx_dtype)i);
    read_bits(reader, value, words, PLX_DTYPE_COUNT, &((plx_recipe_file *)into)->dtypes);
}

static void read_out_dtypes(plx_reader *reader, const json_t *value, void *into)
{
    const char *words[PLX_DTYPE_COUNT + 1];
    for (unsigned i = 0; i < PLX_DTYPE_COUNT; i++)
        words[i] = plx_dtype_name((plx_dtype)i);
    words[PLX_DTYPE_COUNT] = "same";
    read_bits(reader, value, words, PLX_DTYPE_COUNT + 1, &((plx_recipe_file *)into)->out_dtypes);
}

static void read_computes(plx_reader *reader, const json_t *value, void *into)
{
    const char *words[PLX_COMPUTE_COUNT];
    for (unsigned i = 0; i < PLX_COMPUTE_COUNT; i++)
        words[i] = plx_compute_name((plx_compute)i);
    read_bits(reader, value, words, PLX_COMPUTE_COUNT, &((plx_recipe_file *)into)->computes);
}

static void read_reductions(plx_reader *reader, const json_t *value, void *into)
{
    plx_recipe_file *recipe = into;
    const char *words[PLX_REDUCTION_COUNT];
    for (unsigned i = 0; i < PLX_REDUCTION_COUNT; i++)
        words[i] = plx_reduction_name((plx_reduction)i);
    if (recipe->op != PLX_REDUCE)
        plx_reader_refuse(reader, "%s is no reduction", recipe->operation->name);
    read_bits(reader, value, words, PLX_REDUCTION_COUNT, &recipe->reductions);
}

const char *const *plx_transposition_words(plx_op op, size_t *count)
{
    static const char *const words[] = {"nn", "nt", "tn", "tt"}, *const one[] = {"n", "t"};
    *count = op == PLX_GEMM ? 4 : op == PLX_MATVEC ? 2 : 0;
    return op == PLX_GEMM ? words : one;
}

static void read_transpositions(plx_reader *reader, const json_t *value, void *into)
{
    plx_recipe_file *recipe = into;
    size_t count;
    const char *const *words = plx_transposition_words(recipe->op, &count);
    if (count == 0)
        plx_reader_refuse(reader, "%s has no transpositions", recipe->operation->name);
    else
        read_bits(reader, value, words, count, &recipe->transpositions);
}

static void read_where(plx_reader *reader, const json_t *value, void *into)
{
    read_clauses(reader, value, &((plx_recipe_file *)into)->where);
}

/* The number of an operand; *count: how many there are, with their names. */
static size_t operand_names(const plx_operation *operation, const char *names[PLX_MAX_OPERANDS])
{
    plx_extent extents[PLX_MAX_OPERANDS];
    const plx_problem blank = plx_problem_of(operation->op, PLX_F32);
    operation->extents(&blank, extents);
    for (size_t i = 0; i < operation->operand_count; i++)
        names[i] = extents[i].name;
    return operation->operand_count;
}

static const int64_t aligns[] = {1, 2, 4, 8, 16, 32, 64, 128, 256};

static void read_align(plx_reader *reader, const char *name, const json_t *value, void *into)
{
    plx_recipe_file *recipe = into;
    const char *names[PLX_MAX_OPERANDS];
    char meant[80];
    const size_t count = operand_names(recipe->operation, names);
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) {
            recipe->align[i] = plx_read_choice(reader, value, aligns, COUNT_OF(aligns));
            return;
        }
    plx_did_you_mean(name, names, count, meant, sizeof meant);
    plx_reader_refuse(reader, "%s has no such operand%s", recipe->operation->name, meant);
}

static void read_aligns(plx_reader *reader, const json_t *value, void *into)
{
    plx_read_members(reader, value, PLX_MAX_OPERANDS, read_align, into);
}

static void read_problem(plx_reader *reader, const json_t *value, void *into)
{
    static const plx_key keys[] = {
        {"dtype", read_dtypes},      {"compute", read_computes},     {"out_dtype", read_out_dtypes},
        {"reduce", read_reductions}, {"trans", read_transpositions}, {"where", read_where},
        {"align", read_aligns},
    };
    plx_read_object(reader, value, keys, COUNT_OF(keys), into);
}

static void read_device_where(plx_reader *reader, const json_t *value, void *into)
{
    read_clauses(reader, value, &((plx_recipe_file *)into)->device_where);
}

static void read_target(plx_reader *reader, const json_t *value, void *into)
{
    ((plx_recipe_file *)into)->target = plx_read_text(reader, value, 64);
}

static void read_device(plx_reader *reader, const json_t *value, void *into)
{
    static const plx_key keys[] = {{"where", read_device_where}, {"target", read_target}};
    plx_read_object(reader, value, keys, COUNT_OF(keys), into);
}

/* ---- what it claims -------------------------------------------------------------------------------- */

static void read_accumulator(plx_reader *reader, const json_t *value, void *into)
{
    static const char *const words[] = {"f16", "f32", "f64"};
    ((plx_recipe_file *)into)->accumulator = words[plx_read_word(reader, value, words, COUNT_OF(words))];
}

static void read_depth(plx_reader *reader, const json_t *value, void *into)
{
    plx_read_formula(reader, value, &((plx_recipe_file *)into)->depth);
}

static void read_reproducibility(plx_reader *reader, const json_t *value, void *into)
{
    static const char *const words[] = {"R0", "R1", "R2"};
    ((plx_recipe_file *)into)->reproducibility = words[plx_read_word(reader, value, words, COUNT_OF(words))];
}

static void read_special(plx_reader *reader, const json_t *value, void *into)
{
    static const char *const words[] = {"ieee", "finite"};
    ((plx_recipe_file *)into)->finite_only = plx_read_word(reader, value, words, COUNT_OF(words)) == 1;
}

static void read_zeros(plx_reader *reader, const json_t *value, void *into)
{
    static const char *const words[] = {"exact", "any_sign"};
    ((plx_recipe_file *)into)->zeros_of_any_sign = plx_read_word(reader, value, words, COUNT_OF(words)) == 1;
}

static void read_subnormals(plx_reader *reader, const json_t *value, void *into)
{
    static const char *const words[] = {"kept", "flushed"};
    ((plx_recipe_file *)into)->flushes = plx_read_word(reader, value, words, COUNT_OF(words)) == 1;
}

static void read_claims(plx_reader *reader, const json_t *value, void *into)
{
    static const plx_key keys[] = {
        {"accumulator", read_accumulator}, {"depth", read_depth}, {"reproducibility", read_reproducibility},
        {"special", read_special},         {"zeros", read_zeros}, {"subnormals", read_subnormals},
    };
    plx_read_object(reader, value, keys, COUNT_OF(keys), into);
}

/* ---- how it is compiled ------------------------------------------------------------------------------ */

static void read_std(plx_reader *reader, const json_t *value, void *into)
{
    static const char *const words[] = {"c++11", "c++14", "c++17", "c++20", "CL1.0",
                                        "CL1.1", "CL1.2", "CL2.0", "CL3.0"};
    ((plx_recipe_file *)into)->std = words[plx_read_word(reader, value, words, COUNT_OF(words))];
}

static void read_define(plx_reader *reader, const char *name, const json_t *value, void *into)
{
    plx_recipe_file *recipe = into;
    plx_named_formula *define = &recipe->defines[recipe->define_count++];
    plx_read_name(reader, name);
    define->name = name;
    plx_read_formula(reader, value, &define->is);
}

static void read_defines(plx_reader *reader, const json_t *value, void *into)
{
    plx_read_members(reader, value, PLX_RECIPE_DEFINES, read_define, into);
}

/* Beside the recipe or below it, and nowhere else. */
bool plx_is_below(const char *path)
{
    for (const char *at = path; at != NULL; at = strchr(at, '/')) {
        at += *at == '/';
        if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || at[2] == '\0'))
            return false;
    }
    return path[0] != '/' && path[0] != '~';
}

static void read_include(plx_reader *reader, const json_t *value, void *into)
{
    plx_recipe_file *recipe = into;
    read_texts(reader, value, &recipe->include);
    for (size_t i = 0; i < recipe->include.count; i++)
        if (!plx_is_below(recipe->include.at[i]))
            plx_reader_refuse(reader, "'%.100s' is not below the recipe's directory", recipe->include.at[i]);
}

/* What a compiler may be told beside definitions and paths, which have fields of their own: nothing that writes files,
 * runs programs or loads others' code. */
static bool is_known_option(const char *option)
{
    static const char *const whole[] = {
        "--use_fast_math",
        "-use_fast_math",
        "--restrict",
        "-restrict",
        "-lineinfo",
        "--generate-line-info",
        "--extra-device-vectorization",
        "-extra-device-vectorization",
        "--disable-warnings",
        "-w",
        "--device-as-default-execution-space",
        "-default-device",
        "-cl-single-precision-constant",
        "-cl-denorms-are-zero",
        "-cl-fp32-correctly-rounded-divide-sqrt",
        "-cl-opt-disable",
        "-cl-mad-enable",
        "-cl-no-signed-zeros",
        "-cl-unsafe-math-optimizations",
        "-cl-finite-math-only",
        "-cl-fast-relaxed-math",
        "-cl-uniform-work-group-size",
        "-cl-no-subgroup-ifp",
        "-cl-nv-verbose",
    };
    static const char *const switches[] = {"ftz", "prec-sqrt", "prec-div", "fmad"};
    for (size_t i = 0; i < COUNT_OF(whole); i++)
        if (strcmp(option, whole[i]) == 0)
            return true;
    const char *name = option + strspn(option, "-");
    const char *is = strchr(name, '=');
    for (size_t i = 0; is != NULL && name != option && i < COUNT_OF(switches); i++)
        if (strlen(switches[i]) == (size_t)(is - name) && strncmp(switches[i], name, (size_t)(is - name)) == 0)
            return strcmp(is, "=true") == 0 || strcmp(is, "=false") == 0;
    return false;
}

static void read_options(plx_reader *reader, const json_t *value, void *into)
{
    plx_recipe_file *recipe = into;
    read_texts(reader, value, &recipe->options);
    for (size_t i = 0; i < recipe->options.count; i++)
        if (!is_known_option(recipe->options.at[i]))
            plx_reader_refuse(reader, "'%.100s' is no option that a recipe may give; see doc/recipe.md",
                              recipe->options.at[i]);
}

static void read_max_registers(plx_reader *reader, const json_t *value, void *into)
{
    plx_read_formula(reader, value, &((plx_recipe_file *)into)->max_registers);
}

static void read_instances(plx_reader *reader, const json_t *value, void *into)
{
    read_texts(reader, value, &((plx_recipe_file *)into)->instances);
}

static void read_compile(plx_reader *reader, const json_t *value, void *into)
{
    static const plx_key keys[] = {
        {"std", read_std},
        {"define", read_defines},
        {"include", read_include},
        {"options", read_options},
        {"max_registers", read_max_registers},
        {"instances", read_instances},
    };
    plx_read_object(reader, value, keys, COUNT_OF(keys), into);
}

/* ---- its own names --------------------------------------------------------------------------------------- */

static void read_tune_value(plx_reader *reader, const json_t *value, size_t index, void *into)
{
    plx_tune *tune = into;
    if (!json_is_integer(value))
        plx_reader_refuse(reader, "a whole number is expected");
    tune->values[index] = json_integer_value(value);
    for (size_t i = 0; i < index; i++)
        if (tune->values[i] == tune->values[index])
            plx_reader_refuse(reader, "%lld stands twice", (long long)tune->values[index]);
}

static void read_tune(plx_reader *reader, const char *name, const json_t *value, void *into)
{
    plx_recipe_file *recipe = into;
    plx_tune *tune = &recipe->tunes[recipe->tune_count++];
    plx_read_name(reader, name);
    tune->name = name;
    tune->count = plx_read_list(reader, value, 1, PLX_RECIPE_TUNE_VALUES, read_tune_value, tune);
}

static void read_tunes(plx_reader *reader, const json_t *value, void *into)
{
    plx_read_members(reader, value, PLX_RECIPE_TUNES, read_tune, into);
}

static void read_tune_where(plx_reader *reader, const json_t *value, void *into)
{
    read_clauses(reader, value, &((plx_recipe_file *)into)->tune_where);
}

static void read_let(plx_reader *reader, const char *name, const json_t *value, void *into)
{
    plx_recipe_file *recipe = into;
    plx_named_formula *let = &recipe->lets[recipe->let_count++];
    plx_read_name(reader, name);
    let->name = name;
    plx_read_formula(reader, value, &let->is);
}

static void read_lets(plx_reader *reader, const json_t *value, void *into)
{
    plx_read_members(reader, value, PLX_RECIPE_LETS, read_let, into);
}

static void read_bytes(plx_reader *reader, const json_t *value, void *into)
{
    plx_read_formula(reader, value, &((plx_scratch *)into)->bytes);
}

static void read_scratch_align(plx_reader *reader, const json_t *value, void *into)
{
    static const int64_t more[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
    ((plx_scratch *)into)->align = plx_read_choice(reader, value, more, COUNT_OF(more));
}

static void read_before(plx_reader *reader, const json_t *value, void *into)
{
    static const char *const words[] = {"garbage", "zero_each", "zero_once"};
    ((plx_scratch *)into)->before = (plx_before)plx_read_word(reader, value, words, COUNT_OF(words));
}

static void read_scratch(plx_reader *reader, const char *name, const json_t *value, void *into)
{
    static const plx_key keys[] = {{"bytes", read_bytes}, {"align", read_scratch_align}, {"before", read_before}};
    plx_recipe_file *recipe = into;
    plx_scratch *scratch = &recipe->scratches[recipe->scratch_count++];
    plx_read_name(reader, name);
    *scratch = (plx_scratch){.name = name, .align = 256};
    plx_read_object(reader, value, keys, COUNT_OF(keys), scratch);
    if (!scratch->bytes.there)
        plx_reader_refuse(reader, "`bytes` is missing");
}

static void read_scratches(plx_reader *reader, const json_t *value, void *into)
{
    plx_read_members(reader, value, PLX_RECIPE_SCRATCHES, read_scratch, into);
}

static void read_global(plx_reader *reader, const char *name, const json_t *value, void *into)
{
    static const char *const words[] = {"constant", "zero_once", "scratch"};
    plx_recipe_file *recipe = into;
    if (name[0] == '\0')
        plx_reader_refuse(reader, "an empty name");
    recipe->global_is[recipe->global_count] = words[plx_read_word(reader, value, words, COUNT_OF(words))];
    recipe->globals[recipe->global_count++] = name;
}

static void read_globals(plx_reader *reader, const json_t *value, void *into)
{
    plx_read_members(reader, value, PLX_RECIPE_GLOBALS, read_global, into);
}

/* ---- the whole ----------------------------------------------------------------------------------------------- */

static void read_api(plx_reader *reader, const json_t *value, void *into)
{
    const char *words[PLX_DIALECTS];
    for (size_t i = 0; i < PLX_DIALECTS; i++)
        words[i] = plx_dialects[i].name;
    ((plx_recipe_file *)into)->dialect = &plx_dialects[plx_read_word(reader, value, words, PLX_DIALECTS)];
}

static void read_own_name(plx_reader *reader, const json_t *value, void *into)
{
    const char *name = plx_read_text(reader, value, 64);
    const size_t known = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-");
    if (!plx_reader_fails(reader) && (name[known] != '\0' || name[0] == '.' || name[0] == '-'))
        plx_reader_refuse(reader, "'%s' is no name: letters, digits, '_', '.' and '-', the last two not in front",
                          name);
    ((plx_recipe_file *)into)->name = name;
}

/* They were read before all others. */
static void pass(plx_reader *reader, const json_t *value, void *into)
{
    (void)reader;
    (void)value;
    (void)into;
}

static void read_version(plx_reader *reader, const json_t *root)
{
    const json_t *version = json_object_get(root, "parallax_recipe");
    if (version == NULL)
        plx_reader_refuse(reader, "`parallax_recipe` is missing: a recipe begins with \"parallax_recipe\": 1");
    else if (!json_is_integer(version) || json_integer_value(version) != 1)
        plx_reader_refuse(reader, "parallax_recipe: of another version; this program reads 1");
}

static void read_op(plx_reader *reader, const json_t *root, plx_recipe_file *recipe)
{
    static const char *const words[] = {"reduce", "transpose", "matvec", "gemm"};
    const json_t *value = json_object_get(root, "op");
    if (value == NULL) {
        plx_reader_refuse(reader, "`op` is missing: reduce, transpose, matvec or gemm");
        return;
    }
    const size_t mark = plx_reader_enter(reader, "op");
    const size_t which = plx_read_word(reader, value, words, COUNT_OF(words));
    plx_reader_leave(reader, mark);
    if (!plx_op_from_name(words[which], &recipe->op))
        recipe->op = PLX_REDUCE;
    recipe->operation = plx_operation_of(recipe->op);
}

static void read_root(plx_reader *reader, plx_recipe_file *recipe)
{
    static const plx_key keys[] = {
        {"parallax_recipe", pass},
        {"op", pass},
        {"name", read_own_name},
        {"api", read_api},
        {"problem", read_problem},
        {"device", read_device},
        {"claims", read_claims},
        {"compile", read_compile},
        {"tune", read_tunes},
        {"tune_where", read_tune_where},
        {"let", read_lets},
        {"scratch", read_scratches},
        {"globals", read_globals},
        {"maps", plx_read_maps},
        {"launches", plx_read_launches},
    };
    if (!json_is_object(recipe->root)) {
        plx_reader_refuse(reader, "no object, as a recipe is one");
        return;
    }
    read_version(reader, recipe->root);
    read_op(reader, recipe->root, recipe);
    if (!plx_reader_fails(reader))
        plx_read_object(reader, recipe->root, keys, COUNT_OF(keys), recipe);
    if (!plx_reader_fails(reader) && recipe->launch_count == 0)
        plx_reader_refuse(reader, "`launches` is missing");
}

const char *plx_recipe_keep(plx_recipe_file *recipe, char *text)
{
    if (text == NULL || recipe->made_count == COUNT_OF(recipe->made)) {
        free(text);
        return NULL;
    }
    return recipe->made[recipe->made_count++] = text;
}

void plx_recipe_keep_json(plx_recipe_file *recipe, json_t *root)
{
    recipe->others[recipe->other_count++] = root; /* a launch has one of them */
}

void plx_recipe_file_free(plx_recipe_file *recipe)
{
    if (recipe == NULL)
        return;
    json_decref(recipe->root);
    for (size_t i = 0; i < recipe->other_count; i++)
        json_decref(recipe->others[i]);
    for (size_t i = 0; i < recipe->made_count; i++)
        free(recipe->made[i]);
    free(recipe->pool);
    free(recipe);
}

plx_op plx_recipe_file_op(const plx_recipe_file *recipe)
{
    return recipe->op;
}

/* What made->root says; `made` is freed where it says nothing good. */
static plx_status read_made(plx_recipe_file *made, plx_status status, plx_recipe_file **recipe, plx_error *error)
{
    if (status == PLX_OK) {
        plx_reader reader = {.file = made->path, .error = error};
        read_root(&reader, made);
        if (!plx_reader_fails(&reader))
            plx_triton_read(&reader, made);
        status = reader.status;
    }
    if (status == PLX_OK)
        status = plx_recipe_file_check(made, error);
    if (status != PLX_OK) {
        plx_recipe_file_free(made);
        return status;
    }
    *recipe = made;
    return PLX_OK;
}

static plx_recipe_file *new_file(const char *path, plx_error *error)
{
    plx_recipe_file *made = calloc(1, sizeof *made);
    if (made == NULL)
        (void)plx_fail(error, PLX_NO_MEMORY, "%.200s: no memory to read it", path);
    else
        (void)snprintf(made->path, sizeof made->path, "%s", path);
    return made;
}

plx_status plx_recipe_file_read(const char *path, plx_recipe_file **recipe, plx_error *error)
{
    plx_recipe_file *made = new_file(path, error);
    if (made == NULL)
        return PLX_NO_MEMORY;
    return read_made(made, plx_recipe_load(path, PLX_RECIPE_BYTES, &made->root, error), recipe, error);
}

plx_status plx_recipe_file_default(plx_op op, const char *path, plx_recipe_file **recipe, plx_error *error)
{
    plx_recipe_file *made = new_file(path, error);
    if (made == NULL)
        return PLX_NO_MEMORY;
    size_t words;
    const char *const *transpositions = plx_transposition_words(op, &words);
    json_t *problem = json_object(), *trans = json_array();
    for (size_t i = 0; i < words; i++)
        (void)json_array_append_new(trans, json_string(transpositions[i]));
    if (words > 0)
        (void)json_object_set(problem, "trans", trans);
    json_decref(trans);
    if (op == PLX_REDUCE)
        (void)json_object_set_new(problem, "reduce", json_pack("[s,s,s]", "sum", "min", "max"));
    /* Libraries differ in the sign of a zero that they compute, and a function has no other place to say so. */
    made->root =
        json_pack("{s:i,s:s,s:o,s:{s:s},s:[{s:s,s:[i],s:[i]}]}", "parallax_recipe", 1, "op", plx_op_name(op), "problem",
                  problem, "claims", "zeros", "any_sign", "launches", "entry", "run", "grid", 1, "block", 1);
    return read_made(made, made->root != NULL ? PLX_OK : plx_fail(error, PLX_NO_MEMORY, "no memory for a recipe"),
                     recipe, error);
}
