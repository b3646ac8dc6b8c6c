// SPDX-License-Identifier: GPL-3.0-or-later
// Checklists measured for real: in the simulator, on engines of their own, on a running one; and after kill
// -9.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTest>
#include <algorithm>
#include <cmath>

#include "app/common/backend_factory.h"
#include "engine/bench/checklist_measure.h"
#include "engine/bench/checklist_template.h"
#include "engine/serve/http_server.h"
#include "engine/store/store.h"
#include "engine/telemetry/fields.h"
#include "tests/support/engine_runner.h"
#include "tests/support/test_support.h"
#include "tests/support/tiny_model.h"

using namespace pitwall;

namespace {

Checklist from_template(const std::string& origin) {
  const auto found = find_checklist_template(origin);
  if (!found) qFatal("%s", found.error().text().c_str());
  return *found;
}

struct Bench {
  test::TemporaryFolder folder;
  std::unique_ptr<Store> store = Store::open(folder.path() / "pitwall.db").value();
  std::atomic<bool> cancel{false};

  TuneEnvironment environment() {
    TuneEnvironment environment;
    environment.runs = store.get();
    environment.read_run = [this](RunId id) { return store->run(id); };
    environment.make_backend = backend_factory();
    environment.find_gpu = [](const std::string& name) { return find_gpu(name); };
    environment.cancel = &cancel;
    return environment;
  }

  KnownRuns known(std::int64_t checklist) {
    KnownRuns known;
    const auto found = store->checklist_runs(checklist);
    if (!found) qFatal("%s", found.error().text().c_str());
    for (const ChecklistRun& one : *found) {
      const auto run = store->run(one.run);
      known[one.key][one.repeat] = {run_figures(*run, {}), one.run.value};
    }
    return known;
  }

  Checklist add(const Checklist& checklist) { return store->add_checklist(checklist).value(); }

  /// All open items, written down as they go.
  Result<void> run(Checklist& checklist, int* measured = nullptr, int kill_after = 0) {
    TuneCallbacks callbacks;
    Nanos saved_utc = checklist.updated_utc;
    callbacks.on_change = [this, &saved_utc](const Checklist& now) {
      Checklist stamped = now;
      stamped.updated_utc = saved_utc;
      auto saved = store->save_checklist(stamped);
      saved_utc = stamped.updated_utc;
      return saved;
    };
    int count = 0;
    callbacks.on_measured = [&](const std::string&, int, const MeasuredRun&) {
      if (++count == kill_after) raise(SIGKILL);
    };
    ChecklistRunner runner(checklist, known(checklist.id), make_measure(checklist.target, environment()),
                           callbacks, cancel);
    auto ran = runner.run(open_items(checklist));
    checklist = runner.checklist();
    checklist.updated_utc = saved_utc;
    if (measured != nullptr) *measured = count;
    return ran;
  }
};

/// Behind its server on a free port, as checklists reach the engine that runs.
struct ServedEngine {
  explicit ServedEngine(const Bench& bench)
      : engine(test::start_engine(test::write_tiny_model(bench.folder.path()), {{"max-num-seqs", "8"}})) {
    HttpOptions http;
    http.port = 0;
    server = HttpServer::start(*engine, http).value();
  }
  TuneEnvironment environment(Bench& bench) const {
    TuneEnvironment environment = bench.environment();
    environment.server.url = server->url();
    environment.tokenizer = engine->tokenizer();
    return environment;
  }

  std::unique_ptr<Engine> engine;
  std::unique_ptr<HttpServer> server;
};

}  // namespace

class ChecklistRunsTest : public QObject {
  Q_OBJECT

