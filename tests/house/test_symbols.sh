#!/bin/sh
# The library exports plx_ names alone, and a plugin its entry alone: whatever else
# were visible could meet a name of the program or of another plugin.
: "${top_builddir:=.}" "${NM:=nm}"

if ! command -v "$NM" >/dev/null 2>&1; then
    echo "skipped: there is no nm"
    exit 77
fi

status=0

# exported FILE: the names that it defines for others.
exported() {
    "$NM" -D --defined-only "$1" | awk '$2 ~ /^[A-Zuvw]$/ { sub(/@.*/, "", $3); print $3 }' |
        grep -v -x -e _init -e _fini -e __bss_start -e _edata -e _end | sort
}

library=$top_builddir/.libs/libparallax.so
if [ ! -f "$library" ]; then
    echo "$library was not built"
    exit 1
fi
if ! exported "$library" | grep -q -x plx_context_create; then
    echo "libparallax does not export plx_context_create"
    status=1
fi
strangers=$(exported "$library" | grep -v '^plx_')
if [ -n "$strangers" ]; then
    echo "libparallax exports what is not its own:" $strangers
    status=1
fi

# Every exported name is declared for applications.
for name in $(exported "$library"); do
    if ! grep -q -w "$name" "${top_srcdir:-.}"/include/parallax/parallax.h \
        "${top_srcdir:-.}"/include/parallax/study.h; then
        echo "libparallax exports $name, which no installed header declares"
        status=1
    fi
done

plugins=0
for plugin in "$top_builddir"/.libs/plx-*.so; do
    [ -f "$plugin" ] || continue
    plugins=$((plugins + 1))
    names=$(exported "$plugin" | tr '\n' ' ')
    if [ "$names" != "plx_plugin_entry " ]; then
        echo "$plugin exports: $names"
        status=1
    fi
done
if [ "$plugins" -eq 0 ]; then
    echo "no plugin was built"
    status=1
fi
exit $status
