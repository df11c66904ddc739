# The OpenCL kernels under Oclgrind.
if HAVE_OPENCL
check_PROGRAMS += tests/run_kernels
TESTS += tests/test_oclgrind.sh
endif
tests_run_kernels_SOURCES = tests/run_kernels.c
tests_run_kernels_LDADD = libparallax.la
dist_check_SCRIPTS += tests/test_oclgrind.sh
