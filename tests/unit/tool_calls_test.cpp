// SPDX-License-Identifier: GPL-3.0-or-later
// Replies taken apart: what models' own chat templates print for calls of tools is read back, whole and byte
// by byte.
#include <QTest>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/serve/reply_parser.h"
#include "engine/text/chat_template.h"
#include "tests/support/test_support.h"

using namespace pitwall;
using Json = nlohmann::ordered_json;

namespace {

const char* const kTools =
    "[{\"type\": \"function\", \"function\": {\"name\": \"get_weather\", \"description\": \"d\", "
    "\"parameters\": {\"type\": \"object\", \"properties\": {\"city\": {\"type\": \"string\"}, \"days\": "
    "{\"type\": \"integer\"}, "
    "\"note\": {\"type\": \"string\"}}, \"required\": [\"city\"]}}}]";

struct Reply {
  std::string reasoning, content;
  std::vector<ToolCall> calls;
};

Reply parse(const ReplyFormat& format, const std::string& text, std::size_t piece) {
  ReplyParser parser(format, kTools);
  Reply reply;
  const auto take = [&](ReplyDelta delta) {
    reply.reasoning += delta.reasoning;
    reply.content += delta.content;
    for (const CallPiece& call : delta.calls) {
      if (call.name.empty()) {
        reply.calls.back().arguments += call.arguments;
      } else {
        reply.calls.push_back({call.name, call.arguments});
      }
    }
  };
  for (std::size_t at = 0; at < text.size(); at += piece) take(parser.push(text.substr(at, piece)));
  take(parser.flush());
  if (parser.called() != !reply.calls.empty()) reply.content += " (called() is wrong)";
  return reply;
}

void check(const ReplyFormat& format, const std::string& text, const Reply& expected) {
  for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, std::size_t{7}, text.size() + 1}) {
    const Reply got = parse(format, text, piece);
    QCOMPARE(got.reasoning, expected.reasoning);
    QCOMPARE(got.content, expected.content);
    QCOMPARE(got.calls.size(), expected.calls.size());
    for (std::size_t i = 0; i < got.calls.size(); ++i) {
      QCOMPARE(got.calls[i].name, expected.calls[i].name);
      QVERIFY(Json::parse(got.calls[i].arguments) == Json::parse(expected.calls[i].arguments));
    }
  }
}

ReplyFormat format_of(const std::string& template_source) {
  ReplyFormat format;
  format.marks = tool_marks(template_source);
  format.bare_calls = true;
  return format;
}

const ToolCall kOslo{"get_weather", "{\"city\":\"Oslo\",\"days\":3}"};
const ToolCall kRome{"get_weather", "{\"city\":\"Rome, \\\"IT\\\" </x>\"}"};

}  // namespace

class ToolCallsTest : public QObject {
  Q_OBJECT