  /// A simulated run has latency, rates and sizes by second, as a recorded one has.
  static void has_charts_over_time(const Run& run) {
    QVERIFY(!run.seconds.empty());
    double tokens = 0;
    std::int64_t first_tokens = 0, gaps = 0;
    Bytes kv = 0;
    for (const SecondRecord& second : run.seconds) {
      tokens += second.output_tokens_per_s;
      first_tokens = std::max(first_tokens, second.ttft.n);
      gaps = std::max(gaps, second.itl.n);
      kv = std::max(kv, second.kv_used);
      if (second.itl.n > 0) QVERIFY(second.itl.p50 > 0 && second.itl.max >= second.itl.p50);
    }
    QCOMPARE(static_cast<std::int64_t>(tokens), run.summary.totals.output_tokens);
    QVERIFY(first_tokens > 0 && gaps > 0 && kv > 0);
  }

 private Q_SLOTS:
  void the_templates_run_in_the_simulator_data() {
    QTest::addColumn<QString>("origin");
    for (const Checklist& one : checklist_templates())
      QTest::newRow(one.origin.c_str()) << QString::fromStdString(one.origin);
    QCOMPARE(checklist_templates().size(), std::size_t{4});
  }

  void the_templates_run_in_the_simulator() {
    QFETCH(QString, origin);
    Bench bench;
    Checklist checklist = bench.add(from_template(origin.toStdString()));
    PW_VERIFY(bench.run(checklist));
    const KnownRuns known = bench.known(checklist.id);
    for (std::size_t i = 0; i < checklist.items.size(); ++i) {
      const Item& item = checklist.items[i];
      const ItemResult result = result_of(checklist, i, known);
      const Effect& effect = result.effects.at(measure_of(checklist, item));
      qInfo("%-28s %-8s %s %.4g → %.4g, %+.1f %% ± %.1f", item.name.c_str(),
            std::string(word_of(item.verdict)).c_str(), measure_of(checklist, item).c_str(), effect.before,
            effect.after, effect.percent, effect.percent_half);
      QCOMPARE(result.pairs, checklist.repeats);
      QVERIFY(item.verdict != ItemVerdict::planned && item.verdict != ItemVerdict::running);
      QVERIFY2(item.error.empty(), item.error.c_str());
      for (const std::string& value : also_values(item))
        QVERIFY(std::any_of(result.also.begin(), result.also.end(), [&](const TunePoint& point) {
          return point.value == value && std::ssize(point.runs) == checklist.repeats;
        }));
    }
    const Run run = bench.store->run(bench.store->runs()->front().id).value();
    QCOMPARE(run.header.kind, std::string("simulate"));
    QVERIFY(run.header.device.starts_with("simulated "));
    has_charts_over_time(run);
    QVERIFY(run.seconds.front().prompt_tokens_per_s > 0);  // charts begin with the run, not before it
    QVERIFY(!run.steps.empty() && std::ssize(run.steps) <= run.summary.totals.steps);
  }

  // The article's figures (sections 3.2 to 3.5), as tests/integration/recipe_test.cpp holds its recipe to
  // them.
  void the_articles_steps_keep_their_direction() {
    Bench bench;
    Checklist checklist = bench.add(from_template("four-steps"));
    PW_VERIFY(bench.run(checklist));
    const KnownRuns known = bench.known(checklist.id);
    const auto effect = [&](std::size_t item, const char* figure) {
      return result_of(checklist, item, known).effects.at(figure);
    };
    const auto gain = [&](std::size_t item) {
      return effect(item, "output_throughput").after / effect(item, "output_throughput").before;
    };
    QVERIFY(gain(0) > 2.5 && gain(0) < 4.5);  // 9 → 28 tok/s
    QVERIFY(checklist.items[0].mixed());
    QVERIFY(std::abs(effect(1, "peak_kv_mib").percent + 50) < 3);
    QVERIFY(effect(2, "p50_ttft_ms").after < 0.5 * effect(2, "p50_ttft_ms").before);  // 2.1 → 0.9 s
    QVERIFY(gain(3) > 1.5);
    const double all = effect(3, "output_throughput").after / effect(0, "output_throughput").before;
    QVERIFY2(all > 12 && all < 31, qPrintable(QString::number(all)));
    for (const Item& item : checklist.items) QCOMPARE(item.verdict, ItemVerdict::keep);
    std::vector<ItemResult> results;
    for (std::size_t i = 0; i < checklist.items.size(); ++i)
      results.push_back(result_of(checklist, i, known));
    const Settings best = recommended_settings(checklist, results).value();
    QCOMPARE(best.integer("max-num-seqs"), std::int64_t{24});
    QCOMPARE(best.text("kv-cache-dtype"), std::string("fp8_e4m3"));
    // What one item measured after is what the next one starts from: nothing is measured twice.
    QCOMPARE(result_of(checklist, 3, known).before.runs, result_of(checklist, 2, known).after.runs);
    int measured = -1;
    for (Item& item : checklist.items) item.verdict = ItemVerdict::planned;
    PW_VERIFY(bench.run(checklist, &measured));
    QCOMPARE(measured, 0);
  }

