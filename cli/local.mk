# The program: one file per verb.
bin_PROGRAMS += parallax
parallax_SOURCES = cli/main.c
parallax_LDFLAGS = $(program_rpath)
parallax_LDADD = libplx-verbs.la libplx-page.la libparallax-study.la libparallax.la libplx-base.la -lm

# All but the process itself, for what tries command lines.
noinst_LTLIBRARIES += libplx-verbs.la
libplx_verbs_la_SOURCES = \
	cli/cli.h \
	cli/again.c \
	cli/bench.c \
	cli/ceilings.c \
	cli/challenge.c \
	cli/check.c \
	cli/ci.c \
	cli/attribute.c \
	cli/compare.c \
	cli/completion.c \
	cli/dispatch.c \
	cli/diff.c \
	cli/doctor.c \
	cli/ending.c \
	cli/explain.c \
	cli/judge.c \
	cli/interrupt.c \
	cli/list.c \
	cli/options.c \
	cli/output.c \
	cli/plot.c \
	cli/probe.c \
	cli/problem.c \
	cli/progress.c \
	cli/recipe.c \
	cli/report.c \
	cli/require.c \
	cli/run.c \
	cli/session.c \
	cli/streams.c \
	cli/tune.c \
	cli/wrap.c \
	cli/units.c \
	cli/watch.c \
	cli/words.c

dist_man_MANS += doc/parallax.1

# Where the shells look for what completes commands.  A program for another machine can't be run.
if !CROSS_COMPILING
bashcompletiondir = $(datadir)/bash-completion/completions
zshcompletiondir = $(datadir)/zsh/site-functions
fishcompletiondir = $(datadir)/fish/vendor_completions.d
nodist_bashcompletion_DATA = completions/parallax
nodist_zshcompletion_DATA = completions/_parallax
nodist_fishcompletion_DATA = completions/parallax.fish
CLEANFILES += completions/parallax completions/_parallax completions/parallax.fish

completions/parallax: parallax$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) completions && ./parallax$(EXEEXT) completion bash >$@ || { rm -f $@; exit 1; }
completions/_parallax: parallax$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) completions && ./parallax$(EXEEXT) completion zsh >$@ || { rm -f $@; exit 1; }
completions/parallax.fish: parallax$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) completions && ./parallax$(EXEEXT) completion fish >$@ || { rm -f $@; exit 1; }
endif
