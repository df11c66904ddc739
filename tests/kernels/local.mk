# Rows, recipes, geometry and choices of kernels: host code, without a device.  And how their texts
# come into a plugin.
script_tests += tests/kernels/test_embed.sh
cmocka_tests += \
	tests/kernels/test_choice \
	tests/kernels/test_depth \
	tests/kernels/test_dmma \
	tests/kernels/test_gemm_cut \
	tests/kernels/test_matvec_geometry \
	tests/kernels/test_recipes

tests_kernels_test_choice_SOURCES = tests/kernels/test_choice.c $(ladder_sources)
tests_kernels_test_choice_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_kernels_test_choice_LDADD = libparallax.la $(CMOCKA_LIBS)
tests_kernels_test_depth_SOURCES = tests/kernels/test_depth.c $(ladder_sources)
tests_kernels_test_depth_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_kernels_test_depth_LDADD = libparallax.la $(CMOCKA_LIBS)
tests_kernels_test_dmma_SOURCES = tests/kernels/test_dmma.c $(ladder_sources)
tests_kernels_test_dmma_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_kernels_test_dmma_LDADD = libparallax.la $(CMOCKA_LIBS)
tests_kernels_test_gemm_cut_SOURCES = tests/kernels/test_gemm_cut.c $(ladder_sources)
tests_kernels_test_gemm_cut_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_kernels_test_gemm_cut_LDADD = libparallax.la $(CMOCKA_LIBS)
tests_kernels_test_matvec_geometry_SOURCES = tests/kernels/test_matvec_geometry.c $(ladder_sources)
tests_kernels_test_matvec_geometry_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_kernels_test_matvec_geometry_LDADD = libparallax.la $(CMOCKA_LIBS) -lm
tests_kernels_test_recipes_SOURCES = tests/kernels/test_recipes.c $(ladder_sources)
tests_kernels_test_recipes_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_kernels_test_recipes_LDADD = libparallax.la $(CMOCKA_LIBS)
