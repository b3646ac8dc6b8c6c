// SPDX-License-Identifier: GPL-3.0-or-later
// Trace files, workloads, and the tokens that stand for prompts.
#include <QTest>
#include <cmath>
#include <fstream>
#include <set>

#include "engine/base/file.h"
#include "engine/bench/dispatcher.h"
#include "engine/bench/prompt_maker.h"
#include "engine/bench/trace.h"
#include "engine/bench/workload.h"
#include "engine/execute/sim_executor.h"
#include "tests/support/test_support.h"

using namespace pitwall;
namespace fs = std::filesystem;

namespace {

const std::string kCsvHeader = "TIMESTAMP,ContextTokens,GeneratedTokens\n";

std::string json_line(const std::string& timestamp, const std::string& input, const std::string& output,
                      const std::string& ids) {
  return R"({"timestamp": )" + timestamp + R"(, "input_length": )" + input + R"(, "output_length": )" +
         output + R"(, "hash_ids": )" + ids + "}\n";
}

fs::path workload_file(const std::string& name) {
  return fs::path(PITWALL_SOURCE_DIR) / "profiles/workloads" / (name + ".json");
}

}  // namespace

class TraceTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void csv_is_read();
  void csv_of_seconds_is_read();
  void json_lines_are_read();
  void the_real_traces_are_read();
  void broken_lines_are_named_data();
  void broken_lines_are_named();
  void prompts_share_tokens_where_hash_ids_are_equal();
  void pace_is_a_poisson_process();
  void gaps_have_the_moments_of_their_burstiness();
  void a_trace_is_stretched_to_a_rate();
  void conversations_grow_turn_by_turn();
  void a_dispatcher_keeps_schedule_limit_and_turns();
  void prompts_for_a_real_model();
  void text_has_the_length_that_was_asked_for();
  void workloads_are_sound();
  void workloads_have_their_means_and_repeat();
  void bad_workloads_are_refused_data();
  void bad_workloads_are_refused();

 private:
  fs::path put(const std::string& name, const std::string& content) {
    const fs::path file = folder_.path() / name;
    std::ofstream(file, std::ios::binary) << content;
    return file;
  }
  test::TemporaryFolder folder_;
};

void TraceTest::csv_is_read() {
  // A byte order mark, CRLF, an unsorted line, a leap day, a line without fraction, empty lines at the end.
  const auto trace = read_trace(put("a.csv",
                                    "\xEF\xBB\xBFTIMESTAMP,ContextTokens,GeneratedTokens\r\n"
                                    "2024-02-29 00:00:01,7,2\r\n"
                                    "2024-02-28 23:59:59.5000000,4808,10\r\n"
                                    "2024-03-01T00:00:00.000000001+00:00,3,1\n\r\n\n"));
  PW_VERIFY(trace);
  QCOMPARE(trace->name, "a.csv");
  QCOMPARE(trace->requests.size(), std::size_t{3});
  QCOMPARE(trace->requests[0].arrival, Nanos{0});
  QCOMPARE(trace->requests[0].prompt_tokens, 4808);
  QCOMPARE(trace->requests[0].output_tokens, 10);
  QCOMPARE(trace->requests[1].arrival, Nanos{1500} * kNanosPerMs);
  QCOMPARE(trace->requests[2].arrival, Nanos{86400} * kNanosPerSecond + kNanosPerSecond / 2 + 1);
  QVERIFY(trace->requests[2].blocks.empty());
}

/// Tools that count from the start of a trace write seconds.
void TraceTest::csv_of_seconds_is_read() {
  const auto trace =
      read_trace(put("s.csv", "TIMESTAMP,ContextTokens,GeneratedTokens\n0,5,1\n0.25,7,2\n1e1,9,3\n"));
  PW_VERIFY(trace);
  QCOMPARE(trace->requests.size(), std::size_t{3});
  QCOMPARE(trace->requests[1].arrival, Nanos{250} * kNanosPerMs);
  QCOMPARE(trace->requests[2].arrival, 10 * kNanosPerSecond);
  for (const char* stamp : {"-1", "1e30", "nan", "1s"}) {
    const auto wrong = read_trace(put("w.csv", kCsvHeader + std::string(stamp) + ",5,1\n"));
    QVERIFY2(!wrong && wrong.error().text().find("or seconds") != std::string::npos, stamp);
  }
}

