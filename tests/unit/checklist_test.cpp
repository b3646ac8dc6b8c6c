// SPDX-License-Identifier: GPL-3.0-or-later
// Checklists: one variable an item, the settings that hold, effects and verdicts, templates, the store.
#include <SQLiteCpp/SQLiteCpp.h>

#include <QTest>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/bench/checklist.h"
#include "engine/bench/checklist_template.h"
#include "engine/bench/effect.h"
#include "engine/bench/pareto.h"
#include "engine/bench/workload.h"
#include "engine/plan/gpu_profile.h"
#include "engine/plan/model_outline.h"
#include "engine/report/checklist_report.h"
#include "engine/report/recommended_flags.h"
#include "engine/store/schema.h"
#include "engine/store/store.h"
#include "engine/telemetry/record_json.h"
#include "tests/support/test_support.h"

using namespace pitwall;

namespace {

ItemResult result_of_pairs(int pairs) {
  ItemResult result;
  result.pairs = pairs;
  return result;
}

Checklist two_items() {
  Checklist checklist;
  checklist.name = "two";
  checklist.model = "m";
  checklist.workload = "chat";
  checklist.settings = R"({"max-num-seqs": 8})";
  checklist.limits = "p50_ttft_ms:100";
  checklist.items.resize(2);
  checklist.items[0].id = 1;
  checklist.items[0].name = "more, 更多 \"at once\"";
  checklist.items[0].changes = {{"max-num-seqs", "8", "16"}};
  checklist.items[0].also = "4, 32";
  checklist.items[1].id = 2;
  checklist.items[1].changes = {{"block-size", "32", "16"}, {"batching", "continuous", "static"}};
  checklist.items[1].verdict = ItemVerdict::unclear;
  checklist.items[1].effect = 1.5;
  return checklist;
}

/// Runs with these values of one figure, and a TTFT.
void add_runs(KnownRuns& known, const std::string& key, const std::vector<double>& values, double ttft) {
  for (std::size_t i = 0; i < values.size(); ++i)
    known[key][static_cast<int>(i) + 1] = {{{"output_throughput", values[i]}, {"p50_ttft_ms", ttft}},
                                           static_cast<std::int64_t>(100 + i)};
}

/// As versions 3 to 5 kept them: a checklist with one run.
void add_measured_checklist(SQLite::Database& old) {
  old.exec(
      "INSERT INTO checklists VALUES (1, 'old', '', '', '', '', 1, 1, 'simulator', 'm', '', '', 'chat', 0, "
      "0, 3, "
      "0, '{}', 'output_throughput', 'p50_ttft_ms', '')");
  old.exec(
      "INSERT INTO runs (uuid, name, kind, start_utc, engine_version, git_commit, build_flags, cpu, os, "
      "cores, "
      "ram, device, model_path, model_name, architecture, quantization, model_sha256, recorder, status) "
      "VALUES "
      "('u', '', '', 5, '', '', '', '', '', 2, 3, '', '', '', '', '', '', 'r', 'finished')");
  int position = 0;
  for (const auto& [name, value] : {std::pair("id", "1"), std::pair("key", "k"), std::pair("repeat", "1")})
    old.exec("INSERT INTO config VALUES (1, " + std::to_string(position++) + ", 'checklist." + name + "', '" +
             value + "', '', '', 0)");
}

std::string json_of(const Checklist& checklist) {
  return dump_json(to_json_value(checklist));
}

}  // namespace

Q_DECLARE_METATYPE(pitwall::TuneTarget)
Q_DECLARE_METATYPE(pitwall::ItemVerdict)

class ChecklistTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_second_variable_is_refused_with_the_way_out() {
    Item item;
    PW_VERIFY(add_change(item, {"max-num-seqs", "8", "16"}, TuneTarget::simulator));
    const auto refused = add_change(item, {"block-size", "32", "16"}, TuneTarget::simulator);
    QCOMPARE(refused.error().param, std::string("item"));
    const QString text = QString::fromStdString(refused.error().text());
    QVERIFY2(
        text.contains("max-num-seqs") && text.contains("block-size") && text.contains("Split into two items"),
        qPrintable(text));
    QCOMPARE(item.changes.size(), std::size_t{1});
    PW_VERIFY(add_change(item, {"max-num-seqs", "8", "24"}, TuneTarget::simulator));
    QCOMPARE(item.changes.front().to, std::string("24"));
    QVERIFY(!item.mixed());
    PW_VERIFY(add_change(item, {"block-size", "32", "16"}, TuneTarget::simulator, true));
    QVERIFY(item.mixed());
  }

  void what_cannot_be_measured_is_refused_data() {
    QTest::addColumn<QString>("setting");
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<TuneTarget>("target");
    QTest::addColumn<QString>("says");
    QTest::newRow("unknown") << "no-such"
                             << "1"
                             << "2" << TuneTarget::simulator << "no-such";
    QTest::newRow("out of range") << "max-num-seqs"
                                  << "8"
                                  << "0" << TuneTarget::simulator << "max-num-seqs";
    QTest::newRow("no change") << "max-num-seqs"
                               << "8"
                               << "8" << TuneTarget::simulator << "before and after";
    QTest::newRow("no change, spelled apart") << "kv-cache-memory-bytes"
                                              << "1GiB"
                                              << "1024MiB" << TuneTarget::simulator << "before and after";
    QTest::newRow("server's") << "port"
                              << "1"
                              << "2" << TuneTarget::fresh_engine << "port";
    QTest::newRow("model") << "model"
                           << "a"
                           << "b" << TuneTarget::fresh_engine << "model";
    QTest::newRow("not simulated") << "threads"
                                   << "1"
                                   << "2" << TuneTarget::simulator << "fresh engine";
    QTest::newRow("not live") << "block-size"
                              << "32"
                              << "16" << TuneTarget::running_engine << "fresh engine";
  }

  void what_cannot_be_measured_is_refused() {
    QFETCH(QString, setting);
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(TuneTarget, target);
    QFETCH(QString, says);
    Item item;
    const auto refused =
        add_change(item, {setting.toStdString(), from.toStdString(), to.toStdString()}, target);
    QVERIFY(!refused.ok());
    const QString text = QString::fromStdString(refused.error().text());
    QVERIFY2(text.contains(says), qPrintable(text));
    QVERIFY(item.changes.empty());
  }

  void what_is_to_be_measured_again_is_not_recommended() {
    Checklist checklist = two_items();
    for (Item& item : checklist.items) item.verdict = ItemVerdict::keep;
    checklist.items[1].name = "static";
    const ItemResult measured = result_of_pairs(3), elsewhere = result_of_pairs(0);
    QVERIFY(kept_but_outdated(checklist, {measured, measured}).empty());
    QCOMPARE(kept_but_outdated(checklist, {elsewhere, measured}),
             std::vector<std::string>{checklist.items[0].name});
    QCOMPARE(recommended_settings(checklist, {elsewhere, measured})->integer("max-num-seqs"),
             std::int64_t{8});
    QCOMPARE(recommended_settings(checklist, {elsewhere, measured})->text("batching"), std::string("static"));
    checklist.items[0].by_user = true;  // who decided it may keep it
    QVERIFY(kept_but_outdated(checklist, {elsewhere, measured}).empty());
    QCOMPARE(recommended_settings(checklist, {elsewhere, measured})->integer("max-num-seqs"),
             std::int64_t{16});

    const std::vector<ItemResult> results{measured, elsewhere};
    const std::string html = checklist_html(checklist, results);
    QVERIFY(html.find("left out until it is measured again: static") != std::string::npos);
    QVERIFY(html.find("--batching") == std::string::npos);
    QVERIFY(checklist_markdown(checklist, results).find("measured again: static") != std::string::npos);
    QVERIFY(checklist_json(checklist, results, {}).find("\"to_measure_again\": [\n    \"static\"") !=
            std::string::npos);
  }

  void nothing_is_recommended_before_anything_is_measured() {
    Checklist checklist = two_items();
    for (Item& item : checklist.items) item.verdict = ItemVerdict::planned;
    std::vector<ItemResult> results(checklist.items.size());
    QVERIFY(!is_any_judged(checklist, results));
    for (const std::string& text :
         {checklist_html(checklist, results), checklist_markdown(checklist, results)}) {
      QVERIFY(text.find("Nothing is measured yet.") != std::string::npos);
      QVERIFY2(text.find("--max-num-seqs") == std::string::npos, text.c_str());  // of the base
    }
    const auto recommended = [&] {
      return nlohmann::json::parse(checklist_json(checklist, results, {}))["recommended"];
    };
    QVERIFY(recommended().empty());
    checklist.items[0].verdict = ItemVerdict::keep;  // the user's word does
    checklist.items[0].by_user = true;
    QVERIFY(recommended()["vllm"].get<std::string>().find("--max-num-seqs 16") != std::string::npos);
    checklist.items[0].verdict = ItemVerdict::unclear;
    results[0].pairs = 3;  // so does a measurement, whatever came of it
    QVERIFY(recommended()["vllm"].get<std::string>().find("--max-num-seqs 8") != std::string::npos);
    QVERIFY(checklist_html(checklist, results).find("Nothing is measured yet") == std::string::npos);
  }

  void flags_say_what_a_simulation_had_and_serving_has_not() {
    Checklist checklist = two_items();
    const std::vector<ItemResult> results(checklist.items.size());
    const auto notes = [&](const char* form) { return recommended_flags(checklist, results, form)->notes; };
    checklist.items[0].verdict = ItemVerdict::keep;
    checklist.target = TuneTarget::simulator;
    checklist.model = "qwen2.5-72b-awq";
    checklist.gpus = "A100-80Gx8";
    const std::vector<std::string> told = notes("pitwall");
    QCOMPARE(told.size(), std::size_t{2});
    QCOMPARE(told[0],
             std::string("Measured in the simulator on 8 x A100-80G; Pitwall serves on one device alone"));
    QVERIFY2(told[1].find("fetch Qwen/Qwen2.5-72B-Instruct-AWQ, then") != std::string::npos, told[1].c_str());
    QCOMPARE(notes("json"), std::vector<std::string>{told[0]});
    QVERIFY(checklist_markdown(checklist, results).find("Measured in the simulator on 8 x A100-80G; ") !=
            std::string::npos);
    QVERIFY(checklist_html(checklist, results).find("fetch Qwen/Qwen2.5-72B-Instruct-AWQ, then") !=
            std::string::npos);
    checklist.gpus = "L4";
    checklist.model = "smollm2";  // can be fetched by its name
    QCOMPARE(notes("pitwall").size(), std::size_t{1});
    QVERIFY2(notes("pitwall")[0].find("on L4; ") != std::string::npos, notes("pitwall")[0].c_str());
    checklist.target = TuneTarget::fresh_engine;
    checklist.gpus.clear();
    QVERIFY(notes("pitwall").empty());
  }

  /// vLLM runs others unasked than what was measured here; llama.cpp takes the file, three engines do not.
  void flags_have_what_was_measured_by_default() {
    Checklist checklist = two_items();
    checklist.settings = "{}";
    checklist.model = "/m/smollm2.gguf";
    const std::vector<ItemResult> results(checklist.items.size());
    const std::string vllm = recommended_flags(checklist, results, "vllm")->text;
    for (const char* flag : {"--max-num-seqs 32", "--block-size 32"})
      QVERIFY2(vllm.find(flag) != std::string::npos, vllm.c_str());
    for (const auto& [engine, none] : {std::pair{"tgi", true},
                                       {"lmdeploy", true},
                                       {"tensorrt-llm", true},
                                       {"llama.cpp", false},
                                       {"vllm", false}}) {
      const auto notes = recommended_flags(checklist, results, engine)->notes;
      const bool said = std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
        return note.find("loads no .gguf files") != std::string::npos;
      });
      QVERIFY2(said == none, engine);
    }
  }

  /// As the page has them.
  void reports_say_figures_and_states_in_words() {
    Checklist checklist = two_items();
    checklist.measure = "output_throughput";
    std::vector<ItemResult> results(checklist.items.size());
    results[0].pairs = 1;
    const std::string text = checklist_markdown(checklist, results);
    QVERIFY2(text.find("to decide") != std::string::npos, text.c_str());
    QVERIFY(text.find("Output, tok/s") != std::string::npos);
    QVERIFY(text.find("output_throughput") == std::string::npos);
  }

  void what_is_kept_is_the_base_of_what_follows() {
    Checklist checklist = two_items();
    QCOMPARE(settings_before(checklist, 0)->integer("max-num-seqs"), std::int64_t{8});
    QCOMPARE(settings_after(checklist, 0)->integer("max-num-seqs"), std::int64_t{16});
    QCOMPARE(settings_with(checklist, 0, "4")->integer("max-num-seqs"), std::int64_t{4});
    QCOMPARE(settings_before(checklist, 1)->integer("max-num-seqs"), std::int64_t{8});
    checklist.items[0].verdict = ItemVerdict::keep;
    QCOMPARE(settings_before(checklist, 1)->integer("max-num-seqs"), std::int64_t{16});
    QCOMPARE(settings_after(checklist, 1)->text("batching"), std::string("static"));
    QCOMPARE(recommended_settings(checklist, {result_of_pairs(3), {}})->integer("block-size"),
             std::int64_t{32});
    QCOMPARE(measurement_key(checklist, *settings_after(checklist, 0)),
             measurement_key(checklist, *settings_before(checklist, 1)));
    Checklist other = checklist;
    other.seed = 1;
    QVERIFY(measurement_key(other, Settings()) != measurement_key(checklist, Settings()));
    other = checklist;
    other.repeats = 9;
    QCOMPARE(measurement_key(other, Settings()), measurement_key(checklist, Settings()));
  }

  void effects_and_verdicts_data() {
    QTest::addColumn<QList<double>>("after");
    QTest::addColumn<double>("ttft");
    QTest::addColumn<ItemVerdict>("verdict");
    QTest::newRow("better") << QList<double>{110, 119, 130} << 50.0 << ItemVerdict::keep;
    QTest::newRow("worse") << QList<double>{90, 101, 110} << 50.0 << ItemVerdict::revert;
    QTest::newRow("interval spans zero") << QList<double>{120, 90, 121} << 50.0 << ItemVerdict::unclear;
    QTest::newRow("better, and a limit breaks")
        << QList<double>{110, 119, 130} << 150.0 << ItemVerdict::revert;
    QTest::newRow("one pair") << QList<double>{150} << 50.0 << ItemVerdict::unclear;
  }

  void effects_and_verdicts() {
    QFETCH(QList<double>, after);
    QFETCH(double, ttft);
    QFETCH(ItemVerdict, verdict);
    Checklist checklist = two_items();
    KnownRuns known;
    add_runs(known, measurement_key(checklist, *settings_before(checklist, 0)), {100, 110, 120}, 40);
    add_runs(known, measurement_key(checklist, *settings_after(checklist, 0)), {after.begin(), after.end()},
             ttft);
    const ItemResult result = result_of(checklist, 0, known);
    QCOMPARE(result.pairs, static_cast<int>(after.size()));
    Item item = checklist.items[0];
    judge(checklist, item, result);
    QCOMPARE(item.verdict, verdict);
    QCOMPARE(newly_broken(checklist, result).size(), std::size_t(ttft > 100 ? 1 : 0));
    item.verdict = ItemVerdict::keep;
    item.by_user = true;
    judge(checklist, item, result);
    QCOMPARE(item.verdict, ItemVerdict::keep);  // the user's stays
  }

  void an_effect_is_of_pairs() {
    // Differences 10, 9, 10: mean 29/3, s = 1/√3, t(0.975, 2) = 4.302653 (NIST/SEMATECH
    // e-Handbook, 1.3.6.7.2).
    const Effect effect =
        paired_effect(std::vector<double>{100, 110, 120}, std::vector<double>{110, 119, 130}, true);
    QVERIFY(std::abs(effect.difference.mean - 29.0 / 3) < 1e-9);
    QVERIFY(std::abs(effect.difference.high - effect.difference.mean - 4.302653 / 3) < 1e-5);
    QVERIFY(std::abs(effect.percent - 100 * 29.0 / 3 / 110) < 1e-9);
    QVERIFY(std::abs(effect.percent_half - 100 * 4.302653 / 3 / 110) < 1e-5);
    QCOMPARE(effect.reading, Reading::better);
    QCOMPARE(paired_effect(std::vector<double>{1, 1}, std::vector<double>{2, 2}, false).reading,
             Reading::worse);
    QCOMPARE(paired_effect(std::vector<double>{1, 1}, std::vector<double>{2, 2}, {}).reading, Reading::moved);
    QCOMPARE(paired_effect(std::vector<double>{1, 1}, std::vector<double>{1, 1}, true).reading,
             Reading::no_change);
    QCOMPARE(paired_effect(std::vector<double>{1}, std::vector<double>{2}, true).reading, Reading::one_pair);
    QCOMPARE(paired_effect({}, {}, true).reading, Reading::undefined);
  }

  void limits_are_read() {
    const auto limits = parse_limits(" p50_ttft_ms:1500  p99_tpot_ms:90 ");
    PW_VERIFY(limits);
    QCOMPARE(limits->size(), std::size_t{2});
    QCOMPARE(limits->at(1).figure, std::string("p99_tpot_ms"));
    QCOMPARE(limits->at(1).most, 90.0);
    for (const char* wrong :
         {"ttft:1", "p50_ttft_ms", "p50_ttft_ms:", "p50_ttft_ms:x", "p50_ttft_ms:-1", "p50_ttft_ms:1x"})
      QCOMPARE(parse_limits(wrong).error().param, std::string("limits"));
  }

  void templates_are_sound() {
    QCOMPARE(checklist_templates().size(), std::size_t{4});
    QCOMPARE(checklist_templates().front().origin, std::string("four-steps"));
    for (const Checklist& one : checklist_templates()) {
      QVERIFY(!one.source.empty() && !one.goal.empty() && !one.items.empty());
      PW_VERIFY(check(one));
      PW_VERIFY(find_workload(one.workload));
      PW_VERIFY(read_outline(one.model));
      PW_VERIFY(find_gpu(parse_gpu_count(one.gpus)->name));
      for (const Item& item : one.items)
        QVERIFY(!item.hypothesis.empty() && !item.expected.empty() && item.id > 0);
    }
    QVERIFY(!find_checklist_template("no such").ok());
  }

  void a_bad_checklist_says_what_data() {
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("says");
    QTest::newRow("no JSON") << "{"
                             << ""
                             << "parse";
    QTest::newRow("unknown key") << "\"goal\""
                                 << "\"gaol\""
                                 << "gaol";
    QTest::newRow("unknown key of an item") << "\"hypothesis\""
                                            << "\"hypo\""
                                            << "items.hypo";
    QTest::newRow("wrong type") << "\"repeats\":3"
                                << "\"repeats\":\"3\""
                                << "repeats";
    QTest::newRow("no repeats") << "\"repeats\":3"
                                << "\"repeats\":0"
                                << "repeats";
    QTest::newRow("workload") << "\"workload\":\"chat\""
                              << "\"workload\":\"chatter\""
                              << "chatter";
    QTest::newRow("measure") << "output_throughput"
                             << "speed"
                             << "speed";
    QTest::newRow("limits") << "p50_ttft_ms:100"
                            << "p50_ttft_ms"
                            << "p50_ttft_ms";
    QTest::newRow("setting") << "block-size"
                             << "block-seize"
                             << "block-seize";
    QTest::newRow("further value") << "4, 32"
                                   << "4, none"
                                   << "max-num-seqs";
  }

  void a_bad_checklist_says_what() {
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, says);
    QString text = QString::fromStdString(json_of(two_items()));
    PW_VERIFY(parse_checklist(text.toStdString()));
    QVERIFY(text.contains(from));
    text.replace(from, to);
    const auto parsed = parse_checklist(text.toStdString());
    QVERIFY(!parsed.ok());
    QVERIFY2(QString::fromStdString(parsed.error().text()).contains(says), parsed.error().text().c_str());
  }

  void the_store_gives_back_what_it_got() {
    test::TemporaryFolder folder;
    Checklist checklist = two_items();
    {
      auto store = Store::open(folder.path() / "s.db").value();
      checklist = *store->add_checklist(checklist);
      checklist.items[1].error = "Run 2 of 3 failed: disk";
      checklist.items[1].by_user = true;
      std::swap(checklist.items[0], checklist.items[1]);
      PW_VERIFY(store->save_checklist(checklist));
    }
    auto store = Store::open(folder.path() / "s.db").value();
    const auto found = store->checklist(checklist.id);
    PW_VERIFY(found);
    Checklist expected = checklist;
    expected.created_utc = found->created_utc;
    expected.updated_utc = found->updated_utc;
    QVERIFY(found->updated_utc > 0);
    QCOMPARE(QString::fromStdString(json_of(*found)), QString::fromStdString(json_of(expected)));
    QVERIFY(std::isnan(found->items[1].effect) && found->items[0].effect == 1.5);
    const auto list = store->checklists();
    PW_VERIFY(list);
    QCOMPARE(list->at(0).items, std::int64_t{2});
    QCOMPARE(list->at(0).decided, std::int64_t{0});
    PW_VERIFY(store->remove_checklist(checklist.id));
    QVERIFY(store->checklists()->empty());
    Checklist unknown;
    for (const auto& failure : {store->remove_checklist(404), store->save_checklist(unknown)})
      QCOMPARE(failure.error().kind, Error::Kind::not_found);
    QCOMPARE(store->checklist(404).error().kind, Error::Kind::not_found);
    SQLite::Database database((folder.path() / "s.db").string());
    for (const char* table : {"items", "item_changes"})
      QCOMPARE(database.execAndGet(std::string("SELECT count(*) FROM ") + table).getInt(), 0);
  }

  void what_another_has_changed_is_not_written_over() {
    test::TemporaryFolder folder;
    auto here = Store::open(folder.path() / "s.db").value(),
         there = Store::open(folder.path() / "s.db").value();
    Checklist mine = *here->add_checklist(two_items()), theirs = *there->checklist(mine.id);
    theirs.items.pop_back();
    PW_VERIFY(there->save_checklist(theirs));
    mine.goal = "late";
    const auto refused = here->save_checklist(mine);
    QCOMPARE(refused.error().kind, Error::Kind::busy);
    QCOMPARE(here->checklist(mine.id)->items.size(), std::size_t{1});
    QVERIFY(here->checklist(mine.id)->goal != "late");
    mine = *here->checklist(mine.id);
    mine.goal = "late";
    PW_VERIFY(here->save_checklist(mine));
    PW_VERIFY(here->save_checklist(mine));  // it knows its own stamp
    QCOMPARE(there->checklist(mine.id)->goal, std::string("late"));
  }

  void a_checklist_finds_its_finished_runs() {
    test::TemporaryFolder folder;
    auto store = Store::open(folder.path() / "s.db").value();
    const auto begin = [&](const std::string& checklist, const char* repeat) {
      RunHeader header;
      header.config = {{"checklist.id", checklist, "", "tuner", false},
                       {"checklist.key", "k", "", "tuner", false},
                       {"checklist.repeat", repeat, "", "tuner", false}};
      return *store->begin(header);
    };
    const Checklist mine = *store->add_checklist(two_items()), theirs = *store->add_checklist(two_items());
    const RunId first = begin(mine.uuid, "1"), other = begin(theirs.uuid, "1"),
                unfinished = begin(mine.uuid, "2");
    PW_VERIFY(store->end(first, {}));
    PW_VERIFY(store->end(other, {}));
    const auto runs = store->checklist_runs(mine.id);
    PW_VERIFY(runs);
    QCOMPARE(runs->size(), std::size_t{1});
    QCOMPARE(runs->at(0).run, first);
    QCOMPARE(runs->at(0).key, std::string("k"));
    QCOMPARE(runs->at(0).repeat, 1);
    RunSummary failed;
    failed.status = RunStatus::failed;
    PW_VERIFY(store->end(unfinished, failed));
    QCOMPARE(store->checklist_runs(mine.id)->size(), std::size_t{1});
    PW_VERIFY(store->remove_run(first));
    QVERIFY(store->checklist_runs(mine.id)->empty());
  }

  void each_earlier_schema_takes_checklists_data() {
    QTest::addColumn<int>("version");
    for (int version = 1; version < Store::schema_version(); ++version)
      QTest::addRow("version %d", version) << version;
  }

  void each_earlier_schema_takes_checklists() {
    QFETCH(int, version);
    test::TemporaryFolder folder;
    const std::string file = (folder.path() / "s.db").string();
    {
      SQLite::Database old(file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
      PW_VERIFY(migrate(old, schema_steps().first(static_cast<std::size_t>(version))));
      old.exec("INSERT INTO chats (title, updated_utc) VALUES ('kept', 1)");
      if (version >= 3) add_measured_checklist(old);
    }
    auto store = Store::open(file).value();
    QCOMPARE(store->chats()->at(0).title, std::string("kept"));
    QCOMPARE(store->checklists()->size(), std::size_t{version >= 3 ? 1U : 0U});
    if (version >= 3) {  // its runs named it by its number; now they name it by its uuid
      QVERIFY(!store->checklist(1)->uuid.empty());
      QCOMPARE(store->checklist_runs(1)->size(), std::size_t{1});
    }
    const auto added = store->add_checklist(two_items());
    PW_VERIFY(added);
    QCOMPARE(store->checklist(added->id)->items.size(), std::size_t{2});
    SQLite::Database database(file);
    QCOMPARE(database.execAndGet("PRAGMA user_version").getInt(), Store::schema_version());
  }

  void the_pareto_front() {
    // Less x and more y are better; ties of equal points both stay.
    const std::vector<TradeOff> points{{1, 10}, {2, 20}, {2, 15}, {3, 20}, {4, 30}, {2, 20}, {NAN, 99}};
    QCOMPARE(pareto_front(points), (std::vector<std::size_t>{0, 1, 5, 4}));
    QVERIFY(pareto_front({}).empty());
  }
};

QTEST_APPLESS_MAIN(ChecklistTest)
#include "checklist_test.moc"
