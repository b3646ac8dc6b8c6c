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
  row("nothing", " \n# x\n", {});
}

void ShellWordsTest::splits() {
  QFETCH(std::string, text);
  QFETCH(std::vector<Words>, commands);
  const auto split = split_shell(text);
  QVERIFY(split.ok());
  QCOMPARE(*split, commands);
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
