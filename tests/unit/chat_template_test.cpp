// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/chat_template.h"

#include <QtTest>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "engine/base/file.h"
#include "engine/text/template_traits.h"
#include "tests/support/test_support.h"

using namespace pitwall;
using nlohmann::ordered_json;

namespace {

/// 2026-07-26T12:00:00Z, the time at which the reference values were made.
constexpr Nanos kReferenceTime = Nanos{1785067200} * kNanosPerSecond;

std::vector<ordered_json> read_lines(const std::filesystem::path& path) {
  std::vector<ordered_json> rows;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) rows.push_back(ordered_json::parse(line));
  return rows;
}

Result<std::string> render(std::string_view source, const ordered_json& variables = ordered_json::object(),
                           const TemplateLimits& limits = {}) {
  const auto compiled = ChatTemplate::compile(source, limits);
  if (!compiled.ok()) return compiled.error();
  return compiled->render(variables, kReferenceTime);
}

std::string text_or_error(const Result<std::string>& result) {
  return result.ok() ? *result : "error: " + result.error().what;
}

/// The variables that a reference case was rendered with.
ordered_json variables_of(const ordered_json& row) {
  ordered_json variables = row.at("extra");
  for (const char* name : {"messages", "tools", "add_generation_prompt"}) variables[name] = row.at(name);
  if (!variables.contains("documents")) variables["documents"] = nullptr;
  for (const char* name : {"bos_token", "eos_token"}) {
    if (!row.at(name).is_null()) variables[name] = row.at(name);
  }
  return variables;
}

void compare_cases(const std::filesystem::path& folder, std::size_t expected_rows) {
  const auto rows = read_lines(folder / "cases.jsonl");
  QCOMPARE(rows.size(), expected_rows);
  std::map<std::string, int> passed;
  for (const ordered_json& row : rows) {
    const auto source = read_file(folder / (row.at("template").get<std::string>() + ".jinja"));
    PW_VERIFY(source);
    const auto text = render(*source, variables_of(row));
    const bool must_fail = row.contains("error");
    const std::string expected =
        (must_fail ? "error: " : "") + row.at(must_fail ? "error" : "expected").get<std::string>();
    QVERIFY2(text_or_error(text) == expected,
             (row.at("id").dump() + "\nexpected " + expected + "\ngot      " + text_or_error(text)).c_str());
    if (must_fail) QCOMPARE(text.error().kind, Error::Kind::invalid_input);
    ++passed[row.at("template").get<std::string>()];
  }
  for (const auto& [name, count] : passed) qInfo("%s: %d cases", name.c_str(), count);
}

std::string repeated(std::string_view unit, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += unit;
  return text;
}

}  // namespace

class ChatTemplateTest : public QObject {
  Q_OBJECT
 private slots:

  void templates_of_models_agree_with_transformers() { compare_cases(test::data("text/templates"), 57); }

  void templates_of_many_models_agree_with_transformers() {
    const auto folder = test::shared("text/templates");
    if (!folder) QSKIP("the reference set of other models' templates is not beside the checkout");
    compare_cases(*folder, 715);
  }

