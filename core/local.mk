# The dispatcher: finds plugins, checks problems, plans and executes.
core_sources = \
	core/added.c \
	core/answers.c \
	core/backend.c \
	core/backend_failure.c \
	core/barred.c \
	core/batch.c \
	core/buffer.c \
	core/build.c \
	core/build.h \
	core/calls.c \
	core/chip_word.c \
	core/code.c \
	core/context.c \
	core/core.h \
	core/device_check.c \
	core/device_list.c \
	core/elf_file.c \
	core/first_use.c \
	core/fork.c \
	core/guard.c \
	core/guard.h \
	core/inspect.c \
	core/inspect.h \
	core/inspect_said.c \
	core/inspections.c \
	core/kernel_model.c \
	core/kernel_name.c \
	core/kernel_rows.c \
	core/message.c \
	core/module.c \
	core/names.c \
	core/native.c \
	core/nearest_name.c \
	core/no_native.c \
	core/open.c \
	core/output_file.c \
	core/plan.c \
	core/plan_cache.c \
	core/problem.c \
	core/problem_shape.c \
	core/problem_text.c \
	core/queue.c \
	core/registry.c \
	core/run.c \
	core/scratch.c \
	core/search.c \
	core/tensor.c \
	core/tuning.c \
	core/tuning.h

if !INSTALLED_PARALLAX
lib_LTLIBRARIES += libparallax.la
libparallax_la_SOURCES = $(core_sources) $(operation_sources)
nodist_libparallax_la_SOURCES = build_facts.c
libparallax_la_CPPFLAGS = $(AM_CPPFLAGS) -DPLX_PLUGIN_DIR='"$(pkglibdir)"'
libparallax_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
libparallax_la_LIBADD = libplx-base.la -lm
libparallax_la_LDFLAGS = -version-info 0:0:0 -no-undefined
EXTRA_DIST += core/libparallax.map
if VERSION_SCRIPTS
libparallax_la_LDFLAGS += -Wl,--version-script=$(top_srcdir)/core/libparallax.map
# It stays when it is closed, for the ends of threads call it; and all that it calls is found when it is loaded, before
# any plugin is.
libparallax_la_LDFLAGS += -Wl,-z,nodelete -Wl,-z,now
EXTRA_libparallax_la_DEPENDENCIES = core/libparallax.map
endif

# Tries a plugin in a process of its own.  It stands alone: whatever ails the library, it starts.
inspectdir = $(pkglibdir)
inspect_PROGRAMS = parallax-inspect
parallax_inspect_SOURCES = \
	core/answers.c \
	core/calls.c \
	core/device_check.c \
	core/device_list.c \
	core/elf_file.c \
	core/fork.c \
	core/guard.c \
	core/guard.h \
	core/inspect.h \
	core/inspect_main.c \
	core/kernel_rows.c \
	core/message.c \
	core/module.c \
	core/names.c \
	core/no_native.c \
	$(operation_sources)
parallax_inspect_CFLAGS = $(AM_CFLAGS)
parallax_inspect_LDADD = libplx-base.la -lm

endif

if HAVE_CUDA
facts_nvcc = $(NVCC)
endif
# Looked at whenever make runs, for a file may have gone, and replaced only when it differs.  Two makes
# may look at the same time: each writes a file of its own.
plx_facts = $(SHELL) $(top_srcdir)/build-aux/build-facts '$(top_srcdir)' '$(SHA256)' '$(CC)' \
	'$(AM_CFLAGS) $(OPENMP_CFLAGS) $(CFLAGS)' '$(facts_nvcc)' '$(plx_nvcc_flags)'

build_facts.c: plx-always
	@new=$@.$$$$.tmp; trap 'rm -f $$new' EXIT; \
		$(plx_facts) >$$new && { cmp -s $$new $@ || mv -f $$new $@; }

CLEANFILES += build_facts.c