void TraceTest::json_lines_are_read() {
  const auto trace =
      read_trace(put("a.jsonl", json_line("27482", "1300", "52", "[46, 9000000000, 2353]") +
                                    json_line("27482.5", "1024", "5", "[46, 5]") +
                                    "{\"timestamp\": 27483, \"input_length\": 3, \"output_length\": 1}\n"));
  PW_VERIFY(trace);
  QCOMPARE(trace->requests.size(), std::size_t{3});
  QCOMPARE(trace->requests[0].blocks, (std::vector<std::int32_t>{0, 1, 2}));
  QCOMPARE(trace->requests[1].blocks, (std::vector<std::int32_t>{0, 3}));
  QCOMPARE(trace->requests[1].arrival, kNanosPerMs / 2);
  QVERIFY(trace->requests[2].blocks.empty());
}

void TraceTest::the_real_traces_are_read() {
  // Totals counted with an independent script.
  const auto azure = read_trace(test::data("traces/azure-llm-2023-code.csv"));
  PW_VERIFY(azure);
  std::int64_t prompt = 0, output = 0;
  for (const TraceRequest& request : azure->requests) {
    prompt += request.prompt_tokens;
    output += request.output_tokens;
  }
  QCOMPARE(azure->requests.size(), std::size_t{8819});
  QCOMPARE(prompt, std::int64_t{18059974});
  QCOMPARE(output, std::int64_t{245896});
  QCOMPARE(azure->requests[1].arrival, Nanos{52} * kNanosPerMs);

  const auto mooncake = read_trace(test::data("traces/mooncake-conversation-3000.jsonl"));
  PW_VERIFY(mooncake);
  std::set<std::int32_t> blocks;
  for (const TraceRequest& request : mooncake->requests) {
    blocks.insert(request.blocks.begin(), request.blocks.end());
  }
  QCOMPARE(mooncake->requests.size(), std::size_t{3000});
  QCOMPARE(blocks.size(), std::size_t{55287});
}

void TraceTest::broken_lines_are_named_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<std::string>("content");
  QTest::addColumn<std::string>("said");
  const auto csv = [](const char* row, const std::string& line, const std::string& said) {
    QTest::newRow(row) << "t.csv" << kCsvHeader + "2023-11-16 18:17:03.97,1,1\n" + line
                       << "t.csv line 3: " + said;
  };
  csv("fields", "2023-11-16 18:17:03.97,5\n", "it has 2 fields, expected 3");
  csv("more fields", "2023-11-16 18:17:03.97,5,6,7\n", "it has 4 fields, expected 3");
  csv("text", "2023-11-16 18:17:03.97,five,6\n", "ContextTokens is \"five\", expected a whole number");
  csv("fraction", "2023-11-16 18:17:03.97,5,6.5\n", "GeneratedTokens is \"6.5\", expected a whole number");
  csv("zero", "2023-11-16 18:17:03.97,5,0\n", "GeneratedTokens is 0; a request has at least 1");
  csv("negative", "2023-11-16 18:17:03.97,-5,1\n", "ContextTokens is -5; a request has at least 1");
  csv("huge", "2023-11-16 18:17:03.97,99999999,1\n", "ContextTokens is 99999999; at most 16,777,216");
  csv("no such day", "2023-02-29 18:17:03.97,5,1\n", "TIMESTAMP is \"2023-02-29 18:17:03.97\"");
  csv("no such year", "9999-01-01 18:17:03.97,5,1\n", "TIMESTAMP is \"9999-01-01 18:17:03.97\"");
  csv("no time", "18:17,5,1\n", "TIMESTAMP is \"18:17\"");
  csv("hour", "2023-11-16 24:17:03,5,1\n", "TIMESTAMP is");
  csv("gap", "\n2023-11-16 18:17:03.97,5,1\n", "it is empty, and requests follow it");
  csv("binary", std::string("\0\x01\xff", 3) + "\n", "it has 1 fields, expected 3");
  QTest::newRow("header") << "t.csv" << std::string("time,in,out\n1,2,3\n")
                          << std::string("t.csv line 1: the header is \"time,in,out\"");
  QTest::newRow("empty csv") << "t.csv" << kCsvHeader << std::string("t.csv holds no requests");
  QTest::newRow("empty file") << "t.jsonl" << std::string() << std::string("t.jsonl holds no requests");

  const auto json = [](const char* row, const std::string& line, const std::string& said) {
    QTest::newRow(row) << "t.jsonl" << json_line("0", "600", "5", "[1, 2]") + line
                       << "t.jsonl line 2: " + said;
  };
  json("not JSON", "{\"timestamp\": 0,\n", "it is not a JSON object");
  json("a list", "[1, 2]\n", "it is not a JSON object");
  json("missing", "{\"timestamp\": 0, \"input_length\": 4}\n", "\"output_length\" is missing");
  json("text length", json_line("0", "\"600\"", "5", "[]"), "\"input_length\" is ");
  json("fractional length", json_line("0", "600.5", "5", "[]"), "\"input_length\" is \"600.5\"");
  json("zero length", json_line("0", "0", "5", "[]"), "input_length is 0; a request has at least 1");
  json("overflow", json_line("0", "18446744073709551615", "5", "[]"), "input_length is 16777217; at most");
  json("time", json_line("\"noon\"", "600", "5", "[]"), "\"timestamp\" is ");
  json("before the start", json_line("-1", "600", "5", "[]"), "\"timestamp\" is \"-1\"");
  json("late", json_line("1e300", "600", "5", "[]"), "\"timestamp\" is \"1e+300\", expected milliseconds");
  json("ids", json_line("0", "600", "5", "7"), "\"hash_ids\" is \"7\", expected a list");
  json("id", json_line("0", "600", "5", "[1, null]"), "\"hash_ids\" holds \"null\", expected whole numbers");
  json("too many", json_line("0", "600", "5", "[1, 2, 3]"),
       "\"hash_ids\" has 3 blocks of 512 tokens; an input_length of 600 fills at most 2");
}

