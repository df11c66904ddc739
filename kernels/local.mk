# The kernels: descriptions for the library, ladders for the device plugins.
operation_sources = \
	kernels/compensated.h \
	kernels/fields.c \
	kernels/operation.h \
	kernels/operations.c \
	kernels/reduce/operation.c \
	kernels/transpose/operation.c \
	kernels/matvec/operation.c \
	kernels/gemm/operation.c \
	kernels/probe/operation.c

ladder_sources = \
	kernels/no_terms.h \
	kernels/recipe.h \
	kernels/recipe.c \
	kernels/preference.c \
	kernels/ladders.c \
	kernels/image.h \
	kernels/image.c \
	kernels/reduce/geometry.c \
	kernels/reduce/geometry.h \
	kernels/reduce/rows.c \
	kernels/transpose/geometry.c \
	kernels/transpose/geometry.h \
	kernels/transpose/rows.c \
	kernels/matvec/geometry.c \
	kernels/matvec/geometry.h \
	kernels/matvec/rows.c \
	kernels/matvec/panels.c \
	kernels/gemm/cut.c \
	kernels/gemm/few.c \
	kernels/gemm/pipeline.c \
	kernels/gemm/pipeline.h \
	kernels/gemm/dmma.h \
	kernels/gemm/dmma_cut.c \
	kernels/gemm/dmma_recipe.c \
	kernels/gemm/rows.c \
	kernels/probe/rows.c

# A kernel is picked up by its files: GNU make lists them.
device_sources = \
	$(wildcard $(top_srcdir)/kernels/*/*.cl) \
	$(wildcard $(top_srcdir)/kernels/*.clh) \
	$(wildcard $(top_srcdir)/kernels/*/*.clh) \
	$(wildcard $(top_srcdir)/kernels/*/*.cu) \
	$(wildcard $(top_srcdir)/kernels/*.cuh) \
	$(wildcard $(top_srcdir)/kernels/*/*.cuh) \
	$(wildcard $(top_srcdir)/kernels/*/*.h)
EXTRA_DIST += $(device_sources)
