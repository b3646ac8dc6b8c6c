// SPDX-License-Identifier: GPL-3.0-or-later
// From the bytes of an answer to its times: the worked trace of the metric definitions, cut at every byte,
// and everything that a server may do wrong.
#include <QTest>
#include <cmath>

#include "engine/bench/load_report.h"
#include "engine/bench/openai_chunk.h"
#include "engine/bench/stream_reader.h"

using namespace pitwall;

namespace {

constexpr Nanos kMs = kNanosPerMs;
constexpr Nanos kSent = 1000 * kMs;

const std::string kHead =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n";

std::string http_chunk(const std::string& data) {
  char size[16];
  std::snprintf(size, sizeof size, "%zx", data.size());
  return std::string(size) + "\r\n" + data + "\r\n";
}

std::string sse(const std::string& data) {
  return http_chunk("data: " + data + "\n\n");
}

std::string delta(const std::string& what, const std::string& more = "\"finish_reason\":null") {
  return R"({"id":"chatcmpl-7","object":"chat.completion.chunk","choices":[{"index":0,"delta":)" + what +
         "," + more + "}]}";
}

struct Piece {
  Nanos at;
  std::string bytes;
};

/// metrics.md's trace: role 10, a 100, b 120, three tokens 180, finish 200, usage 205, [DONE] 210; ms.
std::vector<Piece> worked_trace(bool states_tokens) {
  const auto ids = [&](const char* list) {
    return states_tokens ? std::string("\"token_ids\":") + list + ",\"finish_reason\":null"
                         : std::string("\"finish_reason\":null");
  };
  return {{10, kHead + sse(delta(R"({"role":"assistant","content":""})", ids("[]")))},
          {100, sse(delta(R"({"content":"a"})", ids("[5]")))},
          {120, sse(delta(R"({"content":"b"})", ids("[6]")))},
          {180, sse(delta(R"({"content":"c d e"})", ids("[7,8,9]")))},
          {200, sse(delta("{}", "\"finish_reason\":\"stop\""))},
          {205, sse(R"({"id":"chatcmpl-7","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":5}})")},
          {210, sse("[DONE]") + "0\r\n\r\n"}};
}

struct Heard {
  StreamRecord record;
  bool over = false, reusable = false;
};

Heard hear(const std::vector<Piece>& pieces, std::size_t step = std::string::npos, bool keep_text = false) {
  Heard heard;
  heard.record.sent = heard.record.due = heard.record.ready = kSent;
  StreamReader reader(keep_text, nullptr);
  reader.begin(heard.record);
  for (const Piece& piece : pieces) {
    for (std::size_t at = 0; at < piece.bytes.size() && !heard.over;
         at += std::min(step, piece.bytes.size() - at))
      heard.over = reader.feed(std::string_view(piece.bytes).substr(at, step), kSent + piece.at * kMs);
  }
  heard.reusable = reader.reusable();
  if (!heard.over) reader.disconnected(kSent + pieces.back().at * kMs, "The server hung up");
  return heard;
}

using Gaps = std::vector<double>;

struct ChunkCase {
  const char *name, *data;
  bool sound, choice, content;
  int ids;
};

const ChunkCase kChunks[] = {
    {"completion", R"({"choices":[{"text":" a","finish_reason":null}]})", true, true, true, -1},
    {"empty text", R"({"choices":[{"text":"","finish_reason":"stop"}]})", true, true, false, -1},
    {"words of ours inside a text",
     R"({"choices":[{"text":"","logprobs":{"text":"\"delta\":{\"content\":\"x\"}"}}]})", true, true, false,
     -1},
    {"escaped quotes", R"({"choices":[{"delta":{"content":"\\\"}],\"usage\":{"},"index":0}]})", true, true,
     true, -1},
    {"second choice", R"({"choices":[{"delta":{}},{"delta":{"content":"x"}}]})", true, true, false, -1},
    {"content elsewhere", R"({"content":"x","choices":[{"message":{"content":"x"}}]})", true, true, false,
     -1},
    {"ids", R"({"choices":[{"text":"ab","token_ids":[1, 2 ,3]}]})", true, true, true, 3},
    {"no ids", R"({"choices":[{"text":"ab","token_ids":null}]})", true, true, true, -1},
    {"empty ids", R"({"choices":[{"text":"","token_ids":[]}]})", true, true, false, 0},
    {"usage only", R"( { "choices" : [ ] , "usage" : { "prompt_tokens" : 1 } } )", true, false, false, -1},
    {"list", "[1]", false, false, false, -1},
    {"open", R"({"choices":[{"text":"a"}])", false, false, false, -1},
    {"trailing", R"({"choices":[]} x)", false, false, false, -1},
    {"open string", R"({"choices":[{"text":"a\"}]})", false, false, false, -1},
};

}  // namespace

class StreamTimesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:

  void worked_trace_by_ours() {  // cases 188 and 189
    const Heard heard = hear(worked_trace(true));
    QVERIFY(heard.over && heard.reusable && heard.record.ended_well());
    const StreamTimes times = stream_times(heard.record);
    QCOMPARE(times.ttft, 100.0);
    QCOMPARE(times.ttfa, 100.0);
    QCOMPARE(times.e2e, 180.0);
    QCOMPARE(times.stream_end, 210.0);
    QCOMPARE(times.tpot, 20.0);
    QCOMPARE(times.itl_chunk, (Gaps{20, 60}));
    QCOMPARE(times.itl_token, (Gaps{20, 20, 20, 20}));
    QCOMPARE(times.ttft + times.tpot * 4, times.e2e);
    QCOMPARE(heard.record.output_tokens(), 5);
    QCOMPARE(heard.record.input_tokens(), 3);
    QCOMPARE(heard.record.id, std::string("chatcmpl-7"));
    QCOMPARE(heard.record.finish_reason, std::string("stop"));
  }

  void worked_trace_by_vllm() {
    const VllmTimes times = vllm_times(hear(worked_trace(false)).record);
    QCOMPARE(times.ttft, 10.0);
    QCOMPARE(times.e2e, 200.0);
    QCOMPARE(times.tpot, 47.5);
    QCOMPARE(times.itl, (Gaps{90, 20, 60, 20}));
  }

  void chunks_that_do_not_tell_their_tokens() {
    const StreamTimes times = stream_times(hear(worked_trace(false)).record);
    QVERIFY(!times.tokens_known);  // three chunks, five tokens
    QVERIFY(times.itl_token.empty());
    QCOMPARE(times.itl_chunk, (Gaps{20, 60}));
    QCOMPARE(times.tpot, 20.0);
    auto equal = worked_trace(false);
    equal[5].bytes = sse(R"({"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":3}})");
    QCOMPARE(stream_times(hear(equal).record).itl_token, (Gaps{20, 60}));
  }

  void cut_at_every_byte() {
    const StreamTimes whole = stream_times(hear(worked_trace(true)).record);
    for (std::size_t step = 1; step < 60; ++step) {
      const Heard heard = hear(worked_trace(true), step);
      QVERIFY2(heard.record.ended_well(), heard.record.reason.c_str());
      QVERIFY(heard.reusable);
      const StreamTimes times = stream_times(heard.record);
      QCOMPARE(times.itl_chunk, whole.itl_chunk);
      QCOMPARE(times.itl_token, whole.itl_token);
      QCOMPARE(times.stream_end, whole.stream_end);
      QCOMPARE(vllm_times(heard.record).itl, (Gaps{90, 20, 60, 20}));
    }
  }

  void other_forms_of_the_same() {
    auto pieces = worked_trace(true);
    for (std::size_t i = 1; i < pieces.size() - 1; ++i) {
      std::string data = pieces[i].bytes.substr(pieces[i].bytes.find("data: ") + 6);
      data = data.substr(0, data.find('\n'));
      for (std::size_t at = 0; (at = data.find("\":", at)) != std::string::npos; at += 3)
        data.insert(at + 2, 1, ' ');
      pieces[i].bytes = http_chunk(": ping\r\n\r\nevent: message\r\nid: 4\r\ndata:" + data + "\r\n\r\n");
    }
    pieces[0].bytes = "HTTP/1.1 102 Processing\r\n\r\n" + pieces[0].bytes;
    for (const std::size_t step : {std::size_t{1}, std::size_t{7}, std::string::npos}) {
      const Heard heard = hear(pieces, step);
      QVERIFY2(heard.record.ended_well(), heard.record.reason.c_str());
      QCOMPARE(stream_times(heard.record).itl_token, (Gaps{20, 20, 20, 20}));
    }
    // Without chunks of HTTP the connection's end is the body's.
    auto plain = worked_trace(true);
    std::string body;
    for (Piece& piece : plain) {
      std::string text = piece.bytes;
      if (const std::size_t head = text.find("\r\n\r\n"); text.starts_with("HTTP")) text.erase(0, head + 4);
      text = text.substr(text.find("data: "));
      piece.bytes = text.substr(0, text.find("\n\n") + 2);
    }
    plain[0].bytes = "HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + plain[0].bytes;
    const Heard heard = hear(plain);
    QVERIFY(!heard.reusable);
    QVERIFY2(heard.record.ended_well(), heard.record.reason.c_str());
    QCOMPARE(stream_times(heard.record).e2e, 180.0);
  }

  void reasoning_is_output_and_no_answer() {
    const Heard heard =
        hear({{10, kHead + sse(delta(R"({"reasoning_content":"hm"})"))},
              {30, sse(delta(R"({"content":"so"})"))},
              {40, sse(delta(R"({"content":null,"tool_calls":[{"index":0}]})"))},
              {50, sse(delta("{}", "\"finish_reason\":\"tool_calls\"")) + sse("[DONE]") + "0\r\n\r\n"}});
    const StreamTimes times = stream_times(heard.record);
    QCOMPARE(times.ttft, 10.0);
    QCOMPARE(times.ttfa, 30.0);
    QCOMPARE(times.e2e, 40.0);
    QCOMPARE(heard.record.output_tokens(), 3);  // without usage: chunks
  }

  void one_and_no_token() {  // case 190
    const std::string end = sse(delta("{}", "\"finish_reason\":\"stop\"")) + sse("[DONE]") + "0\r\n\r\n";
    const auto usage = [](int tokens) {
      return sse(R"({"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":)" + std::to_string(tokens) +
                 "}}");
    };
    const StreamRecord none =
        hear({{10, kHead + sse(delta(R"({"role":"assistant","content":""})"))}, {20, usage(0) + end}}).record;
    const StreamRecord one =
        hear({{10, kHead + sse(delta(R"({"content":"a"})"))}, {20, usage(1) + end}}).record;
    const StreamRecord two = hear({{10, kHead + sse(delta(R"({"content":"a"})"))},
                                   {15, sse(delta(R"({"content":"b"})"))},
                                   {20, usage(2) + end}})
                                 .record;
    QVERIFY(none.ended_well() && one.ended_well() && two.ended_well());
    QVERIFY(std::isnan(stream_times(none).tpot) && std::isnan(stream_times(none).ttft));
    QVERIFY(std::isnan(stream_times(one).tpot));
    QCOMPARE(stream_times(two).tpot, 5.0);

    LoadSetup setup;
    setup.objectives.tpot = 4;  // the request with two tokens misses it
    PlayedLoad play;
    play.records = {none, one, two};
    play.start = kSent;
    play.end = kSent + 20 * kMs;
    const LoadReport report = make_report(setup, {&play, 1});
    QCOMPARE(report.tpot.n, std::int64_t{1});
    QCOMPARE(report.tpot_undefined, std::int64_t{2});
    QCOMPARE(report.empty_replies, std::int64_t{1});
    QCOMPARE(report.good, std::int64_t{2});
    QCOMPARE(report.good_undefined, std::int64_t{2});
    setup.undefined_is_bad = true;
    QCOMPARE(make_report(setup, {&play, 1}).good, std::int64_t{0});
  }

  void failures_data() {
    QTest::addColumn<std::string>("bytes");
    QTest::addColumn<std::string>("end");
    QTest::addColumn<std::string>("says");
    const std::string text = kHead + sse(delta(R"({"content":"a"})"));
    const auto row = [](const char* name, const std::string& bytes, const char* end, const char* says) {
      QTest::newRow(name) << bytes << std::string(end) << std::string(says);
    };
    row("nothing", "", "unreachable", "hung up");
    row("half a head", "HTTP/1.1 200 OK\r\nConte", "unreachable", "hung up");
    row("cut", text, "cut", "after 1 chunks");
    row("no finish", text + "0\r\n\r\n", "cut", "without a finish reason after 1 chunks");
    row("error inside", text + sse(R"({"error":{"message":"out of blocks"}})"), "stream_error",
        "out of blocks");
    row("error as text", text + sse(R"({"error":"overloaded"})"), "stream_error", "overloaded");
    row("broken JSON", text + sse(R"({"choices":[{"delta")"), "malformed", "no JSON object");
    row("no choices", kHead + sse(R"({"choices":[]})") + sse("[DONE]") + "0\r\n\r\n", "malformed",
        "no choice");
    row("refused",
        "HTTP/1.1 429 Too Many\r\nContent-Length: 37\r\n\r\n{\"error\":{\"message\":\"queue is full\"}}",
        "refused", "HTTP 429: \"queue is full\"");
    row("whole", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
        "malformed", "no event stream");
    row("not HTTP", "SSH-2.0-OpenSSH\r\n\r\n", "malformed", "not HTTP");
  }
  void failures() {
    QFETCH(std::string, bytes);
    QFETCH(std::string, end);
    QFETCH(std::string, says);
    for (const std::size_t step : {std::string::npos, std::size_t{1}}) {
      const StreamRecord record = hear({{10, bytes}}, step).record;
      QCOMPARE(std::string(stream_end_name(record.end)), end);
      QVERIFY2(record.reason.find(says) != std::string::npos, record.reason.c_str());
      QVERIFY(!record.ended_well());
    }
  }

  void chunks_are_read_in_one_pass_data() {
    QTest::addColumn<std::string>("data");
    QTest::addColumn<bool>("sound");
    QTest::addColumn<bool>("choice");
    QTest::addColumn<bool>("content");
    QTest::addColumn<int>("ids");
    for (const ChunkCase& one : kChunks)
      QTest::newRow(one.name) << std::string(one.data) << one.sound << one.choice << one.content << one.ids;
    QTest::newRow("deep") << "{\"a\":" + std::string(100000, '[') << false << false << false << -1;
  }
  void chunks_are_read_in_one_pass() {
    QFETCH(std::string, data);
    QFETCH(bool, sound);
    QFETCH(bool, choice);
    QFETCH(bool, content);
    QFETCH(int, ids);
    const auto facts = read_chunk(data);
    QCOMPARE(facts.has_value(), sound);
    if (!sound) return;
    QCOMPARE(facts->choice, choice);
    QCOMPARE(facts->content, content);
    QCOMPARE(facts->token_ids, ids);
  }

  void usage_counts_and_differences_are_said() {  // case 191
    // 15 spaces are one token: the server's count holds, whatever the text looks like.
    const StreamRecord spaces = hear({{10, kHead + sse(delta(R"({"content":"               "})"))},
                                      {20, sse(delta("{}", "\"finish_reason\":\"stop\"")) +
                                               sse(R"({"choices":[],"usage":{"completion_tokens":1}})") +
                                               sse("[DONE]") + "0\r\n\r\n"}})
                                    .record;
    QCOMPARE(spaces.output_tokens(), 1);
    auto wrong = worked_trace(true);
    wrong[5].bytes = sse(R"({"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":9}})");
    PlayedLoad play;
    play.records = {hear(wrong).record, hear(worked_trace(true)).record, spaces};
    const LoadReport report = make_report({}, {&play, 1});
    QCOMPARE(report.count_mismatches, std::int64_t{1});
    QCOMPARE(report.vllm.output_tokens, std::int64_t{9 + 5 + 1});
    QVERIFY(std::any_of(report.warnings.begin(), report.warnings.end(), [](const std::string& text) {
      return text.find("usage is what counts") != std::string::npos;
    }));
  }

  void text_is_kept_on_request() {
    QCOMPARE(hear(worked_trace(true), 5, true).record.text, std::string("abc d e"));
    QCOMPARE(hear(worked_trace(true), 5, false).record.text, std::string());
  }
};

QTEST_APPLESS_MAIN(StreamTimesTest)
#include "stream_times_test.moc"
