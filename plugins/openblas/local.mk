# OpenBLAS as a peer, on the host backend.
if HAVE_OPENBLAS
pkglib_LTLIBRARIES += plx-openblas.la
plx_openblas_la_CPPFLAGS = $(AM_CPPFLAGS) $(OPENBLAS_CFLAGS)
plx_openblas_la_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
plx_openblas_la_LDFLAGS = $(plugin_ldflags)
plx_openblas_la_LIBADD = libplx-base.la $(OPENBLAS_LIBS)
plx_openblas_la_SOURCES = \
	$(vendor_sources) \
	$(host_backend_sources) \
	plugins/openblas/plan.c \
	plugins/openblas/plan.h \
	plugins/openblas/plugin.c \
	plugins/openblas/scale.c \
	plugins/openblas/scale.h
endif
