# README's tables and pictures of measurements, from the files under results/h200/.  With newer
# files there, `make update-tables` writes README in the source folder.
check_PROGRAMS += tests/ladder_tables
tests_ladder_tables_SOURCES = tests/ladder_tables.c tests/peer_table.c tests/twin_table.c \
	tests/table_support.c tests/tables.h study/results/ratios.c study/results/ratios.h
tests_ladder_tables_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
tests_ladder_tables_LDADD = $(JANSSON_LIBS) -lm

TESTS += tests/test_tables.sh tests/test_pictures.sh
dist_check_SCRIPTS += tests/test_tables.sh tests/test_pictures.sh tests/pictures
EXTRA_DIST += $(wildcard $(top_srcdir)/doc/*.svg)

.PHONY: update-tables
update-tables: tests/ladder_tables$(EXEEXT) parallax$(EXEEXT)
	tests/ladder_tables$(EXEEXT) $(top_srcdir)/README.md $(top_srcdir)/results/h200 --update
	$(SHELL) $(top_srcdir)/tests/pictures ./parallax$(EXEEXT) $(top_srcdir) --update
