# Vendors' and others' libraries as peers, as far as they run without a GPU.
TESTS += tests/test_peers.sh
dist_check_SCRIPTS += tests/test_peers.sh

# What the tests ask a library itself before they blame the plugin.
if HAVE_OPENBLAS
vendor_sum_cppflags = $(AM_CPPFLAGS) $(OPENBLAS_CFLAGS) -DTEST_OPENBLAS
vendor_sum_libs = $(OPENBLAS_LIBS)
else
vendor_sum_cppflags = $(AM_CPPFLAGS)
vendor_sum_libs =
endif
vendor_sum_sources = tests/vendor_sum.c tests/vendor_sum.h
check_PROGRAMS += tests/ask_openblas
tests_ask_openblas_SOURCES = tests/ask_openblas.c $(vendor_sum_sources)
tests_ask_openblas_CPPFLAGS = $(vendor_sum_cppflags)
tests_ask_openblas_LDADD = $(vendor_sum_libs)

if HAVE_CMOCKA
if HAVE_OPENBLAS
check_PROGRAMS += tests/test_openblas
TESTS += tests/test_openblas
endif
if HAVE_CLBLAST
check_PROGRAMS += tests/test_clblast
TESTS += tests/test_clblast
endif
endif

tests_test_openblas_SOURCES = tests/test_openblas.c plugins/openblas/plan.c plugins/openblas/scale.c
tests_test_openblas_CPPFLAGS = $(AM_CPPFLAGS) $(OPENBLAS_CFLAGS)
tests_test_openblas_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_test_openblas_LDADD = $(CMOCKA_LIBS) $(OPENBLAS_LIBS)

tests_test_clblast_SOURCES = tests/test_clblast.c plugins/clblast/calls.c plugins/clblast/library.c \
	plugins/clblast/tuned.c $(opencl_backend_sources)
tests_test_clblast_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CFLAGS) $(CLBLAST_CFLAGS) $(JANSSON_CFLAGS)
tests_test_clblast_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_test_clblast_LDADD = $(CMOCKA_LIBS) $(CLBLAST_LIBS) $(JANSSON_LIBS)