void TraceTest::broken_lines_are_named() {
  QFETCH(QString, name);
  QFETCH(std::string, content);
  QFETCH(std::string, said);
  const auto trace = read_trace(put(name.toStdString(), content));
  QVERIFY(!trace.ok());
  QVERIFY2(trace.error().text().find(said) != std::string::npos, trace.error().text().c_str());
  QVERIFY(!read_trace(folder_.path() / "missing.csv").ok());
}

void TraceTest::prompts_share_tokens_where_hash_ids_are_equal() {
  const auto trace = read_trace(
      put("b.jsonl", json_line("0", "1024", "1", "[8, 9]") + json_line("1", "1000", "1", "[8, 7]") +
                         json_line("2", "700", "1", "[8]") + json_line("3", "188", "1", "[]")));
  PW_VERIFY(trace);
  const auto first = prompt_of(*trace, 0), second = prompt_of(*trace, 1), third = prompt_of(*trace, 2),
             fourth = prompt_of(*trace, 3);
  QCOMPARE(first.size(), std::size_t{1024});
  QCOMPARE(second.size(), std::size_t{1000});
  QVERIFY(std::equal(first.begin(), first.begin() + 512, second.begin()));
  QVERIFY(std::equal(first.begin(), first.begin() + 512, third.begin()));
  const std::set<TokenId> block9(first.begin() + 512, first.end()),
      block7(second.begin() + 512, second.end()), own3(third.begin() + 512, third.end()),
      own4(fourth.begin(), fourth.end());
  std::set<TokenId> all(first.begin(), first.begin() + 512);
  std::size_t sum = all.size();
  QCOMPARE(sum, std::size_t{512});
  for (const auto& tokens : {block9, block7, own3, own4}) {
    sum += tokens.size();
    all.insert(tokens.begin(), tokens.end());
  }
  QCOMPARE(all.size(), sum);  // nothing is in two of them
  QVERIFY(*all.begin() >= 0);
  QVERIFY(*all.rbegin() < kFirstSimulatedToken);
}

void TraceTest::pace_is_a_poisson_process() {
  Trace trace{"", std::vector<TraceRequest>(20000)};
  pace(trace, {50}, 7);
  double sum = 0, squares = 0;
  for (std::size_t i = 1; i < trace.requests.size(); ++i) {
    const double gap = static_cast<double>(trace.requests[i].arrival - trace.requests[i - 1].arrival) * 1e-9;
    QVERIFY(gap >= 0);
    sum += gap;
    squares += gap * gap;
  }
  const double n = static_cast<double>(trace.requests.size() - 1), mean = sum / n;
  QCOMPARE(trace.requests.front().arrival, Nanos{0});
  // Exponential gaps: mean 1/50 s, standard deviation the same; five standard errors of 20,000 draws.
  QVERIFY(std::abs(mean - 0.02) < 5 * 0.02 / std::sqrt(n));
  QVERIFY(std::abs(std::sqrt(squares / n - mean * mean) - 0.02) < 5 * 0.02 * std::sqrt(2 / n));

  Trace again{"", std::vector<TraceRequest>(20000)};
  pace(again, {50}, 7);
  QCOMPARE(again.requests.back().arrival, trace.requests.back().arrival);
  pace(again, {1e-300}, 7);
  QVERIFY(again.requests.back().arrival >= again.requests[1].arrival);
  pace(again, {INFINITY}, 7);
  QCOMPARE(again.requests.back().arrival, Nanos{0});
}

