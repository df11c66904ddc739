# What stands behind a timing, and the probes.  They reach behind the library's exports.
cmocka_tests += tests/measure/test_measure tests/measure/test_probe tests/measure/test_units \
	tests/measure/test_limits tests/measure/test_vectors tests/measure/test_ceilings tests/measure/test_timed_sets \
	tests/measure/test_closing
script_tests += tests/measure/test_limits.sh tests/measure/test_ceilings.sh tests/measure/test_timing.sh \
	tests/measure/test_timed.sh tests/measure/test_liars.sh tests/measure/test_liars_device.sh tests/measure/test_probe.sh

tests_measure_test_measure_CFLAGS = $(study_cflags)
tests_measure_test_measure_LDADD = $(study_ldadd)

tests_measure_test_ceilings_CFLAGS = $(study_cflags)
tests_measure_test_ceilings_LDADD = $(study_ldadd)

tests_measure_test_timed_sets_CFLAGS = $(study_cflags)
tests_measure_test_timed_sets_LDADD = $(study_ldadd)

tests_measure_test_closing_CFLAGS = $(study_cflags)
tests_measure_test_closing_LDADD = $(study_ldadd)

tests_measure_test_probe_CFLAGS = $(study_cflags) $(JANSSON_CFLAGS)
tests_measure_test_probe_LDADD = tests/kernels/libladder.a libplx-ladder.la $(study_ldadd)

tests_measure_test_units_CFLAGS = $(study_cflags)
tests_measure_test_units_LDADD = $(study_ldadd)

tests_measure_test_limits_CFLAGS = $(study_cflags)
tests_measure_test_limits_LDADD = libplx-base.la $(CMOCKA_LIBS)

tests_measure_test_vectors_SOURCES = tests/measure/test_vectors.c kernels/probe/host_vectors.c
tests_measure_test_vectors_CFLAGS = $(study_cflags) -ffp-contract=off
tests_measure_test_vectors_LDADD = $(CMOCKA_LIBS) -lm
