# Where results were made, which devices are meant, and whether those are right.
long_tests += tests/screen/test_screen.sh
script_tests += tests/screen/test_whereabouts.sh tests/screen/test_states.sh tests/screen/test_seal.sh tests/screen/test_fleet.sh tests/screen/test_schema.sh

cmocka_tests += tests/screen/test_votes tests/screen/test_on_device
tests_screen_test_votes_CFLAGS = $(study_cflags)
tests_screen_test_votes_LDADD = $(study_ldadd)
tests_screen_test_on_device_CFLAGS = $(study_cflags)
tests_screen_test_on_device_LDADD = $(study_ldadd)

# A real Slurm and a real Open MPI on the loopback address.  What the tests' own log counts stays as it is.
EXTRA_DIST += tests/screen/cluster.sh
CLEANFILES += programs-of-cluster.log
check-cluster:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS= TEST_SUITE_LOG=programs-of-cluster.log >/dev/null
	top_builddir='$(abs_top_builddir)' top_srcdir='$(abs_top_srcdir)' PARALLAX='$(abs_top_builddir)/tests/parallax' \
		$(SHELL) '$(srcdir)/tests/screen/cluster.sh'; status=$$?; test $$status = 0 || test $$status = 77
