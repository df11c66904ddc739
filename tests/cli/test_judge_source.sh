#!/bin/sh
# judge --source: what its files and options may be.  CUDA C++ and PTX compile, where the compiler is; what is wrong in a recipe, an
# image or a file is a status, a sentence and a record; what sanitizers find stands beside the verdict.  CHECK_FORM=full: all
# sources in CUDA C++.
. "${top_srcdir:-.}/tests/cli/judging.sh"

# ---- files and options ----
refuses 'no recipe beside it' reduce --source "$work/none.cl"
cp "$work/right.cl" "$work/alone.cl"
refuses 'no recipe beside it' reduce --source "$work/alone.cl"
refuses 'device code ends in .cl, .spv, .cu, .ptx or .cubin' reduce --source "$work/right.json"
mkdir "$work/dir.cl" && cp "$work/right.json" "$work/dir.json"
refuses 'a directory' reduce --source "$work/dir.cl"
mkfifo "$work/fifo.cl" && cp "$work/right.json" "$work/fifo.json"
refuses 'a FIFO' reduce --source "$work/fifo.cl"
printf 'a\0b' >"$work/zero.cl" && cp "$work/right.json" "$work/zero.json"
refuses 'a byte in it is zero' reduce --source "$work/zero.cl"
# A link to a file is that file; one to a device, or to nothing, is none.
cp "$work/right.json" "$work/device.json" && ln -s /dev/zero "$work/device.cl"
refuses 'no regular file' reduce --source "$work/device.cl"
cp "$work/right.json" "$work/dangling.json" && ln -s none.cl "$work/dangling.cl"
refuses 'No such file' reduce --source "$work/dangling.cl"
refuses 'its operation is reduce, not gemm' gemm --source "$work/right.cl"
refuses 'one at a time' reduce --source "$work/right.cl" --in x.npy
refuses '--device describes' reduce --source "$work/right.cl" --device h100
judged 2 bad_recipe "there is no tunable 'X'" transpose --source "$examples/turn_rows.ptx" \
    --recipe "$examples/transpose-triton.json" --tunable X=1 --compile-only
for include in '/etc/passwd' '../right.cl'; do
    printf '#include "%s"\n%s\n' "$include" "$right" >"$work/out.cl" && cp "$work/right.json" "$work/out.json"
    refuses "lies outside the kernel's directories" reduce --source "$work/out.cl"
done
printf ' %%: include <../../x>\n%s\n' "$right" >"$work/out.cl"
refuses "lies outside the kernel's directories" reduce --source "$work/out.cl"
for begin in '/* x */ #' '/* x\n y */#/* z */' ' %%:\t/**/' '??='; do
    # shellcheck disable=SC2059 # the beginning has its own newlines
    printf "$begin"'include/**/"/etc/passwd"\n%s\n' "$right" >"$work/out.cl"
    refuses "lies outside the kernel's directories" reduce --source "$work/out.cl"
done
printf '#incl\\\nude "/etc/passwd"\n%s\n' "$right" >"$work/out.cl"
refuses 'takes a name in quotes or brackets' reduce --source "$work/out.cl"
printf '%s\n#include' "$right" >"$work/out.cl"
refuses 'takes a name in quotes or brackets' reduce --source "$work/out.cl"
printf '#define X "right.cl"\n#include X\n' >"$work/out.cl"
refuses 'takes a name in quotes or brackets' reduce --source "$work/out.cl"
printf '#include "out.cl"\n' >"$work/out.cl"
refuses 'within each other' reduce --source "$work/out.cl"
head -c 100 /dev/zero | tr '\0' 'x' >"$work/text.cubin"
printf '{"parallax_recipe": 1, "op": "reduce", "launches": [{"entry": "k", "grid": [1], "block": [1], "args": []}]}' >"$work/text.json"
refuses 'no cubin' reduce --source "$work/text.cubin"
{ printf '\177ELF' && head -c 100 /dev/zero; } >"$work/text.cubin"
refuses 'another machine' reduce --source "$work/text.cubin"
printf 'no module of that kind here.' >"$work/text.spv"
refuses 'no SPIR-V' reduce --source "$work/text.spv"
printf '{"parallax_recipe": 1}' >"$work/bad.json" && cp "$work/right.cl" "$work/bad.cl"
judged 2 bad_recipe "can't be used" reduce --source "$work/bad.cl"

