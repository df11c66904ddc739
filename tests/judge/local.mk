# Everything, for hours: fifty times as many seeds for what is right, then, one operation
# after the other, each kernel on every case of each device, with a thousand runs for their
# bits.  What fails does not keep the rest from being tried.
check-full: all $(check_PROGRAMS) $(check_LTLIBRARIES) check-full-seeds check-full-kernels
check-full-seeds: $(check_PROGRAMS) $(check_LTLIBRARIES) all
if HAVE_CMOCKA
	top_builddir='$(abs_top_builddir)' PLX_TEST_SEEDS=500000 tests/test_mutants
else
	@echo "skipped: the seeds need cmocka"
endif
check-full-kernels: all
	@worst=0; for operation in reduce transpose matvec gemm probe; do \
	    echo "parallax check --full $$operation"; \
	    ./parallax check --full $$operation || worst=$$?; \
	done; exit $$worst
.PHONY: check-full-seeds check-full-kernels

# The judge's own tests.  They reach behind the library's exports, so they carry the
# judge's files themselves.
if HAVE_CMOCKA
check_PROGRAMS += tests/test_choice tests/test_gemm_cut tests/test_depth tests/test_dmma tests/test_recipes tests/test_generate tests/test_bound tests/test_validate tests/test_matvec_geometry
TESTS += tests/test_choice tests/test_gemm_cut tests/test_depth tests/test_dmma tests/test_recipes tests/test_generate tests/test_bound tests/test_validate tests/test_matvec_geometry
endif
judge_sources = \
	study/judge/agree.c \
	study/judge/element.c \
	study/judge/freivalds.c \
	study/judge/generate.c \
	study/judge/inputs.c \
	study/judge/judge.h \
	study/judge/memory.c \
	core/problem.c \
	study/measure/statistics.c \
	study/run/run.h \
	study/judge/reference.c \
	study/judge/validate.c \
	core/names.c \
	$(operation_sources)

tests_test_choice_SOURCES = tests/test_choice.c $(ladder_sources)
tests_test_choice_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_test_choice_LDADD = libparallax.la $(CMOCKA_LIBS)
tests_test_gemm_cut_SOURCES = tests/test_gemm_cut.c $(ladder_sources)
tests_test_gemm_cut_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_test_gemm_cut_LDADD = libparallax.la $(CMOCKA_LIBS)
tests_test_matvec_geometry_SOURCES = tests/test_matvec_geometry.c $(ladder_sources)
tests_test_matvec_geometry_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_test_matvec_geometry_LDADD = libparallax.la $(CMOCKA_LIBS) -lm
tests_test_recipes_SOURCES = tests/test_recipes.c $(ladder_sources)
tests_test_recipes_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_test_recipes_LDADD = libparallax.la $(CMOCKA_LIBS)

tests_test_dmma_SOURCES = tests/test_dmma.c $(ladder_sources)
tests_test_dmma_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_test_dmma_LDADD = libparallax.la $(CMOCKA_LIBS)
tests_test_depth_SOURCES = tests/test_depth.c $(ladder_sources)
tests_test_depth_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_test_depth_LDADD = libparallax.la $(CMOCKA_LIBS)
tests_test_generate_SOURCES = tests/test_generate.c tests/judge_support.h $(judge_sources)
tests_test_generate_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_test_generate_LDADD = $(CMOCKA_LIBS) -lm
tests_test_bound_SOURCES = tests/test_bound.c tests/judge_support.h $(judge_sources)
tests_test_bound_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_test_bound_LDADD = $(CMOCKA_LIBS) -lm
tests_test_validate_SOURCES = tests/test_validate.c tests/judge_support.h $(judge_sources)
tests_test_validate_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_test_validate_LDADD = $(CMOCKA_LIBS) -lm

# Kernels that are wrong in one way each, which the judge must catch.
if HAVE_CMOCKA
check_LTLIBRARIES += tests/mutants/plx-mutants.la
check_PROGRAMS += tests/test_mutants
TESTS += tests/test_mutants
endif
TESTS += tests/test_claims.sh
dist_check_SCRIPTS += tests/test_claims.sh
tests_mutants_plx_mutants_la_SOURCES = \
	tests/mutants/gemm.c \
	tests/mutants/matvec.c \
	tests/mutants/mutant.h \
	tests/mutants/plugin.c \
	tests/mutants/reduce.c \
	tests/mutants/transpose.c
tests_mutants_plx_mutants_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden -ffp-contract=off
# -rpath makes libtool build a shared module that is never installed.
tests_mutants_plx_mutants_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
tests_mutants_plx_mutants_la_LIBADD = -lm
tests_test_mutants_SOURCES = tests/test_mutants.c
tests_test_mutants_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_test_mutants_LDADD = libparallax.la $(CMOCKA_LIBS)
