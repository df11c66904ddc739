# What the libraries and the program share: text, files; no state.
base_sources = \
	base/cache_dir.c \
	base/cache_dir.h \
	base/format.c \
	base/format.h \
	base/text.c \
	base/text.h
