# Plugins without hardware, and drivers that are not there.
if HAVE_CMOCKA
check_LTLIBRARIES += \
	tests/fakes/plx-dummy-good.la \
	tests/fakes/plx-dummy-twin.la \
	tests/fakes/plx-dummy-short.la \
	tests/fakes/plx-dummy-shaped.la \
	tests/fakes/plx-dummy-bare.la \
	tests/fakes/plx-dummy-mute.la \
	tests/fakes/plx-dummy-unresolved.la
endif

dummy_sources = tests/fakes/dummy.c tests/fakes/dummy.h

tests_fakes_plx_dummy_good_la_SOURCES = tests/fakes/dummy_good.c $(dummy_sources)
tests_fakes_plx_dummy_good_la_CFLAGS = $(fake_cflags)
tests_fakes_plx_dummy_good_la_LDFLAGS = $(fake_ldflags)
tests_fakes_plx_dummy_twin_la_SOURCES = tests/fakes/dummy_twin.c $(dummy_sources)
tests_fakes_plx_dummy_twin_la_CFLAGS = $(fake_cflags)
tests_fakes_plx_dummy_twin_la_LDFLAGS = $(fake_ldflags)
# An older plugin, whose descriptor ends before slots that came later: the dispatch tests take this, too.
tests_fakes_plx_dummy_short_la_SOURCES = tests/fakes/dummy_good.c $(dummy_sources)
tests_fakes_plx_dummy_short_la_CPPFLAGS = $(AM_CPPFLAGS) -DDUMMY_BYTES='offsetof(plx_plugin,supports)'
tests_fakes_plx_dummy_short_la_CFLAGS = $(fake_cflags)
tests_fakes_plx_dummy_short_la_LDFLAGS = $(fake_ldflags)
tests_fakes_plx_dummy_shaped_la_SOURCES = tests/fakes/dummy_shaped.c $(dummy_sources)
tests_fakes_plx_dummy_shaped_la_CFLAGS = $(fake_cflags)
tests_fakes_plx_dummy_shaped_la_LDFLAGS = $(fake_ldflags)
tests_fakes_plx_dummy_bare_la_SOURCES = tests/fakes/dummy_bare.c $(dummy_sources)
tests_fakes_plx_dummy_bare_la_CFLAGS = $(fake_cflags)
tests_fakes_plx_dummy_bare_la_LDFLAGS = $(fake_ldflags)
tests_fakes_plx_dummy_mute_la_SOURCES = tests/fakes/dummy_mute.c
tests_fakes_plx_dummy_mute_la_CFLAGS = $(fake_cflags)
tests_fakes_plx_dummy_mute_la_LDFLAGS = $(fake_ldflags)
tests_fakes_plx_dummy_unresolved_la_SOURCES = tests/fakes/dummy_unresolved.c
tests_fakes_plx_dummy_unresolved_la_CFLAGS = $(fake_cflags)
tests_fakes_plx_dummy_unresolved_la_LDFLAGS = $(fake_ldflags)

# A plugin whose kernels go wrong, for the exit statuses.
check_LTLIBRARIES += tests/fakes/plx-faulty.la
tests_fakes_plx_faulty_la_SOURCES = tests/fakes/dummy_faulty.c $(dummy_sources)
tests_fakes_plx_faulty_la_CFLAGS = $(fake_cflags)
tests_fakes_plx_faulty_la_LDFLAGS = $(fake_ldflags)

# Products that cheat when they are timed.
check_LTLIBRARIES += tests/fakes/plx-liars.la
tests_fakes_plx_liars_la_SOURCES = tests/fakes/liars.c tests/fakes/liars.h tests/fakes/liars_elsewhen.c \
	tests/fakes/liars_remember.c tests/fakes/liars_wrong.c
tests_fakes_plx_liars_la_CFLAGS = $(fake_cflags) -O2 -ffp-contract=off
tests_fakes_plx_liars_la_LDFLAGS = $(fake_ldflags)
tests_fakes_plx_liars_la_LIBADD = -lm -lpthread
# The same as device code.
EXTRA_DIST += \
	tests/fakes/liars/computes-the-next.cl \
	tests/fakes/liars/counts-launches.cl \
	tests/fakes/liars/evicts-last.cu \
	tests/fakes/liars/falls-back-by-shape.cl \
	tests/fakes/liars/keeps-in-device-memory.cu \
	tests/fakes/liars/keeps-results.cl \
	tests/fakes/liars/knows-seed-1.cl \
	tests/fakes/liars/leaves-counters.cl \
	tests/fakes/liars/liar.clh \
	tests/fakes/liars/packs-once.cl \
	tests/fakes/liars/reads-beyond.cl

# A device with matrix units, and what measures them.
check_LTLIBRARIES += tests/fakes/plx-onunits.la
tests_fakes_plx_onunits_la_SOURCES = tests/fakes/on_units.c
tests_fakes_plx_onunits_la_CFLAGS = $(fake_cflags) -O2
tests_fakes_plx_onunits_la_LDFLAGS = $(fake_ldflags)

# Two APIs of one chip that take each other's device code.
check_LTLIBRARIES += tests/fakes/plx-first.la tests/fakes/plx-second.la
tests_fakes_plx_first_la_SOURCES = tests/fakes/two_apis.c $(dummy_sources)
tests_fakes_plx_first_la_CFLAGS = $(fake_cflags)
tests_fakes_plx_first_la_LDFLAGS = $(fake_ldflags)
tests_fakes_plx_first_la_LIBADD = -lm
tests_fakes_plx_second_la_SOURCES = tests/fakes/two_apis.c $(dummy_sources)
tests_fakes_plx_second_la_CPPFLAGS = $(AM_CPPFLAGS) -DSECOND
tests_fakes_plx_second_la_CFLAGS = $(fake_cflags)
tests_fakes_plx_second_la_LDFLAGS = $(fake_ldflags)
tests_fakes_plx_second_la_LIBADD = -lm

