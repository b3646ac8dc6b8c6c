// SPDX-License-Identifier: GPL-3.0-or-later
// The plan page in the real window: fields, sliders, pins, fixes, errors, and what it hands to others.
#include <QAbstractButton>
#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSlider>
#include <QTabBar>
#include <QTimer>
#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>

#include "engine/plan/deployment_files.h"
#include "tests/support/test_support.h"
#include "tests/support/tiny_model.h"
#include "tests/ui/plan_session.h"
#include "ui/plan/alternatives.h"
#include "ui/plan/plan_charts.h"
#include "ui/plan/plan_rows.h"
#include "ui/plan/serve_settings.h"
#include "ui/serve/serve_page.h"
#include "ui/serve/settings_form.h"
#include "ui/shell/banner_bar.h"
#include "ui/shell/theme.h"
#include "ui/widgets/line_chart.h"
#include "ui/widgets/number_field.h"

using namespace pitwall;
using namespace pitwall::ui;
using pitwall::test::documents;
using pitwall::test::u8;

class PlanPageTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void init();
  void cleanup();
  void is_first_and_offers_deployments();
  void fields_change_the_answer();
  void a_formula_is_spelled_out();
  void sliders_answer_once_a_turn();
  void gpus_take_their_ranks_along();
  void pinned_ones_stay_and_a_change_makes_a_draft();
  void eight_can_be_pinned();
  void demand_is_the_same_for_all();
  void keys_walk_the_alternatives();
  void a_fix_is_applied_by_a_click();
  void nonsense_keeps_the_last_answer();
  void an_unknown_architecture_is_said_with_its_header();
  void charts_say_the_demand();
  void saved_and_started_from_again();
  void serve_this_hands_the_settings_over();
  void a_command_line_fills_the_form();
  void flags_for_other_engines_are_copied();
  void every_stop_of_tab_has_a_name();
  void narrow_windows_keep_everything();

 private:
  void start(const Deployment& deployment = documents()) { session_->start(deployment); }

  std::unique_ptr<test::TemporaryFolder> home_, data_;
  std::unique_ptr<test::PlanSession> session_;
};

void PlanPageTest::initTestCase() {
  home_ = std::make_unique<test::TemporaryFolder>();
  qputenv("PITWALL_HOME", QByteArray::fromStdString(home_->path().string()));
  QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
  Theme::current().set_mode(ThemeMode::light);
}

void PlanPageTest::init() {
  data_ = std::make_unique<test::TemporaryFolder>();
  session_ = std::make_unique<test::PlanSession>(data_->path());
}

void PlanPageTest::cleanup() {
  session_.reset();
  std::filesystem::remove_all(deployments_folder());
  data_.reset();
}

void PlanPageTest::is_first_and_offers_deployments() {
  QCOMPARE(session_->window->current_page()->id(), u8("plan"));
  QVERIFY(session_->child<QWidget>("plan.start")->isVisible());
  QVERIFY(!session_->child<QWidget>("plan.form")->isVisible());
  QCOMPARE(shipped_deployments().size(), std::size_t{3});
  for (const char* name : {"plan.start.0", "plan.start.1", "plan.start.2"})
    QVERIFY(session_->child<QPushButton>(name)->isVisible());
  QTest::mouseClick(session_->child<QPushButton>("plan.start.1"), Qt::LeftButton);
  QVERIFY(session_->answers());
  QVERIFY(!session_->child<QWidget>("plan.start")->isVisible());
  QVERIFY(session_->child<QWidget>("plan.form")->isVisible());
  QCOMPARE(session_->asked().name, shipped_deployments()[1].name);
  QCOMPARE(session_->child<QComboBox>("plan.deployment")->currentText(),
           QString::fromStdString(shipped_deployments()[1].name));
  // The next start begins where this one ended.
  session_ = std::make_unique<test::PlanSession>(data_->path());
  QVERIFY(session_->answers());
  QCOMPARE(session_->asked().name, shipped_deployments()[1].name);
}