void TraceTest::gaps_have_the_moments_of_their_burstiness() {
  const auto gaps = [](double rate, double burstiness) {
    Trace trace{"", std::vector<TraceRequest>(20000)};
    pace(trace, {rate, burstiness}, 11);
    std::vector<double> gaps;
    for (std::size_t i = 1; i < trace.requests.size(); ++i)
      gaps.push_back(static_cast<double>(trace.requests[i].arrival - trace.requests[i - 1].arrival) * 1e-9);
    return gaps;
  };
  // A gamma distribution of shape k and mean m has variance m²/k and skewness 2/√k.
  for (const double shape : {0.25, 0.8, 1.0, 2.5, 16.0}) {
    const std::vector<double> some = gaps(40, shape);
    const double n = static_cast<double>(some.size());
    double mean = 0, variance = 0, third = 0;
    for (const double gap : some) mean += gap / n;
    for (const double gap : some) variance += (gap - mean) * (gap - mean) / n;
    for (const double gap : some) third += std::pow(gap - mean, 3) / n;
    const double deviation = 0.025 / std::sqrt(shape);
    QVERIFY(std::abs(mean - 0.025) < 5 * deviation / std::sqrt(n));
    // The variance's own standard error follows from the kurtosis 3 + 6/k.
    QVERIFY(std::abs(variance - deviation * deviation) <
            5 * deviation * deviation * std::sqrt((2 + 6 / shape) / n));
    QVERIFY(std::abs(third / std::pow(variance, 1.5) - 2 / std::sqrt(shape)) < 0.4 * (1 + 1 / shape));
  }
  for (const double gap : gaps(40, INFINITY)) QVERIFY(std::abs(gap - 0.025) < 1e-8);
  QCOMPARE(gaps(40, 0.8), gaps(40, 0.8));
}

void TraceTest::a_trace_is_stretched_to_a_rate() {
  Trace trace{"", std::vector<TraceRequest>(5)};
  const Nanos seconds[] = {0, 1, 1, 5, 10};
  for (std::size_t i = 0; i < 5; ++i) trace.requests[i].arrival = seconds[i] * kNanosPerSecond;
  scale_to_rate(trace, 2);  // 4 gaps in 2 s
  QCOMPARE(trace.requests[3].arrival, kNanosPerSecond);
  QCOMPARE(trace.requests[4].arrival, 2 * kNanosPerSecond);
  scale_to_rate(trace, INFINITY);
  QCOMPARE(trace.requests[4].arrival, Nanos{0});
  scale_to_rate(trace, 2);  // nothing is left to stretch
  QCOMPARE(trace.requests[4].arrival, Nanos{0});
}

void TraceTest::conversations_grow_turn_by_turn() {
  const Workload workload = find_workload("conversations").value();
  const Trace trace = make_trace(workload, 400, 3);
  QCOMPARE(trace.requests.size(), std::size_t{400});
  int later = 0;
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    const TraceRequest& request = trace.requests[i];
    QVERIFY(i == 0 || request.arrival >= trace.requests[i - 1].arrival);
    if (request.after < 0) continue;
    ++later;
    QCOMPARE(request.after, static_cast<std::int32_t>(i) - 1);
    QCOMPARE(request.think, 5 * kNanosPerSecond);
    const TraceRequest& before = trace.requests[i - 1];
    QCOMPARE(request.arrival, before.arrival);
    QVERIFY(request.prompt_tokens > before.prompt_tokens + before.output_tokens);
    const auto first = prompt_of(trace, i - 1), second = prompt_of(trace, i);
    QVERIFY(std::equal(first.begin(), first.end(), second.begin()));
    QVERIFY(request.prompt_tokens + request.output_tokens <= 8192);
  }
  QVERIFY2(later > 150 && later < 250, std::to_string(later).c_str());  // two turns on average
  // Conversations have nothing in common.
  std::set<std::int32_t> blocks;
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    const bool ends = i + 1 == trace.requests.size() || trace.requests[i + 1].after < 0;
    if (!ends) continue;
    for (const std::int32_t block : trace.requests[i].blocks) QVERIFY(blocks.insert(block).second);
  }
}

