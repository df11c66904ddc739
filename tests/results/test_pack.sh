#!/bin/sh
# report --pack: the same results in fewer bytes, for everything that reads them; and tables that are none.
. "${top_srcdir:-.}/tests/support.sh"
source=${top_srcdir:-.}

# ---- what is packed reads like what it was ------------------------------------------------------
for file in "$source"/tests/data/results/*.json "$work/fresh.json"; do
    if [ "$file" = "$work/fresh.json" ]; then
        expect_run 1 '' compare reduce 1000 --backend host --backend faulty --plugin-dir "$work/plugins" --dtype i32 \
            --kernel all --seconds 0.01 --json "$file"
    fi
    "$parallax" diff "$file" "$file" >"$work/wanted" 2>"$work/err" || continue # of another schema
    expect_run 0 '' report "$file" --pack -o "$work/packed.json"
    cases=$((cases + 1))
    [ "$(wc -c <"$work/packed.json")" -lt "$(wc -c <"$file")" ] || fail "$file: no smaller"
    "$parallax" diff "$file" "$work/packed.json" >"$work/out" 2>"$work/err" || fail "$file: another result when packed"
    sed 's/ (.*//' "$work/wanted" >"$work/a"
    sed 's/ (.*//' "$work/out" >"$work/b"
    cmp -s "$work/a" "$work/b" || fail "$file: diff says something else of it"
    # Packed again it is the same, to the byte.
    expect_run 0 '' report "$work/packed.json" --pack -o "$work/again.json"
    cmp -s "$work/packed.json" "$work/again.json" || fail "$file: another file when packed twice"
done
cases=$((cases + 1))
grep -q '"columns":\[' "$work/packed.json" || fail "no table in it"

# Its records written out are what it was; packed again, that is the same file.
expect_run 0 '' report "$work/packed.json" --unpack -o "$work/lists.json"
cases=$((cases + 1))
grep -q '^ *"kernel": "same",$' "$work/lists.json" || fail "--unpack writes no records"
grep -q '"columns"' "$work/lists.json" && fail "--unpack leaves tables"
expect_run 0 '' report "$work/lists.json" --pack -o "$work/again.json"
cmp -s "$work/packed.json" "$work/again.json" || fail "written out and packed it is another file"

# In its own place, too.
cp "$work/fresh.json" "$work/place.json"
expect_run 0 '' report "$work/place.json" --pack -o "$work/place.json"
cases=$((cases + 1))
cmp -s "$work/place.json" "$work/packed.json" || fail "packed in place it is another file"

# ---- digits: as many as the interval has, of what is measured alone -------------------------------
cat >"$work/digits.json" <<'END'
{"schema": "parallax-results/1", "records": [
 {"time": {"median_ns": 12345.678, "ci95_ns": [12300.123, 12400.456]}, "alpha": 0.1234567890123, "error": {"max_over_bound": 1.00001}},
 {"time": {"median_ns": 345.67, "ci95_ns": [40.1234, 9000.7]}},
 {"time": {"median_ns": 0.98765, "ci95_ns": [0.98, 0.99]}, "alpha": 0.3333333333333333, "error": {"max_over_bound": 0.99999}}],
 "odd": [{"a.b": 1}, {"a.b": 2}, {"a.b": 3}, {"a.b": 4}], "equal": [{"a": 1}, {"a": 1}, {"a": 1}, {"a": 1}],
 "together": [{"a": 1, "t": 7, "u": {"v": "w"}}, {"a": 2, "t": 8, "u": {"v": "w"}}, {"a": 3}, {"a": 4}],
 "sparse": [{"a": 1}, {"b": {"c": null}}, {"b": {"d": "x"}}, {"a": [{"e": 1}, {"e": 2}, {"e": 3}, {"e": 4}]}]}
