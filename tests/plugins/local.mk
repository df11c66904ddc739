# Plugins that run without a GPU: the host, and vendors' and others' libraries as peers.
cmocka_tests += tests/plugins/test_host tests/plugins/test_threads
script_tests += tests/plugins/test_growth.sh tests/plugins/test_peers.sh tests/plugins/test_wrong_sum.sh

# The cublas plugin's own files, with libraries that compute on the host in place of NVIDIA's.
if HAVE_CUBLAS
cmocka_tests += tests/plugins/test_cublas
endif
tests_plugins_test_cublas_SOURCES = tests/plugins/test_cublas.c tests/fakes/fake_cublas.c tests/fakes/fake_cublas.h \
	tests/fakes/fake_cuda.h $(vendor_sources) plugins/cublas/library.c plugins/cublas/lt.c plugins/cublas/lt_fastest.c \
	plugins/cublas/plan.c \
	plugins/cublas/plugin.c plugins/cublas/reduce.c plugins/cublas/segments.h
tests_plugins_test_cublas_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CFLAGS) -DPLX_LT_OPEN=fake_lt_open \
	-DPLX_LT_SYMBOL=fake_lt_symbol
tests_plugins_test_cublas_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_plugins_test_cublas_LDADD = libplx-cuda-api.la $(CMOCKA_LIBS) -lm
EXTRA_tests_plugins_test_cublas_DEPENDENCIES = tests/fakes/fake-cuda.la

script_tests += tests/plugins/test_cublas_library.sh

# cublasLt itself, on a GPU.
if HAVE_CUBLAS
check_PROGRAMS += tests/plugins/test_cublaslt_sums
TESTS += tests/plugins/test_cublaslt_sums
endif
tests_plugins_test_cublaslt_sums_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CFLAGS)
tests_plugins_test_cublaslt_sums_LDADD = libplx-cuda-api.la $(CUBLAS_LIBS) -lcublasLt

cmocka_tests += tests/plugins/test_operations
tests_plugins_test_operations_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_plugins_test_operations_LDADD = libparallax.la $(CMOCKA_LIBS)
EXTRA_tests_plugins_test_operations_DEPENDENCIES = plx-host.la

cmocka_tests += tests/plugins/test_raised
tests_plugins_test_raised_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_plugins_test_raised_LDADD = $(CMOCKA_LIBS)

tests_plugins_test_host_SOURCES = tests/plugins/test_host.c $(plx_host_la_SOURCES)
tests_plugins_test_host_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS) -ffp-contract=off $(CMOCKA_CFLAGS)
tests_plugins_test_host_LDADD = libplx-base.la $(CMOCKA_LIBS) -lm

# What the tests ask a library itself before they blame the plugin.
if HAVE_OPENBLAS
vendor_sum_cppflags = $(AM_CPPFLAGS) $(OPENBLAS_CFLAGS) -DTEST_OPENBLAS
vendor_sum_libs = $(OPENBLAS_LIBS)
else
vendor_sum_cppflags = $(AM_CPPFLAGS)
vendor_sum_libs =
endif
vendor_sum_sources = tests/plugins/vendor_sum.c tests/plugins/vendor_sum.h
check_PROGRAMS += tests/plugins/ask_openblas
tests_plugins_ask_openblas_SOURCES = tests/plugins/ask_openblas.c $(vendor_sum_sources)
tests_plugins_ask_openblas_CPPFLAGS = $(vendor_sum_cppflags)
tests_plugins_ask_openblas_LDADD = $(vendor_sum_libs)

if HAVE_OPENBLAS
cmocka_tests += tests/plugins/test_openblas
endif
tests_plugins_test_openblas_SOURCES = tests/plugins/test_openblas.c plugins/openblas/plan.c plugins/openblas/scale.c \
	$(vendor_sources)
tests_plugins_test_openblas_CPPFLAGS = $(AM_CPPFLAGS) $(OPENBLAS_CFLAGS) -DPLX_OPENBLAS_SYMBOL=find_symbol
tests_plugins_test_openblas_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_plugins_test_openblas_LDADD = $(CMOCKA_LIBS) $(OPENBLAS_LIBS)

if HAVE_CLBLAST
cmocka_tests += tests/plugins/test_clblast
endif
tests_plugins_test_clblast_SOURCES = tests/plugins/test_clblast.c plugins/clblast/answers.c \
	plugins/clblast/calls.c plugins/clblast/library.c plugins/clblast/tuned.c
tests_plugins_test_clblast_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CFLAGS) $(CLBLAST_CFLAGS) $(JANSSON_CFLAGS)
tests_plugins_test_clblast_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_plugins_test_clblast_LDADD = libplx-opencl-api.la $(CMOCKA_LIBS) $(CLBLAST_LIBS) $(JANSSON_LIBS)

check_PROGRAMS += tests/plugins/growth
tests_plugins_growth_LDADD = libparallax.la -ldl

tests_plugins_test_threads_SOURCES = tests/plugins/test_threads.c $(host_backend_sources)
tests_plugins_test_threads_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS) $(CMOCKA_CFLAGS)
tests_plugins_test_threads_LDADD = libplx-base.la $(CMOCKA_LIBS) -lm
