# Tests of what stands behind a timing.  They reach behind the library's exports, so they
# carry those files themselves.
if HAVE_CMOCKA
check_PROGRAMS += tests/test_measure
TESTS += tests/test_measure
endif
measure_sources = \
	core/ceiling.c \
	core/clock_fit.c \
	core/clocks.c \
	core/message.c \
	core/pool.c \
	core/samples.c \
	core/statistics.c \
	core/stopwatch.h \
	core/timed_queues.c \
	$(operation_sources)

tests_test_measure_SOURCES = tests/test_measure.c $(measure_sources)
tests_test_measure_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_test_measure_LDADD = libparallax.la $(CMOCKA_LIBS) -lm

TESTS += tests/test_timing.sh
dist_check_SCRIPTS += tests/test_timing.sh
