/* What a recipe says once all of it was read: names mean something, expressions have the form of one, and nothing is
 * asked for that its language does not have.  No values are known yet. */
#include "study/recipe/reader.h"
#include "study/recipe/recipe.h"

#include "base/text.h"

#include <parallax/parallax.h>

#include <string.h>

typedef struct checking {
    plx_recipe_file *recipe;
    plx_known known;
    plx_reader reader;
} checking;

static void refuse_at(checking *c, const char *field, const char *why)
{
    (void)snprintf(c->reader.place, sizeof c->reader.place, "%s", field);
    plx_reader_refuse(&c->reader, "%s", why);
}

/* ---- expressions --------------------------------------------------------------------------------- */

static bool has_form(const plx_formula *formula, const plx_known *known, plx_error *error)
{
    const plx_scope scope = plx_known_scope(known);
    return !formula->there || formula->text == NULL || plx_expression_check(formula->text, &scope, error) == PLX_OK;
}

static void check_formula(checking *c, const plx_formula *formula)
{
    plx_error error = {""};
    if (!has_form(formula, &c->known, &error))
        refuse_at(c, formula->field, error.text);
}

static void check_formulas(checking *c, const plx_formulas *list)
{
    for (size_t i = 0; i < list->count; i++)
        check_formula(c, &list->at[i]);
}

static void check_dimensions(checking *c, const plx_dimensions *list)
{
    for (size_t i = 0; i < list->count; i++)
        check_formula(c, &list->at[i]);
}

/* ---- names ------------------------------------------------------------------------------------------- */

static void add_name(checking *c, const char *kind, const char *name)
{
    char field[PLX_RECIPE_FIELD], why[160];
    (void)snprintf(field, sizeof field, "%s.%.48s", kind, name);
    (void)snprintf(why, sizeof why, "'%.48s' is the name of something else already", name);
    if (plx_known_has(&c->known, name) || strcmp(name, "T") == 0 || strcmp(name, "TO") == 0)
        refuse_at(c, field, why);
    plx_known_add(&c->known, name, 0);
}

/* One that uses a later one, or itself, is told apart from one that uses nothing that there is. */
static void check_let(checking *c, size_t index)
{
    const plx_recipe_file *recipe = c->recipe;
    plx_known all = c->known;
    plx_error error = {""};
    if (has_form(&recipe->lets[index].is, &c->known, &error))
        return;
    for (size_t i = index; i < recipe->let_count; i++)
        plx_known_add(&all, recipe->lets[i].name, 0);
    plx_error ignored = {""};
    if (has_form(&recipe->lets[index].is, &all, &ignored))
        refuse_at(c, recipe->lets[index].is.field,
                  "uses itself, or a name that is defined below it; only those above are known");
    else
        refuse_at(c, recipe->lets[index].is.field, error.text);
}

/* In the order in which they come to be known. */
static void check_names(checking *c)
{
    plx_recipe_file *recipe = c->recipe;
    plx_known_begin(&c->known, recipe->op, NULL, NULL);
    check_formulas(c, &recipe->where);
    check_formulas(c, &recipe->device_where);
    for (size_t i = 0; i < recipe->tune_count; i++)
        add_name(c, "tune", recipe->tunes[i].name);
    check_formulas(c, &recipe->tune_where);
    for (size_t i = 0; i < recipe->let_count; i++) {
        check_let(c, i);
        add_name(c, "let", recipe->lets[i].name);
    }
}

/* The place of a name in a list; the first where it is in none, which is told. */
static size_t find(checking *c, const char *field, const char *kind, const char *name, const char *const *names,
                   size_t count)
{
    char why[200], meant[80];
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    plx_did_you_mean(name, names, count, meant, sizeof meant);
    (void)snprintf(why, sizeof why, "there is no %s '%.48s'%s", kind, name, meant);
    refuse_at(c, field, why);
    return 0;
}

static size_t find_operand(checking *c, const char *field, const char *name)
{
    const char *names[PLX_MAX_OPERANDS];
    plx_extent extents[PLX_MAX_OPERANDS];
    const plx_problem blank = plx_problem_of(c->recipe->op, PLX_F32);
    c->recipe->operation->extents(&blank, extents);
    for (size_t i = 0; i < c->recipe->operation->operand_count; i++)
        names[i] = extents[i].name;
    return find(c, field, "operand", name, names, c->recipe->operation->operand_count);
}

static size_t find_scratch(checking *c, const char *field, const char *name)
{
    const char *names[PLX_ALL_SCRATCHES];
    for (size_t i = 0; i < c->recipe->scratch_count; i++)
        names[i] = c->recipe->scratches[i].name;
    return find(c, field, "scratch memory", name, names, c->recipe->scratch_count);
}

static size_t find_map(checking *c, const char *field, const char *name)
{
    const char *names[PLX_RECIPE_MAPS];
    for (size_t i = 0; i < c->recipe->map_count; i++)
        names[i] = c->recipe->maps[i].name;
    return find(c, field, "map", name, names, c->recipe->map_count);
}

/* ---- parts ------------------------------------------------------------------------------------------- */

static void check_map(checking *c, plx_map *map)
{
    if (map->of != NULL)
        map->operand = find_operand(c, map->field, map->of);
    else
        map->scratch = find_scratch(c, map->field, map->of_scratch);
    check_formula(c, &map->offset);
    check_formulas(c, &map->size);
    check_formulas(c, &map->stride);
    check_formulas(c, &map->box);
    check_formulas(c, &map->step);
}

