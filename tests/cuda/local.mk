# Device code that may begin early, as nvcc compiles it.
if HAVE_CUDA
TESTS += tests/test_early.sh tests/test_stages.sh
AM_TESTS_ENVIRONMENT += NVCC='$(NVCC)'; export NVCC;
endif
dist_check_SCRIPTS += tests/test_early.sh tests/test_stages.sh

# The cuda plugin's host code, on a pretended driver: no device is needed.
if HAVE_CUDA
if HAVE_CMOCKA
check_LTLIBRARIES += tests/fake-cuda.la tests/fake-nvml.la
check_PROGRAMS += tests/test_cuda_host tests/test_cuda_plan tests/test_cuda_telemetry
TESTS += tests/test_cuda_host tests/test_cuda_plan tests/test_cuda_telemetry
if HAVE_CUPTI
check_LTLIBRARIES += tests/fake-cupti.la
check_PROGRAMS += tests/test_cuda_count
TESTS += tests/test_cuda_count
endif
endif
endif

# -rpath makes a shared object of a library that is not installed.
tests_fake_cuda_la_SOURCES = tests/fake_cuda.c tests/fake_cuda.h
tests_fake_cuda_la_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CFLAGS)
tests_fake_cuda_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere

cuda_fixture_sources = tests/cuda_fixture.c tests/cuda_fixture.h tests/fake_cuda.h

tests_test_cuda_host_SOURCES = tests/test_cuda_host.c $(cuda_fixture_sources)
tests_test_cuda_host_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_test_cuda_host_LDADD = $(CMOCKA_LIBS)
EXTRA_tests_test_cuda_host_DEPENDENCIES = plx-cuda.la tests/fake-cuda.la

tests_test_cuda_plan_SOURCES = tests/test_cuda_plan.c $(cuda_fixture_sources) $(ladder_sources)
tests_test_cuda_plan_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_test_cuda_plan_LDADD = $(CMOCKA_LIBS)
EXTRA_tests_test_cuda_plan_DEPENDENCIES = plx-cuda.la tests/fake-cuda.la

# On a pretended profiling library as well.
tests_fake_cupti_la_SOURCES = tests/fake_cupti.c tests/fake_cupti.h
tests_fake_cupti_la_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CFLAGS)
tests_fake_cupti_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere

tests_test_cuda_count_SOURCES = tests/test_cuda_count.c tests/fake_cupti.h $(cuda_fixture_sources)
tests_test_cuda_count_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_test_cuda_count_LDADD = $(CMOCKA_LIBS)
EXTRA_tests_test_cuda_count_DEPENDENCIES = plx-cuda.la tests/fake-cuda.la tests/fake-cupti.la

# On a pretended management library as well.
tests_fake_nvml_la_SOURCES = tests/fake_nvml.c tests/fake_cuda.h
tests_fake_nvml_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere

tests_test_cuda_telemetry_SOURCES = tests/test_cuda_telemetry.c $(cuda_fixture_sources)
tests_test_cuda_telemetry_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_test_cuda_telemetry_LDADD = $(CMOCKA_LIBS)
EXTRA_tests_test_cuda_telemetry_DEPENDENCIES = plx-cuda.la tests/fake-cuda.la tests/fake-nvml.la
