# configure, make and quickstart: what they refuse, and what they find where.
script_tests += \
	tests/configure/test_arithmetic.sh \
	tests/configure/test_cuda.sh \
	tests/configure/test_installed_parallax.sh \
	tests/configure/test_moved.sh \
	tests/configure/test_requests.sh
EXTRA_DIST += tests/configure/support.sh
