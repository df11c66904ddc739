# The host plugin's own test, and the test of who may know whom.
if HAVE_CMOCKA
check_PROGRAMS += test_host
TESTS += test_host
endif
test_host_SOURCES = tests/test_host.c $(plx_host_la_SOURCES)
test_host_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS) -ffp-contract=off $(CMOCKA_CFLAGS)
test_host_LDADD = $(CMOCKA_LIBS) -lm

dist_check_SCRIPTS += tests/test_layers.sh
TESTS += tests/test_layers.sh