# ---- CUDA C++ and PTX, compiled where nothing runs them ----
judged 0 compiled 'nothing was run' transpose --source "$examples/turn_rows.ptx" --recipe "$examples/transpose-triton.json" --compile-only
sed 's/"i32": "rows"/"i64": "rows"/' "$examples/transpose-triton.json" >"$work/wide.json"
cp "$examples/turn_rows.ptx" "$examples/turn_rows.json" "$work"
judged 2 bad_recipe 'parameter 3 is .u32' transpose --source "$work/turn_rows.ptx" --recipe "$work/wide.json" --compile-only
# A variable that outlives launches is named, as it is or by its beginning; texts of messages are not, nor what a function has, nor a
# comment, nor what no code uses, as those of libcu++'s headers.
global='.visible .global .align 4 .u32 kept[4] = {1, 2, 3, 4};
.global .align 1 .b8 $str[3] = {72, 105, 0};
.global .attribute(.managed) .align 8 .b64 other;
.global .align 1 .b8 _ZN4cuda3std5beginE[1];
// .global .u32 commented;
.func f() { .reg .b32 %r1; ld.global.u32 %r1, [kept]; ld.global.u32 %r1, [other+4]; ret; }'
awk -v text="$global" '{ print } /^\.address_size/ { print text }' "$examples/turn_rows.ptx" >"$work/turn_rows.ptx"
cp "$examples/transpose-triton.json" "$work/globals.json"
judged 2 bad_recipe "the variable 'kept' of device code outlives a launch" transpose --source "$work/turn_rows.ptx" --recipe "$work/globals.json" --compile-only
sed -i 's/"launches":/"globals": {"kept": "scratch"}, "launches":/' "$work/globals.json"
judged 2 bad_recipe "the variable 'other' of device code" transpose --source "$work/turn_rows.ptx" --recipe "$work/globals.json" --compile-only
sed 's/"kept":/"other": "constant", "kept":/' "$work/globals.json" >"$work/both.json"
judged 0 compiled 'nothing was run' transpose --source "$work/turn_rows.ptx" --recipe "$work/both.json" --compile-only
sed 's/"kept":/"ot*": "constant", "kept":/' "$work/globals.json" >"$work/both.json"
judged 0 compiled 'nothing was run' transpose --source "$work/turn_rows.ptx" --recipe "$work/both.json" --compile-only
sed 's/"kept":/"kept*": "scratch", "oth":/' "$work/globals.json" >"$work/both.json"
judged 2 bad_recipe "the variable 'other' of device code" transpose --source "$work/turn_rows.ptx" --recipe "$work/both.json" --compile-only
# The same of a cubin, which ptxas made of variables.ptx: it has sizes of parameters, and no types.
cp "${top_srcdir:-.}/tests/recipe/cubin/variables.cubin" "$work/variables.cubin"
of_cubin() { # ARGUMENT [GLOBALS]
    printf '{"parallax_recipe": 1, "op": "reduce", %s "launches": [{"entry": "%s", "grid": [1], "block": [1], "args": [%s]}]}' \
        "${2-}" "${3-k}" "$1" >"$work/variables.json"
}
cubin() { # EXIT STATUS WORD
    judged "$1" "$2" "$3" reduce --source "$work/variables.cubin" --compile-only
}
of_cubin '{"operand": "result"}'
cubin 2 bad_recipe "the variable 'other' of device code outlives a launch"
grep -qF '1 more are not named' "$work/record" || fail "the second variable is not counted"
of_cubin '{"operand": "result"}' '"globals": {"other": "scratch"},'
cubin 2 bad_recipe "the variable 'kept' of device code"
of_cubin '{"operand": "result"}' '"globals": {"other": "scratch", "kept": "constant"},'
cubin 0 compiled 'nothing was run'
of_cubin '{"i32": "n"}' '"globals": {"other": "scratch", "kept": "constant"},'
cubin 2 bad_recipe 'parameter 1 has 8 bytes, the recipe gives i32 of 4'
of_cubin '{"operand": "result"}, {"i32": "n"}' '"globals": {"other": "scratch", "kept": "constant"},'
cubin 2 bad_recipe "'k' has 1 parameters; the recipe gives 2"
of_cubin '{"operand": "result"}' '' missing
cubin 2 bad_recipe "has no entry 'missing'; there are: k"
for bytes in 64 1000 2500 3500; do
    head -c $bytes "${top_srcdir:-.}/tests/recipe/cubin/variables.cubin" >"$work/variables.cubin"
    refuses 'cut short, or its offsets are false' reduce --source "$work/variables.cubin"
done
awk '{ print } /^\.address_size/ { print ".extern .func (.param .b32 r) cudaLaunchDeviceV2(.param .b64 p, .param .b64 s);" }' \
    "$examples/turn_rows.ptx" >"$work/turn_rows.ptx"
judged 2 bad_recipe 'device code launches kernels of its own' transpose --source "$work/turn_rows.ptx" --recipe "$work/globals.json" --compile-only
awk '{ print } /^\.address_size/ { print ".extern .func (.param .b64 func_retval0) malloc (.param .b64 malloc_param_0);" }' \
    "$examples/turn_rows.ptx" >"$work/turn_rows.ptx"
