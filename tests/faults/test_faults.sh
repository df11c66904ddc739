#!/bin/sh
# Faults under every command (inject.c): of each allocation, each system call that touches outputs, cache and
# inputs, and each call of the fake drivers of CUDA and OpenCL.  Expected is the right status with a clear
# line, or the whole output; never a wrong result that is called right, a damaged or left-over file, a leak, a
# crash or a hang.
#
# $FAULTS_FORM: "full" for all of them, else some of each kind.  $FAULTS_WORDS: of the commands with these
# words alone, "run cuda".  $FAULTS_WORKERS: so many runs at the same time, else as many as there are processors.
. "${top_srcdir:-.}/tests/support.sh"
built=$(cd "$built" && pwd)
results=$(cd "${top_srcdir:-.}/tests/data/results" && pwd)
recipe=$(cd "${top_srcdir:-.}/doc/judge" && pwd)/gemm.json
fakes=$built/tests/fakes/.libs
work=$(cd "$work" && pwd -P)

mkdir -p "$work/lib/parallax" "$work/cuda" "$work/opencl" "$work/start" || exit 99
cp "$built"/.libs/libparallax*.so.0 "$fakes/faults.so" "$work/lib/" && cp "$built/.libs/parallax" "$work/" &&
    cp "$built/.libs/plx-host.so" "$built/parallax-inspect" "$work/lib/parallax/" || exit 99
if [ -f "$built/.libs/plx-cuda.so" ] && [ -f "$fakes/fake-cuda.so" ]; then
    cp "$built/.libs/plx-cuda.so" "$work/cuda/" && cp "$fakes/fake-cuda.so" "$work/lib/" || exit 99
fi
if [ -f "$built/.libs/plx-opencl.so" ] && [ -f "$fakes/fake-opencl.so" ]; then
    cp "$built/.libs/plx-opencl.so" "$work/opencl/" && cp "$fakes/fake-opencl.so" "$work/lib/libOpenCL.so.1" || exit 99
fi
LD_LIBRARY_PATH=$work/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
# Where there are sanitizers: they let others be loaded before them, and what they find has a status of its own.
ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0:allocator_may_return_null=1:exitcode=86"
# What the dynamic loader keeps it allocates through a library of ours here.
{ cat "${top_srcdir:-.}/tests/leaks.supp" && echo "leak:ld-linux"; } >"$work/leaks.supp" || exit 99
LSAN_OPTIONS="suppressions=$work/leaks.supp:print_suppressions=0"
export LD_LIBRARY_PATH ASAN_OPTIONS LSAN_OPTIONS
LD_PRELOAD=$work/lib/faults.so "$work/parallax" --version >"$work/out" 2>&1 || {
    echo "skipped: a library can't be put before others in this build"
    exit 77
}

# One of the commands before the runs, with the environment of the runs (inject.c), which results record.
begin() {
    env -i LD_LIBRARY_PATH="$LD_LIBRARY_PATH" ASAN_OPTIONS="$ASAN_OPTIONS" LSAN_OPTIONS="$LSAN_OPTIONS" LC_ALL=C \
        OMP_NUM_THREADS=1 XDG_CACHE_HOME="$work/start/cache" PLX_PROBE=inline PLX_PLUGIN_PATH="$work/plugins" "$@"
}

# What each run begins with: an input, results, half of a bench, and a choice that was tuned.  Times among the results
# that are no results, because they are noisy, become narrow here: so there is a ladder to plot.
prepare() {
    cd "$work/start" || exit 99
    narrow "$results/compare-0.1.json" >results.json &&
        cp "$results/probe-0.1.json" probes.json && cp "$recipe" recipe.json || exit 99
    of_faulty="--backend faulty --kernel right --kernel same --dtype i32"
    # shellcheck disable=SC2086 # words
    begin "$work/parallax" run transpose 3x5 --dtype i32 --backend host --out x.npy &&
        begin "$work/parallax" run transpose --in x.npy --backend host --out turned.npy &&
        begin "$work/parallax" challenge reduce --dtype i32 -o cases &&
        begin "$work/parallax" bench reduce --shape 10 $of_faulty --no-timing --json half.json &&
        begin FAULTY_BEST=slow "$work/parallax" tune reduce 10 $of_faulty --kernel slow --seconds 0.01 --budget 0.01 &&
        begin "$work/parallax" compare reduce 10 $of_faulty --seconds 0.001
}
(prepare) >"$work/out" 2>&1 && [ -s "$work/start/cache/parallax/choices.tsv" ] || {
    echo "FAIL: what the runs begin with can't be made"
    cat "$work/out"
    exit 1
}

# shellcheck disable=SC2086 # words
"$built/tests/faults/inject" "$work" "${FAULTS_WORKERS:-$(getconf _NPROCESSORS_ONLN)}" \
    "${FAULTS_FORM:-short}" ${FAULTS_WORDS:-}
