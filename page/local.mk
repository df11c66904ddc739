# The page of results, and its plots: part of the program, and of what tries it.
noinst_LTLIBRARIES += libplx-page.la
nodist_libplx_page_la_SOURCES = page/style.c
libplx_page_la_SOURCES = \
	page/accuracy.c \
	page/aims.c \
	page/agreement.c \
	page/answer.c \
	page/attribution.c \
	page/counters.c \
	page/data.c \
	page/environment.c \
	page/figure.c \
	page/fleet.c \
	page/frame.c \
	page/gnuplot.c \
	page/group.c \
	page/history.c \
	page/history_chart.c \
	page/ladder.c \
	page/markdown.c \
	page/page.h \
	page/peers.c \
	page/pen.c \
	page/ceilings.c \
	page/probes.c \
	page/records.c \
	page/report.c \
	page/roofline.c \
	page/summary.c \
	page/sweep.c \
	page/text.c \
	page/versus.c \
	page/without.c

page/style.c: $(top_srcdir)/page/page.css $(top_srcdir)/build-aux/embed
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(SHELL) $(top_srcdir)/build-aux/embed plx_page_style style=$(top_srcdir)/page/page.css >$@.tmp && \
		mv -f $@.tmp $@
EXTRA_DIST += page/page.css
CLEANFILES += page/style.c page/style.c.tmp
