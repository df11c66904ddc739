# The OpenCL program cache, and the OpenCL kernels under Oclgrind.
if HAVE_OPENCL
cmocka_tests += tests/opencl/test_opencl_cache tests/opencl/test_own_target tests/opencl/test_spare \
	tests/opencl/test_arguments tests/opencl/test_maps \
	tests/opencl/test_text_plan tests/opencl/test_building tests/opencl/test_own_program tests/opencl/test_cl_objects
check_PROGRAMS += tests/opencl/run_kernels
long_tests += tests/opencl/test_oclgrind.sh
script_tests += tests/opencl/test_warnings.sh
endif
EXTRA_DIST += tests/opencl/test_oclgrind.sh tests/opencl/test_warnings.sh tests/opencl/oclgrind/exchange.cl tests/opencl/oclgrind/inlined.cl

# A driver that is not there, and what plans without one.
if HAVE_CMOCKA
if HAVE_OPENCL
check_LIBRARIES += tests/opencl/libdriver.a
endif
endif
tests_opencl_libdriver_a_SOURCES = tests/opencl/fake_driver.c tests/opencl/fake_driver.h
tests_opencl_libdriver_a_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CFLAGS)
tests_opencl_libdriver_a_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
opencl_plan_ldadd = tests/opencl/libdriver.a libplx-opencl-plan.la libplx-opencl-api.la libplx-ladder.la libparallax.la \
	$(CMOCKA_LIBS) -lm

tests_opencl_test_opencl_cache_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CFLAGS)
tests_opencl_test_opencl_cache_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_opencl_test_opencl_cache_LDADD = libplx-opencl-api.la $(CMOCKA_LIBS)

tests_opencl_test_cl_objects_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CFLAGS)
tests_opencl_test_cl_objects_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_opencl_test_cl_objects_LDADD = libplx-opencl-api.la libparallax.la $(CMOCKA_LIBS)
EXTRA_tests_opencl_test_cl_objects_DEPENDENCIES = plx-opencl.la

tests_opencl_test_spare_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CFLAGS)
tests_opencl_test_spare_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_opencl_test_spare_LDADD = $(opencl_plan_ldadd)

tests_opencl_test_arguments_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CFLAGS)
tests_opencl_test_arguments_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_opencl_test_arguments_LDADD = $(opencl_plan_ldadd)

tests_opencl_test_text_plan_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CFLAGS)
tests_opencl_test_text_plan_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_opencl_test_text_plan_LDADD = $(opencl_plan_ldadd)

tests_opencl_test_own_program_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CFLAGS)
tests_opencl_test_own_program_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_opencl_test_own_program_LDADD = $(opencl_plan_ldadd)

tests_opencl_test_maps_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CFLAGS)
tests_opencl_test_maps_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_opencl_test_maps_LDADD = $(opencl_plan_ldadd)

tests_opencl_test_own_target_SOURCES = tests/opencl/test_own_target.c backends/opencl/own_target.c
tests_opencl_test_own_target_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_opencl_test_own_target_LDADD = $(CMOCKA_LIBS)

tests_opencl_test_building_SOURCES = tests/opencl/test_building.c backends/opencl/building.c
tests_opencl_test_building_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_opencl_test_building_LDADD = $(CMOCKA_LIBS)

tests_opencl_run_kernels_SOURCES = tests/opencl/run_kernels.c tests/opencl/fill_by_kernel.c
tests_opencl_run_kernels_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CFLAGS)
tests_opencl_run_kernels_LDADD = libparallax.la
# The plugin shall find clEnqueueFillBuffer in the program.
tests_opencl_run_kernels_LDFLAGS = -export-dynamic
