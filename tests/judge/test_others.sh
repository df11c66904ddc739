#!/bin/sh
# Results of others, judged: NumPy's, of which none is an alarm, and faults, each of which is caught (acceptance.py); and
# a challenge that NumPy solves.  CHECK_FORM=full: three times as many.  JUDGED=5000 is the longest form, with 20 seeds of each fault and sums of up to 32768 terms.
# On a GPU: PYTHON=python3 JUDGED_LIBRARIES="numpy torch cupy jax" JUDGED=5000 tests/judge/test_others.sh
. "${top_srcdir:-.}/tests/support.sh"
python=
for found in ${PYTHON:-python3 /usr/bin/python3}; do
    "$found" -c 'import numpy' 2>/dev/null && python=$found && break
done
[ -n "$python" ] || {
    echo "skipped: there is no Python with NumPy"
    exit 77
}
seeds=1 longest=1024 judged=60
[ "${CHECK_FORM-}" != full ] || judged=180
[ "${JUDGED:-0}" -lt 5000 ] || {
    seeds=20
    longest=32768
}
for library in ${JUDGED_LIBRARIES:-numpy}; do
    cases=$((cases + 1))
    "$python" "${top_srcdir:-.}/tests/judge/acceptance.py" "$parallax" --library "$library" --results "${JUDGED:-$judged}" \
        --seeds $seeds --longest $longest >"$work/out" 2>"$work/err"
    status=$?
    cat "$work/out"
    [ $status = 77 ] || [ $status = 0 ] || fail "$library: not all is as it must be"
done

# A challenge, and somebody who solves it.
solve=${top_srcdir:-.}/examples/solve_challenge.py
for types in "f32" "f16" "f64" "i32 --dtype c64"; do
    # shellcheck disable=SC2086 # words
    expect_run 0 '' challenge --dtype $types --batches -o "$work/cases"
    expect_run 1 '' judge "$work/cases" --quiet --json "$work/none.json"
    grep -q '"ok": 0' "$work/none.json" || fail "results that are not there are right: $types"
    "$python" "$solve" "$work/cases" || fail "the example does not solve $types"
    expect_run 0 '' judge "$work/cases" --typical
    shows " 0 wrong"
    rm -rf "$work/cases"
done
"$python" -c 'import jsonschema' 2>/dev/null && {
    expect_run 0 '' challenge --batches -o "$work/cases"
    cases=$((cases + 1))
    "$python" -c 'import json, jsonschema, sys
jsonschema.validate(json.load(open(sys.argv[1])), json.load(open(sys.argv[2])))' "$work/cases/manifest.json" \
        "${top_srcdir:-.}/data/challenge.schema.json" 2>"$work/err" || fail "the manifest is not as its schema says"
}
finish
