# The tests: cmocka programs and shell scripts under automake's harness, a directory for each thing
# that is tested.  A directory's fragment names its programs in cmocka_tests and its scripts in
# script_tests.  Threads sleep while they wait for each other: several tests run at a time, and threads that turn in
# circles keep the processors from them.
AM_TESTS_ENVIRONMENT = \
	. '$(abs_top_srcdir)/tests/environment.sh'; \
	top_builddir='$(abs_top_builddir)'; export top_builddir; \
	top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
	PARALLAX='$(abs_top_builddir)/tests/parallax'; export PARALLAX; \
	CC='$(CC)'; export CC; \
	XDG_CACHE_HOME='$(abs_top_builddir)/tests/cache'; export XDG_CACHE_HOME; \
	POCL_CACHE_DIR='$(abs_top_builddir)/tests/cache/pocl'; export POCL_CACHE_DIR; mkdir -p "$$POCL_CACHE_DIR"; \
	OMP_WAIT_POLICY=passive; export OMP_WAIT_POLICY;
AM_COLOR_TESTS = auto
# Each has a standard input of its own: O_NONBLOCK belongs to the open file, and what a hostile plugin sets there would else be
# seen by the tests beside it.
AM_TESTS_FD_REDIRECT = </dev/null

# The program in .libs, straight: libtool's own script starts a dozen processes for each start, and tests start it thousands of
# times.  Without shared libraries there is no such script.
check_SCRIPTS = tests/parallax
CLEANFILES += tests/parallax
tests/parallax: Makefile
	@$(MKDIR_P) tests
	$(AM_V_GEN){ echo '#!/bin/sh' && echo '[ -x "$(abs_top_builddir)/.libs/parallax" ] || exec "$(abs_top_builddir)/parallax" "$$@"' && \
		echo 'LD_LIBRARY_PATH="$(abs_top_builddir)/.libs$${LD_LIBRARY_PATH:+:$$LD_LIBRARY_PATH}" exec "$(abs_top_builddir)/.libs/parallax" "$$@"'; } >$@.tmp
	@chmod +x $@.tmp && mv -f $@.tmp $@

check_LIBRARIES =
cmocka_tests =
script_tests =
# Those that take minutes come first, so that none of them is left alone at the end.
long_tests =
TESTS += $(long_tests)
dist_check_SCRIPTS += $(long_tests)
if HAVE_CMOCKA
check_PROGRAMS += $(cmocka_tests)
TESTS += $(cmocka_tests)
endif
TESTS += $(script_tests)
dist_check_SCRIPTS += $(script_tests)

# What a plugin is linked with that is never installed: -rpath makes libtool build a shared module.
fake_cflags = $(AM_CFLAGS) -fvisibility=hidden
fake_ldflags = -module -avoid-version -shared -rpath /nowhere

# For tests that reach behind the exports of libparallax-study.
study_cflags = $(AM_CFLAGS) $(OPENMP_CFLAGS) $(CMOCKA_CFLAGS)
study_ldadd = libplx-study.la libparallax.la libplx-base.la $(CMOCKA_LIBS) $(JANSSON_LIBS) -lm

include tests/fakes/local.mk
include tests/dispatch/local.mk
include tests/judge/local.mk
include tests/recipe/local.mk
include tests/measure/local.mk
include tests/results/local.mk
include tests/fuzz/local.mk
include tests/page/local.mk
include tests/kernels/local.mk
include tests/plugins/local.mk
include tests/opencl/local.mk
include tests/cuda/local.mk
include tests/cli/local.mk
include tests/python/local.mk
include tests/screen/local.mk
include tests/whole/local.mk
include tests/faults/local.mk
include tests/configure/local.mk
include tests/house/local.mk

# Compiled kernels are kept there: one test uses those of another, and no home is touched.  A test that wants an
# empty cache of ours shares PoCL's all the same, which spares it PoCL's compiler, not ours to test.
clean-local:
	-rm -rf tests/cache coverage

# What drivers leak is not our fault; what we leak fails a test.  Faults are for the program to take, and for tests to see.
# What a test compiles itself begins with the sanitizers' libraries, as what it is linked with must; Oclgrind's library comes
# before them, which does no harm.
if SANITIZERS
AM_TESTS_ENVIRONMENT += \
	CC='$(CC) -fsanitize=address,undefined'; export CC; \
	ASAN_OPTIONS='handle_segv=0:handle_sigbus=0:handle_abort=0:handle_sigfpe=0:handle_sigill=0:verify_asan_link_order=0'; export ASAN_OPTIONS; \
	LSAN_OPTIONS='suppressions=$(abs_top_srcdir)/tests/leaks.supp:print_suppressions=0'; \
	export LSAN_OPTIONS;
endif
EXTRA_DIST += tests/environment.sh tests/leaks.supp tests/support.sh tests/sanitizers tests/analyser.h

