// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of the chat page, each alone: Markdown, input, list model, timings, sampling, export.
#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QSignalSpy>
#include <QTextBlock>
#include <QTextDocument>
#include <QtTest>
#include <cmath>
#include <random>

#include "tests/support/test_support.h"
#include "tests/ui/chat_samples.h"
#include "ui/chat/chat_export.h"
#include "ui/chat/chat_list_model.h"
#include "ui/chat/chat_search_model.h"
#include "ui/chat/markdown_html.h"
#include "ui/chat/markdown_view.h"
#include "ui/chat/message_input.h"
#include "ui/chat/reply_stream.h"
#include "ui/chat/request_card.h"
#include "ui/chat/sampling_panel.h"
#include "ui/chat/timings_strip.h"
#include "ui/chat/turn.h"
#include "ui/shell/theme.h"

using namespace pitwall;
using namespace pitwall::ui;
using namespace pitwall::test;

class ChatPartsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { Theme::current().set_mode(ThemeMode::light); }

  // ---- Markdown ----

  void markdown_shows_html_as_text_and_loads_nothing() {
    MarkdownView view;
    view.set_markdown(kReply);
    const QString text = view.toPlainText();
    QVERIFY(text.contains(QStringLiteral("<b>not bold</b> & so on")));
    QVERIFY(text.contains(QStringLiteral("a picture")));
    QVERIFY(!text.contains(QChar::ObjectReplacementCharacter));  // no image
    QVERIFY(!text.contains(QStringLiteral("**")));
    QStringList links;
    for (QTextBlock block = view.document()->begin(); block.isValid(); block = block.next()) {
      for (auto it = block.begin(); !it.atEnd(); ++it) {
        const QTextCharFormat format = it.fragment().charFormat();
        QVERIFY(!format.isImageFormat());
        if (format.isAnchor()) links << format.anchorHref();
      }
    }
    QCOMPARE(links, (QStringList{QStringLiteral("https://example.org/log"), QStringLiteral("copy:0"),
                                 QStringLiteral("file:///etc/hostname"), QStringLiteral("copy:1")}));
    QVERIFY(!view.openLinks() && !view.openExternalLinks());
  }

  void markdown_in_pieces_looks_like_the_whole() {
    MarkdownView whole;
    whole.resize(600, 10);
    whole.set_markdown(kReply);
    const unsigned seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    const std::string text = kReply;
    for (int round = 0; round < 50; ++round) {
      MarkdownView pieces;
      pieces.resize(600, 10);
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t size = 1 + random() % 40;
        pieces.append_markdown(text.substr(at, size));
        at += size;
      }
      QCOMPARE(pieces.toPlainText(), whole.toPlainText());
      QCOMPARE(pieces.source(), text);
    }
  }

  void hostile_markdown_is_drawn() {
    std::string nested, fences, table = "|a|b|\n|-|-|\n";
    for (int i = 0; i < 3000; ++i) nested += "> ";
    for (int i = 0; i < 2000; ++i) fences += "```\n~~~~\n";
    for (int i = 0; i < 300; ++i) table += "|x|y|z|too|many|\n|\n";
    for (const std::string& text :
         {nested + "deep", fences, table, std::string(20'000, '['), std::string(20'000, '`'),
          std::string("```\n\0\xff\xfe", 7), std::string("\xf0\x9f\x98")}) {
      MarkdownView view;
      view.set_markdown(text);
      MarkdownView pieces;
      for (std::size_t at = 0; at < text.size(); at += 997) pieces.append_markdown(text.substr(at, 997));
      QCOMPARE(pieces.source().size(), text.size());
    }
  }

  void a_megabyte_in_one_line_and_invisible_characters_are_drawn() {
    MarkdownView view;
    view.resize(600, 10);
    const std::string line(1 << 20, 'x');
    view.set_markdown(line);
    QCOMPARE(view.source().size(), line.size());
    QVERIFY(view.toPlainText().size() >= 1 << 20);
    const QString hostile = QString::fromUtf8(
        "\x1b[31mred\x1b[0m \x07\x08 \u202Egpj.exe\u202C \u2066a\u2069 zero\u200B\u200Dwidth\uFEFF "
        "[safe](https://example.org/\u202Egro.live) <script>alert(1)</script> <img src=x onerror=alert(1)>");
    view.set_markdown(hostile.toStdString());
    QVERIFY(view.toPlainText().contains(QStringLiteral("<script>alert(1)</script>")));
    QVERIFY(!view.toPlainText().contains(QChar::ObjectReplacementCharacter));
    view.set_markdown("after");
    QCOMPARE(view.toPlainText().trimmed(), QStringLiteral("after"));
  }

  void a_growing_reply_costs_in_proportion_data() {
    QTest::addColumn<QString>("paragraph");
    QTest::newRow("paragraphs") << QString::fromUtf8(kReply);
    QTest::newRow("code") << QStringLiteral("int x = 5;  // one line of code\n");
    QTest::newRow("one line") << QStringLiteral("word ");
    QTest::newRow("list") << QStringLiteral("- an item\n");
  }
  /// Counted in characters laid out, not in time: twice the reply may not cost four times as much.
  void a_growing_reply_costs_in_proportion() {
    QFETCH(QString, paragraph);
    const auto laid_out = [&](std::size_t size) {
      MarkdownView view;
      qint64 characters = 0;
      connect(view.document(), &QTextDocument::contentsChange, &view,
              [&](int, int removed, int added) { characters += removed + added; });
      std::string text = QTest::currentDataTag() == std::string("code") ? "```\n" : "";
      while (text.size() < size) text += paragraph.toStdString();
      for (std::size_t at = 0; at < text.size(); at += 160) view.append_markdown(text.substr(at, 160));
      return static_cast<double>(characters);
    };
    const double half = laid_out(48 << 10), whole = laid_out(96 << 10);
    QVERIFY2(whole < 2.5 * half, qPrintable(QStringLiteral("%1 then %2").arg(half).arg(whole)));
  }

  void code_is_copied_from_its_link() {
    MarkdownView view;
    view.set_markdown(kReply);
    QSignalSpy copied(&view, &MarkdownView::code_copied), links(&view, &MarkdownView::link_activated);
    Q_EMIT view.anchorClicked(QUrl(QStringLiteral("copy:0")));
    QCOMPARE(copied.size(), 1);
    QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("pitwallctl serve \\\n\n  --max-num-seqs 32"));
    Q_EMIT view.anchorClicked(QUrl(QStringLiteral("copy:99")));
    QCOMPARE(copied.size(), 1);
    Q_EMIT view.anchorClicked(QUrl(QStringLiteral("https://example.org")));
    QCOMPARE(links.size(), 1);
  }

  // ---- parts ----

  void a_huge_paste_is_refused_with_the_numbers() {
    MessageInput input;
    QSignalSpy refused(&input, &MessageInput::refused);
    input.setPlainText(QStringLiteral("kept"));
    QApplication::clipboard()->setText(QString(20 << 20, QLatin1Char('x')));
    input.paste();
    QCOMPARE(refused.size(), 1);
    QVERIFY(refused[0][0].toString().contains(QStringLiteral("20,971,520")));
    QCOMPARE(input.toPlainText(), QStringLiteral("kept"));
    QApplication::clipboard()->setText(QString(100'000, QLatin1Char('y')));
    input.paste();
    QCOMPARE(refused.size(), 1);
    QVERIFY(input.document()->blockCount() >= 5);  // one line is laid out as a whole: none is that long
    QCOMPARE(input.toPlainText().count(QLatin1Char('y')), 100'000);
  }

  void long_lines_break_at_spaces() {
    QCOMPARE(break_long_lines(QStringLiteral("aaa bbb ccc\nd"), 8), QStringLiteral("aaa bbb \nccc\nd"));
    QCOMPARE(break_long_lines(QStringLiteral("aaaaaaaaaa"), 4), QStringLiteral("aaaa\naaaa\naa"));
    QCOMPARE(break_long_lines(QString::fromUtf8("a😀b"), 2), QString::fromUtf8("a\n😀\nb"));
    QCOMPARE(break_long_lines(QStringLiteral("a\n\n"), 8), QStringLiteral("a\n\n"));
  }

  void the_input_grows_to_eight_lines() {
    MessageInput input;
    input.resize(400, 10);
    input.show();
    const int two = input.height();
    input.setPlainText(QStringLiteral("1\n2\n3\n4\n5"));
    const int five = input.height();
    QVERIFY(five > two);
    input.setPlainText(QStringLiteral("\n").repeated(8));
    const int nine = input.height();
    input.setPlainText(QStringLiteral("\n").repeated(80));
    QCOMPARE(input.height(), nine);
    input.clear();
    QCOMPARE(input.height(), two);
  }

  void the_list_model_follows_the_store() {
    ChatListModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    std::mt19937 random(5);
    std::vector<ChatListItem> chats;
    for (int round = 0; round < 200; ++round) {
      chats.clear();
      for (int id = 1; id <= 8; ++id)
        if (random() % 3 != 0) chats.push_back({id, "chat " + std::to_string(id), id});
      std::shuffle(chats.begin(), chats.end(), random);
      model.set_chats(chats);
      QCOMPARE(model.rowCount(), static_cast<int>(chats.size()));
      for (int row = 0; row < model.rowCount(); ++row)
        QCOMPARE(model.index(row).data(ChatListModel::kIdRole).toLongLong(),
                 chats[static_cast<std::size_t>(row)].id);
    }
    QSignalSpy renamed(&model, &ChatListModel::renamed);
    model.set_chats({{3, "three", 0}});
    QVERIFY(model.setData(model.index(0), QStringLiteral("  drei  "), Qt::EditRole));
    QVERIFY(!model.setData(model.index(0), QStringLiteral("  "), Qt::EditRole));
    QCOMPARE(renamed.size(), 1);
    QCOMPARE(renamed[0][1].toString(), QStringLiteral("drei"));
  }

  void ages_in_words() {
    const QDateTime now(QDate(2026, 7, 26), QTime(12, 0));
    const auto age = [&](const QDateTime& then) {
      return age_text(then.toMSecsSinceEpoch() * kNanosPerMs, now.toMSecsSinceEpoch() * kNanosPerMs);
    };
    QCOMPARE(age(now.addSecs(-59)), QStringLiteral("now"));
    QCOMPARE(age(now.addSecs(60)), QStringLiteral("now"));
    QCOMPARE(age(now.addSecs(-12 * 60)), QStringLiteral("12 min"));
    QCOMPARE(age(now.addSecs(-3 * 3600)), QStringLiteral("3 h"));
    QCOMPARE(age(now.addDays(-1)), QStringLiteral("yesterday"));
    QCOMPARE(age(now.addDays(-10)), QStringLiteral("Jul 16"));
    QCOMPARE(age(now.addYears(-1)), QStringLiteral("Jul 26, 2025"));
  }

  void timings_come_back_from_their_json() {
    const auto back = timings_from_json(timings_to_json({record()}));
    QVERIFY(back.has_value());
    QCOMPARE(back->record.ttft_ms(), 48.0);
    QCOMPARE(back->record.tpot_ms(), 5.0);
    QCOMPARE(back->record.finish, FinishReason::length);
    const auto words = [](const ReplyTimings& timings) {
      QStringList cells;
      for (const TimingCell& cell : timing_cells(timings)) cells << cell.name + QLatin1Char(' ') + cell.value;
      return cells;
    };
    QCOMPARE(words(*back),
             (QStringList{QStringLiteral("queue 2.00 ms"), QStringLiteral("TTFT 48.0 ms"),
                          QStringLiteral("TPOT 5.00 ms"), QStringLiteral("worst ITL 9.00 ms"),
                          QStringLiteral("out 21"), QStringLiteral("cached 0 of 1,468"),
                          QStringLiteral("preempted 0"), QStringLiteral("ended at length limit")}));
    ReplyTimings more{record(), 8.25, 4, 1200};
    more.record.finish = FinishReason::stop;
    const auto shortened = words(*timings_from_json(timings_to_json(more)));
    QCOMPARE(shortened[3], QStringLiteral("ITL p99 8.25 ms"));
    QCOMPARE(shortened[7], QStringLiteral("messages left out 4"));
    QCOMPARE(shortened[8], QStringLiteral("characters left out 1,200"));
    QVERIFY(!timings_from_json("").has_value());
    QVERIFY(!timings_from_json("{\"id\": \"x\"}").has_value());
    QVERIFY(!timings_from_json("[1,").has_value());
    // As it was written before there was a p99.
    QVERIFY(timings_from_json("{\"id\":7,\"output_tokens\":3}")->record.output_tokens == 3);
  }

  void gaps_between_tokens_have_a_p99_from_100_on() {
    ReplyStream stream;
    const auto say = [&stream](Nanos at, std::size_t tokens) {
      OutputEvent event;
      event.text = "x";
      event.tokens.resize(tokens);
      stream.push(std::move(event), at);
    };
    say(1, 1);
    for (int i = 1; i <= 99; ++i) say(1 + i * 5 * kNanosPerMs, 1);
    QVERIFY(std::isnan(stream.itl_p99_ms()));
    say(1 + (99 * 5 + 300) * kNanosPerMs, 3);  // three that came together share their gap
    QVERIFY(std::abs(stream.itl_p99_ms() - 100) <= 1);
    QCOMPARE(stream.take().text.size(), std::size_t{101});
  }

  void what_was_computed_again_has_a_reason() {
    RequestRecord request = record();
    request.cached_tokens = 1'024;
    request.miss = MissReason::cold;
    request.miss_token = 1'024;
    QCOMPARE(miss_text(request), QStringLiteral("new text after token 1,024"));
    request.miss_token = 0;
    QCOMPARE(miss_text(request), QStringLiteral("first seen"));
    for (int reason = 0; reason < kMissReasonCount; ++reason) {
      request.miss = static_cast<MissReason>(reason);
      QVERIFY(miss_text(request).size() > 3);
    }
  }

  void marks_stand_where_the_words_are() {
    const auto places = [](const char* text, const char* wanted) {
      QStringList found;
      for (const auto& mark : marks_in(QString::fromUtf8(text), QString::fromUtf8(wanted), {}))
        found << QString::fromUtf8(text).mid(mark.start, mark.length);
      return found;
    };
    QCOMPARE(places("The KV cache of kv.", "kv CACHE"),
             (QStringList{QStringLiteral("KV"), QStringLiteral("cache"), QStringLiteral("kv")}));
    QCOMPARE(places("前缀缓存命中", "缓存"), QStringList{QString::fromUtf8("缓存")});
    QCOMPARE(places("a.c abc", "a.c"), QStringList{QStringLiteral("a.c")});
    QVERIFY(places("text", " ").isEmpty());
  }

  void files_are_fenced_so_that_they_cannot_end_early() {
    ChatMessage own = message("user", "Look");
    own.attachments = {{"a.md", "```\ncode\n````\n", 0}};
    QCOMPARE(text_for_model(own), std::string("Look\n\na.md:\n`````\n```\ncode\n````\n`````"));
  }

  void markdown_as_html_is_escaped() {
    const std::string html = markdown_html(
        "# Head\n\n<b>x</b> & [a\"b](https://e.org/?a=1&b=\"2) [j](JavaScript:alert(1)) "
        "![i](https://e.org/i.png)\n\n"
        "| a | b |\n|---|--:|\n| 1 | 2 |\n\n1. one\n\n```sh\n<i>\n```\n");
    QVERIFY2(html.find("<h4>Head</h4>") != std::string::npos, html.c_str());
    QVERIFY(html.find("&lt;b&gt;x&lt;/b&gt;") != std::string::npos);
    QVERIFY(html.find("<td class=\"number\">2</td>") != std::string::npos);
    QVERIFY(html.find("<pre><code>&lt;i&gt;") != std::string::npos);
    QVERIFY(html.find("href=\"https://e.org/i.png\"") != std::string::npos);
    for (const char* never : {"<b>", "<img", "avascript:", "<i>"})
      QVERIFY2(html.find(never) == std::string::npos, html.c_str());
  }

  void sampling_reaches_the_request() {
    SamplingPanel panel;
    panel.set_choice(
        {0, 0.5, 0.1, 40, 12, QStringLiteral("9223372036854775807"), QStringLiteral("END|\\n\\n| x")});
    const SamplingParams params = sampling_params(panel.choice());
    QCOMPARE(params.choice.temperature, 0.0f);
    QCOMPARE(params.choice.top_p, 0.5f);
    QCOMPARE(params.choice.min_p, 0.1f);
    QCOMPARE(params.choice.top_k, 40);
    QCOMPARE(params.max_tokens, 12);
    QCOMPARE(params.choice.seed, std::uint64_t{9223372036854775807u});
    QCOMPARE(params.stop, (std::vector<std::string>{"END", "\n\n", " x"}));
    PW_VERIFY(params.check());
    PW_VERIFY(sampling_params(SamplingChoice()).check());
    QVERIFY(sampling_params(SamplingChoice()).choice.seed != sampling_params(SamplingChoice()).choice.seed);
  }

  void names_of_files_are_safe() {
    QCOMPARE(file_name_of(QStringLiteral("../../etc/passwd: why?")), QStringLiteral("etcpasswd why"));
    QCOMPARE(file_name_of(QStringLiteral("///")), QStringLiteral("chat"));
  }

  void a_chat_as_markdown() {
    ChatMessage reply = message("assistant", "42", kStopped);
    reply.timings_json = timings_to_json({record()});
    const std::string text = chat_markdown(
        {"Why?", "Be short.", {ShownMessage(message("user", "Why?")), ShownMessage(reply, 2, 3)}, {}});
    const char* expected =
        "# Why?\n\n## System prompt\n\nBe short.\n\n## You\n\nWhy?\n\n## tiny (2 of 3)\n\n42\n";
    QVERIFY2(text.starts_with(expected), text.c_str());
    QVERIFY(text.find("Incomplete: stopped") != std::string::npos);
    QVERIFY(text.find("TTFT 48.0 ms") != std::string::npos);
  }
};

QTEST_MAIN(ChatPartsTest)
#include "chat_parts_test.moc"
