#!/bin/sh
# What builds that watch rely on: backends that must be there, a library's faults that count, files and lines for
# whoever shows them, two devices that are compared; a reader that goes away is no error.
. "${top_srcdir:-.}/tests/support.sh"
only host
set -- --plugin-dir "$work/plugins" --dtype i32 --backend faulty

# ---- what is required -----------------------------------------------------------------

expect_run 0 "" check reduce --quick "$@" --kernel right --require faulty --require host,faulty
for verb in "check reduce --quick" "compare reduce 10 --no-timing" "bench reduce --shape 10 --no-timing"; do
    # shellcheck disable=SC2086
    expect_run 3 "nosuch is required (--require) and has no device: there is no such plugin" $verb "$@" --require faulty,nosuch
    [ ! -s "$work/out" ] || fail "$verb goes on without what it requires"
done
expect_run 2 "a name is needed" check reduce --quick "$@" --require ''

# ---- a library's faults ------------------------------------------------------------------

mkdir "$work/library" && cp "$faulty" "$work/library/"
FAULTY_VENDOR=1
export FAULTY_VENDOR
expect_run 0 "does not decide" compare reduce 100 --plugin-dir "$work/library" --dtype i32 --no-timing --junit "$work/junit" --annotate
shows "faulty:0 wrong is wrong, so it disagrees with"
shows "::warning title=faulty%3A0 wrong wrong::reduce i32 100 sum: "
cases=$((cases + 1))
grep -q 'failures="0"' "$work/junit" && grep -q -- '--strict makes it a failure' "$work/junit" || fail "JUnit of a library: $(cat "$work/junit")"
expect_run 1 "" compare reduce 100 --plugin-dir "$work/library" --dtype i32 --no-timing --strict --junit -
shows 'failures="1"'
expect_run 1 "" check reduce --quick --plugin-dir "$work/library" --dtype i32 --strict --repeats 0
unset FAULTY_VENDOR

# ---- what is written ------------------------------------------------------------------------

expect_run 1 "" compare reduce 100 "$@" --backend host --kernel all --no-timing --junit "$work/junit" --annotate
shows "::error title=faulty%3A0 wrong wrong::reduce i32 100 sum: 1 of 1 elements outside the bound"
shows "::error title=faulty%3A0 fails failed::"
shows "faulty:0 wrong is wrong, so it disagrees with all 2 others"
cases=$((cases + 1))
grep -q "DISAGREE" "$work/out" && fail "a wrong result has a line for each pair"
python=$(command -v python3) || python=
if [ -n "$python" ]; then
    cases=$((cases + 1))
    "$python" - "$work/junit" <<'P' || fail "JUnit's XML: $(cat "$work/junit")"
import sys, xml.etree.ElementTree as tree
suite = tree.parse(sys.argv[1]).getroot()
cases = suite.findall("testcase")
assert suite.get("name") == "parallax compare" and int(suite.get("tests")) == len(cases)
for kind, count in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
    assert len(suite.findall("testcase/" + kind)) == int(suite.get(count)) > 0, kind
P
fi
expect_run 1 "" check reduce --quick "$@" --kernel wrong --markdown
shows "**parallax check**: 0 of 1 passed, 1 failed, 0 skipped"
shows "| faulty:0 wrong | reduce i32 "
expect_run 2 "can't share standard output" check reduce --quick "$@" --markdown --json -
# A correctly rounded result is no part of its bound here either.
expect_run 0 "" compare reduce 10 --dtype f32 --backend host --no-timing --markdown
shows "| host:0 reference | reduce f32 10 sum | ok |  | rounded |"
expect_run 2 "--json and --junit name one file" compare reduce 10 "$@" --no-timing --json "$work/x" --junit "$work/x"

# ---- two files, and two devices ---------------------------------------------------------------

expect_run 0 "" bench reduce --shape 10 "$@" --backend host --no-timing --json "$work/old.json"
sed '/"records"/,/"pairs"/s/"status": "ok"/"status": "wrong"/' "$work/old.json" >"$work/new.json"
expect_run 1 "" diff "$work/old.json" "$work/new.json" --junit "$work/junit" --annotate
shows "::error title=faulty%3A0 right broken::reduce i32 10 sum"
cases=$((cases + 1))
grep -q 'failures="2"' "$work/junit" || fail "JUnit of diff: $(cat "$work/junit")"
expect_run 0 "" diff "$work/old.json" "$work/old.json" --markdown
shows "**parallax diff**: 1 of 1 passed, 0 failed, 0 skipped"
sed 's/"name": "faulty device"/"name": "another chip"/' "$work/old.json" >"$work/other.json"
expect_run 1 "missing" diff "$work/old.json" "$work/other.json"
expect_run 0 "" diff --across "$work/old.json" "$work/other.json" --json "$work/across.json"
shows "faulty: faulty device, now another chip: two chips"
shows "2 records compared"
cases=$((cases + 1))
grep -q '"across": true' "$work/across.json" || fail "the file does not tell that it is across devices"
sed '/"records"/,/"pairs"/s/"status": "ok"/"status": "wrong"/' "$work/other.json" >"$work/broken.json"
expect_run 1 "" diff --across "$work/old.json" "$work/broken.json"

# ---- a reader that goes away -------------------------------------------------------------------

cases=$((cases + 1))
{
    "$parallax" explain --help 2>"$work/err"
    "$parallax" list kernels --plugin-dir "$work/plugins" 2>>"$work/err"
} | true
[ ! -s "$work/err" ] || fail "a closed pipe is told: $(cat "$work/err")"

finish
