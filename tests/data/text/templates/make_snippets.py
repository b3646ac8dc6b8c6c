# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes snippets.jsonl: small templates and what jinja2 makes of them, in the environment in which chat templates run.

Run once with jinja2 3.1.6 when a snippet is added; the tests read only snippets.jsonl.
"""
import json
from datetime import datetime

from jinja2 import nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.exceptions import TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment


class Generation(Extension):
    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return nodes.CallBlock(self.call_method("_body"), [], [], body).set_lineno(line)

    def _body(self, caller):
        return caller()


def raise_exception(message):
    raise TemplateError(message)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols])
environment.filters["tojson"] = tojson
environment.globals["raise_exception"] = raise_exception
environment.globals["strftime_now"] = lambda form: datetime(2026, 7, 26, 12, 0, 0).strftime(form)

VARIABLES = {
    "n": 7, "f": 2.5, "big": 1e20, "small": 1e-7, "yes": True, "no": False, "nil": None, "s": "Hello World",
    "u": "Ünïcode ☃ 日本語", "quote": "it's \"q\"", "empty": "", "blank": "  x \n", "l": [3, 1, 2], "words": ["b", "A", "c"],
    "d": {"b": 1, "a": [1, {"x": None}], "C": "y"},
    "users": [{"name": "Zoe", "age": 30, "on": True}, {"name": "adam", "age": 25, "on": False},
              {"name": "Bob", "age": 30}],
    "tree": [{"v": 1, "kids": [{"v": 2, "kids": []}, {"v": 3, "kids": [{"v": 4, "kids": []}]}]}],
    "html": "<b>&'\"</b>",
}

SNIPPETS = r'''
{{ n }} {{ f }} {{ big }} {{ small }} {{ yes }} {{ nil }} {{ s }} {{ l }} {{ d }} {{ u }}
{{ quote }} {{ [quote] }} {{ [u, "\t\x00\\"] }} {{ (1,) }} {{ (1, 2) }} {{ () }} {{ [] }} {{ {} }}
{{ 1 + 2 * 3 - 4 / 2 }} {{ 7 // 2 }} {{ -7 // 2 }} {{ 7 % 3 }} {{ -7 % 3 }} {{ 7 % -3 }} {{ 2 ** 10 }} {{ 2 ** -1 }} {{ -2 ** 2 }}
{{ 7.5 // 2 }} {{ -7.5 % 2 }} {{ 1.0 }} {{ 100000000000000000.0 }} {{ 1e16 }} {{ 1e15 }} {{ 0.0001 }} {{ 0.00001 }} {{ 1.5e300 * 1e10 }} {{ 0.1 + 0.2 }}
{{ 1 / 0 }}
{{ 1 // 0 }}
{{ 1 % 0 }}
{{ 1 < 2 < 3 }} {{ 1 < 3 < 2 }} {{ 1 == 1.0 }} {{ true == 1 }} {{ "a" < "b" }} {{ [1, 2] < [1, 3] }} {{ (1, 2) == [1, 2] }}
{{ 1 < "a" }}
{{ none < 1 }}
{{ 2 in [1, 2] }} {{ "x" not in "abc" }} {{ "b" in d }} {{ 1 in d }} {{ "" in "" }} {{ not 1 in [1] }}
{{ 1 in "abc" }}
{{ missing in [1] }} {{ 1 in missing }} {{ 1 not in missing }}
{{ missing in "abc" }}
{{ 1 and 0 or "x" }} {{ "" or none }} {{ not "" }} {{ not not 1 }} {{ 0 and missing.x }}
{{ "a" if yes else "b" }} {{ "a" if no }}|{{ ("a" if no) is defined }} {{ "a" if no else "b" if no else "c" }}
{{ "a" ~ 1 ~ none ~ 2.0 ~ [1] }} {{ 1 ~ (2 + 3) }} {{ "a" "b" 'c' }}
{{ "a" + 1 }}
{{ "a" + missing }}
{{ missing + "a" }}
{{ missing }}|{{ missing is defined }}|{{ missing is undefined }}|{{ missing|default("d") }}|{{ missing|length }}|{{ missing|list }}
{{ missing.x }}
{{ missing["x"] }}
{{ missing() }}
{{ d.missing }}|{{ d["missing"] }}|{{ d.missing is defined }}|{{ l[9] }}|{{ l["x"] }}|{{ s.nope }}|{{ n.nope }}|{{ nil.nope }}
{{ d.missing.x }}
{{ nil.x.y }}
{{ d.b }} {{ d["b"] }} {{ d.a.1.x }} {{ d.a[0] }} {{ l.0 }} {{ l[-1] }} {{ s[0] }} {{ s[-1] }} {{ u[0] }} {{ u[8] }}
{{ d.items is callable }}
{{ d.get("b") }} {{ d.get("zz") }} {{ d.get("zz", 5) }} {{ d.keys()|list }} {{ d.values()|list }} {{ d.items()|list }} {{ d["items"]() | list }}
{{ d.pop("b") }}
{{ l.append(4) }}
{{ d.update({}) }}
{% set x = l.sort() %}
{{ s.__class__ }}|{{ s.__class__ is defined }}
{{ s.__class__.__mro__ }}
{{ l[1:] }} {{ l[:-1] }} {{ l[::-1] }} {{ l[::2] }} {{ l[5:] }} {{ s[2:5] }} {{ s[::-1] }} {{ u[1:4] }} {{ s[-5:] }} {{ (1,2,3)[1:] }} {{ l[-100:100] }} {{ s[7:2:-2] }}
{{ l[::0] }}
{{ l["a":] }}
{{ [1, 2,] }} {{ {"a": 1, "b": [2], 3: 4, none: 5, 1.5: 6, (1, 2): 7} }} {{ {"a": 1, "a": 2} }}
{{ {[1]: 2} }}
{{ 0x1F }} {{ 0b101 }} {{ 0o17 }} {{ 1_000 }} {{ 1.5e3 }} {{ 1e-3 }} {{ 12.50 }}
{{ "a\nb\t\"\'\\ \u00e9 \x41 \101 \q" }}
{{ 'it''s' }} {{ "☃" }} {{ "\U0001F600" }}
{{ [1, 2] + [3] }} {{ "ab" * 3 }} {{ 3 * "ab" }} {{ [0] * 3 }} {{ "a" * -1 }} {{ (1,) + (2,) }}
{{ [1] + (2,) }}
{{ -n }} {{ +n }} {{ -f|abs }} {{ -n|abs }} {{ - -n }}
{{ -s }}
{{ "%s is %d and %.2f %5s|%-5s| %05d %x %%" % ("a", 3.7, 2.345, "r", "l", 42, 255) }}
{{ "%s" % "x" }} {{ "%r" % "x" }} {{ "%(a)s-%(b)s" % {"a": 1, "b": 2} }} {{ "%s" % none }} {{ "%e %g" % (12345.678, 0.00001) }} {{ "%+d" % 3 }} {{ "%s" % missing }}
{{ "%s %s" % "x" }}
{{ "%d" % "x" }}
{{ "%s" % ("a", "b") }}
{{ "{} {1} {name}".format(1) }}
{{ "{} {} {name} {0[0]}".format("ab", 2, name="n") if false else "" }}{{ "{} {} {name}".format("ab", 2, name="n") }} {{ "{0}{1}{0}".format("a", "b") }} {{ "{{}} {:>5} {:<5}| {:^5}| {:05d} {:.2f} {:,} {:x} {!r}".format("a", "b", "c", 42, 3.14159, 1234567, 255, "q") }}
{{ "{}".format() }}
{{ n is number }} {{ f is float }} {{ n is integer }} {{ yes is integer }} {{ yes is boolean }} {{ s is string }} {{ l is sequence }} {{ d is mapping }} {{ d is sequence }} {{ d is iterable }} {{ n is iterable }} {{ s is iterable }} {{ nil is none }} {{ nil is not none }}
{{ 3 is odd }} {{ 4 is even }} {{ 9 is divisibleby 3 }} {{ 9 is divisibleby(2) }} {{ 1 is eq 1 }} {{ 1 is ne(2) }} {{ 1 is lt 2 }} {{ 2 is ge 2 }} {{ 1 is in [1] }} {{ 1 is not in [1] }} {{ "a" is sameas "a" }} {{ yes is true }} {{ 1 is true }} {{ no is false }} {{ "abc" is lower }} {{ "ABC" is upper }} {{ range is callable }} {{ 5 is equalto 5.0 }} {{ "upper" is filter }} {{ "odd" is test }}
{{ missing is string }} {{ missing is iterable }} {{ missing is sequence }} {{ missing is none }} {{ missing is mapping }} {{ missing is callable }}
{{ 1 is nosuchtest }}
{{ 1 | nosuchfilter }}
{% if false %}{{ 1 | nosuchfilter }}{% endif %}ok
{{ 1 + 2 is odd }} {{ not 1 is odd }} {{ 2 * 3 is divisibleby 3 }} {{ s|length is odd }}
{{ s|upper }} {{ s|lower }} {{ "hELLO wORLD"|capitalize }} {{ "hello-world (foo) bar's"|title }} {{ u|upper }} {{ u|lower }}
{{ blank|trim }}| {{ "xxaxx"|trim("x") }} {{ " a "|trim ~ "|" }} {{ 5|trim }}
{{ s|replace("o", "0") }} {{ s|replace("o", "0", 1) }} {{ s|replace("", "-") }} {{ 121|replace(1, 3) }}
{{ "a\nb\n\nc"|indent }}| {{ "a\nb"|indent(2, true) }} {{ "a\n\nb"|indent(2, blank=true) }} {{ "a\nb\n"|indent(1) }}| {{ "a\nb"|indent("> ") }}
{{ l|join }} {{ l|join(", ") }} {{ users|join("-", attribute="name") }} {{ "abc"|join(".") }} {{ d|join(",") }} {{ [1, none, "x"]|join("/") }}
{{ l|first }} {{ l|last }} {{ []|first }}| {{ s|first }} {{ s|last }} {{ d|first }} {{ d|last }} {{ []|first is defined }}
{{ l|length }} {{ s|length }} {{ d|count }} {{ u|length }}
{{ n|length }}
{{ l|sort }} {{ words|sort }} {{ words|sort(case_sensitive=true) }} {{ l|sort(reverse=true) }} {{ users|sort(attribute="age")|map(attribute="name")|list }} {{ users|sort(attribute="age,name")|map(attribute="name")|join(" ") }} {{ d|sort }}
{{ [1, "a"]|sort }}
{{ d|dictsort }} {{ d|dictsort(true) }} {{ {"x": 2, "y": 1}|dictsort(by="value") }} {{ d|dictsort(reverse=true) }}
{{ l|reverse|list }} {{ s|reverse }} {{ (1, 2)|reverse|list }}
{{ ["a", "A", "b", "a"]|unique|list }} {{ ["a", "A"]|unique(true)|list }} {{ users|unique(attribute="age")|map(attribute="name")|list }}
{{ l|min }} {{ l|max }} {{ l|sum }} {{ users|sum(attribute="age") }} {{ words|min }} {{ words|max }} {{ []|max }}| {{ users|max(attribute="age") }} {{ []|sum }} {{ [0.5, 1]|sum(start=1) }}
{{ ["a"]|sum }}
{{ l|map("string")|list }} {{ words|map("upper")|join }} {{ users|map(attribute="on", default="?")|list }} {{ users|map(attribute="on")|list }} {{ ["ab", "c"]|map("replace", "a", "x")|list }} {{ [[1, 2], [3]]|map("join", "+")|list }} {{ [[1, 2], [3]]|map(attribute=0)|list }}
{{ l|select("odd")|list }} {{ l|reject("odd")|list }} {{ [0, 1, "", "x"]|select|list }} {{ [0, 1]|reject|list }} {{ users|selectattr("on")|map(attribute="name")|list }} {{ users|rejectattr("on")|map(attribute="name")|list }} {{ users|selectattr("age", "equalto", 30)|map(attribute="name")|list }} {{ users|selectattr("on", "defined")|list|length }} {{ l|select("gt", 1)|list }} {{ l|select("in", [1, 2])|list }}
{% if users|selectattr("age", "equalto", 99) %}truthy{% else %}falsy{% endif %}
{% set g = l|select("odd") %}{{ g|list }} {{ g|list }}
{{ l|select("odd")|length }}
{{ l|batch(2)|list }} {{ l|batch(2, "x")|list }}
{{ d|items|list }} {{ missing|items|list }}
{{ "5"|int }} {{ "5.7"|int }} {{ "x"|int }} {{ "x"|int(9) }} {{ "0x1A"|int(base=16) }} {{ 3.9|int }} {{ -3.9|int }} {{ none|int }} {{ " 12 "|int }} {{ "1_0"|int }} {{ true|int }}
{{ "5"|float }} {{ "x"|float }} {{ "x"|float(1.5) }} {{ 3|float }} {{ "1e3"|float }} {{ " 2.5 "|float }}
{{ -5|abs }} {{ -5.5|abs }} {{ 2.5|round }} {{ 3.5|round }} {{ 2.675|round(2) }} {{ 42.55|round(1, "floor") }} {{ 42.51|round(method="ceil") }} {{ 42|round }} {{ 1234.5|round(-2) }} {{ 0.5|round }} {{ 2.345|round(2) }}
{{ s|tojson }} {{ quote|tojson }} {{ u|tojson }} {{ u|tojson(ensure_ascii=true) }} {{ "a\nb\t\x01/<>&\u007f"|tojson }} {{ "😀"|tojson(ensure_ascii=true) }}
{{ d|tojson }} {{ d|tojson(indent=2) }} {{ d|tojson(sort_keys=true) }} {{ d|tojson(separators=(",", ":")) }} {{ []|tojson(indent=2) }} {{ {}|tojson(indent=2) }} {{ (1, 2)|tojson }}
{{ {1: 2, none: 3, true: 4, 1.5: 5}|tojson }} {{ [1.0, 1e20, 1e-7, true, none]|tojson }} {{ d|tojson(indent="--") }} {{ [[1, [2]], {"a": []}]|tojson(indent=1) }}
{{ missing|tojson }}
{{ range|tojson }}
{{ html|e }} {{ html|escape }} {{ html|safe }} {{ html|safe|e }} {{ ("<"|safe) + "<" }} {{ "<" + ("<"|safe) }} {{ ("<"|safe) ~ "<" }} {{ html|forceescape }} {{ ("a"|safe)|upper }} {{ ["<"|safe, "<"] }} {{ ("%s"|safe) % "<" }} {{ ("x"|safe).replace("x", "<") }} {{ ("-"|safe).join(["<", "<"|safe]) }}
{{ "<a>"|e|length }} {{ ("<"|safe) is escaped }} {{ "<" is escaped }} {{ ("<"|safe)|string is escaped }}
{{ s|center(20) }}| {{ s|wordcount }} {{ "foo bar baz qux"|truncate(9) }} {{ "foo bar baz qux"|truncate(9, true) }} {{ "foo bar baz qux"|truncate(11) }} {{ "foo bar baz qux"|truncate(11, false, "...", 0) }} {{ "%s-%s"|format("a", 1) }}
{{ missing|default }}| {{ ""|default("x") }}| {{ ""|default("x", true) }} {{ none|d("x") }} {{ none|d("x", boolean=true) }} {{ 0|default(5, true) }}
{{ d|attr("b") }}| {{ d|attr("items") is callable }}
{{ s.upper() }} {{ s.lower() }} {{ s.title() }} {{ "aBc dEf".capitalize() }} {{ "aBc".swapcase() }} {{ "it's a dog's".title() }}
{{ "  a b ".strip() }}| {{ "  a ".lstrip() }}| {{ "  a ".rstrip() }}| {{ "xxaxx".strip("x") }} {{ "xyaxy".lstrip("xy") }} {{ "a.b.".rstrip(".") }} {{ "\u00a0\u3000a\u2003".strip() }}
{{ "a,b,c".split(",") }} {{ "a,b,c".split(",", 1) }} {{ " a  b ".split() }} {{ " a  b c ".split(None, 1) }} {{ "a,b,c".rsplit(",", 1) }} {{ " a  b c ".rsplit(None, 1) }} {{ "".split() }} {{ "".split(",") }} {{ "abc".split("") if false }} {{ "a</think>b".split("</think>")[-1].lstrip("\n") }}
{{ "abc".split("") }}
{{ "a\nb\r\nc\n".splitlines() }} {{ "a\nb".splitlines(true) }} {{ "a-b-c".partition("-") }} {{ "a-b-c".rpartition("-") }} {{ "abc".partition("-") }} {{ "abc".rpartition("-") }}
{{ s.startswith("He") }} {{ s.endswith(("x", "ld")) }} {{ s.startswith("x") }} {{ "abcabc".removeprefix("abc") }} {{ "abcabc".removesuffix("bc") }}
{{ s.find("o") }} {{ s.rfind("o") }} {{ s.find("z") }} {{ s.index("W") }} {{ s.count("o") }} {{ u.find("☃") }} {{ s.find("o", 5) }} {{ "aaa".count("aa") }} {{ "abc".count("") }} {{ s.find("l", 3, 5) }} {{ s.find("", 20) }}
{{ s.index("z") }}
{{ "-".join(["a", "b"]) }} {{ "".join("xyz") }} {{ ",".join({"a": 1}) }}
{{ "-".join([1]) }}
{{ "a".ljust(3) }}| {{ "a".rjust(3, "*") }} {{ "a".center(4, "*") }} {{ "ab".center(5, "*") }} {{ "7".zfill(3) }} {{ "-7".zfill(4) }}
{{ "abc".isalpha() }} {{ "ab1".isalpha() }} {{ "12".isdigit() }} {{ "a1".isalnum() }} {{ " \n".isspace() }} {{ "abc".islower() }} {{ "ABC".isupper() }} {{ "aB".isupper() }} {{ "".isalpha() }} {{ "日本".isalpha() }} {{ "12".islower() }} {{ "é".isascii() }}
{{ [1, 2, 1].count(1) }} {{ [1, 2].index(2) }} {{ (1, 2).index(1) }} {{ [1].copy() }}
{{ [1].index(5) }}
{{ "abc".nosuch() }}
{{ range(3) | list }} {{ range(1, 4)|list }} {{ range(5, 0, -2)|list }} {{ range(0)|list }} {{ range(3)|sum }}
{{ range(1000000) }}
{{ range(1, 2, 0) }}
{{ dict(a=1, b=2) }} {{ dict({"x": 1}, y=2) }} {{ dict([("a", 1)]) }}
{% set ns = namespace(a=1, b="x") %}{% set ns.a = ns.a + 1 %}{% set ns.c = [1] %}{{ ns.a }}{{ ns.b }}{{ ns.c }}{{ ns.zz is defined }}
{% set ns = namespace() %}{% for i in l %}{% set ns.last = i %}{% set plain = i %}{% endfor %}{{ ns.last }} {{ plain is defined }}
{% set d.x = 1 %}
{% set nothing.x = 1 %}
{% set x = 1 %}{% if true %}{% set x = 2 %}{% endif %}{{ x }} {% for i in [1] %}{{ x }}{% set x = 3 %}{{ x }}{% endfor %}{{ x }}
{% set a, b = 1, 2 %}{{ a }}{{ b }} {% set (c, e) = [3, 4] %}{{ c }}{{ e }} {% set t = 1, 2 %}{{ t }}
{% set a, b = [1] %}
{% set a, b = [1, 2, 3] %}
{% set x %}a{{ n }}b{% endset %}{{ x }} {% set y | upper | trim %} abc {% endset %}{{ y }}| {% set z | replace("a", "b") %}aa{% endset %}{{ z }}
{% for i in l %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.depth }}{{ loop.depth0 }};{% endfor %}
{% for i in l %}{{ loop.previtem }}<{{ i }}>{{ loop.nextitem }}{{ loop.cycle("a", "b") }}{{ loop.changed(i > 1) }};{% endfor %}
{% for i in l %}{{ loop.previtem is defined }}{{ loop.nextitem is undefined }} {% endfor %}
{% for i in l if i > 1 %}{{ i }}{{ loop.index }}/{{ loop.length }} {% else %}none{% endfor %} {% for i in l if i > 9 %}x{% else %}none{% endfor %}
{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %} {% for k in d %}{{ k }}{% endfor %} {% for c in "añ" %}[{{ c }}]{% endfor %} {% for x in missing %}x{% else %}E{% endfor %}
{% for x in none %}{% endfor %}
{% for x in 5 %}{% endfor %}
{% for a, b in [[1]] %}{% endfor %}
{% for i in range(10) %}{% if i == 2 %}{% continue %}{% endif %}{% if i == 5 %}{% break %}{% endif %}{{ i }}{% endfor %}
{% for i in [1, 2] %}{% for j in [1, 2, 3] %}{% if j == 2 %}{% break %}{% endif %}{{ i }}{{ j }} {% endfor %}{% endfor %}
{% for t in tree recursive %}{{ t.v }}({{ loop.depth }}){% if t.kids %}[{{ loop(t.kids) }}]{% endif %}{% endfor %}
{% for i in [1] %}{{ loop([2]) }}{% endfor %}
{% for i in l %}{% for j in [0] %}{{ loop.index }}{% endfor %}{{ loop.index }}{% endfor %}
{% for i in l %}{% set outer = loop %}{% for j in [0, 1] %}{{ outer.index }}{{ loop.index }} {% endfor %}{% endfor %}
{{ loop }}|{% for loop2 in [1] %}{{ loop.index }}{% endfor %}
{% macro m(a, b=2, c=none) %}[{{ a }}{{ b }}{{ c }}]{% endmacro %}{{ m(1) }}{{ m(1, 3) }}{{ m(1, c=5) }}{{ m() }}{{ m(a=9) }}
{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1, 2) }}
{% macro m(a) %}{{ a }}{% endmacro %}{{ m(b=2) }}
{% macro m(a) %}{{ a }}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, 2, 3, x=4) }}
{% macro m(a, b=a) %}{{ a }}{{ b }}{% endmacro %}{{ m(1) }}{{ m(1, 2) }}
{% macro fact(n) %}{% if n < 2 %}1{% else %}{{ n * fact(n - 1)|int }}{% endif %}{% endmacro %}{{ fact(5) }}
{% macro m() %}{{ x }}{% endmacro %}{% set x = 5 %}{{ m() }}{% set x = 6 %}{{ m() }}
{% macro m() %}<{{ caller() }}>{% endmacro %}{% call m() %}in {{ n }}{% endcall %}
{% macro m() %}{{ caller(1, 2) }}{% endmacro %}{% call(a, b) m() %}{{ a }}+{{ b }}{% endcall %}
{% macro m() %}{{ caller() }}{% endmacro %}{{ m() }}
{% macro m() %}x{% endmacro %}{% call m() %}y{% endcall %}
{% macro m(x) %}{{ x }}{% endmacro %}{{ m("a") + "b" }} {{ m("a")|length }} {{ m.name }} {{ [1, 2]|map("string")|map("upper")|join }}
{% filter upper %}abc {{ s }}{% endfilter %} {% filter replace("a", "b")|upper %}banana{% endfilter %}
{% with %}{% set x = 1 %}{{ x }}{% endwith %}{{ x }}| {% with a = 1, b = n %}{{ a }}{{ b }}{% endwith %}{{ a }}
{% generation %}x{% set q = 1 %}{{ q }}{% endgeneration %}{{ q }}
{% raw %}{{ x }} {% if %} {# c #}{% endraw %}| {%- raw -%}  y {%- endraw %} z
a {# comment #} b {#- c -#} d {# more #} e
{% if no %}a{% elif nil %}b{% elif n %}c{% else %}d{% endif %} {% if missing %}x{% else %}y{% endif %} {% if d.zz %}x{% endif %}
{% set c = cycler("a", "b") %}{{ c.next() }}{{ c.next() }}{{ c.next() }}{{ c.current }} {% set j = joiner("|") %}{{ j() }}{{ j() }}{{ j() }}
{{ strftime_now("%Y-%m-%d %H:%M:%S %d %b %Y %B %A %a %j %p %I %y %%") }}
{{ raise_exception("boom " ~ n) }}
{{ [1, 2, 3] | map("string") | join(",") }} {{ (s | lower).split(" ") | last }} {{ users[0].name.upper()[1:] }} {{ {"a": {"b": [1, 2]}}.a.b[1] }}
{{ m(*[1, 2]) if false else "" }}{{ "{}{}{x}".format(*[1, 2], **{"x": 3}) }} {{ dict(**{"a": 1}) }}
{{ "abc"[1] }} {{ ("a", "b")[0] }} {{ "abc"["length"] is defined }} {{ [[1, 2], [3]][0][1] }}
{{ true }} {{ True }} {{ none }} {{ None }} {{ false is false }}
{{ 1, 2 }} {{ (1) }} {{ ((1, 2), 3) }}
{{ [1] is sameas [1] }} {{ none is sameas none }}
{{ l is not mapping and s is string or false }} {{ s is string and s|length > 3 }}
{{ "a" in ["a"] and "b" not in ["a"] }} {{ not "a" in ["b"] }}
{{ ns }}{% set ns = namespace(x=1) %}{{ ns }}
{{ [missing] }} {{ [none, true, 1.5, "x"] }} {{ {"k": "it's"} }} {{ ["a\"b'c"] }} {{ ["\u200b\u00a0é😀"] }}
{{ 10000000000 * 1000 }} {{ 9007199254740993 == 9007199254740993.0 }} {{ 3 == "3" }} {{ [1] == [1.0] }} {{ {"a": 1} == {"a": 1.0} }} {{ missing == missing2 }} {{ none == missing }}
{{ "x" * 5 ~ "y" }} {{ 2 ** 3 ** 2 }} {{ 10 - 2 - 3 }} {{ 100 / 10 / 2 }} {{ 2 * 3 ~ 4 * 5 }} {{ 1 - -1 }}
{{ foo(1 }}
{{ 1 + }}
{% if %}x{% endif %}
{% for x %}{% endfor %}
{% if yes %}x
{% unknown %}
{{ "abc }}
{{ [1, 2 }}
{% set 1 = 2 %}
{% set true = 2 %}
{{ a b }}
{% macro m(a=1, b) %}{% endmacro %}
{{ 1 is odd is even }}
{{ @ }}
{# never closed
{% raw %}never closed
{{ x | }}
{% break %}
{{ f(a=1, 2) }}
'''

LAYOUT = [
    "a\n{% if yes %}\nb\n{% endif %}\nc\n",
    "a\n  {% if yes %}\n  b\n  {% endif %}\nc\n\n",
    "a  {%- if yes -%}  b  {%- endif -%}  c",
    "a\n\n{%- if yes -%}\n\n b \n\n{%- endif -%}\n\nc",
    "  {%+ if yes %}x{% endif +%}\ny\n",
    "x {% if yes +%}\ny{% endif %}",
    "{{ n }}\n{{ n -}}\n  {{- n }}\n  x {{ n }}  \n",
    "  {{ n }}\n\t{{ n }}",
    "a\r\nb\r\n{% if yes %}\r\nc\r\n{% endif %}\r\nd",
    "a\rb\n\n",
    "{# c #}\nx\n  {# c #}\n  y {#- c #}\n z {# c -#}\n\n w",
    "{#+ c +#}\nx",
    "  {% raw %}\n  {{ x }}\n  {% endraw %}\n  y",
    "{% for i in l %}\n  {{ i }}\n{% endfor %}\n",
    "{%- for i in l %}\n  {{- i }}\n{%- endfor %}\n",
    "{% for i in l -%}\n  {{ i }},\n{%- endfor %}",
    "  {%- set x = 1 %}\n  {{ x }}",
    "a {% set x = 1 %} b\n{% set y = 2 %}\n{{ x }}{{ y }}",
    "{% if yes %}  {% if yes %}\n\n  x{% endif %}{% endif %}",
    "{{ {'a': {'b': 1}} }}",
    "{{ {'a': '}}'} }}{{ '%}' }}{% if '%}' %}x{% endif %}",
    "{{-1}}|{{- 1 }}|{{ -1 }}|{{+1}}",
    "{ {x} } {%if yes%}tight{%endif%} { % #}",
    "\n\n{% if yes %}x{% endif %}\n\n",
    "{% if yes %}\n\n\nx{% endif %}",
    "x\u00a0\n \u3000{%- if yes %}y{% endif %}",
    "{% if yes: %}colon{% endif %}",
    "{% macro m(a) -%}\n  {{ a }}\n{%- endmacro -%}\n  [{{ m(1) }}]\n",
    "{% set x -%}\n  y\n{%- endset %}[{{ x }}]",
    "{% call(x) m() %}{% endcall %}{% macro m() %}{% endmacro %}",
    "line\n{{ missing.x }}\n",
    "a {# multi\nline #} e",
]


def render(template):
    row = {"template": template}
    try:
        row["expected"] = environment.from_string(template).render(**VARIABLES)
    except Exception as error:  # whatever Python raises is a failure of the template
        row["error"] = str(error)
    return row


if __name__ == "__main__":
    with open("snippets.jsonl", "w", encoding="utf-8") as out:
        out.write(json.dumps({"variables": VARIABLES}, ensure_ascii=False) + "\n")
        for template in [line for line in SNIPPETS.strip().split("\n")] + LAYOUT:
            out.write(json.dumps(render(template), ensure_ascii=False) + "\n")
