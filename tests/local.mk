# The tests: cmocka programs and shell scripts under automake's harness.
AM_TESTS_ENVIRONMENT = \
	top_builddir='$(abs_top_builddir)'; export top_builddir; \
	top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
	PARALLAX='$(abs_top_builddir)/parallax'; export PARALLAX;
AM_COLOR_TESTS = auto

# What drivers leak is not our fault; what we leak fails a test.
if SANITIZERS
AM_TESTS_ENVIRONMENT += \
	LSAN_OPTIONS='suppressions=$(abs_top_srcdir)/tests/leaks.supp:print_suppressions=0'; \
	export LSAN_OPTIONS;
endif
EXTRA_DIST += tests/leaks.supp
