#!/bin/sh
# Plain English in documents, help texts and the page: no sentence with "What ..." as its subject, no "of now", a speed is "1.3
# times as fast as cuBLAS", never "1.3 of cuBLAS", and a time "1.1 times as long", never "1.1 of the time of".  First, on lines that are wrong and lines that are right, that this test can tell.
set -u
: "${top_srcdir:=.}"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM
failures=0

# wrong FILE...: lines with a phrase that is not plain; headings, and questions, may begin with "What".
wrong() {
    awk '
        function bad(why) { print FILENAME ":" FNR ": " why ": " $0; found = 1 }
        /^(#|\.SH|\.SS|# )/ { next }
        /(^|[.:)>] *|\*\*|\.\* |^ *[-*]? *|\| )"?What / && !/What [^.]*\?/ { bad("\"What\" as a subject") }
        /; what (is|was|are|were|has|had|holds|lies|needs) / { bad("\"what\" as a subject") }
        /[0-9] of the time of/ { bad("a time as a part of another") }
        /(^|[^a-z])of (now|then|today)([^a-z]|$)/ { bad("\"of now\"") }
        /[0-9]\.[0-9]+ of (cuBLAS|cublasLt|CUB|gemv|geam|CLBlast|OpenBLAS|CUDA|OpenCL)([^a-zA-Z\047]|$)/ { bad("a speed as a part of a name") }
        END { exit found }' "$@"
}

expect() { # STATUS LINE
    printf '%s\n' "$2" >"$work/line"
    wrong "$work/line" >/dev/null
    [ $? -eq "$1" ] || { failures=$((failures + 1)) && echo "FAIL: status $1 expected of: $2"; }
}
expect 1 'What is kept lies in the cache.'
expect 1 'It ends. What it wrote is whole.'
expect 1 '- What a plugin says is checked.'
expect 1 '  * What is timed is judged.'
expect 1 '    What it wrote is whole.'
expect 1 '*2026-11-21.* What is read lies together.'
expect 1 'the product of four; what is grey is noise'
expect 1 'two:1 takes 1.65 of the time of one:0'
expect 1 'with the kernels of now'
expect 1 '4096x4096 has 1.03 of cuBLAS, on an H100'
expect 0 '# What was measured'
expect 0 'two:1 takes 1.65 times as long as one:0; say what is kept'
expect 0 'What is wrong? Nothing.'
expect 0 'It shows what is kept; 0.97 of CUDA'"'"'s speed, 1.3 times as fast as cuBLAS'

cd "$top_srcdir" || exit 99
set -- README.md HACKING.md NEWS SECURITY.md doc/*.md doc/parallax.1
for more in python/README.md data/README.md tests/README.md kernels/README.md kernels/*/README.md; do
    [ ! -f "$more" ] || set -- "$@" "$more"
done
[ $# -ge 20 ] || { echo "FAIL: only $# documents" && failures=$((failures + 1)); }
wrong "$@" || failures=$((failures + 1))
# Help texts, and sentences of the page and of tables: strings of the program.  What is a heading or a name of it is no sentence.
for file in cli/*.c page/*.c study/attribute/*.c; do
    sed -n '/<h[123]\|<summary\|<th/d; s/^[^"]*"\(.*\)\(\\n\)*"[^"]*$/\1/p' "$file" >"$work/help"
    wrong "$work/help" | sed "s|$work/help|$file|" >"$work/found"
    [ ! -s "$work/found" ] || { cat "$work/found" && failures=$((failures + 1)); }
done
echo "$# documents"
[ "$failures" -eq 0 ] || { echo "$failures failures" && exit 1; }
