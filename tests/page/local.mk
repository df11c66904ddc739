# The page of `report`, and README's pictures.
script_tests += tests/page/test_page.sh tests/page/test_pictures.sh
dist_check_SCRIPTS += tests/page/pictures
EXTRA_DIST += tests/page/overlaps.awk tests/page/hidden.awk $(wildcard $(top_srcdir)/doc/*.svg)
