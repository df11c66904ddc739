# The whole, put together: all kernels on all there is, real data, every order of loading.
if HAVE_CMOCKA
check_PROGRAMS += tests/test_chain tests/test_digits
TESTS += tests/test_chain tests/test_digits
endif
tests_test_chain_SOURCES = tests/test_chain.c $(vendor_sum_sources)
tests_test_chain_CPPFLAGS = $(vendor_sum_cppflags)
tests_test_chain_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_test_chain_LDADD = libparallax.la $(CMOCKA_LIBS) $(vendor_sum_libs)
tests_test_digits_SOURCES = tests/test_digits.c $(vendor_sum_sources)
tests_test_digits_CPPFLAGS = $(vendor_sum_cppflags)
tests_test_digits_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS)
tests_test_digits_LDADD = $(CMOCKA_LIBS) $(JANSSON_LIBS) $(vendor_sum_libs)

whole_scripts = tests/test_kernels.sh tests/test_order.sh tests/test_gpu.sh
TESTS += $(whole_scripts)
dist_check_SCRIPTS += $(whole_scripts)
