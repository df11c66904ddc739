# The OpenCL backend and the opencl plugin.  The kernels' sources travel in the
# plugin as bytes, each with what it includes: kernels/gemm/device/ladder/naive.cl under the key gemm/naive.
EXTRA_LTLIBRARIES += libplx-opencl-api.la
libplx_opencl_api_la_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CFLAGS)
libplx_opencl_api_la_SOURCES = \
	base/cache_dir.c \
	base/cache_file.c \
	base/driver_variables.c \
	base/driver_variables.h \
	base/privileges.c \
	base/text.c \
	base/text.h \
	base/format.c \
	base/cache_dir.h \
	base/sha256.c \
	base/sha256.h \
	backends/opencl/building.c \
	backends/opencl/building.h \
	backends/opencl/cache.c \
	backends/opencl/cache.h \
	backends/opencl/describe.c \
	backends/opencl/errors.c \
	backends/opencl/functions.c \
	backends/opencl/il.c \
	backends/opencl/functions.h \
	backends/opencl/list.c \
	backends/opencl/native.c \
	backends/opencl/opencl.h \
	backends/opencl/own_target.c \
	backends/opencl/own_target.h \
	backends/opencl/places.c \
	backends/opencl/places.h \
	backends/opencl/pointer_text.c \
	backends/opencl/program.c \
	backends/opencl/program_text.c \
	backends/opencl/program_text.h \
	backends/opencl/queue.c \
	backends/opencl/session.c \
	backends/opencl/session.h

opencl_sources = $(call plx_texts,cl)
opencl_included = $(wildcard $(top_srcdir)/kernels/*.clh) $(call plx_texts,clh h)

plugins/opencl/sources.c: $(opencl_sources) $(opencl_included) $(top_srcdir)/build-aux/embed $(top_srcdir)/build-aux/inline
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(SHELL) $(top_srcdir)/build-aux/embed plx_opencl_sources \
		$(foreach source,$(opencl_sources),$(call plx_key,$(source))=$(source)) >$@.tmp && \
		mv -f $@.tmp $@

# Of the plugin, and of the tests that plan without one.
EXTRA_LTLIBRARIES += libplx-opencl-plan.la
libplx_opencl_plan_la_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CFLAGS)
libplx_opencl_plan_la_SOURCES = \
	plugins/opencl/choose.c \
	plugins/opencl/code.c \
	plugins/opencl/code.h \
	plugins/opencl/map.c \
	plugins/opencl/execute.c \
	plugins/opencl/map.h \
	plugins/opencl/parts.h \
	plugins/opencl/plan.c \
	plugins/opencl/plan.h
nodist_libplx_opencl_plan_la_SOURCES = plugins/opencl/sources.c

CLEANFILES += plugins/opencl/sources.c plugins/opencl/sources.c.tmp

if HAVE_OPENCL
pkglib_LTLIBRARIES += plx-opencl.la
plx_opencl_la_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CFLAGS)
plx_opencl_la_LIBADD = libplx-opencl-plan.la libplx-opencl-api.la libplx-ladder.la
plx_opencl_la_LDFLAGS = $(plugin_ldflags)
plx_opencl_la_SOURCES = plugins/opencl/plugin.c
endif
