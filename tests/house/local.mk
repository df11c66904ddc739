# The house itself: who may know whom, what a library shows, what a release has, what README promises, and the tables
# and pictures of measurements in README and doc/ from the files under results/h200/.  With newer
# files there, `make update-tables` writes the documents in the source directory.
long_tests += tests/house/test_new_operation.sh
script_tests += \
	tests/house/test_abi.sh \
	tests/house/test_dist.sh \
	tests/house/test_format.sh \
	tests/house/test_headers.sh \
	tests/house/test_layers.sh \
	tests/house/test_man.sh \
	tests/house/test_maps.sh \
	tests/house/test_new_kernel.sh \
	tests/house/test_packaging.sh \
	tests/house/test_readme.sh \
	tests/house/test_record.sh \
	tests/house/test_symbols.sh \
	tests/house/test_tables.sh
EXTRA_DIST += tests/house/tables

update-tables: parallax$(EXEEXT)
	$(SHELL) $(top_srcdir)/tests/house/tables ./parallax$(EXEEXT) $(top_srcdir) --update
	$(SHELL) $(top_srcdir)/tests/page/pictures ./parallax$(EXEEXT) $(top_srcdir) --update

# When a release is made: what test_abi.sh compares later ones with.  Needs debugging information (-g) and abidw.
abi-dump: libparallax.la libparallax-study.la
	@$(MKDIR_P) $(top_srcdir)/tests/data/abi
	for name in libparallax libparallax-study; do \
		abidw --no-corpus-path --no-comp-dir-path --out-file $(top_srcdir)/tests/data/abi/$$name.abi .libs/$$name.so || exit 1; \
	done

# What test_new_operation.sh and test_new_kernel.sh add to a copy of the tree.
EXTRA_DIST += tests/house/copy_tree.sh tests/house/scale tests/house/turned
