# Tests of what stands behind a timing.  They reach behind the library's exports, so they
# carry those files themselves.
if HAVE_CMOCKA
check_PROGRAMS += tests/test_measure
TESTS += tests/test_measure
endif
measure_sources = \
	study/measure/ceiling.c \
	study/measure/clock_fit.c \
	study/run/telemetry.c \
	core/message.c \
	study/measure/rotation.c \
	study/measure/samples.c \
	study/measure/statistics.c \
	study/measure/timing.h \
	study/measure/timed_queues.c \
	$(operation_sources)

tests_test_measure_SOURCES = tests/test_measure.c $(measure_sources)
tests_test_measure_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_test_measure_LDADD = libparallax.la $(CMOCKA_LIBS) -lm

TESTS += tests/test_timing.sh
dist_check_SCRIPTS += tests/test_timing.sh
