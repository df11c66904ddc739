# Recipes: expressions, what is read, and launches for problems.  These tests reach behind the library's exports.
cmocka_tests += tests/recipe/test_expression

tests_recipe_test_expression_SOURCES = tests/recipe/test_expression.c
tests_recipe_test_expression_CFLAGS = $(study_cflags)
tests_recipe_test_expression_LDADD = $(study_ldadd)
