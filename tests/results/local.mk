# Tests of results that are read back, of bench and of diff.
if HAVE_CMOCKA
check_PROGRAMS += tests/test_diff tests/test_json_file
TESTS += tests/test_diff tests/test_json_file
endif
tests_test_diff_SOURCES = tests/test_diff.c study/diff/significance.c study/diff/significance.h
tests_test_diff_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS)
tests_test_diff_LDADD = libparallax.la $(CMOCKA_LIBS) $(JANSSON_LIBS) -lm
tests_test_json_file_SOURCES = tests/test_json_file.c study/files/json_file.c study/files/json_file.h
tests_test_json_file_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS)
tests_test_json_file_LDADD = $(CMOCKA_LIBS) $(JANSSON_LIBS)

if HAVE_CMOCKA
check_PROGRAMS += tests/test_sets
TESTS += tests/test_sets
endif
tests_test_sets_SOURCES = tests/test_sets.c $(operation_sources)
tests_test_sets_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_test_sets_LDADD = libparallax.la $(CMOCKA_LIBS) -lm

TESTS += tests/test_bench.sh tests/test_environment.sh tests/test_success.sh
dist_check_SCRIPTS += tests/test_bench.sh tests/test_environment.sh tests/test_success.sh
