# The house itself: who may know whom, what a library shows, what a release has, what README promises, and the tables
# and pictures of measurements in README and doc/ from the files under results/.  With newer
# files there, `make update-tables` writes the documents in the source directory.
long_tests += tests/house/test_new_operation.sh
script_tests += \
	tests/house/test_abi.sh \
	tests/house/test_dist.sh \
	tests/house/test_format.sh \
	tests/house/test_headers.sh \
	tests/house/test_layers.sh \
	tests/house/test_circles.sh \
	tests/house/test_man.sh \
	tests/house/test_maps.sh \
	tests/house/test_new_kernel.sh \
	tests/house/test_new_type.sh \
	tests/house/test_packaging.sh \
	tests/house/test_readme.sh \
	tests/house/test_record.sh \
	tests/house/test_symbols.sh \
	tests/house/test_tables.sh \
	tests/house/test_words.sh
EXTRA_DIST += tests/house/tables

update-tables: parallax$(EXEEXT)
	$(SHELL) $(top_srcdir)/tests/house/tables ./parallax$(EXEEXT) $(top_srcdir) --update
	$(SHELL) $(top_srcdir)/tests/page/pictures ./parallax$(EXEEXT) $(top_srcdir) --update

# When a release is made: what test_abi.sh compares later ones with, of what the installed headers show.  Needs debugging
# information (-g), abidw and xz.
abi-dump: libparallax.la libparallax-study.la
	@$(MKDIR_P) $(top_srcdir)/tests/data/abi
	for name in libparallax libparallax-study; do \
		abidw --no-corpus-path --no-comp-dir-path --no-show-locs --drop-undefined-syms --exported-interfaces-only \
			--drop-private-types --headers-dir $(top_srcdir)/include --out-file $$name.abi .libs/$$name.so && \
			xz -9f $$name.abi && mv -f $$name.abi.xz $(top_srcdir)/tests/data/abi/ || exit 1; \
	done

EXTRA_DIST += tests/data/abi/libparallax.abi.xz tests/data/abi/libparallax-study.abi.xz

# What test_new_operation.sh, test_new_kernel.sh and test_new_type.sh add to a copy of the tree.
EXTRA_DIST += tests/house/copy_tree.sh tests/house/scale tests/house/turned tests/house/pairs
