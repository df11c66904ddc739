# The judge's own tests.  They reach behind the library's exports, so they carry the
# judge's files themselves.
if HAVE_CMOCKA
check_PROGRAMS += tests/test_generate tests/test_validate
TESTS += tests/test_generate tests/test_validate
endif
judge_sources = \
	core/agree.c \
	core/element.c \
	core/freivalds.c \
	core/generate.c \
	core/inputs.c \
	core/judge.h \
	core/problem.c \
	core/statistics.c \
	core/study.h \
	core/truth.c \
	core/validate.c \
	core/words.c \
	$(operation_sources)

tests_test_generate_SOURCES = tests/test_generate.c tests/judge_support.h $(judge_sources)
tests_test_generate_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_test_generate_LDADD = $(CMOCKA_LIBS) -lm
tests_test_validate_SOURCES = tests/test_validate.c tests/judge_support.h $(judge_sources)
tests_test_validate_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_test_validate_LDADD = $(CMOCKA_LIBS) -lm
