# Tests of .npy files, of shapes, of the reports, of what is remembered and of the program.
if HAVE_CMOCKA
check_PROGRAMS += tests/test_gains tests/test_npy tests/test_problem_shape tests/test_report tests/test_tune
TESTS += tests/test_gains tests/test_npy tests/test_problem_shape tests/test_report tests/test_tune
endif
tests_test_tune_SOURCES = tests/test_tune.c
tests_test_tune_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS)
tests_test_tune_LDADD = libparallax.la $(CMOCKA_LIBS) $(JANSSON_LIBS)
tests_test_gains_SOURCES = tests/test_gains.c
tests_test_gains_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS)
tests_test_gains_LDADD = libparallax.la $(CMOCKA_LIBS) $(JANSSON_LIBS)
tests_test_npy_SOURCES = tests/test_npy.c
tests_test_npy_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_test_npy_LDADD = libparallax.la $(CMOCKA_LIBS)
tests_test_problem_shape_SOURCES = tests/test_problem_shape.c
tests_test_problem_shape_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_test_problem_shape_LDADD = libparallax.la $(CMOCKA_LIBS)
tests_test_report_SOURCES = tests/test_report.c
tests_test_report_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS)
tests_test_report_LDADD = libparallax.la $(CMOCKA_LIBS) $(JANSSON_LIBS)

# A plugin whose kernels go wrong, for the exit statuses.
check_LTLIBRARIES += tests/plx-faulty.la
tests_plx_faulty_la_SOURCES = tests/dummy_faulty.c tests/dummy.c tests/dummy.h
tests_plx_faulty_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
tests_plx_faulty_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere

TESTS += tests/test_cli.sh tests/test_values.sh
dist_check_SCRIPTS += tests/test_cli.sh tests/test_values.sh

# What is wrong only while it is timed.
TESTS += tests/test_timed.sh
dist_check_SCRIPTS += tests/test_timed.sh

# The page of `report`.
TESTS += tests/test_page.sh
dist_check_SCRIPTS += tests/test_page.sh
