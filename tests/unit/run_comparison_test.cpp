// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/bench/sweep.h"
#include "engine/report/axis.h"
#include "engine/report/cdf.h"
#include "engine/report/comparison_report.h"
#include "engine/report/report.h"
#include "engine/report/run_kind.h"
#include "engine/report/svg_chart.h"
#include "tests/support/made_up_run.h"
#include "tests/support/test_support.h"

using namespace pitwall;

namespace {

Run numbered(Run run, std::int64_t id) {
  run.id = {id};
  return run;
}

const ComparedFigure& figure(const RunComparison& comparison, const char* name) {
  const auto found = std::find_if(comparison.figures.begin(), comparison.figures.end(),
                                  [&](const ComparedFigure& one) { return one.name == name; });
  if (found == comparison.figures.end()) qFatal("no figure %s", name);
  return *found;
}

/// A comparison with the runs that it points into.
struct Compared {
  explicit Compared(std::vector<Run> compared) : runs(std::move(compared)) {
    std::vector<const Run*> pointers;
    for (const Run& run : runs) pointers.push_back(&run);
    comparison = compare_runs(pointers);
  }
  std::vector<Run> runs;
  RunComparison comparison;
};

Run repeat(double ttft_ms, const char* key, int number, std::int64_t id) {
  Run run = numbered(test::made_up_run({.ttft_ms = ttft_ms + number}), id);
  for (const auto& [name, value] :
       {std::pair("checklist.id", std::string("3")), std::pair("checklist.key", std::string(key)),
        std::pair("checklist.repeat", std::to_string(number))})
    run.header.config.push_back({name, value, "", "tuner", false});
  return run;
}

}  // namespace

class RunComparisonTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// Welch by hand: means 11 and 15.5, squared errors 0.5 and 7/12, 8.99 degrees of freedom: t(0.975, 8) =
  /// 2.306004 of the tables.
  void single_runs_have_welchs_interval() {
    const std::vector<double> before{10, 11, 12, 13, 9}, after{14, 15, 13, 16, 18, 17};
    const Effect effect = unpaired_effect(11, 15.5, before, after, true);
    QCOMPARE(effect.difference.mean, 4.5);
    QVERIFY(std::abs(effect.difference.high - 4.5 - 2.400165) < 1e-5);
    QCOMPARE(effect.reading, Reading::better);
    QVERIFY(std::abs(effect.percent - 100 * 4.5 / 11) < 1e-9);
    QCOMPARE(unpaired_effect(11, 15.5, before, after, false).reading, Reading::worse);
    QCOMPARE(unpaired_effect(11, 11.1, before, before, true).reading, Reading::no_change);
    QCOMPARE(unpaired_effect(11, 15.5, {}, after, true).reading, Reading::one_pair);
    QCOMPARE(unpaired_effect(11, NAN, before, after, true).reading, Reading::undefined);
  }

  void a_pooled_itl_says_what_its_gaps_lie_between() {
    Run ours = numbered(test::made_up_run(), 1), theirs = numbered(test::made_up_run(), 2);
    theirs.header.kind = kImportedKind;
    const Compared compared({ours, theirs});
    const auto &tokens = figure(compared.comparison, "p99_itl_ms").values,
               &chunks = figure(compared.comparison, "p99_itl_chunk_ms").values;
    QVERIFY(tokens[0] > 0 && std::isnan(tokens[1]));  // two measures, never set against each other
    QVERIFY(std::isnan(chunks[0]) && chunks[1] == tokens[0]);
    const std::string html = comparison_html(compared.comparison);
    QVERIFY(html.find("ITL p99 per token, ms") != std::string::npos);
    QVERIFY(html.find("ITL p99 per chunk (vLLM), ms") != std::string::npos);
    QVERIFY(run_html(ours).find("every gap between tokens") != std::string::npos);
    QVERIFY(run_html(theirs).find("every gap between chunks") != std::string::npos);
    QCOMPARE(run_figures(ours, {}).at("p99_itl_ms"), tokens[0]);  // as a sweep has it
    QVERIFY(!sweep_objectives().at("p99_itl_ms"));
  }

  void without_an_interval_there_is_no_verdict() {
    std::vector<Run> runs{numbered(test::made_up_run({.requests = 5}), 1),
                          numbered(test::made_up_run({.requests = 5, .ttft_ms = 90}), 2)};
    for (Run& run : runs) run.seconds.clear();
    const Compared compared(runs);
    QCOMPARE(figure(compared.comparison, "p50_ttft_ms").effects[1].reading, Reading::one_pair);
    QVERIFY(!has_interval(compared.comparison, 1));
    const std::string sentence = comparison_sentences(compared.comparison).front();
    QVERIFY2(sentence.find("there is no verdict") != std::string::npos, sentence.c_str());
  }

  void figures_stand_beside_each_other() {
    const std::vector<Run> runs{
        numbered(test::made_up_run({.requests = 2000, .rate = 600}), 1),
        numbered(test::made_up_run({.requests = 2000, .ttft_ms = 40, .rate = 700}), 2)};
    const Compared compared(runs);
    const RunComparison& comparison = compared.comparison;
    QCOMPARE(comparison.columns.size(), std::size_t{2});
    const ComparedFigure& ttft = figure(comparison, "p50_ttft_ms");
    QCOMPARE(ttft.values[0], runs[0].summary.metrics.at("ttft_ms").p50);
    QCOMPARE(ttft.effects[0].reading, Reading::undefined);
    QCOMPARE(ttft.effects[1].reading, Reading::better);
    QVERIFY(std::abs(ttft.effects[1].percent + 20) < 1e-6);
    QCOMPARE(figure(comparison, "max_itl_ms").effects[1].reading, Reading::one_pair);
    QCOMPARE(figure(comparison, "output_throughput").values[0], runs[0].summary.output_tokens_per_s);
  }

  void too_few_requests_are_not_judged() {
    const Compared compared({numbered(test::made_up_run({.requests = 150}), 1),
                             numbered(test::made_up_run({.requests = 150, .ttft_ms = 40}), 2)});
    const RunComparison& comparison = compared.comparison;
    QCOMPARE(figure(comparison, "p50_ttft_ms").effects[1].reading, Reading::one_pair);
    const Compared tiny_runs(
        {numbered(test::made_up_run({.requests = 30}), 1), numbered(test::made_up_run({.requests = 30}), 2)});
    const RunComparison& tiny = tiny_runs.comparison;
    QVERIFY(std::none_of(tiny.figures.begin(), tiny.figures.end(),
                         [](const ComparedFigure& one) { return one.name == "p99_ttft_ms"; }));
  }

  void repeats_are_one_column_and_pairs() {
    const std::vector<Run> runs{repeat(50, "a", 1, 1), repeat(50, "a", 2, 2), repeat(40, "b", 1, 3),
                                repeat(40, "b", 2, 4)};
    const Compared compared(runs);
    const RunComparison& comparison = compared.comparison;
    QCOMPARE(comparison.columns.size(), std::size_t{2});
    QCOMPARE(comparison.columns[0].label(), std::string("R-0001 + 1 repeat"));
    const Effect& effect = figure(comparison, "p50_ttft_ms").effects[1];
    QCOMPARE(effect.reading, Reading::better);  // the same difference twice: exact
    const auto p50 = [&](std::size_t run) { return runs[run].summary.metrics.at("ttft_ms").p50; };
    QVERIFY(std::abs(effect.difference.mean - (p50(2) - p50(0))) < 1e-9);
  }

  /// A run that was cancelled is in no mean, and of the longest gaps the longest stands.
  void what_did_not_finish_stands_apart() {
    std::vector<Run> runs{repeat(50, "a", 1, 1), repeat(50, "a", 2, 2), repeat(90, "a", 3, 3)};
    runs[0].summary.metrics["max_itl_ms"] = {.n = 10, .max = 494};
    runs[1].summary.metrics["max_itl_ms"] = {.n = 10, .max = 995};
    runs[2].summary.status = RunStatus::cancelled;
    const Compared compared(runs);
    QCOMPARE(compared.comparison.columns.size(), std::size_t{2});
    QCOMPARE(compared.comparison.columns[0].label(), std::string("R-0001 + 1 repeat"));
    QCOMPARE(compared.comparison.columns[1].label(), std::string("R-0003"));
    QCOMPARE(figure(compared.comparison, "max_itl_ms").values[0], 995.0);
    const auto p50 = [&](std::size_t run) { return runs[run].summary.metrics.at("ttft_ms").p50; };
    QCOMPARE(figure(compared.comparison, "p50_ttft_ms").values[0], (p50(0) + p50(1)) / 2);
  }

  void only_what_differs_is_named() {
    Run other = numbered(test::made_up_run(), 2), third = numbered(test::made_up_run(), 3);
    other.header.config[0].value = "16";
    other.header.config[3].value = "20";
    third.header.cpu = "another";
    const Compared compared({numbered(test::made_up_run(), 1), other, third});
    const RunComparison& comparison = compared.comparison;
    QCOMPARE(comparison.settings.size(), std::size_t{1});
    QCOMPARE(comparison.settings[0].name, std::string("max-num-seqs"));
    QCOMPARE(comparison.settings[0].values, (std::vector<std::string>{"8", "16", "8"}));
    QCOMPARE(comparison.load[0].values, (std::vector<std::string>{"10", "20", "10"}));
    QCOMPARE(comparison.environment[0].values, (std::vector<std::string>{"", "", "another"}));
    QCOMPARE(comparison.equal_settings, std::size_t{1});
  }

  void documents_say_it_and_load_nothing() {
    const Compared compared({numbered(test::made_up_run({.requests = 2000}), 1),
                             numbered(test::made_up_run({.requests = 2000, .ttft_ms = 40}), 2)});
    const RunComparison& comparison = compared.comparison;
    const std::string html = comparison_html(comparison), markdown = comparison_markdown(comparison);
    QCOMPARE(comparison_html(comparison), html);
    QCOMPARE(comparison_markdown(comparison), markdown);
    for (const char* outside : {"src=", "href=", "<script", "<link", "@import"})
      QVERIFY2(html.find(outside) == std::string::npos, outside);
    QVERIFY(html.find("TTFT p50, ms") != std::string::npos && html.find("better") != std::string::npos);
    QVERIFY(html.find("99.9 %") != std::string::npos);  // the tail's axis
    QVERIFY(html.find("Not tested") != std::string::npos);
    QVERIFY(markdown.find("| TTFT p50, ms | ") != std::string::npos);
    const auto json = nlohmann::json::parse(comparison_json(comparison));
    QCOMPARE(json["columns"].size(), std::size_t{2});
    QVERIFY(std::any_of(json["figures"].begin(), json["figures"].end(), [](const auto& one) {
      return one["name"] == "p50_ttft_ms" && one["effects"][0]["reading"] == "better";
    }));
  }

  void the_tail_ends_where_one_in_n_does() {
    std::vector<double> values;
    for (int i = 1; i <= 1000; ++i) values.push_back(i);
    values.push_back(NAN);
    const Cdf cdf = cdf_of(values);
    QCOMPARE(cdf.samples(), std::int64_t{1000});
    QCOMPARE(cdf.values.front(), 1.0);
    QCOMPARE(cdf.values.back(), 1000.0);
    QCOMPARE(cdf.share(cdf.values.size() - 1), 0.999);
    QVERIFY(std::is_sorted(cdf.values.begin(), cdf.values.end()));
    const std::vector<CdfCorner> corners = staircase(cdf);
    QCOMPARE(corners.front().share, 0.0);
    QVERIFY(std::abs(nines_of(corners.back().share) - 3) < 1e-9);
    QCOMPARE(nines_label(0), std::string("0 %"));
    QCOMPARE(nines_label(1), std::string("90 %"));
    QCOMPARE(nines_label(4), std::string("99.99 %"));
    QVERIFY(std::abs(share_of_nines(nines_of(0.37)) - 0.37) < 1e-12);
    QCOMPARE(nines_axis(2.3).ticks, (std::vector<double>{0, 1, 2, 3}));
    QCOMPARE(cdf_of(std::vector<double>{}).samples(), std::int64_t{0});
    QCOMPARE(cdf_of({5, INFINITY}).values, std::vector<double>{5});
    QCOMPARE(cdf_of({5}).share(0), 0.0);
  }
};

QTEST_GUILESS_MAIN(RunComparisonTest)
#include "run_comparison_test.moc"