void TraceTest::a_dispatcher_keeps_schedule_limit_and_turns() {
  Trace trace{"", std::vector<TraceRequest>(5)};
  trace.requests[1].arrival = 10;
  trace.requests[2].after = 0;
  trace.requests[2].think = 7;
  trace.requests[3].arrival = 20;
  trace.requests[4].arrival = 20;
  Dispatcher dispatcher(trace, 2, 100);
  QVERIFY(!dispatcher.next(99));
  QCOMPARE(dispatcher.next_due(), std::optional<Nanos>(100));
  QCOMPARE(dispatcher.next(100)->index, std::size_t{0});
  QCOMPARE(dispatcher.next_due(), std::optional<Nanos>(110));
  QCOMPARE(dispatcher.next(125)->index, std::size_t{1});  // late, and due all the same
  QVERIFY(!dispatcher.next(125));                         // two at once
  QVERIFY(!dispatcher.next_due());
  dispatcher.ended(0, 130);
  const auto third = dispatcher.next(131);
  QCOMPARE(third->index, std::size_t{3});
  QCOMPARE(third->due, Nanos{120});
  QCOMPARE(third->ready, Nanos{130});  // the place became free then
  dispatcher.ended(1, 132);
  dispatcher.ended(3, 133);
  QCOMPARE(dispatcher.next(134)->index, std::size_t{4});
  QCOMPARE(dispatcher.next_due(), std::optional<Nanos>(137));  // the second turn
  QVERIFY(!dispatcher.all_sent());
  const auto turn = dispatcher.next(137);
  QCOMPARE(turn->index, std::size_t{2});
  QCOMPARE(turn->due, Nanos{137});
  QVERIFY(dispatcher.all_sent() && !dispatcher.done());
  dispatcher.ended(2, 140);
  dispatcher.ended(4, 140);
  QVERIFY(dispatcher.done());
}

void TraceTest::prompts_for_a_real_model() {
  TraceRequest shared, own;
  shared.prompt_tokens = 700;
  shared.output_tokens = own.output_tokens = 1;
  shared.blocks = {0};
  own.prompt_tokens = 40;
  const Trace trace{"", {shared, shared, own, own}};
  const PromptMaker prompts(trace, 1, nullptr, 32000), again(trace, 1, nullptr, 32000),
      other(trace, 2, nullptr, 32000);
  const auto first = prompts.tokens(0), second = prompts.tokens(1);
  QCOMPARE(first.size(), std::size_t{700});
  QVERIFY(std::equal(first.begin(), first.begin() + 512, second.begin()));
  QCOMPARE(again.tokens(0), first);
  const auto common = [](const std::vector<TokenId>& a, const std::vector<TokenId>& b) {
    return std::distance(a.begin(), std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first);
  };
  QVERIFY(common(first, second) < 520);
  QVERIFY(common(prompts.tokens(2), prompts.tokens(3)) < 3);
  QVERIFY(common(first, other.tokens(0)) < 3);
  const std::set<TokenId> distinct(first.begin(), first.end());
  QVERIFY2(distinct.size() > 600, "tokens are spread over the vocabulary");
  QVERIFY(*distinct.begin() >= 0 && *distinct.rbegin() < 32000);
  // Without a tokenizer text is words.
  QVERIFY(!PromptMaker(trace, 1, nullptr).knows_tokens());
  const std::string text = prompts.text(2);
  QCOMPARE(std::count(text.begin(), text.end(), ' '), std::ptrdiff_t{39});
  QVERIFY(prompts.text(0).substr(0, 1000) == prompts.text(1).substr(0, 1000));
  std::int32_t count = 0;
  prompts.text(2, &count);
  QCOMPARE(count, -1);
}

void TraceTest::text_has_the_length_that_was_asked_for() {
  const auto tokenizer = open_tokenizer(test::data("text/smollm2/tokenizer.json"));
  if (!tokenizer.ok()) QSKIP("no tokenizer in tests/data");
  Trace trace{"", {}};
  for (const std::int32_t length : {1, 2, 17, 300, 2000}) {
    trace.requests.emplace_back();
    trace.requests.back().prompt_tokens = length;
  }
  const PromptMaker prompts(trace, 5, *tokenizer);
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    std::int32_t counted = 0;
    const std::string text = prompts.text(i, &counted);
    QCOMPARE(static_cast<std::size_t>(counted), (*tokenizer)->encode(text, false, false).size());
    QVERIFY2(std::abs(counted - trace.requests[i].prompt_tokens) <= 1 + trace.requests[i].prompt_tokens / 100,
             text.c_str());
    for (const TokenId token : prompts.tokens(i)) QVERIFY(!(*tokenizer)->is_special(token));
  }
}

