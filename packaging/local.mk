# What package managers build from, and what they need of make.
EXTRA_DIST += packaging/spack packaging/conda packaging/container packaging/debian

# The plugins for CUDA without anything else, beside a libparallax that is installed: the second of Debian's sources.
cuda_plugins = $(filter plx-cuda.la plx-cublas.la,$(pkglib_LTLIBRARIES))
install-cuda-plugins: $(cuda_plugins)
	@test -n '$(cuda_plugins)' || { echo 'install-cuda-plugins: the cuda plugin was left out by configure' >&2; exit 1; }
	$(MKDIR_P) '$(DESTDIR)$(pkglibdir)'
	for plugin in $(cuda_plugins); do \
		$(LIBTOOL) $(AM_LIBTOOLFLAGS) --mode=install $(INSTALL) $(INSTALL_STRIP_FLAG) $$plugin '$(DESTDIR)$(pkglibdir)' || exit 1; \
		rm -f '$(DESTDIR)$(pkglibdir)'/$$plugin; \
	done