  void snippets_agree_with_jinja2_data() {
    QTest::addColumn<QString>("file");
    QTest::newRow("snippets") << "text/templates/snippets.jsonl";
    QTest::newRow("combinations") << "text/templates/combinations.jsonl";
  }
  void snippets_agree_with_jinja2() {
    QFETCH(QString, file);
    const auto rows = read_lines(test::data(file.toStdString()));
    QVERIFY(rows.size() > 200);
    const ordered_json variables = rows.front().at("variables");
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const std::string source = rows[i].at("template");
      const auto text = render(source, variables);
      if (rows[i].contains("error")) {
        QVERIFY2(!text.ok(), (source + "\nshould fail: " + rows[i].at("error").dump()).c_str());
      } else {
        const std::string expected = rows[i].at("expected");
        QVERIFY2(text_or_error(text) == expected,
                 (source + "\nexpected " + expected + "\ngot      " + text_or_error(text)).c_str());
      }
    }
  }

  void errors_name_the_line() {
    QCOMPARE(render("a\nb\n{{ x.y }}").error().what, std::string("line 3: 'x' is undefined"));
    QCOMPARE(render("a\n{% if %}").error().what.substr(0, 7), std::string("line 2:"));
    QCOMPARE(render("{% macro m() %}\n{{ x.y }}\n{% endmacro %}\n\n{{ m() }}").error().what,
             std::string("line 2: 'x' is undefined"));
    QCOMPARE(render("\n\n{{ (((((((((( }}").error().what.substr(0, 7), std::string("line 3:"));
  }

  void raise_exception_gives_exactly_its_message() {
    const auto text = render("\n{{ raise_exception('Conversation roles must alternate!') }}");
    QVERIFY(!text.ok());
    QCOMPARE(text.error().what, std::string("Conversation roles must alternate!"));
    QCOMPARE(text.error().kind, Error::Kind::invalid_input);
  }

  void traits_are_found_by_rendering() {
    const auto traits = [](std::string_view source) {
      return probe_template(ChatTemplate::compile(source).value());
    };
    const auto chat_ml = read_file(test::data("text/templates/Qwen2.5-7B-Instruct.jinja"));
    PW_VERIFY(chat_ml);
    const TemplateTraits text = traits(*chat_ml);
    QVERIFY(text.reads_text && !text.reads_parts && text.opens_reply);
    const TemplateTraits parts = traits(
        "{% for m in messages %}{% for part in m.content %}{{ part.text if part.type == 'text' }}{% endfor %}"
        "{% endfor %}");
    QVERIFY(!parts.reads_text && parts.reads_parts && !parts.opens_reply);
    const TemplateTraits both = traits(
        "{% for m in messages %}{% if m.content is string %}{{ m.content }}{% else %}{{ m.content[0].text "
        "}}{% "
        "endif %}{% endfor %}{% if add_generation_prompt %}>{% endif %}");
    QVERIFY(both.reads_text && both.reads_parts && both.opens_reply);
    const TemplateTraits strict = traits("{{ raise_exception('no') }}");
    QVERIFY(strict.reads_text && !strict.reads_parts && strict.opens_reply);
    QVERIFY(text.reads_tools && !parts.reads_tools && strict.reads_tools);
  }

  void absent_variables_are_undefined_and_null_is_none() {
    QCOMPARE(text_or_error(render("{{ tools is defined }} {{ bos is defined }}", {{"tools", nullptr}})),
             std::string("True False"));
  }

  void invalid_utf8_is_refused_in_templates_and_replaced_in_variables() {
    QVERIFY(!ChatTemplate::compile("a\xFF").ok());
    QCOMPARE(text_or_error(render("{{ x }}", {{"x", "a\xFFz"}})), std::string("a\xEF\xBF\xBDz"));
  }

  void the_clock_is_the_machines_when_no_time_is_given() {
    const auto compiled = ChatTemplate::compile("{{ strftime_now('%Y') }}");
    PW_VERIFY(compiled);
    QVERIFY(compiled->render(ordered_json::object()).value() >= "2026");
  }

  void what_has_no_end_meets_a_limit_data() {
    QTest::addColumn<QString>("source");
    const auto row = [](const char* name, const std::string& source) {
      QTest::newRow(name) << QString::fromStdString(source);
    };
    const std::string doubling =
        "{% set ns = namespace(v=%) %}{% for i in range(100) %}{% set ns.v = ns.v + ns.v %}{% endfor %}";
    const auto doubled = [&](const char* start) {
      return QString::fromStdString(doubling).replace("%)", QString(start) + ")").toStdString();
    };
    row("loops", "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}");
    row("output", "{% for a in range(99999) %}{{ 'x' * 1000 }}{% endfor %}");
    row("captured output",
        "{% for a in range(99999) %}{% set x %}{{ 'x' * 1000000 }}{% endset %}{% endfor %}");
    row("text", doubled("'x'"));
    row("list", doubled("[1]"));
    row("repetition", "{{ 'x' * 1000000000000 }}");
    row("list repetition", "{{ [1] * 1000000000000 }}");
    row("width", "{{ '%1000000000d' % 1 }}");
    row("brace width", "{{ '{:>1000000000}'.format(1) }}");
    row("center", "{{ 'x'.center(1000000000) }}");
    row("indent", "{{ 'x'|indent(1000000000, true) }}");
    row("json indent", "{{ [1]|tojson(indent=1000000000) }}");
    row("batch", "{{ [1]|batch(1000000000000, 1)|list }}");
    row("replace", "{% set x = 'x' * 100000 %}{{ x.replace('x', x) }}");
    row("join", "{% set x = 'x' * 100000 %}{{ x|join(x) }}");
    row("kept texts",
        "{% set ns = namespace(v=[]) %}{% for i in range(999) %}{% set ns.v = ns.v + [i ~ 'x' * 1000000] %}"
        "{% endfor %}");
    row("macro", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}");
    row("two macros",
        "{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ a() }}");
    row("recursive loop", "{% for i in [1] recursive %}{{ loop([1]) }}{% endfor %}");
    row("caller",
        "{% macro m() %}{{ caller() }}{% endmacro %}{% macro r() %}{% call m() %}{{ r() }}{% endcall %}"
        "{% endmacro %}{{ r() }}");
    row("nested value",
        "{% set ns = namespace(v=0) %}{% for i in range(99999) %}{% set ns.v = [ns.v] %}{% endfor %}");
    row("nested method",
        "{% set ns = namespace(v='') %}{% for i in range(999) %}{% set ns.v = [[ns.v].index] %}{% endfor %}");
    row("circle", "{% set ns = namespace() %}{% set ns.self = [ns] %}{{ ns }}");
    row("shared structure",
        "{% set ns = namespace(a=[], b=[]) %}{% for i in range(60) %}{% set ns.a = [ns.a, ns.a] %}"
        "{% set ns.b = [ns.b, ns.b] %}{% endfor %}{{ ns.a == ns.b }}");
    row("shared structure printed",
        "{% set ns = namespace(a=[]) %}{% for i in range(60) %}{% set ns.a = [ns.a, ns.a] %}{% endfor %}{{ "
        "ns.a }}");
    row("shared structure as JSON",
        "{% set ns = namespace(a=[]) %}{% for i in range(60) %}{% set ns.a = [ns.a, ns.a] %}{% endfor %}{{ "
        "ns.a|tojson }}");
    row("upper",
        "{% set x = 'é' * 1000000 %}{% for i in range(99999) %}{% if x.upper() %}{% endif %}{% endfor %}");
    row("title",
        "{% set x = 'é' * 1000000 %}{% for i in range(99999) %}{% if x.title() %}{% endif %}{% endfor %}");
    row("search",
        "{% set x = 'a' * 1000000 %}{% for i in range(99999) %}{% if 'b' in x %}{% endif %}{% endfor %}");
    row("search in what repeats",
        "{% set a = 'a' * 1000000 %}{% set b = 'a' * 500000 + 'b' %}{% set c = 'b' + 'a' * 500000 %}"
        "{% for i in range(99999) %}{% if b in a or a.rfind(c) > 0 or a.split(b)[1:] or a.rsplit(c)[1:] %}{% "
        "endif %}"
        "{% endfor %}");
    row("strip",
        "{% set a = 'a' * 1000000 %}{% set b = 'b' * 1000000 + 'a' %}"
        "{% for i in range(99999) %}{% if a.strip(b) %}{% endif %}{% endfor %}");
    row("namespaces",
        "{% for i in range(99999) %}{% for j in range(99) %}{% set x = namespace(a=i) %}{% endfor %}{% "
        "endfor %}");
    row("macros in a loop",
        "{% for i in range(99999) %}{% for j in range(99) %}{% macro m() %}{% endmacro %}{% endfor %}{% "
        "endfor %}");
    row("parentheses", "{{ " + repeated("(", 100'000) + "1" + repeated(")", 100'000) + " }}");
    row("brackets", "{{ " + repeated("[", 100'000) + repeated("]", 100'000) + " }}");
    row("braces", "{{ " + repeated("{1:", 100'000) + "1" + repeated("}", 100'000) + " }}");
    row("not", "{{ " + repeated("not ", 100'000) + "1 }}");
    row("minus", "{{ " + repeated("- ", 100'000) + "1 }}");
    row("ifs", repeated("{% if 1 %}", 100'000));
    row("else", "{{ " + repeated("1 if 0 else ", 100'000) + "1 }}");
    row("calls", "{{ " + repeated("f(", 100'000) + repeated(")", 100'000) + " }}");
    row("subscripts", "{{ " + repeated("a[", 100'000) + repeated("]", 100'000) + " }}");
    row("targets", "{% set " + repeated("(", 100'000) + "a" + repeated(")", 100'000) + " = 1 %}");
  }
  void what_has_no_end_meets_a_limit() {
    QFETCH(QString, source);
    const auto text = render(source.toStdString());
    QVERIFY(!text.ok());
    QCOMPARE(text.error().kind, Error::Kind::out_of_memory);
    QCOMPARE(text.error().what.substr(0, 5), std::string("line "));
  }

  void long_flat_templates_are_no_deep_ones() {
    QCOMPARE(text_or_error(render("{{ 0" + repeated(" + 1", 10'000) + " }}")), std::string("10000"));
    QCOMPARE(text_or_error(render("{{ 'x'" + repeated("|upper", 10'000) + " }}")), std::string("X"));
    QCOMPARE(text_or_error(render("{{ 1" + repeated(" and 1", 10'000) + " }}")), std::string("1"));
    QCOMPARE(
        text_or_error(render("{% if 0 %}" + repeated("{% elif 0 %}", 10'000) + "{% else %}x{% endif %}")),
        std::string("x"));
    QCOMPARE(text_or_error(render(repeated("{{ 1 }}", 10'000))), repeated("1", 10'000));
  }

  void deep_variables_are_refused() {
    ordered_json deep = 1;
    for (int i = 0; i < 10'000; ++i) deep = ordered_json::array({std::move(deep)});
    QVERIFY(!render("{{ x }}", {{"x", deep}}).ok());
  }

  void values_that_refer_to_themselves_are_let_go() {
    QCOMPARE(text_or_error(render(
                 "{% set ns = namespace() %}{% set ns.self = ns %}"
                 "{% macro m() %}{% endmacro %}{% set ns.m = m %}"
                 "{% for i in [1] recursive %}{% set ns.loop = loop %}{{ loop.changed(loop) }}{% endfor %}")),
             std::string("True"));
  }

  void many_threads_share_one_template() {
    const auto rows = read_lines(test::data("text/templates/cases.jsonl"));
    const auto source = read_file(test::data("text/templates/Qwen2.5-7B-Instruct.jinja"));
    PW_VERIFY(source);
    const auto compiled = ChatTemplate::compile(*source);
    PW_VERIFY(compiled);
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (const ordered_json& row : rows) {
          if (row.at("template") != "Qwen2.5-7B-Instruct") continue;
          const auto text = compiled->render(variables_of(row), kReferenceTime);
          if (!text.ok() || *text != row.at("expected").get<std::string>()) ++wrong;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    QCOMPARE(wrong.load(), 0);
  }
};

QTEST_GUILESS_MAIN(ChatTemplateTest)
#include "chat_template_test.moc"
