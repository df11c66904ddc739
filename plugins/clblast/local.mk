# CLBlast as a peer, on the OpenCL backend.
if HAVE_CLBLAST
pkglib_LTLIBRARIES += plx-clblast.la
plx_clblast_la_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CFLAGS) $(CLBLAST_CFLAGS) $(JANSSON_CFLAGS)
plx_clblast_la_LDFLAGS = $(plugin_ldflags)
plx_clblast_la_LIBADD = libplx-opencl-api.la $(CLBLAST_LIBS) $(JANSSON_LIBS)
plx_clblast_la_SOURCES = \
	$(vendor_sources) \
	plugins/clblast/answers.c \
	plugins/clblast/answers.h \
	plugins/clblast/calls.c \
	plugins/clblast/calls.h \
	plugins/clblast/library.c \
	plugins/clblast/library.h \
	plugins/clblast/plan.c \
	plugins/clblast/plan.h \
	plugins/clblast/plugin.c \
	plugins/clblast/tuned.c \
	plugins/clblast/tuned.h
endif
