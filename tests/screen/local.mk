# Where results were made, which devices are meant, and whether those are right.
script_tests += tests/screen/test_whereabouts.sh tests/screen/test_screen.sh tests/screen/test_seal.sh tests/screen/test_fleet.sh

cmocka_tests += tests/screen/test_votes
tests_screen_test_votes_SOURCES = tests/screen/test_votes.c
tests_screen_test_votes_CFLAGS = $(study_cflags)
tests_screen_test_votes_LDADD = $(study_ldadd)
