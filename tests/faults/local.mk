# Faults: every allocation, system call and call of a driver that can fail does, under every command.
check_PROGRAMS += tests/faults/inject
tests_faults_inject_SOURCES = tests/faults/inject.c tests/faults/judge.c tests/faults/box.c tests/faults/calls.c \
	tests/faults/commands.c tests/faults/process.c tests/faults/inject.h tests/faults/judge.h tests/fakes/faults.h
long_tests += tests/faults/test_faults.sh

# Tens of thousands of them, in half an hour or so; what it finds also stands in faults.log.
check-full-faults: all tests/faults/inject $(check_LTLIBRARIES)
	env top_builddir='$(abs_top_builddir)' top_srcdir='$(abs_top_srcdir)' FAULTS_FORM=full \
		sh $(top_srcdir)/tests/faults/test_faults.sh
