# The host backend, and its plugin: always built, so that there is always one backend
# that is right.
host_backend_sources = \
	backends/host/cpu.c \
	backends/host/host.h \
	backends/host/threads.c

if !INSTALLED_PARALLAX
pkglib_LTLIBRARIES += plx-host.la
else
EXTRA_LTLIBRARIES += plx-host.la
endif

# Sums of twice the precision need a*b+c to be two operations where two are written.
plx_host_la_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS) -ffp-contract=off
plx_host_la_LDFLAGS = $(plugin_ldflags)
plx_host_la_LIBADD = libplx-base.la -lm
plx_host_la_SOURCES = \
	$(host_backend_sources) \
	$(host_kernel_sources) \
	plugins/host/plugin.c \
	plugins/host/shared.c \
	plugins/host/shared.h