judged 2 bad_recipe 'device code allocates memory itself (malloc)' transpose --source "$work/turn_rows.ptx" --recipe "$work/globals.json" --compile-only
if "$parallax" judge matvec --source "$examples/matvec.cu" --compile-only >"$work/out" 2>"$work/err"; then
    sources=matvec # by a compiler that takes ten seconds for each, which was tried with this one
    [ "${CHECK_FORM-}" = full ] && sources="reduce-blocks gemm-tiles transpose-tiles $sources"
    for name in $sources; do
        judged 0 compiled '"image_sha256": "' --source "$examples/$name.cu" --compile-only
        judged 0 compiled '"image_sha256": "' --source "$examples/$name.cu" --compile-only --device a100 # once more, by the cache
    done
    printf '{"parallax_recipe": 1, "op": "reduce", "launches": [{"entry": "k", "grid": [1], "block": [1], "args": [{"operand": "x"}]}]}' >"$work/cu.json"
    echo 'extern "C" __global__ void k(const float *x) { wrong }' >"$work/cu.cu"
    judged 5 compile_error 'identifier \"wrong\" is undefined' reduce --source "$work/cu.cu" --compile-only
    echo 'extern "C" __global__ void k(const float *x, int n) { }' >"$work/cu.cu"
    judged 2 bad_recipe "has 2 parameters; the recipe gives 1" reduce --source "$work/cu.cu" --compile-only
    if [ "${CHECK_FORM-}" = full ]; then
        echo 'extern "C" __global__ void other(const float *x) { }' >"$work/cu.cu"
        judged 5 compile_error 'cu.cu' reduce --source "$work/cu.cu" --compile-only
        echo '#define A A A
template <int N> struct s { static const int value = s<N + 1>::value; };
extern "C" __global__ void k(const float *x) { int i = s<0>::value; }' >"$work/cu.cu"
        judged 5 compile_error 'cu.cu' reduce --source "$work/cu.cu" --compile-only
    fi
else
    echo "CUDA C++ is not compiled: $(cat "$work/err")"
fi

# ---- sanitizers: what they find stands beside the verdict ----
mkdir "$work/bin"
cat >"$work/bin/compute-sanitizer" <<'END'
#!/bin/sh
# What it is asked to run is this program, on one problem.
echo "$*" | grep -q 'parallax run transpose --source=.* --shape=.* --backend=cuda:0 --seed=' || exit 2
case $2 in
memcheck) printf '========= COMPUTE-SANITIZER\n========= Invalid __global__ read of size 4 bytes\n=========     at k\n========= ERROR SUMMARY: 1 error\n'; exit 86 ;;
racecheck) printf '========= COMPUTE-SANITIZER\n========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n' ;;
initcheck) echo '========= Error: Device not supported'; exit 1 ;;
synccheck) exit 86 ;;
esac
END
chmod +x "$work/bin/compute-sanitizer"
driver=$built/tests/fakes/.libs/fake-cuda.so
# sanitized PATH: by a driver that runs nothing, so that the kernel is wrong.
sanitized() {
    before=$PATH
    PATH=$1
    PLX_CUDA_LIBRARY=$driver FAKE_COMPUTES=1
    export PLX_CUDA_LIBRARY FAKE_COMPUTES
    judged 1 wrong '"sanitizers": [' transpose --source "$examples/turn_rows.ptx" --recipe "$examples/transpose-triton.json" \
        --quick --no-timing --sanitize
    unset PLX_CUDA_LIBRARY FAKE_COMPUTES
    PATH=$before
}
if [ -f "$driver" ] && [ -f "$built/.libs/plx-cuda.so" ]; then
    sanitized "$work/bin:$PATH"
    tr -s '\n ' ' ' <"$work/record" >"$work/line"
    for text in '"tool": "memcheck", "problem": "transpose f32 [0-9x]*", "search": "done", "findings": 1, "first": "Invalid __global__ read' \
        '"tool": "racecheck", "problem": "transpose f32 [0-9x]*", "search": "done", "findings": 0, "first": null' \
        '"tool": "initcheck", "problem": "transpose f32 [0-9x]*", "search": "failed", "findings": 0, "reason": "========= Error: Device' \
        '"tool": "synccheck", "problem": "transpose f32 [0-9x]*", "search": "done", "findings": 1, "first": null'; do
        cases=$((cases + 1))
        grep -q -- "$text" "$work/line" || fail "the record does not say $text"
    done
    shows '1 found, the first: Invalid __global__ read of size 4 bytes'
    if ! command -v compute-sanitizer >/dev/null 2>&1; then
        sanitized "$PATH"
        shows 'memcheck: no search: compute-sanitizer is not on PATH'
        says wrong '"search": "not_installed"'
    fi
fi
refuses 'nothing is run' transpose --source "$examples/turn_rows.ptx" --recipe "$examples/transpose-triton.json" --compile-only --sanitize
refuses 'is for device code' matvec --source "$examples/with_numpy.py" --entry rows --sanitize
finish
