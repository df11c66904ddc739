# What the libraries and the program share: text, files; no state.  Each has it hidden within.
noinst_LTLIBRARIES += libplx-base.la
libplx_base_la_SOURCES = \
	base/cache_dir.c \
	base/cache_dir.h \
	base/format.c \
	base/format.h \
	base/text.c \
	base/text.h
