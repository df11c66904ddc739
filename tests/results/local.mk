# Files, results and what stands on them: reports, bench, diff, tuned choices.
cmocka_tests += \
	tests/results/test_activity \
	tests/results/test_choice \
	tests/results/test_diff \
	tests/results/test_diff_noise \
	tests/results/test_attribution \
	tests/results/test_gains \
	tests/results/test_npy \
	tests/results/test_npy_writing \
	tests/results/test_report \
	tests/results/test_results \
	tests/results/test_sets \
	tests/results/test_tables \
	tests/results/test_cache_file \
	tests/results/test_sha256 \
	tests/results/test_tune
script_tests += tests/results/test_bench.sh tests/results/test_equal_runs.sh tests/results/test_pack.sh tests/results/test_together.sh \
	tests/results/test_environment.sh

tests_results_test_activity_CFLAGS = $(study_cflags)
tests_results_test_activity_LDADD = $(study_ldadd)
tests_results_test_attribution_CFLAGS = $(study_cflags) $(JANSSON_CFLAGS)
tests_results_test_attribution_LDADD = $(study_ldadd)
tests_results_test_choice_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_results_test_choice_LDADD = libparallax-study.la libparallax.la $(CMOCKA_LIBS)
tests_results_test_diff_SOURCES = tests/results/test_diff.c tests/results/diff_support.c tests/results/diff_support.h
tests_results_test_diff_CFLAGS = $(study_cflags) $(JANSSON_CFLAGS)
tests_results_test_diff_LDADD = $(study_ldadd)
tests_results_test_diff_noise_SOURCES = tests/results/test_diff_noise.c tests/results/diff_support.c tests/results/diff_support.h
tests_results_test_diff_noise_CFLAGS = $(study_cflags) $(JANSSON_CFLAGS)
tests_results_test_diff_noise_LDADD = $(study_ldadd)
tests_results_test_gains_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS)
tests_results_test_gains_LDADD = libparallax-study.la libparallax.la $(CMOCKA_LIBS) $(JANSSON_LIBS)
tests_results_test_npy_SOURCES = tests/results/test_npy.c tests/results/npy_support.c tests/results/npy_support.h
tests_results_test_npy_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_results_test_npy_LDADD = libparallax-study.la libparallax.la $(CMOCKA_LIBS)
tests_results_test_npy_writing_SOURCES = tests/results/test_npy_writing.c tests/results/npy_support.c tests/results/npy_support.h
tests_results_test_npy_writing_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_results_test_npy_writing_LDADD = libparallax-study.la libparallax.la $(CMOCKA_LIBS)
tests_results_test_report_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS)
tests_results_test_report_LDADD = tests/results/libreport.a libparallax-study.la libparallax.la $(CMOCKA_LIBS) $(JANSSON_LIBS)
tests_results_test_tables_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_results_test_tables_LDADD = tests/results/libreport.a libparallax-study.la libparallax.la $(CMOCKA_LIBS)
# What those two share.
if HAVE_CMOCKA
check_LIBRARIES += tests/results/libreport.a
endif
tests_results_libreport_a_SOURCES = tests/results/report_support.c tests/results/report_support.h
tests_results_libreport_a_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_results_test_results_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS)
tests_results_test_results_LDADD = libparallax-study.la libparallax.la $(CMOCKA_LIBS) $(JANSSON_LIBS) -lm
EXTRA_DIST += $(wildcard $(top_srcdir)/tests/data/results/*.json)
tests_results_test_sets_CFLAGS = $(study_cflags)
tests_results_test_sets_LDADD = $(study_ldadd)
tests_results_test_cache_file_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_results_test_cache_file_LDADD = libplx-base.la $(CMOCKA_LIBS)
tests_results_test_sha256_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_results_test_sha256_LDADD = libplx-base.la $(CMOCKA_LIBS)
tests_results_test_tune_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS)
tests_results_test_tune_LDADD = libparallax-study.la libparallax.la $(CMOCKA_LIBS) $(JANSSON_LIBS)
