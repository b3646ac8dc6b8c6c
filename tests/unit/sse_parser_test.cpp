// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <string>
#include <vector>

#include "engine/library/sse_parser.h"

using pitwall::SseParser;

namespace {

using Events = std::vector<std::string>;

Events parse(const std::vector<std::string>& parts) {
  Events events;
  SseParser parser;
  for (const std::string& part : parts) {
    parser.feed(part, [&](std::string_view data) {
      events.emplace_back(data);
      return true;
    });
  }
  return events;
}

}  // namespace

class SseParserTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void streams_are_parsed_data();
  void streams_are_parsed();
  void sink_stops_the_stream();
  void endless_event_is_refused();
};

// Streams and what the HTML standard's event stream interpretation makes of them; the first four are its own
// examples.
void SseParserTest::streams_are_parsed_data() {
  QTest::addColumn<std::string>("stream");
  QTest::addColumn<Events>("events");
  const auto row = [](const char* name, const std::string& stream, const Events& events) {
    QTest::newRow(name) << stream << events;
  };
  row("three lines", "data: YHOO\ndata: +2\ndata: 10\n\n", {"YHOO\n+2\n10"});
  row("comment, id, space",
      ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n",
      {"first event", "second event"});
  row("empty data", "data\n\ndata\ndata\n\ndata:", {"", "\n"});
  row("one space is optional", "data:test\n\ndata: test\n\n", {"test", "test"});
  row("CRLF", "data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n", {"a\nb", "c"});
  row("CR", "data: a\rdata: b\r\rdata: c\r\r", {"a\nb", "c"});
  row("mixed ends", "data: a\r\n\ndata: b\n\rdata: c\r\r\n", {"a", "b", "c"});
  row("byte order mark",
      "\xEF\xBB\xBF"
      "data: a\n\n",
      {"a"});
  row("mark only at the start",
      "\n\xEF\xBB\xBF"
      "data: a\n\n",
      {});
  row("other fields", "event: x\nretry: 10\ndata: a\nbogus: 1\ndatax: 2\n\n", {"a"});
  row("no event without data", "event: x\n\n\n\ndata: a\n\n", {"a"});
  row("unfinished is dropped", "data: a\n\ndata: b\n", {"a"});
  row("UTF-8 and colons", "data: {\"t\": \"中: 文\"}\n\n", {"{\"t\": \"中: 文\"}"});
  row("keep-alive comments", ":\n:\n\ndata: [DONE]\n\n:\n", {"[DONE]"});
}

void SseParserTest::streams_are_parsed() {
  QFETCH(std::string, stream);
  QFETCH(Events, events);
  QCOMPARE(parse({stream}), events);
  for (std::size_t first = 0; first <= stream.size(); ++first) {
    for (std::size_t second = first; second <= stream.size(); ++second) {
      QCOMPARE(parse({stream.substr(0, first), stream.substr(first, second - first), stream.substr(second)}),
               events);
    }
  }
}

void SseParserTest::sink_stops_the_stream() {
  SseParser parser;
  int heard = 0;
  const auto status = parser.feed("data: a\n\ndata: b\n\n", [&](std::string_view) { return ++heard < 1; });
  QCOMPARE(status, SseParser::Status::stopped);
  QCOMPARE(heard, 1);
}

void SseParserTest::endless_event_is_refused() {
  SseParser parser;
  const std::string line = "data: " + std::string(1 << 20, 'x') + "\n";
  SseParser::Status status = SseParser::Status::more;
  int lines = 0;
  while (status == SseParser::Status::more && lines < 64) {
    status = parser.feed(line, [](std::string_view) { return true; });
    ++lines;
  }
  QCOMPARE(status, SseParser::Status::too_long);
  QCOMPARE(lines, 16);
}

QTEST_APPLESS_MAIN(SseParserTest)
#include "sse_parser_test.moc"
