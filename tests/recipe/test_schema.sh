#!/bin/sh
# data/recipe.schema.json: it accepts each recipe of the tree, and each one that the program reads; it refuses those that
# are wrong by their form alone.
set -u
: "${top_builddir:=.}" "${top_srcdir:=.}"
python=
for candidate in python3 python; do
    "$candidate" -c 'import jsonschema' 2>/dev/null && python=$candidate && break
done
[ -n "$python" ] || { echo "skipped: there is no Python with jsonschema" && exit 77; }
made=$top_builddir/tests/recipe/test_recipes
[ -x "$made" ] || { echo "skipped: test_recipes was not built" && exit 77; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM

RECIPES=$work "$made" >"$work/log" 2>&1 || { cat "$work/log" && exit 1; }
"$python" - "$top_srcdir/data/recipe.schema.json" "$work" "$top_srcdir"/doc/judge/*.json <<'END'
import glob, json, os, sys
import jsonschema

def pairs(members):
    if len(dict(members)) != len(members):
        raise ValueError("a key stands twice")
    return dict(members)

def constant(word):
    raise ValueError(word)

schema = json.load(open(sys.argv[1]))
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
failures, counts = 0, {"good": 0, "bad": 0, "tree": 0}

def accepts(path):
    try:
        text = open(path, encoding="utf-8").read()
        return next(validator.iter_errors(json.loads(text, object_pairs_hook=pairs, parse_constant=constant)), None)
    except (ValueError, UnicodeDecodeError) as wrong:
        return wrong

for path in sys.argv[3:]:
    document = json.load(open(path))
    if "parallax_recipe" not in document:
        continue # what a recipe names
    wrong = accepts(path)
    counts["tree"] += 1
    if wrong is not None:
        failures += 1
        print("FAIL: %s is refused: %s" % (path, wrong))
for path in sorted(glob.glob(os.path.join(sys.argv[2], "*.json"))):
    kind = os.path.basename(path).split("-")[0]
    if kind not in counts:
        continue # refused for more than its form
    counts[kind] += 1
    wrong = accepts(path)
    if (wrong is None) != (kind == "good"):
        failures += 1
        print("FAIL: %s\n%s" % (open(path, "rb").read()[:300], wrong or "is accepted"))
print("%(good)d good, %(bad)d bad, %(tree)d of the tree" % counts, "with %d failures" % failures)
sys.exit(failures > 0 or counts["good"] < 200 or counts["bad"] < 100 or counts["tree"] < 5)
END
