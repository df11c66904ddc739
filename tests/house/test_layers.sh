#!/bin/sh
# Who may know whom: reads every #include of the tree and fails for each that points
# in a forbidden direction, for every API or vendor that code in base/, core/ or study/ names, and for each file of kernels/
# with more than 450 lines.
set -u
export LC_ALL=C
tree=${1:-${top_srcdir:-.}}
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT HUP INT TERM

# "FILE TARGET" for every include of the tree in directory $1; system headers too.
list_includes() {
    (cd "$1" && find include base core study page cli kernels backends plugins benchmarks -type f \
        \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.cl' -o -name '*.clh' \) \
        -exec grep -HE '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]' {} + 2>/dev/null) |
        sed -n 's/^\([^:]*\):[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]\([^>"]*\)[>"].*/\1 \2/p'
}

# Sets $found to the file of tree $1 that $3 means when $2 includes it; "system:..." for none.  Here and below no process is
# started: there are thousands of includes.
resolve() {
    found=system:$3
    [ "$3" != config.h ] || return 0 # made by configure, maybe in the source tree
    for directory in "${2%/*}/" '' include/ kernels/; do
        [ -f "$1/$directory$3" ] || continue
        found=$directory$3
        while :; do
            case $found in */../*) ;; *) return 0 ;; esac
            before=${found%%/../*} # without its last directory, which .. leaves
            case $before in */*) before=${before%/*}/ ;; *) before= ;; esac
            found=$before${found#*/../}
        done
    done
}