/* "alpha" and "beta" are numbers of their own. */
static bool is_factor(const plx_recipe_argument *argument)
{
    const char *text = argument->value.text;
    return argument->kind >= PLX_GIVES_F16 && argument->kind <= PLX_GIVES_F64 && text != NULL &&
           (strcmp(text, "alpha") == 0 || strcmp(text, "beta") == 0);
}

static void check_argument(checking *c, plx_recipe_argument *argument)
{
    const bool needs_factors = argument->kind == PLX_GIVES_SCALAR || is_factor(argument);
    if (argument->kind == PLX_GIVES_OPERAND)
        argument->which = find_operand(c, argument->field, argument->name);
    else if (argument->kind == PLX_GIVES_SCRATCH)
        argument->which = find_scratch(c, argument->field, argument->name);
    else if (argument->kind == PLX_GIVES_MAP)
        argument->which = find_map(c, argument->field, argument->name);
    if (needs_factors && !c->known.has_factors)
        refuse_at(c, argument->field, "this operation has no alpha and no beta");
    if (!is_factor(argument))
        check_formula(c, &argument->value);
}

/* "{TILE}" of an entry. */
static void check_entry(checking *c, const plx_recipe_launch *launch)
{
    char name[PLX_NAME_LENGTH + 1], why[160];
    for (const char *at = launch->entry; (at = strpbrk(at, "{}")) != NULL;) {
        const char *end = at + 1 + strcspn(at + 1, "{}");
        if (*at != '{' || *end != '}' || end - at > PLX_NAME_LENGTH) {
            refuse_at(c, launch->field, "`entry` has a brace that is not closed, not opened, or around no name");
            return;
        }
        (void)snprintf(name, sizeof name, "%.*s", (int)(end - at - 1), at + 1);
        (void)snprintf(why, sizeof why, "`entry` has {%.48s}, which is no type (T, TO), tunable or `let`", name);
        if (strcmp(name, "T") != 0 && strcmp(name, "TO") != 0 && !plx_known_has(&c->known, name))
            refuse_at(c, launch->field, why);
        at = end + 1;
    }
}

static void check_launch(checking *c, const plx_recipe_launch *launch)
{
    check_entry(c, launch);
    check_formula(c, &launch->when);
    check_dimensions(c, &launch->grid);
    check_dimensions(c, &launch->block);
    check_dimensions(c, &launch->cluster);
    check_formula(c, &launch->shared);
    check_formula(c, &launch->carveout);
}

/* ---- languages ------------------------------------------------------------------------------------------ */

static const char *of_launch(const plx_recipe_launch *launch)
{
    return launch->cluster.count > 0 ? "`cluster`"
           : launch->cooperative     ? "`cooperative`"
           : launch->dependent       ? "`dependent`"
           : launch->carveout.there  ? "`carveout`"
           : launch->shared.there    ? "`shared` (elsewhere it is an argument, `local`)"
                                     : NULL;
}

/* What only one of the languages has says which it is. */
static void take(checking *c, bool of_launches, const char *field, const char *what)
{
    const plx_dialect *dialect = plx_dialect_of_launches(of_launches);
    char why[160];
    if (c->recipe->dialect == NULL)
        c->recipe->dialect = dialect;
    (void)snprintf(why, sizeof why, "%s is %s's alone, and this recipe is of %s", what, dialect->title,
                   c->recipe->dialect->title);
    if (c->recipe->dialect != dialect)
        refuse_at(c, field, why);
}

static void check_dialect(checking *c)
{
    const plx_recipe_file *recipe = c->recipe;
    for (size_t i = 0; i < recipe->launch_count; i++) {
        const char *what = of_launch(&recipe->launches[i]);
        if (what != NULL)
            take(c, true, recipe->launches[i].field, what);
    }
    for (size_t i = 0; i < recipe->pool_count; i++) {
        if (recipe->pool[i].kind == PLX_GIVES_MAP)
            take(c, true, recipe->pool[i].field, "`map`");
        if (recipe->pool[i].kind == PLX_GIVES_LOCAL)
            take(c, false, recipe->pool[i].field, "`local` (elsewhere it is the launch's `shared`)");
    }
    if (recipe->global_count > 0)
        take(c, true, "globals", "a variable of device code");
}

/* Types that the operation does not take. */
static void check_types(checking *c)
{
    const plx_recipe_file *recipe = c->recipe;
    for (unsigned i = 0; i < PLX_DTYPE_COUNT; i++)
        if ((recipe->dtypes >> i & 1) != 0 && (recipe->operation->dtypes >> i & 1) == 0) {
            char why[96];
            (void)snprintf(why, sizeof why, "%s does not take %s", recipe->operation->name,
                           plx_dtype_name((plx_dtype)i));
            refuse_at(c, "problem.dtype", why);
        }
}

plx_status plx_recipe_file_check(plx_recipe_file *recipe, plx_error *error)
{
    checking c = {.recipe = recipe, .reader = {.file = recipe->path, .error = error}};
    check_types(&c);
    check_names(&c);
    check_formula(&c, &recipe->depth);
    check_formula(&c, &recipe->max_registers);
    for (size_t i = 0; i < recipe->define_count; i++)
        check_formula(&c, &recipe->defines[i].is);
    for (size_t i = 0; i < recipe->scratch_count; i++)
        check_formula(&c, &recipe->scratches[i].bytes);
    for (size_t i = 0; i < recipe->map_count; i++)
        check_map(&c, &recipe->maps[i]);
    for (size_t i = 0; i < recipe->launch_count; i++)
        check_launch(&c, &recipe->launches[i]);
    for (size_t i = 0; i < recipe->pool_count; i++)
        check_argument(&c, &recipe->pool[i]);
    check_dialect(&c);
    return c.reader.status;
}