END
expect_run 0 '' report "$work/digits.json" --pack
shows '"median_ns":12350,"ci95_ns":[12300,12400]'
shows '"median_ns":300,"ci95_ns":[40.12,9000]' # none is 0
shows '"median_ns":0.988,"ci95_ns":[0.98,0.99]'
shows '"alpha":0.1234567890123,'
shows '"alpha":0.3333333333333333,'
shows '"max_over_bound":1.00001'
shows '"max_over_bound":0.99999'
shows '"odd":[{"a.b":1}'
shows '"equal":[{"a":1}'
shows '"with":{"t":{"u.v":"w"}}'
cp "$work/out" "$work/packed.json"
expect_run 0 '' report "$work/packed.json" --pack
cases=$((cases + 1))
cmp -s "$work/packed.json" "$work/out" || fail "what is odd does not come back"

# ---- tables that are none -------------------------------------------------------------------------
refused() { # what is said, table
    printf '{"schema": "parallax-results/1", "records": %s}\n' "$2" >"$work/bad.json"
    expect_run 2 "bad.json: a table in it is malformed: $1" diff "$work/bad.json" "$work/bad.json"
    cases=$((cases + 1))
    [ "$(wc -l <"$work/err")" -eq 1 ] || fail "not one line: $2"
}
refused "it has no column" '{"columns": [], "rows": []}'
refused "a column is neither" '{"columns": [7], "rows": []}'
refused "a column is neither" '{"columns": [{}], "rows": []}'
refused "a column is neither" '{"columns": [{"a": 1}], "rows": []}'
refused "a column is neither" '{"columns": [{"a": [], "b": []}], "rows": []}'
refused "what is the same" '{"same": 1, "columns": ["a"], "rows": [[1]]}'
refused "a row has more cells" '{"columns": ["a"], "rows": [[1, 2]]}'
refused "a row is no list" '{"columns": ["a"], "rows": [1]}'
refused "a cell is no number" '{"columns": [{"a": [1]}], "rows": [[1]]}'
refused "a cell is no number" '{"columns": [{"a": [1]}], "rows": [[-1]]}'
refused "a cell is no number" '{"columns": [{"a": [1]}], "rows": [["x"]]}'
refused "two columns have one name" '{"columns": ["a", "a"], "rows": [[1, 2]]}'
refused "two columns have one name" '{"same": {"a.b": 1}, "columns": ["a"], "rows": [[1]]}'
refused "two columns have one name" '{"with": {"a": {"a": 1}}, "columns": ["a"], "rows": [[1]]}'
refused "\`with\` does not name" '{"with": 1, "columns": ["a"], "rows": [[1]]}'
refused "\`with\` does not name" '{"with": {"b": {"c": 1}}, "columns": ["a"], "rows": [[1]]}'
refused "\`with\` does not name" '{"with": {"a": 1}, "columns": ["a"], "rows": [[1]]}'
refused "a column lies within another" '{"columns": ["a", "a.b"], "rows": [[1, 2]]}'
refused "a column lies within another" '{"columns": ["a.b.c.d.e.f.g.h.i.j.k"], "rows": [[1]]}'
{
    printf '{"columns": ["a"], "same": {'
    seq -f '"k%g": 1,' 1000 | tr -d '\n'
    printf '"z": 1}, "rows": ['
    seq -f '[%g],' 5000 | tr -d '\n'
    printf '[0]]}'
} >"$work/large"
refused "it has more than 4 million cells" "$(cat "$work/large")"
sed 's/"columns": \["a"\], "same": {/"columns": ["a"], "with": {"a": {/; s/}, "rows"/}}, "rows"/' "$work/large" >"$work/larger"
refused "it has more than 4 million cells" "$(cat "$work/larger")"

expect_run 2 "take one file" report "$work/digits.json" "$work/digits.json" --pack
expect_run 2 "take one file" report "$work/digits.json" --pack --markdown
expect_run 2 "take one file" report "$work/digits.json" --pack --unpack
expect_run 2 'there is no "schema"' report "$source/data/recipe.schema.json" --pack
finish
