/* What the readers of a recipe's parts share.  Private to study/recipe. */
#ifndef PLX_RECIPE_READ_H
#define PLX_RECIPE_READ_H

#include "study/recipe/reader.h"
#include "study/recipe/recipe.h"

/* A whole number, or an expression as text. */
void plx_read_formula(plx_reader *reader, const json_t *value, plx_formula *formula);
/* 1 to 3 of them. */
void plx_read_dimensions(plx_reader *reader, const json_t *value, plx_dimensions *dimensions);
/* A name of the author's own, that expressions can use. */
void plx_read_name(plx_reader *reader, const char *name);
/* `launches` (read_launches.c) and `maps` (read_maps.c), into a plx_recipe_file. */
void plx_read_launches(plx_reader *reader, const json_t *value, void *into);
void plx_read_maps(plx_reader *reader, const json_t *value, void *into);
/* Whether a path leads to the recipe's directory or below it. */
bool plx_is_below(const char *path);
/* Notes the place where it is. */
void plx_note_field(const plx_reader *reader, char field[PLX_RECIPE_FIELD]);

#endif
