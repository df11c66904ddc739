# README's tables of measurements, from the files under results/h200/.  With newer
# files there, `make update-tables` writes README in the source folder.
check_PROGRAMS += tests/ladder_tables
tests_ladder_tables_SOURCES = tests/ladder_tables.c
tests_ladder_tables_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
tests_ladder_tables_LDADD = $(JANSSON_LIBS)

TESTS += tests/test_tables.sh
dist_check_SCRIPTS += tests/test_tables.sh

.PHONY: update-tables
update-tables: tests/ladder_tables$(EXEEXT)
	tests/ladder_tables$(EXEEXT) $(top_srcdir)/README.md $(top_srcdir)/results/h200 --update
