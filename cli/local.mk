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
parallax_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
parallax_LDADD = libparallax.la $(JANSSON_LIBS)

dist_man_MANS += doc/parallax.1