 private slots:
  /// A message with a call, as the template prints it for the model to continue from, is what the model
  /// learned to write.
  void templates_are_read_back_data() {
    QTest::addColumn<QString>("file");
    std::vector<std::filesystem::path> folders = {test::data("text/templates")};
    if (const auto more = test::shared("text/templates")) folders.push_back(*more);
    for (const auto& folder : folders) {
      for (const auto& file : std::filesystem::directory_iterator(folder)) {
        if (file.path().extension() != ".jinja" || tool_marks(*read_file(file.path())).empty()) continue;
        QTest::newRow(file.path().string().c_str()) << QString::fromStdString(file.path().string());
      }
    }
  }
  void templates_are_read_back() {
    QFETCH(QString, file);
    const std::string source = *read_file(file.toStdString());
    const ReplyFormat format = format_of(source);
    auto compiled = ChatTemplate::compile(source);
    PW_VERIFY(compiled);
    const auto render = [&](bool with_call) {
      Json messages = Json::array({{{"role", "user"}, {"content", "What is the weather?"}}});
      if (with_call) {
        Json call{{"id", "abcdefgh1"},
                  {"type", "function"},
                  {"function", {{"name", kOslo.name}, {"arguments", Json::parse(kOslo.arguments)}}}};
        messages.push_back({{"role", "assistant"}, {"content", ""}, {"tool_calls", Json::array({call})}});
      }
      return compiled->render(Json{{"messages", messages},
                                   {"tools", Json::parse(kTools)},
                                   {"add_generation_prompt", !with_call},
                                   {"bos_token", "<s>"},
                                   {"eos_token", "</s>"}});
    };
    const auto prompt = render(false), whole = render(true);
    if (!prompt.ok() || !whole.ok()) QSKIP("renders no calls in this form");
    // What follows the prompt, up to the template's end of turn.
    std::size_t same = 0;
    while (same < prompt->size() && same < whole->size() && (*prompt)[same] == (*whole)[same]) ++same;
    std::string reply = whole->substr(same);
    if (reply.find(kOslo.name) == std::string::npos) QSKIP("prints no calls");
    for (const char* end : {"<|im_end|>", "<|eot_id|>", "<|eom_id|>", "</s>", "<|end_of_text|>", "<seed:eos>",
                            "<｜end▁of▁sentence｜>", "[e~["}) {
      reply = reply.substr(0, reply.find(end));
    }
    const Reply got = parse(format, reply, 5);
    if (got.calls.size() != 1) qInfo("reply: %s", reply.c_str());
    QCOMPARE(got.calls.size(), std::size_t{1});
    QCOMPARE(got.calls[0].name, kOslo.name);
    QVERIFY(Json::parse(got.calls[0].arguments) == Json::parse(kOslo.arguments));
  }

  void json_between_marks() {
    const ReplyFormat format = format_of("<tool_call>");
    check(format,
          "I look.\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\", \"days\": "
          "3}}\n</tool_call>\n<tool_call>{\"name\": \"get_weather\", \"arguments\": \"{\\\"city\\\": "
          "\\\"Rome, \\\\\\\"IT\\\\\\\" </x>\\\"}\"}</tool_call>",
          {"", "I look.", {kOslo, kRome}});
    check(format, "a < b, <tool_cal, and\n", {"", "a < b, <tool_cal, and\n", {}});
    check(format, "<tool_call>{\"name\": </tool_call> x", {"", "<tool_call>{\"name\": </tool_call> x", {}});
    check(format, "x <tool_call>{\"name\"", {"", "x<tool_call>{\"name\"", {}});
  }

  void lists_and_bare_calls() {
    check(format_of("[TOOL_CALLS]"),
          "[TOOL_CALLS] [{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\", \"days\": 3}, "
          "\"id\": \"1\"}]",
          {"", "", {kOslo}});
    check(format_of("[TOOL_CALLS]"), "[TOOL_CALLS]get_weather{\"city\": \"Oslo\", \"days\": 3}",
          {"", "", {kOslo}});
    check(format_of("no marks"),
          "\n{\"name\": \"get_weather\", \"parameters\": {\"city\": \"Oslo\", \"days\": 3}}; {\"name\": "
          "\"get_weather\", \"parameters\": {\"city\": \"Oslo\", \"days\": 3}}",
          {"", "", {kOslo, kOslo}});
    check(format_of("no marks"), "{\"city\": \"Oslo\"}", {"", "{\"city\": \"Oslo\"}", {}});
    check(format_of("no marks"), "Hello {\"name\"", {"", "Hello {\"name\"", {}});
  }

  void parameters_in_tags() {
    const std::string call =
        "<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n<parameter=days>\n3\n</"
        "parameter>\n<parameter=note>\n12\n</parameter>\n</function>\n</tool_call>";
    check(format_of("<tool_call> <function="), call,
          {"", "", {{"get_weather", "{\"city\":\"Oslo\",\"days\":3,\"note\":\"12\"}"}}});
    check(format_of("<function="), "<function=get_weather>{\"city\": \"Oslo\", \"days\": 3}</function>",
          {"", "", {kOslo}});
    check(format_of("<minimax:tool_call>"),
          "<minimax:tool_call>\n<invoke name=\"get_weather\">\n<parameter "
          "name=\"city\">Oslo</parameter>\n<parameter "
          "name=\"days\">3</parameter>\n</invoke>\n</minimax:tool_call>",
          {"", "", {kOslo}});
  }

