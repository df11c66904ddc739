# Fuzzing: targets for what others may have written.  'make check' replays the corpus; 'make fuzz' lets libFuzzer
# change it, for TIME seconds each.
fuzz_targets = \
	tests/fuzz/fuzz_challenge \
	tests/fuzz/fuzz_choices \
	tests/fuzz/fuzz_command \
	tests/fuzz/fuzz_diff \
	tests/fuzz/fuzz_draft \
	tests/fuzz/fuzz_expression \
	tests/fuzz/fuzz_npy \
	tests/fuzz/fuzz_plugins \
	tests/fuzz/fuzz_recipe \
	tests/fuzz/fuzz_report \
	tests/fuzz/fuzz_results \
	tests/fuzz/fuzz_resume \
	tests/fuzz/fuzz_sets \
	tests/fuzz/fuzz_source \
	tests/fuzz/fuzz_triton
if HAVE_OPENCL
fuzz_targets += tests/fuzz/fuzz_clbin
endif
if HAVE_CLBLAST
fuzz_targets += tests/fuzz/fuzz_clblast
endif
check_PROGRAMS += $(fuzz_targets)
script_tests += tests/fuzz/test_corpus.sh
EXTRA_DIST += tests/fuzz/fuzz $(wildcard $(top_srcdir)/tests/fuzz/corpus/*/*)

# Where libFuzzer is linked in, it has the main program.
if FUZZING
fuzz_main =
else
fuzz_main = tests/fuzz/replay.c
endif
# What they share is compiled once for all of them.
check_LIBRARIES += tests/fuzz/libfuzz.a
tests_fuzz_libfuzz_a_SOURCES = tests/fuzz/fuzz.h tests/fuzz/support.c $(fuzz_main)
fuzz_cflags = $(AM_CFLAGS) $(OPENMP_CFLAGS)
fuzz_ldadd = tests/fuzz/libfuzz.a libplx-study.la libparallax.la libplx-base.la $(JANSSON_LIBS) -lm

tests_fuzz_fuzz_challenge_CFLAGS = $(fuzz_cflags)
tests_fuzz_fuzz_challenge_LDFLAGS = $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_challenge_LDADD = $(fuzz_ldadd)
tests_fuzz_fuzz_choices_CFLAGS = $(fuzz_cflags)
tests_fuzz_fuzz_choices_LDFLAGS = $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_choices_LDADD = $(fuzz_ldadd)
tests_fuzz_fuzz_command_CFLAGS = $(fuzz_cflags)
tests_fuzz_fuzz_command_LDFLAGS = $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_command_LDADD = libplx-verbs.la libplx-page.la $(fuzz_ldadd)
tests_fuzz_fuzz_diff_CFLAGS = $(fuzz_cflags) $(JANSSON_CFLAGS)
tests_fuzz_fuzz_diff_LDFLAGS = $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_diff_LDADD = $(fuzz_ldadd)
tests_fuzz_fuzz_draft_CFLAGS = $(fuzz_cflags)
tests_fuzz_fuzz_draft_LDFLAGS = $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_draft_LDADD = $(fuzz_ldadd)
tests_fuzz_fuzz_expression_CFLAGS = $(fuzz_cflags)
tests_fuzz_fuzz_expression_LDFLAGS = $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_expression_LDADD = $(fuzz_ldadd)
tests_fuzz_fuzz_npy_CFLAGS = $(fuzz_cflags)
tests_fuzz_fuzz_npy_LDFLAGS = $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_npy_LDADD = $(fuzz_ldadd)
tests_fuzz_fuzz_plugins_SOURCES = tests/fuzz/fuzz_plugins.c core/inspect_said.c core/inspections.c
tests_fuzz_fuzz_plugins_CFLAGS = $(fuzz_cflags)
tests_fuzz_fuzz_plugins_LDFLAGS = $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_plugins_LDADD = $(fuzz_ldadd)
tests_fuzz_fuzz_recipe_CFLAGS = $(fuzz_cflags)
tests_fuzz_fuzz_recipe_LDFLAGS = $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_recipe_LDADD = $(fuzz_ldadd)
tests_fuzz_fuzz_report_CFLAGS = $(fuzz_cflags)
tests_fuzz_fuzz_report_LDFLAGS = $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_report_LDADD = libplx-page.la $(fuzz_ldadd)
tests_fuzz_fuzz_results_CFLAGS = $(fuzz_cflags)
tests_fuzz_fuzz_results_LDFLAGS = $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_results_LDADD = $(fuzz_ldadd)
tests_fuzz_fuzz_resume_CFLAGS = $(fuzz_cflags)
tests_fuzz_fuzz_resume_LDFLAGS = $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_resume_LDADD = $(fuzz_ldadd)
tests_fuzz_fuzz_sets_CFLAGS = $(fuzz_cflags)
tests_fuzz_fuzz_sets_LDFLAGS = $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_sets_LDADD = $(fuzz_ldadd)
tests_fuzz_fuzz_source_CFLAGS = $(fuzz_cflags)
tests_fuzz_fuzz_source_LDFLAGS = $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_source_LDADD = $(fuzz_ldadd)
tests_fuzz_fuzz_triton_CFLAGS = $(fuzz_cflags)
tests_fuzz_fuzz_triton_LDFLAGS = $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_triton_LDADD = $(fuzz_ldadd)
tests_fuzz_fuzz_clbin_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CFLAGS)
tests_fuzz_fuzz_clbin_LDFLAGS = $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_clbin_LDADD = tests/fuzz/libfuzz.a libplx-opencl-api.la
tests_fuzz_fuzz_clblast_SOURCES = tests/fuzz/fuzz_clblast.c plugins/clblast/tuned.c
tests_fuzz_fuzz_clblast_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CFLAGS) $(CLBLAST_CFLAGS) $(JANSSON_CFLAGS)
tests_fuzz_fuzz_clblast_LDFLAGS = $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_clblast_LDADD = tests/fuzz/libfuzz.a $(JANSSON_LIBS)

fuzz:
	$(SHELL) $(top_srcdir)/tests/fuzz/fuzz '$(top_srcdir)' $(fuzz_targets)
