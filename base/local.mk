# What the libraries and the program share: text, files; no state.
base_sources = \
	base/format.c \
	base/format.h \
	base/output_file.c \
	base/text.c \
	base/text.h
