# The OpenCL program cache.
if HAVE_OPENCL
if HAVE_CMOCKA
check_PROGRAMS += test_opencl_cache
TESTS += test_opencl_cache
endif
endif
test_opencl_cache_SOURCES = $(opencl_backend_sources) tests/test_opencl_cache.c
test_opencl_cache_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CFLAGS)
test_opencl_cache_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_opencl_cache_LDADD = $(CMOCKA_LIBS)
