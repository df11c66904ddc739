# The judge.  These tests reach behind the library's exports.
cmocka_tests += tests/judge/test_generate tests/judge/test_reference tests/judge/test_floats tests/judge/test_bound tests/judge/test_validate \
	tests/judge/test_validate_exact tests/judge/test_validate_large \
	tests/judge/test_fence tests/judge/test_halves tests/judge/test_result tests/judge/test_honest tests/judge/test_rules tests/judge/test_at_once

tests_judge_test_generate_SOURCES = tests/judge/test_generate.c tests/judge/judge_support.h
tests_judge_test_generate_CFLAGS = $(study_cflags)
tests_judge_test_generate_LDADD = $(study_ldadd)
tests_judge_test_floats_SOURCES = tests/judge/test_floats.c tests/judge/judge_support.h
tests_judge_test_floats_CFLAGS = $(study_cflags)
tests_judge_test_floats_LDADD = $(study_ldadd)
tests_judge_test_reference_SOURCES = tests/judge/test_reference.c tests/judge/judge_support.h
tests_judge_test_reference_CFLAGS = $(study_cflags)
tests_judge_test_reference_LDADD = $(study_ldadd)
tests_judge_test_bound_SOURCES = tests/judge/test_bound.c tests/judge/judge_support.h
tests_judge_test_bound_CFLAGS = $(study_cflags)
tests_judge_test_bound_LDADD = $(study_ldadd)
validate_support = tests/judge/validate_support.c tests/judge/validate_support.h tests/judge/judge_support.h
tests_judge_test_validate_SOURCES = tests/judge/test_validate.c $(validate_support)
tests_judge_test_validate_CFLAGS = $(study_cflags)
tests_judge_test_validate_LDADD = $(study_ldadd)
tests_judge_test_validate_exact_SOURCES = tests/judge/test_validate_exact.c $(validate_support)
tests_judge_test_validate_exact_CFLAGS = $(study_cflags)
tests_judge_test_validate_exact_LDADD = $(study_ldadd)
tests_judge_test_validate_large_SOURCES = tests/judge/test_validate_large.c $(validate_support)
tests_judge_test_validate_large_CFLAGS = $(study_cflags)
tests_judge_test_validate_large_LDADD = $(study_ldadd)

tests_judge_test_fence_SOURCES = tests/judge/test_fence.c study/subject/fence.c study/subject/subject.h
tests_judge_test_fence_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_judge_test_fence_LDADD = $(CMOCKA_LIBS)
tests_judge_test_halves_SOURCES = tests/judge/test_halves.c tests/judge/judge_support.h
tests_judge_test_halves_CFLAGS = $(study_cflags)
tests_judge_test_halves_LDADD = $(study_ldadd)

tests_judge_test_result_SOURCES = tests/judge/test_result.c tests/judge/judge_support.h
tests_judge_test_result_CFLAGS = $(study_cflags)
tests_judge_test_result_LDADD = $(study_ldadd)
tests_judge_test_honest_SOURCES = tests/judge/test_honest.c tests/judge/judge_support.h $(vendor_sum_sources)
tests_judge_test_honest_CPPFLAGS = $(vendor_sum_cppflags)
tests_judge_test_honest_CFLAGS = $(study_cflags)
tests_judge_test_honest_LDADD = $(study_ldadd) $(vendor_sum_libs)
script_tests += tests/judge/test_others.sh
EXTRA_DIST += tests/judge/acceptance.py

tests_judge_test_at_once_CFLAGS = $(study_cflags)
tests_judge_test_at_once_LDADD = $(study_ldadd)

tests_judge_test_rules_CFLAGS = $(study_cflags)
tests_judge_test_rules_LDADD = $(study_ldadd)

# Kernels that are wrong in one way each, which the judge must catch.
if HAVE_CMOCKA
check_LTLIBRARIES += tests/judge/mutants/plx-mutants.la
endif
cmocka_tests += tests/judge/test_mutants
script_tests += tests/judge/test_claims.sh
tests_judge_mutants_plx_mutants_la_SOURCES = \
	tests/judge/mutants/gemm.c \
	tests/judge/mutants/half.c \
	tests/judge/mutants/matvec.c \
	tests/judge/mutants/mutant.h \
	tests/judge/mutants/plugin.c \
	tests/judge/mutants/reduce.c \
	tests/judge/mutants/transpose.c
tests_judge_mutants_plx_mutants_la_CFLAGS = $(fake_cflags) -ffp-contract=off
tests_judge_mutants_plx_mutants_la_LDFLAGS = $(fake_ldflags)
tests_judge_mutants_plx_mutants_la_LIBADD = -lm
tests_judge_test_mutants_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_judge_test_mutants_LDADD = libparallax-study.la libparallax.la $(CMOCKA_LIBS)

# Everything, for hours: a thousand times as many seeds for what is right, the tests that have a longer form, then, one operation
# after the other, each kernel on every case of each device, with a thousand runs for their
# bits.  What fails does not keep the rest from being tried.
check-full: all $(check_PROGRAMS) $(check_LTLIBRARIES) check-long check-full-seeds check-full-forms check-full-hostile check-full-faults check-full-kernels
check-full-hostile: all $(check_LTLIBRARIES)
	HOSTILE_KINDS=all top_builddir='$(abs_top_builddir)' $(SHELL) $(top_srcdir)/tests/dispatch/test_hostile.sh
check-full-seeds: $(check_PROGRAMS) $(check_LTLIBRARIES) all
if HAVE_CMOCKA
	top_builddir='$(abs_top_builddir)' PLX_TEST_SEEDS=500000 tests/judge/test_mutants
else
	@echo "skipped: the seeds need cmocka"
endif
check-full-kernels: all
	@worst=0; for operation in reduce transpose matvec gemm probe; do \
	    echo "parallax check --full $$operation"; \
	    ./parallax check --full $$operation || worst=$$?; \
	done; exit $$worst