# A plugin whose kernels have models of their time.
check_LTLIBRARIES += tests/fakes/plx-modelled.la
tests_fakes_plx_modelled_la_SOURCES = tests/fakes/modelled.c
tests_fakes_plx_modelled_la_CFLAGS = $(fake_cflags)
tests_fakes_plx_modelled_la_LDFLAGS = $(fake_ldflags)

# A plugin that does harm in many ways.
check_LTLIBRARIES += tests/fakes/plx-hostile.la
tests_fakes_plx_hostile_la_SOURCES = tests/fakes/hostile.c tests/fakes/hostile.h tests/fakes/hostile_actions.c \
	tests/fakes/hostile_kernels.c tests/fakes/hostile_memory.c tests/fakes/hostile_optional.c $(dummy_sources)
tests_fakes_plx_hostile_la_CFLAGS = $(fake_cflags)
tests_fakes_plx_hostile_la_LDFLAGS = $(fake_ldflags)

# What a plugin may show to the whole process.
check_LTLIBRARIES += tests/fakes/fake-globals.la
tests_fakes_fake_globals_la_SOURCES = tests/fakes/globals.c
tests_fakes_fake_globals_la_LDFLAGS = $(fake_ldflags)

# For the test of raised privileges.
check_LTLIBRARIES += tests/fakes/fake-secure.la tests/fakes/fake-marker.la
tests_fakes_fake_secure_la_SOURCES = tests/fakes/secure.c
tests_fakes_fake_secure_la_LDFLAGS = $(fake_ldflags)
tests_fakes_fake_marker_la_SOURCES = tests/fakes/marker.c
tests_fakes_fake_marker_la_LDFLAGS = $(fake_ldflags)

# What fake drivers share.
answers_sources = tests/fakes/answers.c tests/fakes/answers.h tests/fakes/faults.h

# The CUDA driver, the management and the profiling library, for the cuda plugin's host code.
if HAVE_CUDA
if HAVE_CMOCKA
check_LTLIBRARIES += tests/fakes/fake-cuda.la tests/fakes/fake-nvml.la
if HAVE_CUPTI
check_LTLIBRARIES += tests/fakes/fake-cupti.la
endif
endif
endif
tests_fakes_fake_cuda_la_SOURCES = tests/fakes/fake_cuda.c tests/fakes/fake_cuda_programs.c \
	tests/fakes/fake_cuda_streams.c \
	tests/fakes/fake_cuda.h tests/fakes/fake_cuda_inside.h $(answers_sources)
tests_fakes_fake_cuda_la_CFLAGS = $(fake_cflags)
tests_fakes_fake_cuda_la_LIBADD = -lm
tests_fakes_fake_cuda_la_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CFLAGS)
tests_fakes_fake_cuda_la_LDFLAGS = $(fake_ldflags)
tests_fakes_fake_nvml_la_SOURCES = tests/fakes/fake_nvml.c tests/fakes/fake_cuda.h
tests_fakes_fake_nvml_la_LDFLAGS = $(fake_ldflags)
tests_fakes_fake_cupti_la_SOURCES = tests/fakes/fake_cupti.c tests/fakes/fake_cupti.h
tests_fakes_fake_cupti_la_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CFLAGS)
tests_fakes_fake_cupti_la_LDFLAGS = $(fake_ldflags)

# An OpenCL driver and its loader, in one.
if HAVE_OPENCL
check_LTLIBRARIES += tests/fakes/fake-opencl.la
endif
tests_fakes_fake_opencl_la_SOURCES = tests/fakes/fake_opencl.c tests/fakes/fake_opencl_kernels.c \
	tests/fakes/fake_opencl.h $(answers_sources)
tests_fakes_fake_opencl_la_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CFLAGS)
tests_fakes_fake_opencl_la_CFLAGS = $(fake_cflags)
tests_fakes_fake_opencl_la_LDFLAGS = $(fake_ldflags)
tests_fakes_fake_opencl_la_LIBADD = -lm

# A vendor's library that is wrong.
if HAVE_OPENBLAS
check_LTLIBRARIES += tests/fakes/wrong-openblas.la
endif
tests_fakes_wrong_openblas_la_SOURCES = tests/fakes/wrong_openblas.c
tests_fakes_wrong_openblas_la_CPPFLAGS = $(AM_CPPFLAGS) $(OPENBLAS_CFLAGS)
tests_fakes_wrong_openblas_la_LDFLAGS = $(fake_ldflags)

# Not a module of a plugin: for LD_PRELOAD.
check_LTLIBRARIES += tests/fakes/faults.la
tests_fakes_faults_la_SOURCES = tests/fakes/faults.c tests/fakes/faults.h
# Without $(AM_CFLAGS): it comes before the sanitizers' own libraries, and so does without sanitizers.
tests_fakes_faults_la_CFLAGS = -Wall -Wextra -fvisibility=hidden -ftls-model=initial-exec
tests_fakes_faults_la_LDFLAGS = $(fake_ldflags)

# The dispatcher of a build with a fault, for LD_PRELOAD.
check_LTLIBRARIES += tests/fakes/planted.la tests/fakes/no-locks.la
tests_fakes_no_locks_la_SOURCES = tests/fakes/no_locks.c
tests_fakes_no_locks_la_LDFLAGS = $(fake_ldflags)
tests_fakes_planted_la_SOURCES = tests/fakes/planted.c
tests_fakes_planted_la_LDFLAGS = $(fake_ldflags)