# Sets $layer to the directory that a file belongs to: one level of most, two of backends, plugins, kernels, study.
layer_of() {
    layer=${1%%/*}
    case $1 in
    backends/*/* | plugins/*/* | kernels/*/* | study/*/*) within=${1#*/} && layer=$layer/${within%%/*} ;;
    esac
}

# Sets $below to what a room of the study may include beside its own files, include/ and base/.
below_room() {
    below=
    case $1 in
    files) below='kernels/operation.h' ;;
    judge) below='kernels/operation.h kernels/reference.h' ;;
    results) below='study/files/ kernels/operation.h' ;;
    report) below='study/results/ study/files/ kernels/operation.h' ;;
    run) below='study/judge/ study/results/' ;;
    measure) below='study/run/ study/judge/' ;;
    attribute) below='study/measure/ study/run/ study/judge/ study/results/' ;;
    compare) below='study/measure/ study/run/ study/judge/ study/results/' ;;
    check) below='study/run/ study/judge/ study/results/ study/files/ kernels/cases.h' ;;
    challenge) below='study/judge/ study/results/ study/files/ study/check/cases.h kernels/cases.h' ;;
    recipe) below='study/files/ kernels/operation.h' ;;
    kernel) below='study/recipe/ study/subject/message.h study/files/ kernels/operation.h' ;;
    subject) below='kernels/image.h' ;;
    probe) below='study/measure/ study/run/ study/judge/ study/results/ study/report/report.h' ;;
    bench | tune) below='study/compare/ study/measure/ study/run/ study/judge/ study/report/ study/results/ study/files/ kernels/sets.h' ;;
    diff) below='study/results/ study/files/' ;;
    screen) below='study/run/ study/judge/ study/results/ study/files/ study/recipe/languages.h kernels/image.h' ;;
    esac
}

# Whether a file of layer $1 may include $2.
may_include() {
    own=$1
    case $own:$2 in
    backends/cuda:system:CL/* | plugins/cuda:system:CL/*) return 1 ;;
    backends/opencl:system:cu* | plugins/opencl:system:cu*) return 1 ;;
    backends/*:system:* | plugins/*:system:*) return 0 ;;
    kernels/*:system:cuda_fp16.h | kernels/*:system:cuda_bf16.h) return 0 ;; # types of nvcc's language
    *:system:CL/* | *:system:cu[bdfr]* | *:system:nv* | *:system:hip*) return 1 ;;
    *:system:cblas* | *:system:clblast*) return 1 ;;
    *:system:*) return 0 ;;
    esac
    case $2 in include/* | "$own"/*) return 0 ;; esac
    case $own:$2 in
    base:*) return 1 ;;
    core:base/* | core:kernels/operation.h) return 0 ;;
    core:*) return 1 ;;
    study/*)
        below_room "${own#study/}"
        for one in base/ $below; do
            case $2 in "$one"*) return 0 ;; esac
        done
        return 1
        ;;
    page:base/* | page:kernels/image.h) return 0 ;;
    page:*) return 1 ;;
    cli:base/* | cli:page/page.h) return 0 ;;
    backends/*:base/*) return 0 ;;
    plugins/*:backends/* | plugins/*:kernels/*) return 0 ;;
    benchmarks:backends/* | benchmarks:kernels/* | benchmarks:base/* | benchmarks:study/measure/measure.h) return 0 ;;
    kernels*:base/team.h) return 0 ;; # how many threads a reference asks for
    kernels*:kernels/*/*) return 1 ;; # one operation does not know another
    kernels*:kernels/*) return 0 ;;
    esac
    return 1
}

# The floors of an operation, from below: device/ptx/, device/common/, the families of device/, launch/, plan/; and what is in
# the operation's own directory.  Each may include what lies below it, and its own files; planes stand on the tensor cores'
# loops.
floors_allow() { # file, what it includes
    case $2 in kernels/*/*/*) ;; *)
        case $1:$2 in
        kernels/*/device/*/*:kernels/*/* | kernels/*/launch/*:kernels/*/* | kernels/*/plan/*:kernels/*/kernels.h) return 1 ;;
        *) return 0 ;;
        esac ;;
    esac
    case $1 in kernels/*/*/*) ;; *) return 0 ;; esac
    [ "${1%/*}" != "${2%/*}" ] || return 0
    case ${1#kernels/*/}:${2#kernels/*/} in
    device/ptx/*:*) return 1 ;;
    device/common/*:device/ptx/*) return 0 ;;
    device/common/*:*) return 1 ;;
    device/*:device/common/* | device/*:device/ptx/*) return 0 ;;
    device/split-precision/*:device/tensor/*) return 0 ;;
    launch/*:device/*.h) return 0 ;;
    plan/*:device/*.h | plan/*:launch/* | plan/*:plan/*) return 0 ;;
    esac
    return 1
}

include_faults() {
    list_includes "$1" | while read -r file target; do
        resolve "$1" "$file" "$target"
        layer_of "$file"
        may_include "$layer" "$found" && floors_allow "$file" "$found" || echo "$file includes $found"
        case $layer:$found in
        plugins/*:backends/*) plugin=$layer && layer_of "$found" && echo "$plugin $layer" >>"$scratch/bindings" ;;
        esac
    done
}

# A plugin binds one backend: two of them in one process image would have met.
binding_faults() {
    [ -f "$scratch/bindings" ] || return 0
    sort -u "$scratch/bindings" | cut -d' ' -f1 | uniq -d | sed 's/$/ binds more than one backend/'
}

# A header tells which files define what it declares: "/* ---- messages (message.c) ---- */", from the top or beside it.
section_faults() {
    (cd "$1" && find base core study page cli kernels backends plugins -name '*.h' -exec grep -H '^/[*] ----' {} + 2>/dev/null) |
        grep -v '<op>' | while IFS=: read -r file text; do
        for name in $(printf '%s\n' "$text" | grep -oE '[A-Za-z0-9_./-]+\.c\b'); do
            [ -f "$1/${file%/*}/$name" ] || [ -f "$1/$name" ] || echo "$file names $name, which is no file"
        done
    done
}

# The files' text without comments, each line with its place.
strip_comments() {
    awk '
    FNR == 1 { comment = 0 }
    {
        text = ""; quote = ""
        for (i = 1; i <= length($0); i++) {
            one = substr($0, i, 1); two = substr($0, i, 2)
            if (comment) { if (two == "*/") { comment = 0; i++ } continue }
            if (quote != "") {
                if (one == "\\") { text = text one; i++; one = substr($0, i, 1) }
                else if (one == quote) quote = ""
            }
            else if (two == "/*") { comment = 1; i++; continue }
            else if (two == "//") break
            else if (one == "\"" || one == "\047") quote = one
            text = text one
        }
        if (text ~ /[^ \t]/) print FILENAME ":" FNR ": " text
    }' "$@"
}

# Four files have others' names: of their variables, which doctor and records tell without the plugins; of the
# languages that recipes are for; of a compiler that is looked for; and of a driver whose memory functions are given.
naming_faults() {
    (cd "$1" && strip_comments core/*.[ch] base/*.[ch] study/*/*.[ch]) |
        grep -v -e '^base/driver_variables\.c:' -e '^study/recipe/dialects\.c:' -e '^study/kernel/compile\.c:' -e '^study/subject/device\.c:' | grep -iE ':.*(cuda|opencl|nvidia|cublas|clblast|openblas|pocl|nvcc|rocm|level_zero)' |
        sed 's/^/names an API or a vendor: /'
}

# A team of OpenMP that is larger than the system gives ends the program: each asks base/team.h first.
team_faults() { # tree
    (cd "$1" && grep -rn --include='*.c' --include='*.h' 'pragma omp parallel' base core study page cli kernels backends plugins 2>/dev/null) |
        grep -v 'num_threads(plx_team' | sed 's/:[^:]*pragma.*/ has a team that base\/team.h was not asked for/'
}

# A file of one idea is found, and read at a sitting.
length_faults() { # tree
    (cd "$1" && find kernels -type f ! -name '*.o' ! -name '*.lo' ! -name '*.Plo' ! -name '*.Po' -exec awk 'FNR == 451 { print FILENAME " has more than 450 lines" }' {} + 2>/dev/null)
}

faults_of() {
    rm -f "$scratch/bindings"
    team_faults "$1"
    include_faults "$1"
    binding_faults
    naming_faults "$1"
    section_faults "$1"
    length_faults "$1"
}

# ---- the test of the test: a tree with one fault of each kind, and none else ----

plant() { # file, line...
    mkdir -p "$scratch/planted/${1%/*}"
    file=$1
    shift
    printf '%s\n' "$@" >"$scratch/planted/$file"
}
plant include/parallax/plugin.h '#include <stdint.h>'
plant core/core.h '#include <parallax/plugin.h>' '/* not cuda' '   nor opencl */ // nor nvidia'
plant base/text.h '#include <parallax/types.h>'
plant base/teams.c '#pragma omp parallel for num_threads(8)' '#pragma omp parallel for num_threads(plx_team_threads())'
plant base/bad.c '#include "base/text.h"' '#include "core/core.h"'
plant core/bad.c '#include "core.h"' '#include "operation.h"' '#include "recipe.h"' '#include "reference.h"' '#include "base/text.h"'
plant core/upwards.c '#include "study/judge/judge.h"'
plant study/judge/judge.h '#include "kernels/operation.h"' '#include "base/text.h"'
plant study/judge/bad.c '#include "study/run/run.h"' '#include "core/core.h"'
plant study/run/run.h '#include "study/judge/judge.h"'
plant study/run/bad.c '#include "study/compare/comparison.h"' '#include "kernels/operation.h"'
plant study/compare/comparison.h '#include "study/measure/measure.h"'
plant study/measure/measure.h '#include "study/run/run.h"'
plant study/check/bad.c '#include "study/measure/measure.h"'
plant study/results/bad.c '#include "study/judge/judge.h"'
plant study/report/bad.c '#include "study/run/run.h"'
plant study/files/bad.c '#include "study/results/read.h"'
plant study/results/read.h ''
plant study/probe/bad.c '#include "study/bench/bench.h"'
plant study/bench/bench.h ''
plant study/tune/bad.c '#include "study/bench/bench.h"' '#include "study/compare/comparison.h"'
plant study/probe/probe.h '#include "study/measure/measure.h"'
plant study/bench/bad.c '#include "study/probe/probe.h"' '#include "study/report/report.h"'
plant study/report/report.h '#include "study/results/read.h"'
plant study/measure/bad.c '#include "study/compare/comparison.h"'
plant study/compare/bad.c '#include "study/bench/bench.h"'
plant study/diff/bad.c '#include "study/run/run.h"'
plant page/page.h ''
plant page/bad.c '#include "study/run/run.h"' '#include "page/page.h"'
plant core/names.c 'int same(void) { return name_is("CUDA"); }'
plant ./config.h ''
plant cli/bad.c '#include "core/core.h"' '#include "config.h"' '#include "page/page.h"' '#include "study/run/run.h"'
plant kernels/operation.h '#include <parallax/plugin.h>'
plant kernels/recipe.h '#include <parallax/plugin.h>'
plant kernels/reference.h '#include "kernels/operation.h"'
plant kernels/gemm/tiles.h ''
plant kernels/gemm/kernels.c '#include "recipe.h"' '#include "tiles.h"'
plant kernels/reduce/bad.c '#include "gemm/tiles.h"'
plant kernels/gemm/device/ptx/barrier.h '#include "gemm/device/common/tile.h"'
plant kernels/gemm/device/common/tile.h '#include "gemm/device/ptx/barrier.h"' '#include "gemm/plan/cost.h"'
plant kernels/gemm/device/simt/a.cu '#include "gemm/device/common/tile.h"' '#include "gemm/device/tensor/b.h"' '#include "gemm/tiles.h"'
plant kernels/gemm/device/tensor/b.h '#include "gemm/device/ptx/barrier.h"' '#include "grid.h"'
plant kernels/gemm/device/split-precision/planes.cu '#include "gemm/device/tensor/b.h"'
plant kernels/gemm/launch/launch.h '#include "gemm/device/tensor/b.h"' '#include "recipe.h"'
plant kernels/gemm/launch/bad.c '#include "gemm/plan/cost.h"'
plant kernels/gemm/plan/cost.h '#include "gemm/launch/launch.h"' '#include "gemm/device/common/tile.h"'
plant kernels/gemm/operation.c '#include "gemm/plan/cost.h"'
plant kernels/grid.h ''
# shellcheck disable=SC2046 # lines
plant kernels/reduce/long.c $(seq 451)
# shellcheck disable=SC2046
plant kernels/reduce/whole.c $(seq 450)
plant kernels/reduce/api.c '#include <CL/cl.h>'
plant backends/cuda/cuda.h '#include <cuda.h>'
plant backends/cuda/bad.c '#include "kernels/recipe.h"'
plant backends/opencl/opencl.h '#include <CL/cl.h>' '#include "../cuda/cuda.h"'
plant plugins/good/plugin.c '#include "backends/cuda/cuda.h"' '#include "recipe.h"'
plant plugins/both/plugin.c '#include "backends/cuda/cuda.h"' '#include "backends/opencl/opencl.h"'
plant page/page.h '/* ---- page_gone.c: what is no more ---- */' '/* ---- text.c, and kernels/here.c ---- */'
plant page/text.c '#include <stdint.h>'
plant kernels/here.c '#include <stdint.h>'
plant plugins/bad/plugin.c '#include "../good/plugin.c"' '#include "core/core.h"'
cat >"$scratch/expected" <<'END'
backends/cuda/bad.c includes kernels/recipe.h
backends/opencl/opencl.h includes backends/cuda/cuda.h
base/bad.c includes core/core.h
base/teams.c:1 has a team that base/team.h was not asked for
cli/bad.c includes core/core.h
cli/bad.c includes study/run/run.h
core/bad.c includes kernels/recipe.h
core/bad.c includes kernels/reference.h
core/upwards.c includes study/judge/judge.h
kernels/gemm/device/common/tile.h includes kernels/gemm/plan/cost.h
kernels/gemm/device/ptx/barrier.h includes kernels/gemm/device/common/tile.h
kernels/gemm/device/simt/a.cu includes kernels/gemm/device/tensor/b.h
kernels/gemm/device/simt/a.cu includes kernels/gemm/tiles.h
kernels/gemm/launch/bad.c includes kernels/gemm/plan/cost.h
kernels/reduce/api.c includes system:CL/cl.h
kernels/reduce/bad.c includes kernels/gemm/tiles.h
kernels/reduce/long.c has more than 450 lines
names an API or a vendor: core/names.c:1: int same(void) { return name_is("CUDA"); }
page/bad.c includes study/run/run.h
page/page.h names page_gone.c, which is no file
plugins/bad/plugin.c includes core/core.h
plugins/bad/plugin.c includes plugins/good/plugin.c
plugins/both binds more than one backend
study/bench/bad.c includes study/probe/probe.h
study/check/bad.c includes study/measure/measure.h
study/compare/bad.c includes study/bench/bench.h
study/diff/bad.c includes study/run/run.h
study/files/bad.c includes study/results/read.h
study/judge/bad.c includes core/core.h
study/judge/bad.c includes study/run/run.h
study/measure/bad.c includes study/compare/comparison.h
study/probe/bad.c includes study/bench/bench.h
study/report/bad.c includes study/run/run.h
study/results/bad.c includes study/judge/judge.h
study/run/bad.c includes kernels/operation.h
study/run/bad.c includes study/compare/comparison.h
study/tune/bad.c includes study/bench/bench.h
END
faults_of "$scratch/planted" | sort >"$scratch/found"
if ! diff "$scratch/expected" "$scratch/found"; then
    echo "test_layers: the planted faults were not found as expected (< expected, > found)" >&2
    exit 1
fi

# ---- this tree ------------------------------------------------------------

count=$(list_includes "$tree" | wc -l)
if [ "$count" -lt 100 ]; then
    echo "test_layers: only $count includes found under $tree; is that the source tree?" >&2
    exit 1
fi
faults_of "$tree" >"$scratch/faults"
if [ -s "$scratch/faults" ]; then
    cat "$scratch/faults" >&2
    exit 1
fi
echo "test_layers: $((count)) includes, none in a forbidden direction; core names no API; no file of kernels/ is too long"
