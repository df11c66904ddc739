#!/bin/sh
# What make install puts down, moved to another folder, is found there by CMake and pkg-config: the examples are built and run,
# a plugin that is not installed is named, and nothing leads back to where it was installed or built.
set -u
: "${top_builddir:=.}" "${top_srcdir:=.}" "${CC:=cc}"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM
fail() {
    echo "FAIL: $*"
    [ ! -s "$work/out" ] || tail -30 "$work/out"
    exit 1
}
[ -e "$top_builddir/.libs/libparallax.so" ] || { echo "skipped: there is no shared library" && exit 77; }
if grep -q -a __asan_init "$top_builddir/.libs/libparallax.so" 2>/dev/null; then
    echo "skipped: programs would have to load the sanitizers' libraries first"
    exit 77
fi
${MAKE:-make} -s -C "$top_builddir" install DESTDIR="$work/stage" >"$work/out" 2>&1 || fail "make install fails"
config=$(find "$work/stage" -name ParallaxConfig.cmake)
[ -f "$config" ] || fail "no package for CMake was installed"
library=$(find "$work/stage" -name libparallax.so.0)
installed=${library%/*}
prefix=${installed%/lib*}
mkdir "$work/moved" && mv "$prefix" "$work/moved/plx" && rm -rf "$work/stage" || exit 99
moved=$work/moved/plx lib=$work/moved/plx/${installed#"$prefix"/}
grep -r "$work/stage" "$lib/cmake" "$lib/pkgconfig" >"$work/out" && fail "the place of the installation is written down"

# Documents lead to what was installed with them, but for results and headers; HACKING.md is about the source.
documents=$moved/share/doc/parallax
for document in $(cd "$documents" && find . -name '*.md' ! -name HACKING.md); do
    sed -n 's/](\([^)# ]*\)[^)]*)/\n<\1>\n/gp' "$documents/$document" | sed -n 's/^<\(.*\)>$/\1/p' | while IFS= read -r link; do
        case $link in http*: | https://* | http://* | '' | */results/* | */include/*) continue ;; esac
        [ -e "$documents/${document%/*}/$link" ] || echo "$document leads to $link, which is not installed"
    done
done >"$work/out"
[ ! -s "$work/out" ] || fail "links are broken"
[ "$(find "$documents" -name '*.md' | wc -l)" -ge 10 ] || fail "hardly any document was installed"
if command -v man >/dev/null 2>&1; then
    MANPATH=$moved/share/man man -w parallax plx_plan_create >"$work/out" 2>&1 || fail "man does not find its pages"
fi
if python3 -c 'import ctypes' 2>/dev/null; then
    env -u PLX_LIBRARY PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$moved/share/parallax/python" PLX_LIBRARY="$lib/libparallax.so.0" \
        python3 -c 'import plx; print(plx.__file__)' >"$work/out" 2>&1 || fail "Python does not find plx"
fi

results() { # DIRECTORY NAME EXPECTED
    env -u PLX_PLUGIN_PATH -u LD_LIBRARY_PATH ${4:+LD_LIBRARY_PATH="$4"} XDG_CACHE_HOME="$work/cache" "$1/$2" >"$work/out" 2>&1
    status=$?
    [ $status -ne 77 ] || return 0
    [ $status -eq 0 ] || fail "$2 ends with status $status"
    [ "$(tr '\n' ' ' <"$work/out")" = "$3" ] || fail "$2 says something else"
}

if command -v cmake >/dev/null 2>&1; then
    cmake -S "$top_srcdir/examples" -B "$work/examples" -DCMAKE_PREFIX_PATH="$moved" >"$work/out" 2>&1 || fail "CMake finds no package"
    cmake --build "$work/examples" >"$work/out" 2>&1 || fail "CMake builds no examples"
    results "$work/examples" own_memory "4 5 10 11 "
    results "$work/examples" tensors "4 5 10 11 "
    [ ! -x "$work/examples/own_opencl" ] || results "$work/examples" own_opencl "1 4 2 5 3 6 "

    asks() { # WORDS...: whether find_package takes these
        mkdir -p "$work/ask" && rm -rf "$work/ask/build"
        printf 'cmake_minimum_required(VERSION 3.13)\nproject(ask LANGUAGES CXX)\nfind_package(Parallax %s)\n%s\n' "$1" "${2-}" >"$work/ask/CMakeLists.txt"
        cmake -S "$work/ask" -B "$work/ask/build" -DCMAKE_PREFIX_PATH="$moved" >"$work/out" 2>&1
    }
    asks '0.1.0 REQUIRED' || fail "its own version is refused"
    asks '0 REQUIRED' || fail "version 0 is refused"
    asks '0.2 REQUIRED' && fail "a version that is not there is found"
    asks '1 REQUIRED' && fail "version 1 is found"
    asks 'REQUIRED COMPONENTS nobody' && fail "a plugin that is not there is found"
    grep -q 'component nobody is not' "$work/out" || fail "a plugin that is not there is not named"
    asks 'REQUIRED COMPONENTS host OPTIONAL_COMPONENTS nobody' 'if(Parallax_nobody_FOUND OR NOT Parallax_host_FOUND)
    message(FATAL_ERROR wrong)
endif()
if(NOT EXISTS "${Parallax_PLUGIN_DIR}/plx-host.so" OR NOT EXISTS "${Parallax_PROGRAM}")
    message(FATAL_ERROR where)
endif()' || fail "optional components are not optional"
    if [ -e "$lib/libparallax-study.so" ]; then
        cat >"$work/ask/judges.cpp" <<'END'
#include <parallax/study.h>
int main() { plx_promise promise; plx_error error; return plx_promise_set(&promise, "nobody", "", &error) == PLX_OK; }
END
        asks 'REQUIRED COMPONENTS study' 'add_executable(judges judges.cpp)
target_link_libraries(judges PRIVATE Parallax::study)' || fail "the study is not found"
        cmake --build "$work/ask/build" >"$work/out" 2>&1 || fail "a program in C++ is not built"
        env -u LD_LIBRARY_PATH "$work/ask/build/judges" >"$work/out" 2>&1 || fail "a program in C++ does not run"
    fi
else
    echo "CMake was not tried: there is none"
fi

if command -v pkg-config >/dev/null 2>&1; then
    flags=$(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --define-prefix --cflags --libs parallax) || fail "pkg-config does not find it"
    # shellcheck disable=SC2086 # words
    $CC -std=c11 "$top_srcdir/examples/own_memory.c" -o "$work/own_memory" $flags >"$work/out" 2>&1 || fail "pkg-config's flags do not build"
    results "$work" own_memory "4 5 10 11 " "$lib"
else
    echo "pkg-config was not tried: there is none"
fi
exit 0