void TraceTest::workloads_are_sound() {
  std::size_t files = 0;
  for (const auto& file : fs::directory_iterator(workload_file("chat").parent_path())) {
    const auto workload = parse_workload(read_file(file.path()).value());
    PW_VERIFY(workload);
    QCOMPARE(workload->name + ".json", file.path().filename().string());
    PW_VERIFY(find_workload(workload->name));
    ++files;
  }
  QCOMPARE(workloads().size(), files);
  const auto unknown = find_workload("no-such");
  QVERIFY(!unknown.ok());
  QVERIFY(unknown.error().text().find("chat, ") != std::string::npos);
}

void TraceTest::workloads_have_their_means_and_repeat() {
  Workload workload = find_workload("chat").value();
  workload.classes[0].prompt = {.mean = 161, .sigma = 1, .minimum = 1, .maximum = 1 << 20};
  const Trace trace = make_trace(workload, 40000, 3);
  double prompt = 0;
  for (const TraceRequest& request : trace.requests) prompt += request.prompt_tokens;
  // Half a token is lost to rounding down; the spread of exp(normal) is 161·sqrt(e − 1).
  QVERIFY(std::abs(prompt / 40000 - 160.5) < 5 * 161 * std::sqrt(std::exp(1) - 1) / 200);
  const Trace again = make_trace(workload, 40000, 3), other = make_trace(workload, 40000, 4);
  QCOMPARE(again.requests[39999].prompt_tokens, trace.requests[39999].prompt_tokens);
  QCOMPARE(again.requests[39999].arrival, trace.requests[39999].arrival);
  QVERIFY(other.requests[39999].arrival != trace.requests[39999].arrival);

  const Trace mixed = make_trace(find_workload("long-prompts-mixed").value(), 10000, 1);
  const auto is_long = [](const TraceRequest& request) { return request.prompt_tokens == 6144; };
  const auto longs = std::count_if(mixed.requests.begin(), mixed.requests.end(), is_long);
  QVERIFY(std::abs(static_cast<double>(longs) - 200) < 5 * std::sqrt(10000 * 0.02 * 0.98));

  const Trace shared = make_trace(find_workload("shared-system-prompt").value(), 2, 1);
  const auto a = prompt_of(shared, 0), b = prompt_of(shared, 1);
  QVERIFY(std::equal(a.begin(), a.begin() + 2048, b.begin()));
  QVERIFY(a[2048] != b[2048]);
}

void TraceTest::bad_workloads_are_refused_data() {
  QTest::addColumn<std::string>("from");
  QTest::addColumn<std::string>("to");
  QTest::addColumn<std::string>("said");
  QTest::newRow("share") << std::string("\"share\": 2") << std::string("\"share\": 0")
                         << std::string("share is 0");
  QTest::newRow("lengths") << std::string("\"fixed\": 6144") << std::string("\"fixed\": 0")
                           << std::string("prompt lengths are 0 to 0");
  QTest::newRow("order") << std::string("\"minimum\": 64") << std::string("\"minimum\": 640")
                         << std::string("prompt lengths are 640 to 256");
  QTest::newRow("rate") << std::string("\"request_rate\": 10") << std::string("\"request_rate\": -1")
                        << std::string("request_rate is -1");
  QTest::newRow("requests") << std::string("\"requests\": 1000") << std::string("\"requests\": 0")
                            << std::string("requests is 0");
  QTest::newRow("prefix") << std::string("\"share\": 2") << std::string("\"shared_prefix\": 100")
                          << std::string("shared_prefix is 100");
  QTest::newRow("missing") << std::string("\"output\"") << std::string("\"out\"") << std::string("output");
}

void TraceTest::bad_workloads_are_refused() {
  QFETCH(std::string, from);
  QFETCH(std::string, to);
  QFETCH(std::string, said);
  std::string text = read_file(workload_file("long-prompts-mixed")).value();
  QVERIFY(text.find(from) != std::string::npos);
  text.replace(text.find(from), from.size(), to);
  const auto workload = parse_workload(text);
  QVERIFY(!workload.ok());
  QVERIFY2(workload.error().text().find(said) != std::string::npos, workload.error().text().c_str());
}

QTEST_APPLESS_MAIN(TraceTest)
#include "trace_test.moc"
