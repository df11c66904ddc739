# The OpenCL kernels under Oclgrind.
if HAVE_OPENCL
check_PROGRAMS += tests/run_kernels
TESTS += tests/test_oclgrind.sh
endif
tests_run_kernels_SOURCES = tests/run_kernels.c tests/fill_by_kernel.c
tests_run_kernels_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CFLAGS)
tests_run_kernels_LDADD = libparallax.la
# The plugin shall find clEnqueueFillBuffer in the program.
tests_run_kernels_LDFLAGS = -export-dynamic
dist_check_SCRIPTS += tests/test_oclgrind.sh
EXTRA_DIST += tests/oclgrind/exchange.cl tests/oclgrind/inlined.cl
