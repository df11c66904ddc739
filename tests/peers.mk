# Vendors' and others' libraries as peers, as far as they run without a GPU.
TESTS += tests/test_peers.sh
dist_check_SCRIPTS += tests/test_peers.sh

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
