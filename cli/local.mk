# The program: one file per verb.
bin_PROGRAMS += parallax
parallax_SOURCES = \
	cli/cli.h \
	cli/main.c \
	cli/bench.c \
	cli/ceilings.c \
	cli/check.c \
	cli/compare.c \
	cli/diff.c \
	cli/doctor.c \
	cli/explain.c \
	cli/list.c \
	cli/options.c \
	cli/output.c \
	cli/plot.c \
	cli/probe.c \
	cli/problem.c \
	cli/report.c \
	cli/run.c \
	cli/session.c \
	cli/tune.c \
	cli/words.c
# What the page reads files with is no public part of the library.
parallax_SOURCES += $(page_sources) study/files/json_file.c study/results/ratios.c
parallax_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
parallax_LDADD = libparallax-study.la libparallax.la libplx-base.la $(JANSSON_LIBS) -lm

dist_man_MANS += doc/parallax.1
