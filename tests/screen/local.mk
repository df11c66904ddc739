# Where results were made, which devices are meant, and whether those are right.
script_tests += tests/screen/test_whereabouts.sh
