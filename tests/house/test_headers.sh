#!/bin/sh
# Each installed header stands alone, which the oldest standard of C and C++ tells, and all of them have no warning in every
# standard that a compiler here has; in C++ what they declare is C's.  What is promised of functions and structs is said.
: "${top_srcdir:=.}" "${CC:=cc}" "${CXX:=c++}"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM
include=$(cd "$top_srcdir/include" && pwd) || exit 99
failures=0 tried=0 in_cxx=0

for header in "$include"/parallax/*.h; do
    name=$(basename "$header" .h)
    printf '#include <parallax/%s.h>\nint parallax_%s;\n' "$name" "$name" >"$work/$name.c" && cp "$work/$name.c" "$work/$name.cpp" || exit 99
done
# The one that wants the system's functions, which it does before others, comes first.
mkdir "$work/all" && { echo '#include <parallax/host_memory.h>' && cat "$work"/*.c; } >"$work/all/all.c" &&
    cp "$work/all/all.c" "$work/all/all.cpp" || exit 99

has() { # COMPILER STANDARD SUFFIX
    echo 'int parallax_nothing;' >"$work/nothing.$3"
    # shellcheck disable=SC2086 # words
    $1 -std="$2" -fsyntax-only "$work/nothing.$3" >/dev/null 2>&1
    known=$?
    rm -f "$work/nothing.$3"
    return $known
}

# All headers: each a file of its own in the oldest standard, else all in one.
try() { # COMPILER STANDARD SUFFIX
    case $2 in c11 | c++11) files=. ;; *) files=all ;; esac
    has "$@" || return 0
    tried=$((tried + 1))
    [ "$3" != cpp ] || in_cxx=$((in_cxx + 1))
    # shellcheck disable=SC2086 # words
    (cd "$work/$files" && $1 -std="$2" -Wall -Wextra -Wpedantic -Werror -I"$include" -fsyntax-only ./*."$3") >"$work/out" 2>&1 && return
    failures=$((failures + 1))
    echo "FAIL: $1 -std=$2"
    head -20 "$work/out"
}

each() { # SUFFIX STANDARDS COMPILER...
    suffix=$1 standards=$2
    shift 2
    before=
    for compiler in "$@"; do
        [ "$compiler" != "$before" ] || continue
        before=$compiler
        # shellcheck disable=SC2086 # words
        command -v ${compiler%% *} >/dev/null 2>&1 || continue
        for standard in $standards; do
            try "$compiler" "$standard" "$suffix"
        done
    done
}
each c 'c11 c17 c2x' "$CC" gcc clang
each cpp 'c++11 c++14 c++17 c++20' "$CXX" g++ clang++

# No header leaves a function to C++: it would have another name there.
for header in "$include"/parallax/*.h; do
    grep -q '^[a-zA-Z].*(' "$header" || continue
    grep -q '^extern "C" {' "$header" || { failures=$((failures + 1)) && echo "FAIL: no extern \"C\" in $header"; }
done
# What applications call has one channel for errors: the message of the context that it belongs to, or plx_error where there is
# none.
for header in parallax native dlpack; do
    declarations=$(tr '\n' ' ' <"$include/parallax/$header.h" | grep -o 'PLX_API [^;]*;')
    [ -n "$declarations" ] || { failures=$((failures + 1)) && echo "FAIL: $header.h declares nothing"; }
    both=$(echo "$declarations" | grep 'plx_error \*' | grep -E 'plx_(context|backend|buffer|queue|plan|event|tensor) \*')
    [ -z "$both" ] || { failures=$((failures + 1)) && echo "FAIL: two channels for errors: $both"; }
done
# What a function leaves to its comment is said once: threads, lifetimes and units, in the header that is included for it.
says() { # HEADER WORD...
    said=$1
    shift
    for word in "$@"; do
        sed '/^#ifndef PARALLAX_/q' "$include/parallax/$said.h" | grep -q "$word[.: ]" ||
            { failures=$((failures + 1)) && echo "FAIL: $said.h says nothing of $word"; }
    done
}
says parallax Errors Threads Lifetimes Units
says study Errors Threads Lifetimes Units
says plugin Errors Threads Ownership
says native errors threads Ownership
says dlpack Errors threads
says tool Threads parallax.h
for header in "$include"/parallax/*.h; do
    name=$(basename "$header" .h)
    case $name in parallax | study | plugin | native | dlpack | tool) continue ;; esac
    grep -q '^PLX_API ' "$header" || continue
    grep -q "^#include <parallax/$name.h>" "$include/parallax/study.h" ||
        { failures=$((failures + 1)) && echo "FAIL: $name.h has functions, and no header says how threads may call them"; }
done
# A struct of a study that may grow has room for it; these are complete.
complete=' plx_array plx_ratio plx_check_reason plx_strided plx_interval plx_spread plx_ceilings plx_chosen '
for name in $(sed -n 's/^#include <parallax\/\(.*\)\.h>/\1/p' "$include/parallax/study.h"); do
    for struct in $(awk '/^typedef struct plx_[a-z_]+ {/ { name = $3; room = 0 } /reserved/ { room = 1 }
        /^} plx_/ && name != "" { if (!room) print name; name = "" }' "$include/parallax/$name.h"); do
        case $complete in *" $struct "*) ;; *) failures=$((failures + 1)) && echo "FAIL: $struct has no room to grow" ;; esac
    done
done
[ "$in_cxx" -gt 0 ] || echo "C++ was not tried: there is no compiler"
echo "$tried compilers and standards, $failures failures"
[ "$tried" -gt 0 ] && [ "$failures" -eq 0 ]
