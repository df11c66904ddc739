# The whole, put together: all kernels on all there is, real data.
cmocka_tests += tests/whole/test_chain tests/whole/test_digits
long_tests += tests/whole/test_kernels.sh
script_tests += tests/whole/test_gpu.sh

tests_whole_test_chain_SOURCES = tests/whole/test_chain.c $(vendor_sum_sources)
tests_whole_test_chain_CPPFLAGS = $(vendor_sum_cppflags)
tests_whole_test_chain_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_whole_test_chain_LDADD = libparallax.la $(CMOCKA_LIBS) $(vendor_sum_libs)
tests_whole_test_digits_SOURCES = tests/whole/test_digits.c $(vendor_sum_sources)
tests_whole_test_digits_CPPFLAGS = $(vendor_sum_cppflags)
tests_whole_test_digits_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS)
tests_whole_test_digits_LDADD = $(CMOCKA_LIBS) $(JANSSON_LIBS) $(vendor_sum_libs)
