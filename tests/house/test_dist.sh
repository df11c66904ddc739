#!/bin/sh
# A release has every file that git knows of: one that `make dist` leaves out breaks what is built from there alone.
set -u
: "${top_builddir:=.}" "${top_srcdir:=.}" "${MAKE:=make}"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM

git -C "$top_srcdir" rev-parse --verify HEAD >/dev/null 2>&1 && [ -e "$top_srcdir/.git" ] ||
    { echo "skipped: this is no checkout of git"; exit 77; }

git -C "$top_srcdir" ls-files | sort >"$work/known"
cat >"$work/list.mk" <<'MK'
include Makefile
list-of-the-release:
	@printf '%s\n' $(patsubst $(top_srcdir)/%,%,$(DISTFILES))
MK
(cd "$top_builddir" && unset MAKEFLAGS MFLAGS MAKELEVEL top_srcdir top_builddir &&
    $MAKE -s --no-print-directory -f "$work/list.mk" list-of-the-release) | sort -u >"$work/listed"

# left_out LISTED: what git knows of and no line of the file names, by itself or by a directory that it is in.
left_out() {
    awk 'NR == FNR { listed[$0] = 1; next }
        { for (name = $0; !(name in listed) && sub("/[^/]*$", "", name);) ; if (!(name in listed)) print }' \
        "$1" "$work/known" | grep -v '^\.'
}

# It has to find one that is not listed.
grep -v '^README.md$' "$work/listed" >"$work/fewer"
left_out "$work/fewer" | grep -qx README.md || { echo "FAIL: a file that is not listed was not found"; exit 1; }
if left_out "$work/listed"; then
    echo "FAIL: these files are in git and not in a release; name them in their directory's local.mk"
    exit 1
fi
