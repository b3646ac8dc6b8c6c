// SPDX-License-Identifier: GPL-3.0-or-later
// Damaged and random templates: whatever comes, an answer or an error, soon.
#include <QDeadlineTimer>
#include <QtTest>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "engine/base/file.h"
#include "engine/base/text_escape.h"
#include "engine/text/chat_template.h"
#include "tests/support/test_support.h"

using namespace pitwall;
using nlohmann::ordered_json;

namespace {

struct Material {
  std::vector<std::string> templates;
  ordered_json variables;
};

Material read_material() {
  Material material;
  std::ifstream snippets(test::data("text/templates/snippets.jsonl"));
  std::string line;
  std::getline(snippets, line);
  material.variables = ordered_json::parse(line).at("variables");
  while (std::getline(snippets, line)) material.templates.push_back(ordered_json::parse(line).at("template"));
  std::ifstream cases(test::data("text/templates/cases.jsonl"));
  std::getline(cases, line);
  material.variables["messages"] = ordered_json::parse(line).at("messages");
  for (const auto& file : std::filesystem::directory_iterator(test::data("text/templates"))) {
    if (file.path().extension() == ".jinja") material.templates.push_back(read_file(file.path()).value());
  }
  return material;
}

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}
  std::size_t below(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_);
  }

  std::string random_bytes() {
    std::string text(below(200), '\0');
    for (char& c : text) c = static_cast<char>(below(256));
    return text;
  }

  std::string random_words() {
    std::string text;
    for (std::size_t i = below(60); i > 0; --i) text += word();
    return text;
  }

  std::string damaged(std::string text, const std::string& other) {
    for (std::size_t i = 1 + below(4); i > 0 && !text.empty(); --i) {
      const std::size_t at = below(text.size());
      switch (below(5)) {
        case 0:
          text[at] = static_cast<char>(below(128));
          break;
        case 1:
          text.erase(at, 1 + below(8));
          break;
        case 2:
          text.insert(at, word());
          break;
        case 3:
          text.insert(at, text.substr(below(text.size()), below(40)));
          break;
        default:
          text.insert(at, other.substr(below(other.size() + 1), below(40)));
          break;
      }
    }
    return text;
  }

 private:
  std::string word() {
    static constexpr const char* kWords[] = {"{{ ",
                                             " }}",
                                             "{% ",
                                             " %}",
                                             "{#",
                                             "#}",
                                             "-",
                                             "+",
                                             "~",
                                             "|",
                                             "(",
                                             ")",
                                             "[",
                                             "]",
                                             "{",
                                             "}",
                                             ":",
                                             ",",
                                             ".",
                                             "=",
                                             "==",
                                             "'",
                                             "\"",
                                             "\\",
                                             "if ",
                                             "else ",
                                             "elif ",
                                             "endif ",
                                             "for ",
                                             "in ",
                                             "endfor ",
                                             "set ",
                                             "endset ",
                                             "macro m(a) ",
                                             "endmacro ",
                                             "call ",
                                             "endcall ",
                                             "filter upper ",
                                             "endfilter ",
                                             "raw ",
                                             "endraw ",
                                             "is ",
                                             "not ",
                                             "and ",
                                             "or ",
                                             "loop",
                                             "loop.index ",
                                             "recursive ",
                                             "namespace",
                                             "range",
                                             "messages",
                                             "d",
                                             "l",
                                             "s",
                                             "u",
                                             "users",
                                             "missing",
                                             "none",
                                             "1",
                                             "-9223372036854775808",
                                             "9223372036854775807",
                                             "0.5",
                                             "1e308",
                                             "**",
                                             "//",
                                             "%",
                                             "* ",
                                             "tojson",
                                             "join",
                                             "map",
                                             "select",
                                             "sort",
                                             "indent",
                                             "replace",
                                             "format",
                                             "items",
                                             "default",
                                             "break ",
                                             "continue ",
                                             "\n",
                                             " ",
                                             "\t",
                                             "é",
                                             "😀",
                                             "x",
                                             "[::-1]",
                                             "[1:]",
                                             "caller()",
                                             "varargs",
                                             "kwargs",
                                             "defined ",
                                             "string ",
                                             "strftime_now('%c')",
                                             "{}",
                                             "%s"};
    return kWords[below(std::size(kWords))];
  }
  std::mt19937 random_;
};

TemplateLimits small_limits() {
  return {.output_bytes = 1 << 20, .memory_bytes = 1 << 20, .steps = 20'000, .depth = 200};
}

}  // namespace

class ChatTemplateFuzzTest : public QObject {
  Q_OBJECT
 private slots:

  void nothing_crashes_or_hangs() {
    const auto seed = std::random_device{}();
    qInfo("seed %u", seed);
    Mutator mutator(seed);
    const Material material = read_material();
    const auto pick = [&] { return material.templates[mutator.below(material.templates.size())]; };
    int rendered = 0;
    for (int round = 0; round < 200'000; ++round) {
      const std::size_t kind = mutator.below(10);
      const std::string source = kind == 0   ? mutator.random_bytes()
                                 : kind <= 2 ? mutator.random_words()
                                             : mutator.damaged(pick(), pick());
      const auto compiled = ChatTemplate::compile(source, small_limits());
      if (!compiled.ok()) {
        QVERIFY(!compiled.error().what.empty());
        continue;
      }
      const auto text = compiled->render(material.variables, Nanos{0});
      if (text.ok()) QVERIFY2(is_valid_utf8(*text), source.c_str());
      rendered += text.ok();
    }
    QVERIFY(rendered > 10'000);
  }

  /// PITWALL_FUZZ_SECONDS: how long (2 when not given).
  void damaged_templates_of_models_meet_the_limits() {
    const auto folder = test::shared("text/templates");
    if (!folder) QSKIP("the reference set of other models' templates is not beside the checkout");
    const auto seed = std::random_device{}();
    qInfo("seed %u", seed);
    Mutator mutator(seed);
    std::vector<std::string> templates;
    for (const auto& file : std::filesystem::directory_iterator(*folder)) {
      if (file.path().extension() == ".jinja") templates.push_back(read_file(file.path()).value());
    }
    const ordered_json variables = read_material().variables;
    const auto pick = [&] { return templates[mutator.below(templates.size())]; };
    const int seconds = qEnvironmentVariableIsSet("PITWALL_FUZZ_SECONDS")
                            ? qEnvironmentVariableIntValue("PITWALL_FUZZ_SECONDS")
                            : 2;
    const QDeadlineTimer end(std::chrono::seconds{seconds});
    int rendered = 0;
    while (!end.hasExpired()) {
      const std::string source = mutator.damaged(pick(), pick());
      const auto compiled = ChatTemplate::compile(source, small_limits());
      if (!compiled.ok()) continue;
      const auto text = compiled->render(variables, Nanos{0});
      if (text.ok()) QVERIFY2(is_valid_utf8(*text), source.c_str());
      ++rendered;
    }
    QVERIFY(rendered > 0);
  }
};

QTEST_GUILESS_MAIN(ChatTemplateFuzzTest)
#include "chat_template_fuzz_test.moc"