void PlanPageTest::fields_change_the_answer() {
  start();
  const auto before = session_->answer();
  session_->type("plan.requests", "60");
  QVERIFY(session_->answers());
  QCOMPARE(session_->asked().requests, 60);
  QVERIFY(session_->answer()->worst_rank().kv_needed > before->worst_rank().kv_needed);
  session_->type("plan.lengthP95", "4,000");
  session_->type("plan.sharedPrefix", "0");
  session_->type("plan.stepTokens", "4096");
  session_->type("plan.ttft", "1.5");
  session_->type("plan.tpot", "40");
  session_->choose("plan.kvDtype", u8("bfloat16"));
  QVERIFY(session_->answers());
  QCOMPARE(session_->asked().lengths.p95, 4000);
  QCOMPARE(session_->asked().shared_prefix, 0);
  QCOMPARE(session_->asked().max_num_batched_tokens, 4096);
  QCOMPARE(session_->asked().ttft_limit_ms, 1500.0);
  QCOMPARE(session_->asked().tpot_limit_ms, 40.0);
  QCOMPARE(session_->answer()->kv_bytes_per_token, 2 * before->kv_bytes_per_token);  // fp8 before
  session_->type("plan.ttft", "");
  QCOMPARE(session_->asked().ttft_limit_ms, 0.0);

  // What the limit means, and its value.
  const Bytes own = session_->answer()->worst_rank().limit;
  session_->child<QComboBox>("plan.limitMeaning")->setCurrentIndex(2);
  Q_EMIT session_->child<QComboBox>("plan.limitMeaning")->activated(2);
  session_->type("plan.limitValue", "50");
  QVERIFY(session_->answers());
  QCOMPARE(session_->asked().budget.meaning, MemoryBudget::Meaning::share_of_total);
  QCOMPARE(session_->asked().budget.share, 0.5);
  QVERIFY(session_->answer()->worst_rank().limit < own);
  QVERIFY(session_->child<QLabel>("plan.limitNote")->text().contains(u8("GiB")));
}

void PlanPageTest::a_formula_is_spelled_out() {
  start();  // Qwen2.5-72B: 80 layers, 64 heads, 8 of them KV, 128 wide; fp8
  QString text;
  for (const QLabel* label : session_->child<QWidget>("plan.formula")->findChildren<QLabel*>())
    text += label->text() + u8("\n");
  text.replace(QChar(0xA0), u' ');
  QVERIFY2(text.contains(u8("2 × 80 layers × 8 KV heads × 128 × 1 B")), qPrintable(text));
  QVERIFY2(text.contains(u8("163,840 B")), qPrintable(text));
  QVERIFY2(text.contains(u8("64 attention heads")) && text.contains(u8("8 times")), qPrintable(text));
}

