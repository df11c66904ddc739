/* Tables of recipes, good and bad ones: each row is one recipe (test_recipes.c). */
#ifndef PLX_TESTS_RECIPE_TABLES_H
#define PLX_TESTS_RECIPE_TABLES_H

#include <stdbool.h>
#include <stddef.h>

#define ONE "\"grid\":[1],\"block\":[32]"
#define ARGS(list) ONE ",\"args\":[" list "]"
#define GRID(text) "\"grid\":[\"" text "\"],\"block\":[32]"

/* recipes_good.c */
typedef struct good {
    const char *op;
    const char *top;    /* members of the recipe, but for launches */
    const char *launch; /* members of the launch, but for its entry; NULL: whatever */
    const char *shows;  /* part of the text */
} good;

extern const good goods[];
extern const size_t goods_count;

/* Expressions as the number of blocks. */
typedef struct blocks_of {
    const char *text;
    int blocks;
} blocks_of;

extern const blocks_of expressions[];
extern const size_t expressions_count;

/* recipes_bad.c */
typedef struct bad {
    const char *text;
    const char *why; /* part of the line */
    bool by_form;    /* the schema refuses it as well */
} bad;

#define HEAD "\"parallax_recipe\":1,\"op\":\"gemm\""
#define LAUNCHES(list) "\"launches\":[" list "]"
#define REST "," LAUNCHES("{\"entry\":\"f\"," ONE "}")
#define TOP(text) "{" HEAD "," text REST "}"
#define LAUNCH(text) "{" HEAD "," LAUNCHES("{" text "}") "}"

extern const bad bads[];
extern const size_t bads_count;

/* What only a problem or a device shows: these are read, and refused when launches are made. */
typedef struct impossible {
    const char *top, *launch, *why;
} impossible;

extern const impossible impossibles[];
extern const size_t impossibles_count;

#endif
