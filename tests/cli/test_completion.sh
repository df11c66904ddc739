#!/bin/sh
# What the shells complete: by bash's own means, and the syntax of the other scripts where
# those shells are.
: "${PARALLAX:=parallax}"
work=$(mktemp -d "${TMPDIR:-/tmp}/parallax-completion.XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
failures=0
for shell in bash zsh fish; do
    "$PARALLAX" completion $shell >"$work/$shell" || exit 1
    command -v $shell >/dev/null 2>&1 || continue
    $shell -n "$work/$shell" || failures=$((failures + 1))
done

# Every option of every verb is in every script.
verbs=$("$PARALLAX" --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p')
tried=0
for verb in $verbs; do
    for option in $("$PARALLAX" "$verb" --help | sed -n 's/^  .*--\([a-z-]*\).*/\1/p' | sed -n '/^parallax/!p'); do
        tried=$((tried + 1))
        grep -q -e "^complete .*_from $verb' -l $option " "$work/fish" || {
            echo "fish does not complete $verb --$option"
            failures=$((failures + 1))
        }
        grep -q -e "--$option\\[" "$work/zsh" || {
            echo "zsh does not complete --$option"
            failures=$((failures + 1))
        }
    done
done
[ "$tried" -gt 50 ] || {
    echo "only $tried options were looked for"
    failures=$((failures + 1))
}
if ! command -v bash >/dev/null 2>&1; then
    echo "there is no bash"
    exit $((failures > 0 ? 1 : 0))
fi

cat >"$work/try" <<'END'
source "$1"
failures=0
# completes WANTED WORD...: WANTED is among what is offered behind these words.
completes() {
    local wanted=$1 offered
    shift
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _parallax
    for offered in "${COMPREPLY[@]}"; do
        [[ $offered == "$wanted" ]] && return
    done
    echo "'$*' does not complete to '$wanted' but to: ${COMPREPLY[*]}"
    failures=$((failures + 1))
}
offers_only() {
    completes "$@"
    ((${#COMPREPLY[@]} == 1)) && return
    echo "'$*' offers more: ${COMPREPLY[*]}"
    failures=$((failures + 1))
}
offers_only compare parallax compa
completes list parallax ''
completes gemm parallax run ''
completes banks parallax probe ''
completes matrix-units parallax probe ''
offers_only transpose parallax compare tr
offers_only --trans-b parallax run gemm --trans-b
completes f64 parallax run gemm --dtype ''
offers_only f32 parallax run gemm -t f3
offers_only min parallax run reduce --reduce mi
offers_only kernels parallax list k
offers_only fish parallax completion f
offers_only quick parallax bench --set qui
offers_only peers parallax report --section pe
offers_only bf16x6 parallax compare gemm --compute bf16
offers_only host:0 "$3" compare gemm -b host:
offers_only reference "$3" compare gemm --kernel refer
cd "$2" || exit 1
: >"a file.txt"
: >"a file.json"
offers_only "a file.json" parallax report a
offers_only "a file.json" parallax diff a
offers_only "a file.json" parallax compare gemm --json a
exit $((failures > 0 ? 1 : 0))
END
mkdir "$work/files"
case $PARALLAX in /*) ;; *) PARALLAX=$(command -v "$PARALLAX") ;; esac
case $PARALLAX in /*) ;; *) PARALLAX=$(pwd)/$PARALLAX ;; esac
XDG_CACHE_HOME=$work/cache bash "$work/try" "$work/bash" "$work/files" "$PARALLAX" || failures=$((failures + 1))
exit $((failures > 0 ? 1 : 0))