void PlanPageTest::sliders_answer_once_a_turn() {
  start();
  auto* slider = session_->child<QSlider>("plan.requestsSlider");
  std::vector<double> moves;  // processor time: a busy machine does not count
  for (int n = 8; n <= 64; n += 8) {
    const std::clock_t before = std::clock();
    for (int i = 0; i < 5; ++i) slider->setValue(n - i);  // of one turn: the last counts
    slider->setValue(n);
    QVERIFY(!session_->plan->answered());
    while (!session_->plan->answered()) QCoreApplication::processEvents();
    moves.push_back(1000.0 * static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
    QCOMPARE(session_->answer()->asked.requests, n);
  }
  std::sort(moves.begin(), moves.end());
  qInfo("a slider's move: %.1f ms of processor time to the answer on the screen, at most %.1f ms",
        moves[moves.size() / 2], moves.back());
  auto* length = session_->child<QSlider>("plan.lengthSlider");
  length->setValue(0);
  QVERIFY(session_->answers());
  QCOMPARE(session_->asked().max_model_len, std::optional<std::int64_t>(256));
  QCOMPARE(session_->child<QLineEdit>("plan.maxLength")->text(), u8("256"));
}

void PlanPageTest::gpus_take_their_ranks_along() {
  start();
  QCOMPARE(session_->asked().tensor_parallel, 1);
  session_->type("plan.gpus", "8");
  QCOMPARE(session_->asked().tensor_parallel, 8);
  QVERIFY(session_->answers());
  QCOMPARE(session_->answer()->ranks.size(), std::size_t{8});
  session_->choose("plan.tensorParallel", u8("TP 2"));
  QVERIFY(session_->answers());
  QCOMPARE(session_->answer()->replicas, 4);
  session_->type("plan.gpus", "4");  // two ranks still divide it
  QCOMPARE(session_->asked().tensor_parallel, 2);
}

void PlanPageTest::pinned_ones_stay_and_a_change_makes_a_draft() {
  start();
  QCOMPARE(session_->rows(), 1);
  auto* pin = session_->window->findChild<QAction*>(u8("plan.pin"));
  session_->child<QWidget>("plan.rankBars.view")->setFocus();
  QTest::keyClick(session_->child<QWidget>("plan.rankBars.view"), Qt::Key_P);
  QCOMPARE(pin->text(), u8("Unpin this"));
  session_->choose("plan.gpu", u8("L40S"));
  QVERIFY(session_->answers());
  QCOMPARE(session_->rows(), 2);
  QCOMPARE(pin->text(), u8("Pin this"));
  const auto entries = session_->child<RankBars>("plan.rankBars")->entries();
  QCOMPARE(entries[0].title, u8("1 × H200"));
  QCOMPARE(entries[1].title, u8("1 × L40S"));
  QVERIFY(!entries[0].subject && entries[1].subject);
  session_->type("plan.gpus", "2");  // the draft changes in place
  QVERIFY(session_->answers());
  QCOMPARE(session_->rows(), 2);
  pin->trigger();
  pin->trigger();  // and unpinned again
  QCOMPARE(session_->rows(), 2);
  session_->child<DataTable>("plan.alternatives.table")->select_key(entries[0].key);
  QCOMPARE(session_->asked().gpu, std::string("H200"));  // the form follows the row
}

void PlanPageTest::eight_can_be_pinned() {
  start();
  auto* pin = session_->window->findChild<QAction*>(u8("plan.pin"));
  for (int gpus = 1; gpus <= 8; ++gpus) {
    session_->type("plan.gpus", QByteArray::number(gpus).constData());
    QVERIFY(pin->isEnabled());
    pin->trigger();
  }
  session_->type("plan.gpus", "16");
  QVERIFY(session_->answers());
  QCOMPARE(session_->rows(), 9);
  QVERIFY(!pin->isEnabled());
  // All columns are in sight, also with names that are longer than their column.
  session_->choose("plan.kvDtype", u8("fp8_e4m3"));
  QVERIFY(session_->answers());
  for (const QSize size : {QSize(1280, 800), QSize(1440, 900)}) {
    session_->window->resize(size);
    QTRY_COMPARE(session_->window->size(), size);
    auto* table = session_->child<DataTable>("plan.alternatives.table");
    QTRY_COMPARE(table->horizontalScrollBar()->maximum(), 0);
  }
}

void PlanPageTest::demand_is_the_same_for_all() {
  Deployment small = documents(), large = documents();
  large.gpu = "A100-80G";
  large.gpus = large.tensor_parallel = 8;
  session_->plan->compare({small, large});
  QVERIFY(session_->answers());
  session_->type("plan.requests", "17");
  QVERIFY(session_->answers());
  const auto entries = session_->child<RankBars>("plan.rankBars")->entries();
  QCOMPARE(entries.size(), std::size_t{2});
  for (const RankBarEntry& entry : entries) QCOMPARE(entry.plan->asked.requests, 17);
}

void PlanPageTest::keys_walk_the_alternatives() {
  Deployment small = documents(), large = documents();
  large.gpu = "A100-80G";
  large.gpus = large.tensor_parallel = 8;
  session_->plan->compare({small, large});
  QVERIFY(session_->answers());
  QCOMPARE(session_->asked().gpu, std::string("H200"));
  session_->window->activateWindow();
  QVERIFY(QTest::qWaitForWindowActive(session_->window.get()));
  auto* table = session_->child<DataTable>("plan.alternatives.table");
  table->setFocus();
  QTest::keyClick(table, Qt::Key_Down, Qt::AltModifier);
  QCOMPARE(session_->asked().gpu, std::string("A100-80G"));
  QTest::keyClick(table, Qt::Key_Up, Qt::AltModifier);
  QCOMPARE(session_->asked().gpu, std::string("H200"));
}

void PlanPageTest::a_fix_is_applied_by_a_click() {
  Deployment tight = documents();
  tight.gpu = "L40S";
  tight.gpus = tight.tensor_parallel = 2;
  tight.kv_cache_dtype = "bfloat16";
  start(tight);
  QVERIFY(session_->answer()->verdict != Verdict::fits);
  const QList<QAbstractButton*> buttons =
      session_->child<QWidget>("plan.fixes")->findChildren<QAbstractButton*>();
  QTRY_VERIFY(buttons.front()->isVisible());
  QAbstractButton* enough = nullptr;
  for (const Fix& fix : find_fixes(*session_->answer()))
    for (QAbstractButton* button : buttons)
      if (fix.fits && enough == nullptr && button->text() == fix_text(fix)) enough = button;
  QVERIFY(enough != nullptr);
  const QString said = enough->text();
  QTest::mouseClick(enough, Qt::LeftButton);
  QVERIFY(session_->answers());
  QVERIFY2(session_->answer()->verdict == Verdict::fits, qPrintable(said));
}

void PlanPageTest::nonsense_keeps_the_last_answer() {
  start();
  const auto before = session_->answer();
  auto* answer = session_->child<QWidget>("plan.veil");
  QVERIFY(!answer->isVisible());
  session_->type("plan.maxLength", "-5");
  QVERIFY(session_->child<QLineEdit>("plan.maxLength")->property("wrong").toBool());
  QVERIFY(answer->isVisible());
  QCOMPARE(session_->answer(), before);
  session_->type("plan.maxLength", "8192");
  QVERIFY(session_->answers());
  QVERIFY(!answer->isVisible());

  // A number that is one, and makes no sense: the engine says so, and its field is marked.
  session_->type("plan.lengthP50", "7,000");  // above p95
  QVERIFY(session_->answers());
  QVERIFY(session_->child<QLineEdit>("plan.lengthP50")->property("wrong").toBool());
  QVERIFY(answer->isVisible());
  QVERIFY(!session_->child<QPushButton>("plan.serveThis")->isEnabled());
  session_->type("plan.lengthP50", "2,000");
  QVERIFY(session_->answers());
  QVERIFY(!session_->child<QLineEdit>("plan.lengthP50")->property("wrong").toBool());
  QVERIFY(!answer->isVisible());
}

void PlanPageTest::an_unknown_architecture_is_said_with_its_header() {
  start();
  const std::filesystem::path config = data_->path() / "config.json";
  std::ofstream(config) << R"({"architectures": ["FooForCausalLM"], "model_type": "foo", "hidden_size": 64})";
  Deployment unknown = documents();
  unknown.model = config.string();
  session_->plan->start(unknown);
  QVERIFY(session_->answers());
  auto* notice = session_->child<QWidget>("plan.notice");
  QVERIFY(notice->isVisible());
  QString said;
  for (const QLabel* label : notice->findChildren<QLabel*>()) said += label->text();
  QVERIFY2(said.contains(u8("Cannot estimate")) && said.contains(u8("foo"), Qt::CaseInsensitive),
           qPrintable(said));
  QString shown;
  QTimer::singleShot(0, this, [&] {
    auto* dialog = QApplication::activeModalWidget();
    QVERIFY(dialog);
    shown = dialog->findChild<QPlainTextEdit*>()->toPlainText();
    dialog->close();
  });
  QTest::mouseClick(session_->child<QPushButton>("plan.notice.verb"), Qt::LeftButton);
  QVERIFY2(shown.contains(u8("FooForCausalLM")), qPrintable(shown));
  start();
  QVERIFY(!notice->isVisible());
}

void PlanPageTest::charts_say_the_demand() {
  start();
  auto* frontier = session_->child<LineChart>("plan.chart.frontier");
  QCOMPARE(frontier->series().size(), std::size_t{1});
  QCOMPARE(frontier->marks().front().x, 6400.0);
  QCOMPARE(frontier->marks().front().y, 48.0);
  QVERIFY(frontier->summary().contains(u8("48 requests at p95")));
  // The line is the plan's own answer, longer requests never more.
  const ChartSeries& line = frontier->series().front();
  for (std::size_t i = 0; i < line.x.size(); ++i) {
    if (!std::isfinite(line.y[i])) continue;
    QCOMPARE(line.y[i], static_cast<double>(
                            requests_that_fit(*session_->answer(), static_cast<std::int64_t>(line.x[i]))));
    if (i > 0) QVERIFY(line.y[i] <= line.y[i - 1]);
  }
  auto* throughput = session_->child<LineChart>("plan.chart.throughput");
  QVERIFY(!throughput->series().front().x.empty());
  QVERIFY(throughput->summary().contains(u8("48 asked")));
  QTest::keyClick(throughput->findChild<QWidget*>(u8("plan.chart.throughput.plot")), Qt::Key_T);
  QVERIFY(throughput->table_shown());
}

void PlanPageTest::saved_and_started_from_again() {
  start();
  session_->type("plan.requests", "33");
  QVERIFY(session_->answers());
  session_->plan->save_as(u8("Mine: 33/at once"));
  const auto saved = saved_deployments();
  QCOMPARE(saved.size(), std::size_t{1});
  QCOMPARE(saved.front().name, std::string("Mine: 33/at once"));
  QCOMPARE(saved.front().requests, 33);
  QCOMPARE(deployment_json(saved.front()), deployment_json(session_->asked()));
  auto* selector = session_->child<QComboBox>("plan.deployment");
  QCOMPARE(selector->currentText(), u8("Mine: 33/at once"));
  session_ = std::make_unique<test::PlanSession>(data_->path());
  QVERIFY(session_->answers());
  QCOMPARE(session_->asked().requests, 33);

  // Names that make the same file name are two deployments.
  Deployment other = saved.front();
  other.name = "Mine: 33:at once";
  QVERIFY(save_deployment(other).ok());
  QVERIFY(save_deployment(other).ok());
  QCOMPARE(saved_deployments().size(), std::size_t{2});
  for (const char* wrong : {"1.5", "true", "5000000000", "[4]"}) {
    const auto parsed = parse_deployment(std::string("{\"max_num_seqs\": ") + wrong + "}");
    QVERIFY2(!parsed.ok() && parsed.error().text().find("max_num_seqs") != std::string::npos, wrong);
  }

  std::ofstream(deployments_folder() / "broken.json") << "{\"gpu\": 7}";
  session_ = std::make_unique<test::PlanSession>(data_->path());
  QVERIFY(session_->answers());
  QCOMPARE(saved_deployments().size(), std::size_t{2});
}

void PlanPageTest::serve_this_hands_the_settings_over() {
  const std::filesystem::path model = test::write_tiny_model(data_->path());
  Deployment small;
  small.name = "Small";
  small.model = model.string();
  small.max_num_seqs = 7;
  small.max_num_batched_tokens = 384;
  small.max_model_len = 512;
  small.requests = 4;
  small.budget.meaning = MemoryBudget::Meaning::bytes;
  small.budget.bytes = 2 * kGiB;
  start(small);
  QVERIFY(session_->child<QPushButton>("plan.serveThis")->isEnabled());
  session_->window->activateWindow();
  QVERIFY(QTest::qWaitForWindowActive(session_->window.get()));
  auto* field = session_->child<QLineEdit>("plan.requests");
  field->setFocus();
  QTest::keyClick(field, Qt::Key_Return, Qt::ControlModifier);
  QCOMPARE(session_->window->current_page()->id(), u8("serve"));
  auto* serve = static_cast<ServePage*>(session_->window->page(u8("serve")));
  QCOMPARE(serve->chosen_model(), QString::fromStdString(model.string()));
  const Settings& settings = session_->child<SettingsForm>("serve.settings")->settings();
  QCOMPARE(settings.integer("max-num-seqs"), 7);
  QCOMPARE(settings.integer("max-num-batched-tokens"), 384);
  QCOMPARE(settings.integer("max-model-len"), 512);
  QCOMPARE(settings.integer("memory-limit"), 2 * kGiB);
  QVERIFY(session_->window->findChild<BannerBar*>()->isHidden());
}

void PlanPageTest::a_command_line_fills_the_form() {
  start();
  QString said, refused;
  QTimer::singleShot(0, this, [&] {
    auto* dialog = QApplication::activeModalWidget();
    QVERIFY(dialog);
    auto* text = dialog->findChild<QPlainTextEdit*>(u8("plan.command.text"));
    auto* fill = dialog->findChild<QPushButton*>(u8("plan.command.fill"));
    QVERIFY(!fill->isEnabled());
    text->setPlainText(u8("make me a sandwich"));
    refused = dialog->findChild<QLabel*>(u8("plan.command.said"))->text();
    QVERIFY(!fill->isEnabled());
    text->setPlainText(
        u8("vllm serve Qwen/Qwen2.5-72B-Instruct-AWQ --tensor-parallel-size 2 --max-model-len 16384 "
           "--gpu-memory-utilization 0.9 --max-num-seqs 24 --no-such-flag 3"));
    auto* label = dialog->findChild<QLabel*>(u8("plan.command.said"));
    QTRY_VERIFY(label->text().contains(u8("GiB")));  // once the model is known
    said = label->text();
    const QString flags = dialog->findChild<DataTable*>(u8("plan.command.flags"))->to_csv();
    QVERIFY2(flags.contains(u8("max-num-seqs")) && flags.contains(u8("--no-such-flag")), qPrintable(flags));
    QTest::mouseClick(fill, Qt::LeftButton);
  });
  session_->window->findChild<QAction*>(u8("plan.readCommand"))->trigger();
  QVERIFY(!refused.isEmpty());
  QVERIFY2(said.contains(u8("vLLM")) && said.contains(u8("GiB")), qPrintable(said));
  QCOMPARE(session_->asked().tensor_parallel, 2);
  QCOMPARE(session_->asked().gpus, 2);
  QCOMPARE(session_->asked().max_model_len, std::optional<std::int64_t>(16384));
  QCOMPARE(session_->asked().max_num_seqs, 24);
  QCOMPARE(session_->asked().budget.meaning, MemoryBudget::Meaning::share_of_total);
  QCOMPARE(session_->asked().budget.share, 0.9);
  QCOMPARE(session_->asked().requests, documents().requests);  // the command says nothing of the demand
}

void PlanPageTest::flags_for_other_engines_are_copied() {
  start();
  QTimer::singleShot(0, this, [&] {
    auto* dialog = QApplication::activeModalWidget();
    QVERIFY(dialog);
    auto* text = dialog->findChild<QPlainTextEdit*>(u8("plan.flags.text"));
    auto* engine = dialog->findChild<QComboBox*>(u8("plan.flags.engine"));
    auto* form = dialog->findChild<QComboBox*>(u8("plan.flags.form"));
    QVERIFY2(text->toPlainText().contains(u8("vllm serve")) &&
                 text->toPlainText().contains(u8("--max-model-len 8192")),
             qPrintable(text->toPlainText()));
    QTest::mouseClick(dialog->findChild<QPushButton*>(u8("plan.flags.copy")), Qt::LeftButton);
    QCOMPARE(QApplication::clipboard()->text(), text->toPlainText());
    for (int i = 0; i < engine->count(); ++i) {
      engine->setCurrentIndex(i);
      form->setCurrentIndex(0);
      QVERIFY2(!text->toPlainText().isEmpty(), qPrintable(engine->currentText()));
    }
    engine->setCurrentIndex(engine->findData(u8("sglang")));
    form->setCurrentIndex(1);
    QVERIFY2(text->toPlainText().contains(u8("services:")), qPrintable(text->toPlainText()));
    form->setCurrentIndex(2);
    QVERIFY2(text->toPlainText().contains(u8("kind: Deployment")), qPrintable(text->toPlainText()));
    dialog->close();
  });
  session_->window->findChild<QAction*>(u8("plan.flags"))->trigger();
}

void PlanPageTest::every_stop_of_tab_has_a_name() {
  Deployment tight = documents();
  tight.gpu = "L40S";
  tight.kv_cache_dtype = "bfloat16";
  session_->plan->compare({documents(), tight});
  QVERIFY(session_->answers());
  QTRY_VERIFY(session_->child<QWidget>("plan.fixes")->findChild<QAbstractButton*>()->isVisible());
  session_->window->activateWindow();
  QVERIFY(QTest::qWaitForWindowActive(session_->window.get()));
  QWidget* first = session_->child<QWidget>("plan.deployment");
  first->setFocus();
  QStringList seen;
  for (int i = 0; i < 100 && !(i > 0 && session_->window->focusWidget() == first); ++i) {
    QWidget* stop = session_->window->focusWidget();
    QAccessibleInterface* face = QAccessible::queryAccessibleInterface(stop);
    QVERIFY2(face && !face->text(QAccessible::Name).isEmpty(), qPrintable(stop->objectName()));
    seen << stop->objectName();
    QTest::keyClick(stop, Qt::Key_Tab);
  }
  QCOMPARE(session_->window->focusWidget(), first);  // round, and no trap
  for (const char* stop :
       {"plan.pin", "plan.model", "plan.gpus", "plan.requestsSlider", "plan.lengthP95", "plan.limitMeaning",
        "plan.more", "plan.serveThis", "plan.rankBars.view", "plan.alternatives.table",
        "plan.chart.frontier.plot", "plan.chart.throughput.plot"})
    QVERIFY2(seen.contains(u8(stop)), qPrintable(u8(stop) + u8(" is not in ") + seen.join(u' ')));
  // Reading order: the form from above, then its answer.
  QVERIFY(seen.indexOf(u8("plan.model")) < seen.indexOf(u8("plan.lengthP50")));
  QVERIFY(seen.indexOf(u8("plan.lengthP50")) < seen.indexOf(u8("plan.lengthP95")));
  QVERIFY(seen.indexOf(u8("plan.limitMeaning")) < seen.indexOf(u8("plan.serveThis")));
  QVERIFY(seen.indexOf(u8("plan.serveThis")) < seen.indexOf(u8("plan.rankBars.view")));
  QVERIFY(seen.indexOf(u8("plan.rankBars.view")) < seen.indexOf(u8("plan.alternatives.table")));
}

void PlanPageTest::narrow_windows_keep_everything() {
  start();
  session_->window->resize(session_->window->minimumSize());
  QApplication::processEvents();
  auto* tabs = session_->child<QTabBar>("plan.narrowTabs");
  QVERIFY(tabs->isVisible());
  QVERIFY(session_->child<QWidget>("plan.form")->isVisible());
  QVERIFY(!session_->child<QWidget>("plan.rankBars")->isVisible());
  tabs->setCurrentIndex(1);
  QVERIFY(session_->child<QWidget>("plan.rankBars")->isVisible());
  QCOMPARE(session_->window->size(), session_->window->minimumSize());
}

QTEST_MAIN(PlanPageTest)
#include "plan_page_test.moc"
