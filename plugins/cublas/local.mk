# cuBLAS and CUB as peers, on the CUDA backend.  nvcc compiles cub.cu into an archive,
# which libtool takes for a library like any other: it never sees nvcc.
CLEANFILES += plugins/cublas/cub.o plugins/cublas/cub.d plugins/cublas/libplx_cub.a

# CUB has no code for sm_90a alone: see plx_for_kernel in plugins/cuda/local.mk.
plugins/cublas/cub.o: $(top_srcdir)/plugins/cublas/cub.cu
	@$(MKDIR_P) $(@D)
	$(plx_nvcc_verbose)$(NVCC) -c $(subst 90a,90,$(NVCCFLAGS_ARCH)) -O3 -std=c++17 -Xcompiler -fPIC,-fvisibility=hidden \
		-I$(top_srcdir)/include -I$(top_srcdir) -MD -MP -MF $(@:.o=.d) $(NVCCFLAGS) -o $@ $<

-include plugins/cublas/cub.d

plugins/cublas/libplx_cub.a: plugins/cublas/cub.o
	$(AM_V_GEN)rm -f $@ && $(AR) cr $@ $<

if HAVE_CUBLAS
pkglib_LTLIBRARIES += plx-cublas.la
plx_cublas_la_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CFLAGS)
plx_cublas_la_LDFLAGS = $(plugin_ldflags)
plx_cublas_la_SOURCES = \
	$(vendor_sources) \
	plugins/cublas/cub.h \
	plugins/cublas/functions.c \
	plugins/cublas/functions.h \
	plugins/cublas/library.c \
	plugins/cublas/library.h \
	plugins/cublas/lt.c \
	plugins/cublas/lt.h \
	plugins/cublas/lt_choices.h \
	plugins/cublas/lt_fastest.c \
	plugins/cublas/plan.c \
	plugins/cublas/plan.h \
	plugins/cublas/plugin.c \
	plugins/cublas/reduce.c \
	plugins/cublas/reduce.h \
	plugins/cublas/segments.h
if HAVE_CUB
plx_cublas_la_LIBADD = libplx-cuda-api.la -Lplugins/cublas -lplx_cub $(CUB_LIBS)
plx_cublas_la_DEPENDENCIES = libplx-cuda-api.la plugins/cublas/libplx_cub.a
else
plx_cublas_la_LIBADD = libplx-cuda-api.la
plx_cublas_la_SOURCES += plugins/cublas/cub_absent.c
endif
endif

EXTRA_DIST += plugins/cublas/cub.cu