  void separators() {
    const ReplyFormat format = format_of("<｜tool▁calls▁begin｜>");
    check(format,
          "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{\"city\": "
          "\"Oslo\", \"days\": 3}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
          {"", "", {kOslo}});
    check(format,
          "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{\"city\": \"Oslo\", "
          "\"days\": 3}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
          {"", "", {kOslo}});
  }

  // The name is told when the arguments begin, and these as they come.
  void arguments_come_in_pieces() {
    struct Case {
      std::string marks, before, call, behind;
    };
    const std::string arguments = "{\"city\": \"Os</tool_call>lo}\\\"\", \"days\": [3, {\"a\": 1}]}";
    const std::string object = "{\"name\": \"get_weather\", \"arguments\": ";
    for (const Case& one : {Case{"<tool_call>", "Look. <tool_call>\n", object, "}\n</tool_call>"},
                            Case{"[TOOL_CALLS]", "[TOOL_CALLS] [", object, ", \"id\": \"}\"}]"},
                            Case{"[TOOL_CALLS]", "[TOOL_CALLS]", "get_weather", ""},
                            Case{"no marks", "", "{\"name\" :\"get_weather\",\"parameters\" : ", "}; "}}) {
      ReplyParser parser(format_of(one.marks), kTools);
      std::string told, content;
      bool named = false;
      for (const char c : one.before + one.call) {
        const ReplyDelta delta = parser.push({&c, 1});
        QVERIFY(delta.calls.empty());
        content += delta.content;
      }
      for (const char c : arguments) {
        for (const CallPiece& piece : parser.push({&c, 1}).calls) {
          QCOMPARE(piece.name, std::string(named ? "" : "get_weather"));
          named = true;
          told += piece.arguments;
        }
        QVERIFY(told.empty() ? c == '{' : told.ends_with(c));
      }
      QCOMPARE(told, arguments);
      QVERIFY(parser.push(one.behind).empty());
      QVERIFY(parser.flush().empty());
      QCOMPARE(content, std::string(one.marks == "<tool_call>" ? "Look." : ""));
    }
  }

  void several_calls_and_what_follows() {
    const std::string oslo = "{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\", \"days\": 3}}";
    check(format_of("[TOOL_CALLS]"), "[TOOL_CALLS][" + oslo + ", " + oslo + "]", {"", "", {kOslo, kOslo}});
    check(format_of("[TOOL_CALLS]"),
          "[TOOL_CALLS]get_weather{\"city\": \"Oslo\", \"days\": 3}[TOOL_CALLS]get_weather{\"city\": "
          "\"Oslo\", \"days\": 3}",
          {"", "", {kOslo, kOslo}});
    check(format_of("<tool_call>"), "<tool_call>" + oslo + "\n" + oslo + "</tool_call>\nDone.",
          {"", "Done.", {kOslo, kOslo}});
    check(format_of("no marks"), oslo + " and more", {"", "and more", {kOslo}});
    check(format_of("functools"), "Take functools.reduce {x} here",
          {"", "Takefunctools.reduce {x} here", {}});
    // Cut off inside its arguments: what there was of them.
    ReplyParser parser(format_of("<tool_call>"), kTools);
    parser.push("<tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Os");
    QVERIFY(parser.flush().empty() && parser.called());
  }

  void reasoning() {
    ReplyFormat format;
    format.reasons = true;
    check(format, "<think>\nhm </thin k\n</think>\n\nYes.", {"\nhm </thin k\n", "Yes.", {}});
    check(format, "No <think>here", {"", "No <think>here", {}});
    format.begins_reasoning = true;
    check(format, "hm</think>{\"a\": 1}", {"hm", "{\"a\": 1}", {}});
    check(format, "never ends", {"never ends", "", {}});
    format.bare_calls = true;
    check(format, "hm</think>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\", \"days\": 3}}",
          {"hm", "", {kOslo}});
    format.bare_calls = false;
    format.only_tool = "get_weather";
    check(format, "hm</think>{\"city\": \"Oslo\", \"days\": 3}", {"hm", "", {kOslo}});
  }
};

QTEST_GUILESS_MAIN(ToolCallsTest)
#include "tool_calls_test.moc"
