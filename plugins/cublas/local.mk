# cuBLAS as a peer, on the CUDA backend.
if HAVE_CUBLAS
pkglib_LTLIBRARIES += plx-cublas.la
plx_cublas_la_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CFLAGS)
plx_cublas_la_LDFLAGS = -module -avoid-version -shared -no-undefined \
	-export-symbols-regex '^plx_plugin_entry$$'
plx_cublas_la_LIBADD = $(CUBLAS_LIBS)
plx_cublas_la_SOURCES = \
	$(cuda_backend_sources) \
	plugins/cublas/library.c \
	plugins/cublas/library.h \
	plugins/cublas/plan.c \
	plugins/cublas/plan.h \
	plugins/cublas/plugin.c
endif
