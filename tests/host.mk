# The host plugin's own test, and the test of who may know whom.
if HAVE_CMOCKA
check_PROGRAMS += tests/test_host
TESTS += tests/test_host
endif
tests_test_host_SOURCES = tests/test_host.c $(plx_host_la_SOURCES)
tests_test_host_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS) -ffp-contract=off $(CMOCKA_CFLAGS)
tests_test_host_LDADD = $(CMOCKA_LIBS) -lm

dist_check_SCRIPTS += tests/test_layers.sh
TESTS += tests/test_layers.sh
