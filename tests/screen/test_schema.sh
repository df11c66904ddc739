#!/bin/sh
# The installed schemas accept what screen, seal and fleet write, and no file with a field of another kind.
. "${top_srcdir:-.}/tests/support.sh"
only host cuda
python=
for candidate in python3 python; do
    "$candidate" -c 'import jsonschema' 2>/dev/null && python=$candidate && break
done
[ -n "$python" ] || { echo "skipped: there is no Python with jsonschema" && exit 77; }
export PLX_SCREEN_ROUNDS=8 # a bound of work, not of time
run screen --backend host --budget 5m --self-test --dtype f32 --json "$work/screen.json"
LD_PRELOAD=$built/tests/fakes/.libs/planted.so PLANTED=host:0:12:37 "$parallax" screen --backend host --budget 5m --json "$work/faulty.json" \
    >/dev/null 2>&1
run screen --backend host --budget 5m --dtype i32 --anonymous --json "$work/hidden.json"
run seal "$work/seal.json" --backend host --dtype f32
run screen --backend host --budget 5m --dtype f32 --against "$work/seal.json" --json "$work/against.json"
run fleet "$work/screen.json" "$work/faulty.json" "$work/none.json" --json "$work/fleet.json"
cases=$((cases + 1))
"$python" - "${top_srcdir:-.}/data" "$work" <<'END' || fail "a schema"
import json, sys
import jsonschema
data, work = sys.argv[1:]
for name, files in {"screen": ("screen", "faulty", "hidden", "against"), "seal": ("seal",), "fleet": ("fleet",)}.items():
    schema = json.load(open(f"{data}/{name}.schema.json"))
    jsonschema.Draft7Validator.check_schema(schema)
    for file in files:
        text = json.load(open(f"{work}/{file}.json"))
        jsonschema.validate(text, schema)
        if name == "screen":
            text["devices"][0]["verdict"] = "fine"
        text["schema" if name != "screen" else "budget"] = "other"
        try:
            jsonschema.validate(text, schema)
        except jsonschema.ValidationError:
            continue
        sys.exit(f"{name} accepts what is wrong")
END
finish
