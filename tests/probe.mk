# Tests of the probes: sweeps and verdicts, and all of them on what devices there are.
if HAVE_CMOCKA
check_PROGRAMS += tests/test_probe
TESTS += tests/test_probe
endif
tests_test_probe_SOURCES = tests/test_probe.c study/probe/probe.h study/probe/sweeps.c
tests_test_probe_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS)
tests_test_probe_LDADD = libparallax.la $(CMOCKA_LIBS) $(JANSSON_LIBS)

TESTS += tests/test_probe.sh
dist_check_SCRIPTS += tests/test_probe.sh
