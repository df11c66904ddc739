# The house itself: who may know whom, what a library shows, and README's tables and pictures of
# measurements from the files under results/h200/.  With newer files there, `make update-tables`
# writes README in the source folder.
script_tests += tests/house/test_layers.sh tests/house/test_new_operation.sh tests/house/test_symbols.sh tests/house/test_tables.sh

check_PROGRAMS += tests/house/ladder_tables
tests_house_ladder_tables_SOURCES = tests/house/ladder_tables.c tests/house/peer_table.c \
	tests/house/twin_table.c tests/house/table_support.c tests/house/tables.h \
	study/results/ratios.c study/results/ratios.h
tests_house_ladder_tables_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
tests_house_ladder_tables_LDADD = $(JANSSON_LIBS) -lm

update-tables: tests/house/ladder_tables$(EXEEXT) parallax$(EXEEXT)
	tests/house/ladder_tables$(EXEEXT) $(top_srcdir)/README.md $(top_srcdir)/results/h200 --update
	$(SHELL) $(top_srcdir)/tests/page/pictures ./parallax$(EXEEXT) $(top_srcdir) --update

# The operation that test_new_operation.sh adds to a copy of the tree.
EXTRA_DIST += tests/house/scale
