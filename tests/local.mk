# The tests: cmocka programs and shell scripts under automake's harness.
AM_TESTS_ENVIRONMENT = \
	top_builddir='$(abs_top_builddir)'; export top_builddir; \
	top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
	PARALLAX='$(abs_top_builddir)/parallax'; export PARALLAX; \
	XDG_CACHE_HOME='$(abs_top_builddir)/tests/cache'; export XDG_CACHE_HOME;
AM_COLOR_TESTS = auto

# Compiled kernels are kept there: one test uses those of another, and no home is touched.
clean-local:
	-rm -rf tests/cache

# What drivers leak is not our fault; what we leak fails a test.
if SANITIZERS
AM_TESTS_ENVIRONMENT += \
	LSAN_OPTIONS='suppressions=$(abs_top_srcdir)/tests/leaks.supp:print_suppressions=0'; \
	export LSAN_OPTIONS;
endif
EXTRA_DIST += tests/leaks.supp
