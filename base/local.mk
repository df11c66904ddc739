# What the libraries and the program share: text, files, the clock; no state.  Each has it hidden within.
noinst_LTLIBRARIES += libplx-base.la
libplx_base_la_SOURCES = \
	base/address_limit.c \
	base/address_limit.h \
	base/cache_dir.c \
	base/cache_dir.h \
	base/cache_file.c \
	base/clock.c \
	base/clock.h \
	base/coverage.h \
	base/driver_variables.c \
	base/driver_variables.h \
	base/format.c \
	base/format.h \
	base/json.c \
	base/json.h \
	base/whereabouts.c \
	base/whereabouts.h \
	base/privileges.c \
	base/privileges.h \
	base/process.c \
	base/process.h \
	base/processor.c \
	base/processor.h \
	base/ratios.c \
	base/ratios.h \
	base/run_to_run.h \
	base/secret.c \
	base/secret.h \
	base/sha256.c \
	base/sha256.h \
	base/signal_name.c \
	base/signal_name.h \
	base/table.c \
	base/table.h \
	base/team.c \
	base/team.h \
	base/text.c \
	base/text.h
