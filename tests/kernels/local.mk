# Rows, recipes, geometry and choices of kernels: host code, without a device.  What they share is
# compiled once for all of them.  And how the kernels' texts come into a plugin.
script_tests += tests/kernels/test_embed.sh tests/kernels/test_half_cuda.sh tests/kernels/test_spills.sh \
	tests/kernels/test_gemm_times.sh
EXTRA_DIST += tests/data/gemm-choices.txt tests/data/gemm-times.txt.gz \
	tests/data/gemm-times-h200.txt.gz tests/kernels/half_cuda.cpp
check_LIBRARIES += tests/kernels/libladder.a
tests_kernels_libladder_a_SOURCES = tests/kernels/kernel_support.c tests/kernels/kernel_support.h \
	tests/kernels/units_support.h \
	tests/fakes/devices.c tests/fakes/devices.h
tests_kernels_libladder_a_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
ladder_ldadd = tests/kernels/libladder.a libplx-ladder.la libparallax.la $(CMOCKA_LIBS) -lm

cmocka_tests += \
	tests/kernels/test_batches \
	tests/kernels/test_choice \
	tests/kernels/test_depth \
	tests/kernels/test_dmma \
	tests/kernels/test_gemm_batches \
	tests/kernels/test_gemm_choices \
	tests/kernels/test_gemm_configs \
	tests/kernels/test_gemm_cut \
	tests/kernels/test_gemm_elected \
	tests/kernels/test_gemm_stream \
	tests/kernels/test_half_opencl \
	tests/kernels/test_matvec_geometry \
	tests/kernels/test_rates \
	tests/kernels/test_recipes \
	tests/kernels/test_unit_choices \
	tests/kernels/test_units \
	tests/kernels/test_units_opencl

tests_kernels_test_batches_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_kernels_test_batches_LDADD = $(ladder_ldadd)
tests_kernels_test_choice_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_kernels_test_choice_LDADD = $(ladder_ldadd)
tests_kernels_test_depth_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_kernels_test_depth_LDADD = $(ladder_ldadd)
tests_kernels_test_dmma_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_kernels_test_dmma_LDADD = $(ladder_ldadd)
tests_kernels_test_gemm_batches_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_kernels_test_gemm_batches_LDADD = $(ladder_ldadd)
tests_kernels_test_gemm_choices_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_kernels_test_gemm_choices_LDADD = $(study_ldadd) $(ladder_ldadd)
tests_kernels_test_gemm_configs_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_kernels_test_gemm_configs_LDADD = $(ladder_ldadd)
tests_kernels_test_gemm_cut_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_kernels_test_gemm_cut_LDADD = $(ladder_ldadd)
tests_kernels_test_gemm_elected_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_kernels_test_gemm_elected_LDADD = $(ladder_ldadd)
tests_kernels_test_gemm_stream_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_kernels_test_gemm_stream_LDADD = $(ladder_ldadd)
tests_kernels_test_half_opencl_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_kernels_test_half_opencl_LDADD = $(CMOCKA_LIBS) -lm
tests_kernels_test_matvec_geometry_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_kernels_test_matvec_geometry_LDADD = $(ladder_ldadd)
tests_kernels_test_rates_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_kernels_test_rates_LDADD = $(study_ldadd) $(ladder_ldadd)
tests_kernels_test_recipes_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_kernels_test_recipes_LDADD = $(ladder_ldadd)
tests_kernels_test_units_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_kernels_test_units_LDADD = $(ladder_ldadd)
tests_kernels_test_unit_choices_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_kernels_test_unit_choices_LDADD = $(ladder_ldadd)
tests_kernels_test_units_opencl_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_kernels_test_units_opencl_LDADD = $(ladder_ldadd)
