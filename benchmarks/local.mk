# What plx_execute() adds to the driver's own launch, one program for each API.  Not
# tests; installed with the plugins, where nobody takes them for verbs.
dispatch_sources = \
	benchmarks/dispatch.c \
	benchmarks/dispatch.h \
	study/measure/statistics.c

if HAVE_CUDA
pkglibexec_PROGRAMS += dispatch-cuda
dispatch_cuda_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CFLAGS) $(JANSSON_CFLAGS)
dispatch_cuda_LDFLAGS = $(helper_rpath)
dispatch_cuda_LDADD = libplx-cuda-api.la libplx-ladder.la libparallax.la libplx-base.la $(JANSSON_LIBS)
dispatch_cuda_SOURCES = $(dispatch_sources) benchmarks/dispatch_cuda.c
nodist_dispatch_cuda_SOURCES = plugins/cuda/images.c
endif

if HAVE_OPENCL
pkglibexec_PROGRAMS += dispatch-opencl
dispatch_opencl_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CFLAGS) $(JANSSON_CFLAGS)
dispatch_opencl_LDFLAGS = $(helper_rpath)
dispatch_opencl_LDADD = libplx-opencl-api.la libplx-ladder.la libparallax.la libplx-base.la $(JANSSON_LIBS)
dispatch_opencl_SOURCES = $(dispatch_sources) benchmarks/dispatch_opencl.c
nodist_dispatch_opencl_SOURCES = plugins/opencl/sources.c
endif


# How long it takes to plan a product; needs no device, and is made on request: make benchmarks/planning.
EXTRA_PROGRAMS += benchmarks/planning
benchmarks_planning_LDADD = libplx-ladder.la libparallax-study.la libparallax.la libplx-base.la -lm
benchmarks_planning_SOURCES = benchmarks/planning.c

# Times of configurations, and a model's rates fitted to them without a device; tests see with it what models choose.
EXTRA_PROGRAMS += benchmarks/configs
check_PROGRAMS += benchmarks/refit
benchmarks_configs_LDADD = libparallax-study.la libparallax.la -lm
benchmarks_configs_SOURCES = benchmarks/configs.c
benchmarks_refit_LDADD = libplx-ladder.la libparallax.la libplx-base.la -lm
benchmarks_refit_SOURCES = benchmarks/refit.c
