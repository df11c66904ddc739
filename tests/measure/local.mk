# What stands behind a timing, and the probes.  The first reaches behind the library's exports, so
# it carries those files itself.
cmocka_tests += tests/measure/test_measure tests/measure/test_probe
script_tests += tests/measure/test_timing.sh tests/measure/test_timed.sh tests/measure/test_probe.sh

measure_sources = \
	study/measure/ceiling.c \
	study/measure/clock_fit.c \
	study/run/operand_buffers.c \
	study/run/rotation.c \
	study/measure/samples.c \
	study/measure/statistics.c \
	study/measure/ceiling.h \
	study/measure/timing.h \
	study/measure/timed_queues.c \
	$(operation_sources)
tests_measure_test_measure_SOURCES = tests/measure/test_measure.c $(measure_sources)
tests_measure_test_measure_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_measure_test_measure_LDADD = libparallax-study.la libparallax.la libplx-base.la $(CMOCKA_LIBS) -lm

tests_measure_test_probe_SOURCES = tests/measure/test_probe.c study/probe/probe.h study/probe/sweeps.c
tests_measure_test_probe_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS)
tests_measure_test_probe_LDADD = tests/kernels/libladder.a libparallax-study.la libparallax.la $(CMOCKA_LIBS) $(JANSSON_LIBS)