  void a_killed_checklist_goes_on() {
    Bench bench;
    Checklist checklist = from_template("four-steps");
    checklist.num_prompts = 12;
    checklist = bench.add(checklist);
    const pid_t child = fork();
    if (child == 0) {
      Bench own;
      own.store = Store::open(bench.folder.path() / "pitwall.db").value();
      Checklist copy = checklist;
      (void)own.run(copy, nullptr, 5);
      _exit(1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    QVERIFY(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);

    Checklist found = bench.store->checklist(checklist.id).value();
    QCOMPARE(found.items[0].verdict, ItemVerdict::running);
    QCOMPARE(bench.store->checklist_runs(checklist.id)->size(), std::size_t{5});
    int measured = -1;
    PW_VERIFY(bench.run(found, &measured));
    // Base and four items, three repeats each, and two further values of the last item.
    QCOMPARE(measured + 5, 3 * (1 + 4 + 2));
    const auto kept = bench.store->checklist(checklist.id);
    for (const Item& item : kept->items) QCOMPARE(item.verdict, ItemVerdict::keep);
  }

  void a_failed_measurement_is_said_and_the_next_item_goes_on() {
    Bench bench;
    Checklist checklist = from_template("four-steps");
    checklist.num_prompts = 8;
    checklist.settings =
        R"({"enable-prefix-caching": false, "max-num-seqs": 6, "kv-cache-memory-bytes": "2GiB"})";
    checklist.items.erase(checklist.items.begin(), checklist.items.begin() + 2);
    Item& impossible = checklist.items[0];
    impossible.changes = {{"kv-cache-memory-bytes", "2GiB", "1MiB"}};
    checklist = bench.add(checklist);
    PW_VERIFY(bench.run(checklist));
    QVERIFY2(checklist.items[0].error.starts_with("Run 1 of 3 failed: "), checklist.items[0].error.c_str());
    QCOMPARE(checklist.items[0].verdict, ItemVerdict::planned);
    QCOMPARE(checklist.items[1].verdict, ItemVerdict::keep);
  }

  void a_checklist_can_be_cancelled() {
    Bench bench;
    Checklist checklist = from_template("four-steps");
    checklist.num_prompts = 8;
    checklist = bench.add(checklist);
    bench.cancel = true;
    QCOMPARE(bench.run(checklist).error().kind, Error::Kind::cancelled);
    QCOMPARE(checklist.items[0].verdict, ItemVerdict::planned);
    QVERIFY(checklist.items[0].error.empty());
  }

  void an_engine_of_its_own() {
    Bench bench;
    const auto model = test::write_tiny_model(bench.folder.path());
    Checklist checklist = small(model.string());
    checklist.target = TuneTarget::fresh_engine;
    checklist.items[0].changes = {{"block-size", "32", "16"}};
    checklist = bench.add(checklist);
    PW_VERIFY(bench.run(checklist));
    QVERIFY2(checklist.items[0].error.empty(), checklist.items[0].error.c_str());
    const ItemResult result = result_of(checklist, 0, bench.known(checklist.id));
    QCOMPARE(result.pairs, 2);
    const Run before = bench.store->run(RunId{result.before.runs[0]}).value();
    const Run after = bench.store->run(RunId{result.after.runs[0]}).value();
    QCOMPARE(value_of(before, "block-size"), std::string("32"));
    QCOMPARE(value_of(after, "block-size"), std::string("16"));
    QCOMPARE(value_of(after, "checklist.change"), std::string("block-size=16"));
    QCOMPARE(before.requests.size(), std::size_t{3});
    // Paired: repeat k has the same prompts before and after.
    QCOMPARE(before.requests[0].prompt_tokens, after.requests[0].prompt_tokens);
  }

  void a_running_engine_gets_its_settings_back() {
    Bench bench;
    ServedEngine served(bench);
    Checklist checklist = small("tiny");
    checklist.target = TuneTarget::running_engine;
    checklist.settings = R"({"max-num-seqs": 4})";
    checklist.items[0].changes = {{"max-num-seqs", "4", "2"}};
    checklist = bench.add(checklist);
    {
      TuneCallbacks callbacks;
      ChecklistRunner runner(checklist, {}, make_measure(checklist.target, served.environment(bench)),
                             callbacks, bench.cancel);
      PW_VERIFY(runner.run({0}));
      checklist = runner.checklist();
    }
    QVERIFY2(checklist.items[0].error.empty(), checklist.items[0].error.c_str());
    const ItemResult result = result_of(checklist, 0, bench.known(checklist.id));
    QCOMPARE(result.pairs, 2);
    QCOMPARE(value_of(bench.store->run(RunId{result.after.runs[0]}).value(), "max-num-seqs"),
             std::string("2"));
    QVERIFY(result.after.figures.at("prefix_hit_percent").mean < 10);  // not those of the run before
    QCOMPARE(served.engine->settings().integer("max-num-seqs"), std::int64_t{8});
    served.server->stop();
  }

  void a_busy_engine_is_left_as_it_is() {
    Bench bench;
    ServedEngine served(bench);
    // As long as it is asked, others hold KV: more of them wait than it could serve meanwhile.
    constexpr int kOthers = 500;
    std::vector<RequestId> others;
    std::atomic<int> ended = 0;
    for (int i = 0; i < kOthers; ++i)
      others.push_back(
          *served.engine->submit(test::greedy_request({1, 2, 3}, 0), [&ended](OutputEvent&& event) {
            if (event.finished) ++ended;
          }));
    Checklist checklist = small("tiny");
    checklist.target = TuneTarget::running_engine;
    checklist.items[0].changes = {{"max-num-seqs", "4", "2"}};
    checklist = bench.add(checklist);
    ChecklistRunner runner(checklist, {}, make_measure(checklist.target, served.environment(bench)), {},
                           bench.cancel);
    const auto ran = runner.run({0});
    QVERIFY(!ran);
    QVERIFY2(ran.error().kind == Error::Kind::busy, ran.error().text().c_str());
    QCOMPARE(ran.error().param, std::string("requests"));
    QVERIFY2(ran.error().text().find('{') == std::string::npos, ran.error().text().c_str());
    QVERIFY(bench.store->runs()->empty());
    QCOMPARE(served.engine->settings().integer("max-num-seqs"), std::int64_t{8});
    for (const RequestId id : others) served.engine->cancel(id);
    QTRY_COMPARE(ended.load(), kOthers);
    served.server->stop();
  }

 private:
  static Checklist small(const std::string& model) {
    Checklist checklist;
    checklist.name = "small";
    checklist.model = model;
    checklist.workload = "chat";
    checklist.num_prompts = 3;
    checklist.repeats = 2;
    checklist.items.resize(1);
    checklist.items[0].id = 1;
    checklist.items[0].name = "one";
    return checklist;
  }
  static std::string value_of(const Run& run, const std::string& name) {
    for (const ConfigEntry& entry : run.header.config)
      if (entry.name == name) return entry.value;
    return {};
  }
};

QTEST_GUILESS_MAIN(ChecklistRunsTest)
#include "checklist_runs_test.moc"
