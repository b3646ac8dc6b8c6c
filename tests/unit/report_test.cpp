// SPDX-License-Identifier: GPL-3.0-or-later
#include <QRegularExpression>
#include <QXmlStreamReader>
#include <QtTest>
#include <clocale>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/report/axis.h"
#include "engine/report/polyline.h"
#include "engine/report/report.h"
#include "engine/report/report_charts.h"
#include "engine/report/report_text.h"
#include "engine/report/svg_chart.h"
#include "tests/support/test_support.h"

using namespace pitwall;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Run sample_run(int requests = 250) {
  Run run;
  run.id = {12};
  run.note = "a <note> & more | with\na second line";
  RunHeader& h = run.header;
  h.uuid = "uuid";
  h.name = "Eight clients <script>alert(1)</script>";
  h.start_utc = 1'785'067'200 * kNanosPerSecond;
  h.model_path = "/models/it's here.gguf";
  h.model_name = "SmolLM2";
  h.ram = 16 * kGiB;
  h.config = {{"max-num-seqs", "8", "32", "user", true},
              {"enable-prefix-caching", "false", "true", "user", true},
              {"seed", "0", "0", "preset", false}};
  for (int i = 1; i <= requests; ++i) {
    RequestRecord r;
    r.id = {static_cast<std::uint64_t>(i)};
    r.label = "chatcmpl-" + std::to_string(i);
    r.arrival_utc = h.start_utc + i * kNanosPerMs * 333;
    r.arrival = 1 + i * kNanosPerMs * 333;
    r.scheduled = r.arrival + 1'234'567;
    r.first_token = r.arrival + 50 * kNanosPerMs + i * 1001;
    r.output_tokens = i % 10 == 0 ? 1 : 20;
    r.last_token = r.output_tokens == 1 ? r.first_token : r.first_token + 300 * kNanosPerMs + i;
    r.finished = r.last_token;
    r.max_itl = r.output_tokens == 1 ? 0 : (i == 77 ? 318 : 20) * kNanosPerMs;
    r.prompt_tokens = 100;
    r.finish = FinishReason::stop;
    run.requests.push_back(r);
  }
  if (requests > 3) {
    run.requests[1].finish = FinishReason::error;
    run.requests[1].error = "out of KV, \"no\" blocks\nleft";
  }
  for (int i = 0; i < 90; ++i) {
    SecondRecord s;
    s.utc = h.start_utc + i * kNanosPerSecond;
    s.itl.n = i * 3;
    if (i > 0) s.itl.mean = s.itl.p50 = 5 + i % 7 / 3.0;
    if (i > 0) s.itl.p90 = s.itl.p99 = s.itl.max = 9;
    s.output_tokens_per_s = 100 + i % 13;
    s.kv_used = i * kMiB;
    s.measured = 700 * kMiB;
    run.seconds.push_back(s);
  }
  run.summary = summarize_requests(run.requests);
  run.summary.end_utc = h.start_utc + 90 * kNanosPerSecond;
  LedgerSnapshot& l = run.summary.ledger;
  l.bytes[static_cast<std::size_t>(Category::weights)] = 100 * kMiB;
  l.bytes[static_cast<std::size_t>(Category::kv)] = 500 * kMiB;
  l.kv_used = 100 * kMiB;
  l.kv_cached = 50 * kMiB;
  l.kv_quarantined = 2 * kMiB;
  l.kv_free = 348 * kMiB;
  l.measured = 640 * kMiB;
  l.device_total = 16 * kGiB;
  l.other_processes = 3 * kGiB;
  l.limit = 4 * kGiB;
  return run;
}

QString text_of(const std::string& text) {
  return QString::fromStdString(text);
}

/// The name of the first XML error, or nothing.
QString xml_error(const std::string& xml) {
  QXmlStreamReader reader(QString::fromStdString(xml));
  while (!reader.atEnd()) reader.readNext();
  return reader.hasError() ? reader.errorString() : QString();
}

qsizetype count(const std::string& text, const char* part) {
  return text_of(text).count(part);
}

}  // namespace

class ReportTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void the_same_run_gives_the_same_bytes() {
    const Run run = sample_run();
    const std::string html = run_html(run), markdown = run_markdown(run), csv = requests_csv(run),
                      json = run_json(run);
    const std::string old = std::setlocale(LC_ALL, nullptr);
    std::setlocale(LC_ALL, "de_DE.UTF-8");  // where it exists: no number may follow it
    QCOMPARE(run_html(run), html);
    QCOMPARE(run_markdown(run), markdown);
    QCOMPARE(requests_csv(run), csv);
    QCOMPARE(run_json(run), json);
    std::setlocale(LC_ALL, old.c_str());
  }

  void json_reads_back() {
    Run run = sample_run();
    run.summary.status = RunStatus::failed;
    run.summary.error = "why";
    const auto back = parse_run_json(run_json(run));
    PW_VERIFY(back);
    QCOMPARE(text_of(run_json(*back)), text_of(run_json(run)));
    QCOMPARE(back->id, run.id);
    QCOMPARE(back->note, run.note);
    QCOMPARE(back->requests.size(), run.requests.size());
    QCOMPARE(back->requests[1].error, run.requests[1].error);
    QCOMPARE(back->requests[9].arrival_utc, run.requests[9].arrival_utc);
    QVERIFY(std::isnan(back->requests[9].tpot_ms()));
    QCOMPARE(back->seconds[5].itl.p50, run.seconds[5].itl.p50);
    QVERIFY(std::isnan(back->seconds[0].itl.p50));
    QCOMPARE(back->summary.ledger.of(Category::weights), 100 * kMiB);
    QCOMPARE(back->summary.metrics.at("ttft_ms").p99, run.summary.metrics.at("ttft_ms").p99);
    QCOMPARE(back->header.config.at(1).name, std::string("enable-prefix-caching"));
    QVERIFY(back->header.config.at(1).changed);
  }

  void json_undefined_is_null() {
    const auto json = nlohmann::json::parse(run_json(sample_run()));
    QVERIFY(json["seconds"][0]["itl"]["p50"].is_null());
    QVERIFY(json["requests"][9]["tpot_ms"].is_null());
    QCOMPARE(json["summary"]["metrics"]["ttft_ms"]["n"].get<int>(), 249);
    QCOMPARE(json["summary"]["status"].get<std::string>(), std::string("finished"));
  }

  void bad_json_is_an_error_data() {
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QByteArray>("param");
    QTest::newRow("empty") << QByteArray("") << QByteArray("");
    QTest::newRow("cut") << QByteArray(R"({"format": "pitwall-run",)") << QByteArray("");
    QTest::newRow("a list") << QByteArray("[]") << QByteArray("format");
    QTest::newRow("another format") << QByteArray(R"({"format": "x"})") << QByteArray("format");
    QTest::newRow("newer") << QByteArray(R"({"format": "pitwall-run", "version": 9})")
                           << QByteArray("version");
    const auto with = [](const char* rest) {
      return QByteArray(R"({"format": "pitwall-run", "version": 1, )") + rest + "}";
    };
    QTest::newRow("wrong type") << with(R"("header": {"name": 5})") << QByteArray("name");
    QTest::newRow("no list") << with(R"("requests": {})") << QByteArray("requests");
    QTest::newRow("no object") << with(R"("requests": [1])") << QByteArray("requests[0]");
    QTest::newRow("too large") << with(R"("requests": [{"prompt_tokens": 3000000000}])")
                               << QByteArray("requests[0].prompt_tokens");
    QTest::newRow("fraction") << with(R"("requests": [{"prompt_tokens": 1.5}])")
                              << QByteArray("requests[0].prompt_tokens");
    QTest::newRow("unknown word") << with(R"("requests": [{"finish": "bored"}])")
                                  << QByteArray("requests[0].finish");
    QTest::newRow("negative id") << with(R"("requests": [{"id": -1}])") << QByteArray("requests[0].id");
    QTest::newRow("metric") << with(R"("summary": {"metrics": {"ttft_ms": 5}})") << QByteArray("ttft_ms");
  }

  void bad_json_is_an_error() {
    QFETCH(QByteArray, json);
    QFETCH(QByteArray, param);
    const auto run = parse_run_json(json.toStdString());
    QVERIFY(!run.ok());
    QCOMPARE(text_of(run.error().param), QString(param));
    QVERIFY(!run.error().what.empty() && !run.error().action.empty());
  }

  void csv_is_rfc_4180() {
    const std::string csv = requests_csv(sample_run(4));
    const QStringList lines = text_of(csv).split("\r\n");
    QCOMPARE(lines.size(), 6);  // header, 4 requests, nothing after the last line end
    QCOMPARE(
        lines[0],
        QString("id,label,arrival_utc,queue_ms,ttft_ms,tpot_ms,e2e_ms,max_itl_ms,prompt_tokens,cached_tokens,"
                "output_tokens,preemptions,finish,error"));
    QCOMPARE(
        lines[1],
        QString("1,chatcmpl-1,2026-07-26T12:00:00.333Z,1.234567,50.001001,15.789473736842105,350.001002,20,"
                "100,0,20,0,stop,"));
    QVERIFY(lines[2].endsWith(",error,\"out of KV, \"\"no\"\" blocks\nleft\""));
  }

  void html_loads_nothing() {
    const QString html = text_of(run_html(sample_run()));
    for (const char* reference :
         {"src=", "href=", "@import", "<link", "<script", "<iframe", "<img", "http-equiv=\"refresh"}) {
      QVERIFY2(!html.contains(reference), reference);
    }
    QString without_namespace = html;
    without_namespace.remove("xmlns=\"http://www.w3.org/2000/svg\"");
    QVERIFY(!without_namespace.contains("http://") && !without_namespace.contains("https://"));
    const QRegularExpression url("url\\((?!#)");
    QVERIFY(!url.match(html).hasMatch());
    QVERIFY(html.contains("Content-Security-Policy"));
    QVERIFY(html.contains("Eight clients &lt;script&gt;"));
  }

  void html_says_what_matters() {
    const QString html = text_of(run_html(sample_run()));
    QVERIFY(html.contains("250 requests: 249 ended well, 1 failed."));
    QVERIFY(html.contains("The longest wait between two tokens was 318 ms."));
    QVERIFY(html.contains("50 more are in the CSV and JSON exports."));
    QVERIFY(html.contains("Not tested, not known"));
    QVERIFY(html.contains(
        "pitwallctl serve --model &#39;/models/it&#39;\\&#39;&#39;s here.gguf&#39; --max-num-seqs 8 "
        "--no-enable-prefix-caching"));
    QVERIFY(!html.contains("nan") && !html.contains("inf "));
    // The worst request comes first; among equals the one that waited longest for its first token.
    const qsizetype table = html.indexOf("Which ones had it worst?");
    QVERIFY(html.indexOf("chatcmpl-77<", table) < html.indexOf("chatcmpl-249<", table));
  }

  void html_of_an_empty_run() {
    Run run;
    run.summary.status = RunStatus::cut_off;
    const QString html = text_of(run_html(run));
    QVERIFY(html.contains("No request ended in this run."));
    QVERIFY(html.contains("cut off"));
    QVERIFY(html.contains("The ledger at the end of the run was not recorded."));
    QVERIFY(!html.contains("<svg"));
    QVERIFY(text_of(run_markdown(run)).contains("No request ended in this run."));
  }

  void markdown_escapes() {
    const QString markdown = text_of(run_markdown(sample_run()));
    QVERIFY(markdown.startsWith("# Eight clients \\<script\\>"));
    QVERIFY(markdown.contains("a \\<note\\> & more \\| with a second line"));
    for (const QString& line : markdown.split('\n')) {
      if (line.startsWith('|')) QVERIFY2(line.endsWith('|'), qPrintable(line));
    }
  }

  void numbers_for_people() {
    QCOMPARE(text_of(ms_text(5.2)), QString("5.20"));
    QCOMPARE(text_of(ms_text(0.0451)), QString("0.045"));
    QCOMPARE(text_of(ms_text(14.04)), QString("14.0"));
    QCOMPARE(text_of(ms_text(318.4)), QString("318"));
    QCOMPARE(text_of(ms_text(12345)), QString("12,345"));
    QCOMPARE(text_of(ms_text(kNaN)), QString("–"));
    QCOMPARE(text_of(rate_text(6027)), QString("6,030"));
    QCOMPARE(text_of(rate_text(412.3)), QString("412"));
    QCOMPARE(text_of(size_text(0)), QString("0"));
    QCOMPARE(text_of(size_text(-kGiB)), QString("−1.00 GiB"));
    QCOMPARE(text_of(share_text(1, 0)), QString("–"));
    QCOMPARE(text_of(span_text(185 * kNanosPerSecond)), QString("3 min 05 s"));
    QCOMPARE(text_of(span_text(7800 * kNanosPerSecond)), QString("2 h 10 min"));
  }

  void linear_ticks_are_1_2_5() {
    const Axis axis = linear_axis(0, 6030, 5, Limits::at_ticks);
    QCOMPARE(axis.ticks, (std::vector<double>{0, 2000, 4000, 6000, 8000}));
    QCOMPARE(text_of(axis.label(2000)), QString("2,000"));
    const Axis small = linear_axis(0, 0.45, 5, Limits::at_ticks);
    QCOMPARE(text_of(small.label(small.ticks[1])), QString("0.1"));
    const Axis given = linear_axis(3, 97, 5, Limits::as_given);
    QCOMPARE(given.ticks, (std::vector<double>{20, 40, 60, 80}));
    QCOMPARE(given.low, 3.0);
    QVERIFY(linear_axis(5, 5, 5, Limits::at_ticks).high > 5);
    QVERIFY(linear_axis(1e17, 1e17, 5, Limits::at_ticks).ticks.size() < 50);
    QVERIFY(linear_axis(0, 1e-310, 5, Limits::at_ticks).high > 0);
  }

  void log_ticks_are_decades_with_2_and_5() {
    QCOMPARE(log_axis(3, 318).ticks, (std::vector<double>{2, 5, 10, 20, 50, 100, 200, 500}));
    QCOMPARE(log_axis(0.01, 900'000).ticks.front(), 0.01);
    QCOMPARE(log_axis(0.01, 900'000).ticks.size(), std::size_t{9});  // decades alone
    QVERIFY(log_axis(5, 5).high > log_axis(5, 5).low);
    QVERIFY(log_axis(1e-90, 1e90).ticks.size() <= 41);
  }

  void a_spike_survives_decimation() {
    std::vector<Pixel> points;
    for (int i = 0; i < 100'000; ++i) points.push_back({i / 200.0, i == 54'321 ? 1.0 : 50.0});
    const auto kept = decimate(points);
    QVERIFY(kept.size() <= 4 * 501);
    QCOMPARE(std::count_if(kept.begin(), kept.end(), [](const Pixel& p) { return p.y == 1.0; }), 1);
    QVERIFY(
        std::is_sorted(kept.begin(), kept.end(), [](const Pixel& a, const Pixel& b) { return a.x < b.x; }));
  }

  void charts_are_xml_data() {
    QTest::addColumn<int>("kind");
    QTest::newRow("plain") << 0;
    QTest::newRow("log") << 1;
    QTest::newRow("empty") << 2;
    QTest::newRow("all gaps") << 3;
    QTest::newRow("one point") << 4;
    QTest::newRow("absurd values") << 5;
    QTest::newRow("hostile text") << 6;
    QTest::newRow("lengths differ") << 7;
  }

  void charts_are_xml() {
    QFETCH(int, kind);
    SvgChart chart{"ITL", "ms", "Does any stream stutter?", "s since the start", kind == 1, {}};
    SvgSeries a{"p50", "#00707A", "", {0, 1, 2, 3, 4}, {5, 6, kNaN, 5, 318}};
    if (kind == 3) a.y = {kNaN, kNaN, kNaN, kNaN, kNaN};
    if (kind == 4) a = {"p50", "#00707A", "", {3}, {7}};
    if (kind == 5) a.y = {1e300, -1e300, INFINITY, 0, -0.0};
    if (kind == 6) a.name = "<b>&\"'\x01\xFF", a.colour = "red\"/><script>", chart.title = "]]> <title>";
    if (kind == 7) a.y.resize(2);
    if (kind != 2) chart.series = {a, {"max", "#7A3FB0", "2 2", {0, 1}, {0, 100}}};
    const std::string svg = svg_chart(chart);
    QVERIFY2(xml_error(svg).isEmpty(), qPrintable(xml_error(svg)));
    QVERIFY(count(svg, "<title>") == 1 && count(svg, "<desc>") == 1);
    QVERIFY(!text_of(svg).contains("nan") && !text_of(svg).contains("inf") &&
            !text_of(svg).contains("<script"));
    QCOMPARE(svg, svg_chart(chart));
  }

  void gaps_stay_gaps() {
    SvgChart chart{"x", "ms", "?", "s", false, {}};
    chart.series = {{"a", "#00707A", "", {0, 1, 2, 3, 4, 5}, {1, 2, kNaN, 2, kNaN, 1}}};
    const QString svg = text_of(svg_chart(chart));
    const QRegularExpression path("<path d=\"(M[^\"HV]*L[^\"]*)\" fill=\"none\" stroke=\"#00707A\"");
    const auto match = path.match(svg);
    QVERIFY(match.hasMatch());
    QCOMPARE(match.captured(1).count('M'), 1);
    QCOMPARE(svg.count("<circle"), 2);  // points between two gaps, or before the end, are dots
  }

  void pictures_of_a_run_are_xml() {
    Run run = sample_run();
    for (const SvgChart& chart : run_charts(run)) {
      const std::string svg = svg_chart(chart);
      QVERIFY2(xml_error(svg).isEmpty(), qPrintable(xml_error(svg)));
    }
    run.header.kind = "simulate";
    QVERIFY(run_html(run).find("Measured, this process") == std::string::npos);  // nothing of it was measured
    QVERIFY(run_html(run).find("computed, not measured") != std::string::npos);
    const std::string bar = memory_bar_svg(run.summary.ledger);
    QVERIFY2(xml_error(bar).isEmpty(), qPrintable(xml_error(bar)));
    QVERIFY(text_of(bar).contains("KV quarantined 2.0 MiB") && text_of(bar).contains("4.00 GiB"));
    QVERIFY(memory_bar_svg({}).empty());
  }
};

QTEST_GUILESS_MAIN(ReportTest)
#include "report_test.moc"
