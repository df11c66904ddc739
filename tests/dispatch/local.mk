# The loader and the dispatcher, by plugins without hardware.
cmocka_tests += tests/dispatch/test_loader tests/dispatch/test_opening tests/dispatch/test_dispatch tests/dispatch/test_problem_shape tests/dispatch/test_half tests/dispatch/test_calls tests/dispatch/test_refusals tests/dispatch/test_lies tests/dispatch/test_guard tests/dispatch/test_messages \
	tests/dispatch/test_dispatch_short tests/dispatch/test_native tests/dispatch/test_tensor tests/dispatch/test_batch tests/dispatch/test_batch_short \
	tests/dispatch/test_first_use
long_tests += tests/dispatch/test_hostile.sh
script_tests += tests/dispatch/test_outoftree.sh tests/dispatch/test_order.sh tests/dispatch/test_dispatch_cost.sh \
	tests/dispatch/test_inspect.sh tests/dispatch/test_loads.sh tests/dispatch/test_cplusplus.sh \
	tests/dispatch/test_globals.sh
# `make install` links libraries again where they lie, and until that is done they are not whole: those that install come
# last, one after the other.  (Automake would leave out its own rule for a log that is named as a target.)
last_logs = tests/configure/test_moved.sh.log tests/whole/test_installed.sh.log tests/python/test_wheel.sh.log \
	tests/dispatch/test_outoftree.sh.log
last_log = $(filter $(TEST_LOGS),$(word $(1),$(last_logs)))
$(last_logs): $(filter-out $(last_logs),$(TEST_LOGS))
$(word 2,$(last_logs)): $(call last_log,1)
$(word 3,$(last_logs)): $(call last_log,1) $(call last_log,2)
$(word 4,$(last_logs)): $(call last_log,1) $(call last_log,2) $(call last_log,3)
EXTRA_DIST += tests/dispatch/outoftree/dispatches.c tests/dispatch/outoftree/studies.c \
	tests/dispatch/outoftree/sums.cpp tests/dispatch/outoftree/judges.cpp

# What they share is compiled once for all of them.
if HAVE_CMOCKA
check_LIBRARIES += tests/dispatch/libsupport.a
endif
tests_dispatch_libsupport_a_SOURCES = tests/dispatch/dummy_support.c tests/dispatch/dummy_support.h tests/fakes/dummy.h
tests_dispatch_libsupport_a_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_dispatch_test_loader_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_dispatch_test_loader_LDADD = tests/dispatch/libsupport.a libparallax.la $(CMOCKA_LIBS)
tests_dispatch_test_opening_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_dispatch_test_opening_LDADD = tests/dispatch/libsupport.a libparallax.la $(CMOCKA_LIBS)
tests_dispatch_test_dispatch_SOURCES = tests/dispatch/test_dispatch.c tests/dispatch/dispatch_bench.h \
	tests/dispatch/dispatch_failures.c tests/dispatch/dispatch_plans.c tests/dispatch/dispatch_transfers.c
tests_dispatch_test_dispatch_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_dispatch_test_dispatch_LDADD = tests/dispatch/libsupport.a libparallax.la $(CMOCKA_LIBS)
tests_dispatch_test_dispatch_short_SOURCES = $(tests_dispatch_test_dispatch_SOURCES)
tests_dispatch_test_dispatch_short_CPPFLAGS = $(AM_CPPFLAGS) -DDUMMY_GOOD='"short"' -DDUMMY_TELLS=false
tests_dispatch_test_dispatch_short_CFLAGS = $(tests_dispatch_test_dispatch_CFLAGS)
tests_dispatch_test_dispatch_short_LDADD = $(tests_dispatch_test_dispatch_LDADD)
tests_dispatch_test_calls_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_dispatch_test_calls_LDADD = tests/dispatch/libsupport.a libparallax.la $(CMOCKA_LIBS)
tests_dispatch_test_refusals_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_dispatch_test_refusals_LDADD = tests/dispatch/libsupport.a libparallax.la $(CMOCKA_LIBS)
tests_dispatch_test_lies_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_dispatch_test_lies_LDADD = tests/dispatch/libsupport.a libparallax.la $(CMOCKA_LIBS)
tests_dispatch_test_tensor_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_dispatch_test_tensor_LDADD = tests/dispatch/libsupport.a libparallax.la $(CMOCKA_LIBS)
EXTRA_tests_dispatch_test_tensor_DEPENDENCIES = plx-host.la
tests_dispatch_test_batch_SOURCES = tests/dispatch/test_batch.c
tests_dispatch_test_batch_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_dispatch_test_batch_LDADD = tests/dispatch/libsupport.a libparallax.la $(CMOCKA_LIBS)
EXTRA_tests_dispatch_test_batch_DEPENDENCIES = plx-host.la tests/fakes/plx-dummy-good.la
tests_dispatch_test_first_use_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_dispatch_test_first_use_LDADD = libparallax.la $(CMOCKA_LIBS) -lpthread
EXTRA_tests_dispatch_test_first_use_DEPENDENCIES = tests/fakes/plx-modelled.la
tests_dispatch_test_batch_short_SOURCES = $(tests_dispatch_test_batch_SOURCES)
tests_dispatch_test_batch_short_CPPFLAGS = $(AM_CPPFLAGS) -DDUMMY_GOOD='"short"'
tests_dispatch_test_batch_short_CFLAGS = $(tests_dispatch_test_batch_CFLAGS)
tests_dispatch_test_batch_short_LDADD = $(tests_dispatch_test_batch_LDADD)
EXTRA_tests_dispatch_test_batch_short_DEPENDENCIES = plx-host.la tests/fakes/plx-dummy-short.la
tests_dispatch_test_native_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_dispatch_test_native_LDADD = tests/dispatch/libsupport.a libparallax.la $(CMOCKA_LIBS)
EXTRA_tests_dispatch_test_native_DEPENDENCIES = plx-host.la tests/fakes/plx-dummy-good.la
tests_dispatch_test_guard_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_dispatch_test_guard_LDADD = tests/dispatch/libsupport.a libparallax.la $(CMOCKA_LIBS) -lm
tests_dispatch_test_half_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_dispatch_test_half_LDADD = $(CMOCKA_LIBS) -lm
tests_dispatch_test_problem_shape_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_dispatch_test_problem_shape_LDADD = libparallax-study.la libparallax.la $(CMOCKA_LIBS)
tests_dispatch_test_messages_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_dispatch_test_messages_LDADD = libplx-base.la $(CMOCKA_LIBS)

# Linked with none of ours.
check_PROGRAMS += tests/dispatch/loads
tests_dispatch_loads_LDADD = -ldl
