# The program: one file per verb.
bin_PROGRAMS += parallax
parallax_SOURCES = cli/main.c
parallax_LDFLAGS = $(program_rpath)
parallax_LDADD = libplx-verbs.la libplx-page.la libparallax-study.la libparallax.la libplx-base.la -lm

# All but the process itself, for what tries command lines.
noinst_LTLIBRARIES += libplx-verbs.la
libplx_verbs_la_SOURCES = \
	cli/cli.h \
	cli/command.c \
	cli/command.h \
	cli/again.c \
	cli/bench.c \
	cli/ceilings.c \
	cli/challenge.c \
	cli/check.c \
	cli/ci.c \
	cli/attribute.c \
	cli/axis.c \
	cli/compare.c \
	cli/completion.c \
	cli/dispatch.c \
	cli/draft.c \
	cli/diff.c \
	cli/doctor.c \
	cli/ending.c \
	cli/explain.c \
	cli/explain_find.c \
	cli/explain_measured.c \
	cli/explain_source.c \
	cli/fleet.c \
	cli/judge.c \
	cli/interrupt.c \
	cli/list.c \
	cli/numbers.c \
	cli/options.c \
	cli/output.c \
	cli/plot.c \
	cli/probe.c \
	cli/problem.c \
	cli/progress.c \
	cli/judge_kernel.c \
	cli/judge_backends.c \
	cli/judge_worker.c \
	cli/judged.h \
	cli/judge_phases.c \
	cli/judge_replay.c \
	cli/judge_sanitize.c \
	cli/judged_processes.c \
	cli/judged_write.c \
	cli/keep.c \
	cli/kernel.c \
	cli/recipe.c \
	cli/report.c \
	cli/require.c \
	cli/run.c \
	cli/runs.c \
	cli/screen.c \
	cli/screen_children.c \
	cli/seal.c \
	cli/session.c \
	cli/streams.c \
	cli/tune.c \
	cli/wrap.c \
	cli/units.c \
	cli/watch.c \
	cli/words.c

libplx_verbs_la_CPPFLAGS = $(AM_CPPFLAGS) -D'PLX_DATA_DIR="$(datadir)/parallax"'

dist_man_MANS += doc/parallax.1

# What `explain --source` and `--measured` show: the kernels' texts, and the gains that were recorded.
textdir = $(datadir)/parallax
nobase_text_DATA = $(patsubst $(top_srcdir)/%,%,$(sort $(call plx_texts,cu cl cuh clh h) \
	$(foreach kind,cu cl cuh clh h,$(wildcard $(top_srcdir)/kernels/*.$(kind))) $(wildcard $(top_srcdir)/results/h200/ladder-*.json)))

# A page for each public function, from the headers; those of the study where it is installed.
man_headers = $(addprefix $(top_srcdir)/,$(parallaxinclude_HEADERS))
all-local: man3/made
man3/made: $(man_headers) $(top_srcdir)/build-aux/man3
	$(AM_V_GEN)rm -rf man3 && $(SHELL) $(top_srcdir)/build-aux/man3 $(VERSION) man3 $(man_headers) && touch $@
install-data-local: man3/made
	$(MKDIR_P) "$(DESTDIR)$(mandir)/man3" && $(INSTALL_DATA) man3/*.3 "$(DESTDIR)$(mandir)/man3"
uninstall-local:
	cd man3 && for page in *.3; do rm -f "$(DESTDIR)$(mandir)/man3/$$page"; done
CLEANFILES += man3/*.3 man3/made

# What a library that is new has to be told to the loader.  Nothing is said where it is found anyway, or is for a package.
install-exec-hook:
	@test -n "$(DESTDIR)" || ! command -v ldconfig >/dev/null 2>&1 || \
		ldconfig -p 2>/dev/null | grep -qF "$(libdir)/libparallax.so" || { \
		echo "The loader does not know $(libdir)/libparallax.so yet.  As root: ldconfig"; \
		echo "or, where $(libdir) is not among its directories: LD_LIBRARY_PATH=$(libdir)"; }

# In the build tree the program finds them by this link.
all-local: sources
sources:
	$(AM_V_GEN)rm -f $@ && $(LN_S) $(abs_top_srcdir) $@
CLEANFILES += sources

# README as it is read in the source tree: its links lead to the documents below it.  No word twice: Automake would leave
# out the second, which may be half of a call.
nobase_dist_doc_DATA = README.md HACKING.md NEWS SECURITY.md LICENSE data/README.md python/README.md $(patsubst $(top_srcdir)/%,%,$(sort $(wildcard \
	$(top_srcdir)/doc/*.md $(top_srcdir)/doc/*.svg)))

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
