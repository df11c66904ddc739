# The whole, put together: all kernels on all there is, real data.
cmocka_tests += tests/whole/test_chain tests/whole/test_digits
long_tests += tests/whole/test_kernels.sh
# Both have PoCL compile the same kernels: the second finds them compiled.
digits_log = tests/whole/test_digits.log
$(digits_log): $(filter tests/whole/test_kernels.sh.log,$(TEST_LOGS))
script_tests += tests/whole/test_gpu.sh tests/whole/test_examples.sh tests/whole/test_installed.sh
AM_TESTS_ENVIRONMENT += CUDA_CFLAGS='$(CUDA_CFLAGS)'; export CUDA_CFLAGS;

# What only a GPU can prove of memory, streams and graphs of others: to be run by hand.
if HAVE_CUDA
check_PROGRAMS += tests/whole/native_gpu
endif
EXTRA_DIST += tests/whole/auto_processor.sh tests/whole/batches_gpu.sh tests/whole/debian_packages.sh tests/whole/doors_gpu.sh tests/whole/equal_gpu.sh tests/whole/honest_gpu.sh tests/whole/native_gpu.sh tests/whole/judge_gpu.sh tests/whole/screen_one.sh tests/whole/screen_two.sh tests/whole/stranger.sh tests/whole/verdict_gpu.sh
tests_whole_native_gpu_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CFLAGS)
tests_whole_native_gpu_LDADD = libparallax.la

tests_whole_test_chain_SOURCES = tests/whole/test_chain.c $(vendor_sum_sources)
tests_whole_test_chain_CPPFLAGS = $(vendor_sum_cppflags)
tests_whole_test_chain_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_whole_test_chain_LDADD = libparallax.la $(CMOCKA_LIBS) $(vendor_sum_libs)
tests_whole_test_digits_SOURCES = tests/whole/test_digits.c $(vendor_sum_sources)
tests_whole_test_digits_CPPFLAGS = $(vendor_sum_cppflags)
tests_whole_test_digits_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS)
tests_whole_test_digits_LDADD = $(CMOCKA_LIBS) $(JANSSON_LIBS) $(vendor_sum_libs)
