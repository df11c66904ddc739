# The page of results, and its plots.
page_sources = \
	page/agreement.c \
	page/data.c \
	page/environment.c \
	page/figure.c \
	page/frame.c \
	page/gnuplot.c \
	page/group.c \
	page/ladder.c \
	page/markdown.c \
	page/page.h \
	page/peers.c \
	page/records.c \
	page/report.c \
	page/roofline.c \
	page/summary.c \
	page/sweep.c \
	page/text.c
