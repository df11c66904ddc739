#!/bin/sh
# Each library exports its own plx_ names alone, and a plugin its entry alone: whatever else
# were visible could meet a name of the program or of another plugin.  And libparallax asks
# for no library that an application did not bargain for.
: "${top_builddir:=.}" "${NM:=nm}" "${READELF:=readelf}"

for tool in "$NM" "$READELF"; do
    if ! command -v "$tool" >/dev/null 2>&1; then
        echo "skipped: there is no $tool"
        exit 77
    fi
done

status=0
fail() {
    echo "$@"
    status=1
}

# dynamic FILE: the names that it defines for others, with their versions.
dynamic() {
    "$NM" -D --defined-only "$1" | awk '$2 ~ /^[B-Zuvw]$/ { print $3 }' |
        grep -v -x -e _init -e _fini -e __bss_start -e _edata -e _end
}
exported() {
    dynamic "$1" | sed 's/@.*//' | sort
}

# check_library NAME FUNCTION HEADER...: it exports FUNCTION, and only what the headers declare.
check_library() {
    library=$top_builddir/.libs/lib$1.so
    function=$2
    shift 2
    if [ ! -f "$library" ]; then
        fail "$library was not built"
        return
    fi
    names=" $(exported "$library" | tr '\n' ' ')"
    case $names in *" $function "*) ;; *) fail "$library does not export $function" ;; esac
    declared=" $(cd "${top_srcdir:-.}/include/parallax" && cat "$@" | grep -oE '[A-Za-z0-9_]+' | sort -u | tr '\n' ' ')"
    for name in $names; do
        case $name in
        plx_*) ;;
        *) fail "$library exports $name, which is not its own" ;;
        esac
        case $declared in *" $name "*) ;; *) fail "$library exports $name, which none of its installed headers declares" ;; esac
    done
    "$READELF" -d "$library" | grep -q "SONAME.*lib${library##*/lib}\.[0-9]" || fail "$library has no soname with a number"
}
check_library parallax plx_context_create parallax.h native.h dlpack.h tool.h
check_library parallax-study plx_compare \
    attribute.h bench.h check.h compare.h diff.h files.h judge.h probe.h recipe.h results.h screen.h tune.h units.h

# check_versions NAME VERSION HEADER...: what these headers declare is there, and of this version.
check_versions() {
    library=$top_builddir/.libs/lib$1.so
    version=$2
    shift 2
    versioned=" $(dynamic "$library" | tr '\n' ' ')"
    case $versioned in *@*) ;; *) return 0 ;; esac # configured without versions
    names=$(cd "${top_srcdir:-.}/include/parallax" && cat "$@" | tr '\n' ' ' | grep -o 'PLX_API [^;(]*(' | grep -o 'plx_[a-z0-9_]*(' | tr -d '(')
    [ -n "$names" ] || fail "no function was found in $*"
    for name in $names; do
        case $versioned in *" $name@@$version "*) ;; *) fail "$library does not export $name of version $version" ;; esac
    done
}
check_versions parallax PARALLAX_0 parallax.h native.h dlpack.h
check_versions parallax PARALLAX_TOOL_0 tool.h
check_versions parallax-study PARALLAX_STUDY_0 \
    attribute.h bench.h check.h compare.h diff.h files.h judge.h probe.h recipe.h results.h screen.h tune.h units.h

both=$( (exported "$top_builddir/.libs/libparallax.so"
    exported "$top_builddir/.libs/libparallax-study.so") | sort | uniq -d)
[ -z "$both" ] || fail "both libraries export: $both"

needed=$("$READELF" -d "$top_builddir/.libs/libparallax.so" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p')
for name in $needed; do
    case $name in
    libc.* | libm.* | libdl.* | libpthread.* | ld-* | libasan.* | libubsan.* | libgcc_s.*) ;;
    *) fail "libparallax needs $name" ;;
    esac
done
[ -n "$needed" ] || fail "readelf says nothing of what libparallax needs"

# check_threads FILE: at most 64 bytes for each thread, and none of those that a process has little of for
# what is loaded at run time.  Not counted is the page of NVIDIA's runtime library, which plx-cublas has in it.
check_threads() {
    size=$("$READELF" -lW "$1" | awk '$1 == "TLS" { print $6 }')
    if "$READELF" -sW "$1" | grep -q 'TLS.* libcudart_static_'; then
        size=$("$READELF" -sW "$1" | awk '$4 == "TLS" && $8 !~ /^libcudart_static_/ { sum += $3 } END { print sum + 0 }')
    fi
    [ $((${size:-0})) -le 64 ] || fail "$1 has $((size)) bytes of each thread"
    ! "$READELF" -d "$1" | grep -q STATIC_TLS || fail "$1 has thread-local variables of the model initial-exec"
}
for library in libparallax libparallax-study; do
    check_threads "$top_builddir/.libs/$library.so"
    "$READELF" -d "$top_builddir/.libs/$library.so" | grep -q NODELETE ||
        fail "$library can be unloaded, and the end of a thread calls it"
done
"$READELF" -lW "$top_builddir/.libs/libparallax.so" | grep -q '^ *TLS' || fail "readelf does not show what is thread-local"

plugins=0
for plugin in "$top_builddir"/.libs/plx-*.so; do
    [ -f "$plugin" ] || continue
    plugins=$((plugins + 1))
    names=$(exported "$plugin" | tr '\n' ' ')
    [ "$names" = "plx_plugin_entry " ] || fail "$plugin exports: $names"
    check_threads "$plugin"
done
[ "$plugins" -gt 0 ] || fail "no plugin was built"
exit $status
