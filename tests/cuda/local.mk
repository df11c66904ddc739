# Exports, on the driver that is not there.
script_tests += tests/cuda/test_export.sh

# Device code under programmatic dependent launch, as nvcc compiles it.
if HAVE_CUDA
TESTS += tests/cuda/test_dependent_launch.sh tests/cuda/test_patience.sh tests/cuda/test_stages.sh
AM_TESTS_ENVIRONMENT += NVCC='$(NVCC)'; export NVCC;
endif
dist_check_SCRIPTS += tests/cuda/test_dependent_launch.sh tests/cuda/test_patience.sh tests/cuda/test_stages.sh

# Device code as text: needs neither the toolkit nor a device.
cmocka_tests += tests/cuda/test_listing
tests_cuda_test_listing_SOURCES = tests/cuda/test_listing.c backends/cuda/listing.c backends/cuda/offset_text.c \
	backends/cuda/ptx_text.c
tests_cuda_test_listing_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_cuda_test_listing_LDADD = $(CMOCKA_LIBS)

# The cuda plugin's host code, on a fake driver: no device is needed.
if HAVE_CUDA
cmocka_tests += tests/cuda/test_cuda_host tests/cuda/test_cuda_plan tests/cuda/test_cuda_given tests/cuda/test_cuda_code \
	tests/cuda/test_cuda_telemetry tests/cuda/test_cuda_thread tests/cuda/test_cuda_native
if HAVE_CUPTI
cmocka_tests += tests/cuda/test_cuda_count
endif
endif

# What they share is compiled once for all of them.
if HAVE_CMOCKA
if HAVE_CUDA
check_LIBRARIES += tests/cuda/libfixture.a
endif
endif
tests_cuda_libfixture_a_SOURCES = tests/cuda/cuda_fixture.c tests/cuda/cuda_fixture.h tests/fakes/fake_cuda.h
tests_cuda_libfixture_a_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)

tests_cuda_test_cuda_host_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_cuda_test_cuda_host_LDADD = tests/cuda/libfixture.a $(CMOCKA_LIBS)
EXTRA_tests_cuda_test_cuda_host_DEPENDENCIES = plx-cuda.la tests/fakes/fake-cuda.la

tests_cuda_test_cuda_thread_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_cuda_test_cuda_thread_LDADD = tests/cuda/libfixture.a $(CMOCKA_LIBS)
EXTRA_tests_cuda_test_cuda_thread_DEPENDENCIES = plx-cuda.la tests/fakes/fake-cuda.la

tests_cuda_test_cuda_native_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_cuda_test_cuda_native_LDADD = tests/cuda/libfixture.a $(CMOCKA_LIBS)
EXTRA_tests_cuda_test_cuda_native_DEPENDENCIES = plx-cuda.la tests/fakes/fake-cuda.la

tests_cuda_test_cuda_plan_SOURCES = tests/cuda/test_cuda_plan.c tests/cuda/kernel_text.c \
	tests/cuda/kernel_text.h
tests_cuda_test_cuda_plan_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_cuda_test_cuda_plan_LDADD = tests/cuda/libfixture.a tests/kernels/libladder.a libplx-ladder.la $(CMOCKA_LIBS)
EXTRA_tests_cuda_test_cuda_plan_DEPENDENCIES = plx-cuda.la tests/fakes/fake-cuda.la

tests_cuda_test_cuda_given_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_cuda_test_cuda_given_LDADD = tests/cuda/libfixture.a $(CMOCKA_LIBS)
EXTRA_tests_cuda_test_cuda_given_DEPENDENCIES = plx-cuda.la tests/fakes/fake-cuda.la

tests_cuda_test_cuda_code_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_cuda_test_cuda_code_LDADD = tests/cuda/libfixture.a libplx-ladder.la $(CMOCKA_LIBS)
EXTRA_tests_cuda_test_cuda_code_DEPENDENCIES = plx-cuda.la tests/fakes/fake-cuda.la
if HAVE_CUPTI
EXTRA_tests_cuda_test_cuda_code_DEPENDENCIES += tests/fakes/fake-cupti.la
endif

tests_cuda_test_cuda_count_SOURCES = tests/cuda/test_cuda_count.c tests/fakes/fake_cupti.h
tests_cuda_test_cuda_count_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_cuda_test_cuda_count_LDADD = tests/cuda/libfixture.a $(CMOCKA_LIBS)
EXTRA_tests_cuda_test_cuda_count_DEPENDENCIES = plx-cuda.la tests/fakes/fake-cuda.la tests/fakes/fake-cupti.la

tests_cuda_test_cuda_telemetry_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_cuda_test_cuda_telemetry_LDADD = tests/cuda/libfixture.a $(CMOCKA_LIBS)
EXTRA_tests_cuda_test_cuda_telemetry_DEPENDENCIES = plx-cuda.la tests/fakes/fake-cuda.la tests/fakes/fake-nvml.la
