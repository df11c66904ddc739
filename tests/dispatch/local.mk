# The loader and the dispatcher, tested by plugins without hardware.
if HAVE_CMOCKA
check_LTLIBRARIES += \
	tests/plx-dummy-good.la \
	tests/plx-dummy-twin.la \
	tests/plx-dummy-abi.la \
	tests/plx-dummy-short.la \
	tests/plx-dummy-slot.la \
	tests/plx-dummy-name.la \
	tests/plx-dummy-bare.la \
	tests/plx-dummy-null.la \
	tests/plx-dummy-mute.la \
	tests/plx-dummy-unresolved.la
check_PROGRAMS += tests/test_loader tests/test_dispatch
TESTS += tests/test_loader tests/test_dispatch
endif

dummy_sources = tests/dummy.c tests/dummy.h
dummy_cflags = $(AM_CFLAGS) -fvisibility=hidden
# -rpath makes libtool build a shared module that is never installed.
dummy_ldflags = -module -avoid-version -shared -rpath /nowhere

tests_plx_dummy_good_la_SOURCES = tests/dummy_good.c $(dummy_sources)
tests_plx_dummy_good_la_CFLAGS = $(dummy_cflags)
tests_plx_dummy_good_la_LDFLAGS = $(dummy_ldflags)
tests_plx_dummy_twin_la_SOURCES = tests/dummy_twin.c $(dummy_sources)
tests_plx_dummy_twin_la_CFLAGS = $(dummy_cflags)
tests_plx_dummy_twin_la_LDFLAGS = $(dummy_ldflags)
tests_plx_dummy_abi_la_SOURCES = tests/dummy_abi.c $(dummy_sources)
tests_plx_dummy_abi_la_CFLAGS = $(dummy_cflags)
tests_plx_dummy_abi_la_LDFLAGS = $(dummy_ldflags)
tests_plx_dummy_short_la_SOURCES = tests/dummy_short.c $(dummy_sources)
tests_plx_dummy_short_la_CFLAGS = $(dummy_cflags)
tests_plx_dummy_short_la_LDFLAGS = $(dummy_ldflags)
tests_plx_dummy_slot_la_SOURCES = tests/dummy_slot.c $(dummy_sources)
tests_plx_dummy_slot_la_CFLAGS = $(dummy_cflags)
tests_plx_dummy_slot_la_LDFLAGS = $(dummy_ldflags)
tests_plx_dummy_name_la_SOURCES = tests/dummy_name.c $(dummy_sources)
tests_plx_dummy_name_la_CFLAGS = $(dummy_cflags)
tests_plx_dummy_name_la_LDFLAGS = $(dummy_ldflags)
tests_plx_dummy_bare_la_SOURCES = tests/dummy_bare.c $(dummy_sources)
tests_plx_dummy_bare_la_CFLAGS = $(dummy_cflags)
tests_plx_dummy_bare_la_LDFLAGS = $(dummy_ldflags)
tests_plx_dummy_null_la_SOURCES = tests/dummy_null.c
tests_plx_dummy_null_la_CFLAGS = $(dummy_cflags)
tests_plx_dummy_null_la_LDFLAGS = $(dummy_ldflags)
tests_plx_dummy_mute_la_SOURCES = tests/dummy_mute.c
tests_plx_dummy_mute_la_CFLAGS = $(dummy_cflags)
tests_plx_dummy_mute_la_LDFLAGS = $(dummy_ldflags)
tests_plx_dummy_unresolved_la_SOURCES = tests/dummy_unresolved.c
tests_plx_dummy_unresolved_la_CFLAGS = $(dummy_cflags)
tests_plx_dummy_unresolved_la_LDFLAGS = $(dummy_ldflags)

tests_test_loader_SOURCES = tests/test_loader.c tests/dummy_support.c tests/dummy_support.h
tests_test_loader_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_test_loader_LDADD = libparallax.la $(CMOCKA_LIBS)
tests_test_dispatch_SOURCES = tests/test_dispatch.c tests/dummy_support.c tests/dummy_support.h
tests_test_dispatch_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_test_dispatch_LDADD = libparallax.la $(CMOCKA_LIBS)

dist_check_SCRIPTS += tests/test_symbols.sh tests/test_outoftree.sh
TESTS += tests/test_symbols.sh tests/test_outoftree.sh
EXTRA_DIST += tests/outoftree/constant.c