# Four suites.  `make check`: what a change is most likely to break, those that take long in a short form.  check-quick, while one
# works: the programs that take less than two seconds of a processor, and scripts that do; what they do without is not built.
# check-long, which CI runs after `check`: later_tests, and the longer form of whom knows one by CHECK_FORM=long.  check-full
# (tests/judge/local.mk) adds the whole forms, of which a test knows by CHECK_FORM=full.
later_tests = \
	tests/cli/test_attribute.sh \
	tests/cli/test_interrupt.sh \
	tests/cli/test_judge_captured.sh \
	tests/cli/test_judge_stopped.sh \
	tests/cli/test_widths.sh \
	tests/configure/test_arithmetic.sh \
	tests/configure/test_cuda.sh \
	tests/configure/test_installed_parallax.sh \
	tests/configure/test_requests.sh \
	tests/dispatch/test_globals.sh \
	tests/dispatch/test_hostile.sh \
	tests/dispatch/test_order.sh \
	tests/dispatch/test_outoftree.sh \
	tests/faults/test_faults.sh \
	tests/house/test_new_kernel.sh \
	tests/house/test_new_operation.sh \
	tests/house/test_packaging.sh \
	tests/judge/test_others.sh \
	tests/kernels/test_gemm_configs \
	tests/measure/test_ceilings.sh \
	tests/measure/test_probe.sh \
	tests/measure/test_units \
	tests/opencl/test_oclgrind.sh \
	tests/plugins/test_growth.sh \
	tests/plugins/test_peers.sh \
	tests/plugins/test_wrong_sum.sh \
	tests/python/test_wheel.sh \
	tests/screen/test_screen.sh \
	tests/screen/test_states.sh \
	tests/whole/test_chain \
	tests/whole/test_digits \
	tests/whole/test_installed.sh
long_forms = tests/whole/test_kernels.sh

# `make check` hands this to the make that runs the tests; TESTS of the command line are taken as they are.
AM_MAKEFLAGS = $(if $(filter file,$(origin TESTS)),TESTS='$(filter-out $(later_tests),$(TESTS))')
check-long:
	CHECK_FORM=long $(MAKE) $(AM_MAKEFLAGS) check TESTS='$(filter $(later_tests) $(long_forms),$(TESTS))' \
		TEST_SUITE_LOG=tests/test-suite.log
MOSTLYCLEANFILES += tests/test-suite.log

slow_programs = \
	tests/cuda/test_cuda_plan \
	tests/dispatch/test_loader \
	tests/judge/test_mutants \
	tests/judge/test_rules \
	tests/kernels/test_gemm_configs \
	tests/kernels/test_gemm_cut \
	tests/kernels/test_rates \
	tests/measure/test_closing \
	tests/measure/test_units \
	tests/opencl/test_opencl_cache \
	tests/results/test_diff_noise \
	tests/results/test_tune \
	tests/screen/test_on_device \
	tests/whole/test_chain \
	tests/whole/test_digits
quick_scripts = \
	tests/cli/test_completion.sh \
	tests/house/test_layers.sh \
	tests/house/test_symbols.sh \
	tests/kernels/test_embed.sh
# What those meet.
quick_fakes = fake-cuda fake-cupti fake-nvml plx-dummy-bare plx-dummy-good plx-dummy-mute plx-dummy-shaped plx-dummy-short plx-dummy-unresolved plx-faulty \
	plx-hostile plx-modelled
whole_forms = \
	tests/cli/test_judge_function.sh \
	tests/cli/test_judge_kernel.sh \
	tests/cli/test_judge_source.sh \
	tests/cli/test_plugins.sh \
	tests/cli/test_widths.sh \
	tests/configure/test_installed_parallax.sh \
	tests/house/test_new_kernel.sh \
	tests/house/test_new_operation.sh \
	tests/house/test_new_type.sh \
	tests/judge/test_claims.sh \
	tests/judge/test_mutants \
	tests/judge/test_others.sh \
	tests/kernels/test_gemm_configs \
	tests/measure/test_liars.sh \
	tests/measure/test_liars_device.sh \
	tests/measure/test_closing \
	tests/measure/test_probe.sh \
	tests/measure/test_units \
	tests/opencl/test_oclgrind.sh \
	tests/plugins/test_growth.sh \
	tests/plugins/test_peers.sh \
	tests/results/test_equal_runs.sh \
	tests/screen/test_fleet.sh \
	tests/screen/test_screen.sh \
	tests/whole/test_digits \
	tests/whole/test_kernels.sh

quick_tests = $(filter-out $(slow_programs),$(filter $(cmocka_tests) $(quick_scripts),$(TESTS)))
check-quick:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(quick_tests)' \
		check_PROGRAMS='$(filter $(quick_tests:%=%$(EXEEXT)),$(check_PROGRAMS))' \
		check_LTLIBRARIES='$(filter $(quick_fakes:%=tests/fakes/%.la),$(check_LTLIBRARIES))'
check-full-forms:
	CHECK_FORM=full $(MAKE) $(AM_MAKEFLAGS) check TESTS='$(filter $(whole_forms),$(TESTS))'

# PARTS: threads, addresses, gcc, clang; all of them take an hour.
check-sanitizers:
	$(SHELL) $(top_srcdir)/tests/sanitizers '$(top_srcdir)' '$(facts_nvcc)' $(PARTS)
