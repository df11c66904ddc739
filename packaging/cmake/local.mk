# The package for CMake.  Its paths are those from libdir, so that what was installed can be moved; an include directory
# outside the prefix is named as a whole.
cmakedir = $(libdir)/cmake/Parallax
if !INSTALLED_PARALLAX
nodist_cmake_DATA = packaging/cmake/ParallaxConfig.cmake packaging/cmake/ParallaxConfigVersion.cmake
endif
CLEANFILES += $(nodist_cmake_DATA)
EXTRA_DIST += packaging/cmake/ParallaxConfig.cmake.in packaging/cmake/ParallaxConfigVersion.cmake.in
$(nodist_cmake_DATA): packaging/cmake/local.mk Makefile

# "../.." and the like, from libdir to the prefix.
cmake_substitute = up=`echo '$(libdir)' | sed -e 's,^$(prefix)/*,,' -e 's,[^/][^/]*,..,g'`; \
	include=`echo '$(includedir)' | sed 's,^$(prefix)/*,,'`; bin=`echo '$(bindir)' | sed 's,^$(prefix)/*,,'`; \
	series=`echo '$(VERSION)' | sed 's,^\([0-9]*\.[0-9]*\).*,\1,'`; \
	$(MKDIR_P) $(@D) && sed -e "s,%INCLUDE%,$$up/$$include," -e 's,%INCLUDEDIR%,$(includedir),' -e "s,%BIN%,$$up/$$bin," \
		-e 's,%SONAME%,0,' -e 's,%VERSION%,$(VERSION),' -e "s,%SERIES%,$$series,"

packaging/cmake/ParallaxConfig.cmake: packaging/cmake/ParallaxConfig.cmake.in
	$(AM_V_GEN)$(cmake_substitute) $(top_srcdir)/packaging/cmake/ParallaxConfig.cmake.in >$@.tmp && mv -f $@.tmp $@

packaging/cmake/ParallaxConfigVersion.cmake: packaging/cmake/ParallaxConfigVersion.cmake.in
	$(AM_V_GEN)$(cmake_substitute) $(top_srcdir)/packaging/cmake/ParallaxConfigVersion.cmake.in >$@.tmp && mv -f $@.tmp $@
