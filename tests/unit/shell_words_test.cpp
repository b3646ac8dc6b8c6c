// SPDX-License-Identifier: GPL-3.0-or-later
// Words as a POSIX shell parts them (IEEE 1003.1, section 2.2 and 2.3).
#include <QTest>

#include "engine/plan/shell_words.h"

using namespace pitwall;

class ShellWordsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void splits_data();
  void splits();
  void variables_are_filled_in();
  void keys_are_not_filled_in();
  void words_without_a_shell();
  void formats_fill_in();
  void open_quotes();
  void quoting_comes_back();
  void lines_to_paste();
};

void ShellWordsTest::splits_data() {
  QTest::addColumn<std::string>("text");
  QTest::addColumn<std::vector<Words>>("commands");
  const auto row = [](const char* name, const char* text, std::vector<Words> commands) {
    QTest::newRow(name) << std::string(text) << std::move(commands);
  };
  row("plain", "a b  c\t d", {{"a", "b", "c", "d"}});
  row("quotes", R"(a 'b c' "d e" f'g'"h")", {{"a", "b c", "d e", "fgh"}});
  row("escapes", R"(a\ b "c\"d" 'e\f' "g\h")", {{"a b", "c\"d", "e\\f", "g\\h"}});
  row("empty word", "a '' b", {{"a", "", "b"}});
  row("joined lines", "a \\\n b \\  \n c", {{"a", "b", "c"}});
  row("windows lines", "a \\\r\n b\r\nc", {{"a", "b"}, {"c"}});
  row("comment", "a # b\nc#d", {{"a"}, {"c#d"}});
  row("comment behind a joined line", "a \\\n b \\  # why\n c", {{"a", "b", "c"}});
  row("joined as in cmd and PowerShell", "a ^\n b `\r\n c", {{"a", "b", "c"}});
  row("a backslash that got lost", "a -b 1\n  --c 2\n# why\n\n  -d\ne",
      {{"a", "-b", "1", "--c", "2", "-d"}, {"e"}});
  row("several", "a; b && c || d | e & f", {{"a"}, {"b"}, {"c"}, {"d"}, {"e"}, {"f"}});
  row("redirections", "a > f 2>&1 b >>g <h", {{"a", "b"}});
  row("variables stay", "a $B ${C}", {{"a", "$B", "${C}"}});
  row("what a dollar begins stays whole", "a $(cat b c) \"$(d \"e f\")\" ${g:-h i} $",
      {{"a", "$(cat b c)", "$(d \"e f\")", "${g:-h i}", "$"}});
  row("nothing", " \n# x\n", {});
}

void ShellWordsTest::splits() {
  QFETCH(std::string, text);
  QFETCH(std::vector<Words>, commands);
  const auto split = split_shell(text);
  QVERIFY(split.ok());
  QCOMPARE(*split, commands);
}

void ShellWordsTest::variables_are_filled_in() {
  Variables variables({{"A", "x y"}, {"EMPTY", ""}});
  const auto split = split_shell(
      "B=$A; export C=\"$A\" D=1\n"
      "run $A \"$A\" '$A' \\$A ${A} $B $C$D ${EMPTY:-\"1 2\"} ${EMPTY-3} ${NONE:-$D} ${NONE:+4} $NONE "
      "${NONE:?why} "
      "$1 ${LIST[@]}",
      &variables);
  QVERIFY(split.ok());
  QCOMPARE(split->back(), (Words{"run", "x", "y", "x y", "$A", "$A", "x", "y", "$B", "x", "y1", "1", "2", "1",
                                 "$NONE", "${NONE}", "$1", "${LIST[@]}"}));
  QCOMPARE(variables.missing(), (std::set<std::string>{"B", "NONE"}));
  QCOMPARE(variables.defaulted(), (std::set<std::string>{"EMPTY", "NONE"}));
  // Of a hostile depth, or without an end.
  std::string deep, open;
  for (int i = 0; i < 100000; ++i) deep += "${A:-", open += "$(";
  QVERIFY(split_shell(deep, &variables).ok());
  QVERIFY(split_shell(open, &variables).ok());
}

/// Their values would travel into flags and notes.
void ShellWordsTest::keys_are_not_filled_in() {
  Variables variables({{"MY_KEY", "sk-1"}, {"A", "1"}});
  const auto split = split_shell("HF_TOKEN=hf; run $A $MY_KEY ${HF_TOKEN:-hf} ${MY_KEY:+$A}", &variables);
  QCOMPARE(split->back(), (Words{"run", "1", "${MY_KEY}", "${HF_TOKEN}", "${MY_KEY}"}));
  QCOMPARE(variables.fill_manifest("$(A) $(MY_KEY)"), std::string("1 ${MY_KEY}"));
  QVERIFY(variables.missing().empty());
}

/// Compose knows quotes, and nothing else of a shell.
void ShellWordsTest::words_without_a_shell() {
  QCOMPARE(*split_words("--a 'b c'\n  --d \"e;f\" g;h | i # j > k"),
           (Words{"--a", "b c", "--d", "e;f", "g;h", "|", "i", "#", "j", ">", "k"}));
  QVERIFY(split_words(" \n")->empty());
  QVERIFY(!split_words("--a 'b").ok());
}

void ShellWordsTest::formats_fill_in() {
  Variables variables;
  variables.set("A", "1");
  QCOMPARE(variables.fill_compose("$A ${A} $$A ${B:-2} ${B} $(A) $"), std::string("1 1 $A 2 ${B} $(A) $"));
  QCOMPARE(variables.fill_manifest("$(A) $$(A) $(B) $A ${A} $(cat x) $"),
           std::string("1 $(A) $(B) $A ${A} $(cat x) $"));
  QCOMPARE(variables.missing(), (std::set<std::string>{"B"}));
}

void ShellWordsTest::open_quotes() {
  const auto split = split_shell("a 'b c");
  QVERIFY(!split.ok());
  QVERIFY(split.error().text().find("'b c") != std::string::npos);
}

void ShellWordsTest::quoting_comes_back() {
  for (const char* word :
       {"a", "", "a b", "it's", "\"x\"", "{\"a\": 1}", "a\\b", "#x", "a;b", "a\nb", "ü", "*"}) {
    const auto split = split_shell(shell_quote(word));
    QVERIFY(split.ok());
    QCOMPARE(*split, (std::vector<Words>{{word}}));
  }
  QCOMPARE(shell_quote("$API_KEY"), std::string("\"$API_KEY\""));
  QCOMPARE(shell_quote("http://${HOST}:8000"), std::string("\"http://${HOST}:8000\""));
  QCOMPARE(shell_quote("$(rm x)"), std::string("'$(rm x)'"));
  QCOMPARE(shell_quote("${A:-$(rm x)}"), std::string("'${A:-$(rm x)}'"));
}

void ShellWordsTest::lines_to_paste() {
  const Words words = {"vllm", "serve", "m", "--max-num-seqs", "8", "--flag", "--other", "x"};
  const std::string text = paste_text(words, 30);
  QCOMPARE(text, std::string("vllm serve m \\\n  --max-num-seqs 8 --flag \\\n  --other x"));
  const auto split = split_shell(text);
  QCOMPARE(split->front(), words);
}

QTEST_APPLESS_MAIN(ShellWordsTest)
#include "shell_words_test.moc"
