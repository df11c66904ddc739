# Recipes: expressions, what is read, and launches for problems.  These tests reach behind the library's exports.
cmocka_tests += tests/recipe/test_expression tests/recipe/test_recipes

tests_recipe_test_expression_CFLAGS = $(study_cflags)
tests_recipe_test_expression_LDADD = $(study_ldadd)
tests_recipe_test_recipes_SOURCES = tests/recipe/test_recipes.c tests/recipe/recipe_tables.h \
	tests/recipe/recipes_bad.c tests/recipe/recipes_good.c
tests_recipe_test_recipes_CFLAGS = $(study_cflags)
tests_recipe_test_recipes_LDADD = $(study_ldadd)
script_tests += tests/recipe/test_schema.sh tests/recipe/test_triton.sh
EXTRA_DIST += $(wildcard $(top_srcdir)/tests/recipe/triton/*/*)
EXTRA_DIST += $(wildcard $(top_srcdir)/tests/recipe/cubin/*)
