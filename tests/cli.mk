# Tests of .npy files, of the reports and of the program.
check_PROGRAMS += test_npy test_report
test_npy_SOURCES = tests/test_npy.c
test_npy_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_npy_LDADD = libparallax.la $(CMOCKA_LIBS)
test_report_SOURCES = tests/test_report.c
test_report_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS)
test_report_LDADD = libparallax.la $(CMOCKA_LIBS) $(JANSSON_LIBS)

TESTS += test_npy test_report tests/test_cli.sh
dist_check_SCRIPTS += tests/test_cli.sh
