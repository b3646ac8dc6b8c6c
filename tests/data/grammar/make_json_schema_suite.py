# SPDX-License-Identifier: GPL-3.0-or-later
"""json_schema_suite.jsonl from the official JSON-Schema-Test-Suite, as the sdist of jsonschema 4.17.3 carries it:

    pip download --no-deps --no-binary :all: jsonschema==4.17.3 && tar xzf jsonschema-4.17.3.tar.gz
    python3 make_json_schema_suite.py jsonschema-4.17.3/json/tests > json_schema_suite.jsonl

One line a case: its draft and file, the schema, and documents with whether they obey it.
"""
import json
import pathlib
import sys

WANTED = {
    "draft2020-12": """additionalProperties allOf anchor anyOf boolean_schema const contains default defs dependentRequired
        dependentSchemas enum exclusiveMaximum exclusiveMinimum if-then-else infinite-loop-detection items maxItems maxLength
        maxProperties maximum minItems minLength minProperties minimum multipleOf not oneOf pattern patternProperties
        prefixItems properties propertyNames ref required type uniqueItems unevaluatedItems unevaluatedProperties
        unknownKeyword optional/bignum optional/ecmascript-regex optional/non-bmp-regex optional/format/date
        optional/format/date-time optional/format/duration optional/format/email optional/format/hostname
        optional/format/ipv4 optional/format/ipv6 optional/format/time optional/format/uri optional/format/uuid""",
    "draft7": "additionalItems items definitions",
    "draft4": "maximum minimum",
}

root = pathlib.Path(sys.argv[1])
for draft, names in WANTED.items():
    for name in names.split():
        for case in json.loads((root / draft / f"{name}.json").read_text()):
            line = {"file": f"{draft}/{name}", "case": case["description"], "schema": case["schema"],
                    "tests": [[t["description"], t["data"], t["valid"]] for t in case["tests"]]}
            try:
                text = json.dumps(line, ensure_ascii=False, separators=(",", ":"))
                text.encode()
            except UnicodeEncodeError:
                text = json.dumps(line, separators=(",", ":"))
            print(text)
