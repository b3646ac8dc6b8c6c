// SPDX-License-Identifier: GPL-3.0-or-later
// What the plan page says in each state: only slots are short, far over the limit, changed, red, and before
// anything is planned. And that nothing of it is cut, in both languages and with large text.
#include <QAction>
#include <QImage>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSlider>
#include <QTabBar>
#include <fstream>

#include "engine/library/model_profile.h"
#include "tests/support/test_support.h"
#include "tests/ui/plan_session.h"
#include "ui/plan/fix_button.h"
#include "ui/shell/language.h"
#include "ui/shell/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/line_chart.h"

using namespace pitwall;
using namespace pitwall::ui;
using pitwall::test::documents;
using pitwall::test::u8;

class PlanStatesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void init();
  void cleanup();
  void slots_alone_are_named_and_changed();
  void far_over_the_limit_has_a_way_on();
  void bars_far_over_the_limit_are_readable();
  void layers_are_counted_one_way();
  void a_lower_max_length_leaves_no_note();
  void axes_of_another_question_go();
  void a_slide_moves_no_axis();
  void the_selector_says_what_changed();
  void what_is_red_is_not_saved();
  void the_first_page_plans_any_model();
  void a_model_opened_first_keeps_the_choices();
  void tab_reads_the_first_page();
  void nothing_is_cut_data();
  void nothing_is_cut();

 private:
  void start(const Deployment& deployment) { session_->start(deployment); }
  QList<FixButton*> fix_cards();
  QString table_cell(std::size_t column);

  test::TemporaryFolder home_;
  std::unique_ptr<test::TemporaryFolder> data_;
  std::unique_ptr<test::PlanSession> session_;
};

namespace {

Deployment too_large() {
  Deployment far;
  far.model = "deepseek-v3";
  return far;
}

QImage drawn(QWidget* widget) {
  return widget->grab().toImage();
}

}  // namespace

void PlanStatesTest::initTestCase() {
  qputenv("PITWALL_HOME", QByteArray::fromStdString(home_.path().string()));
  QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
  Theme::current().set_mode(ThemeMode::light);
}

void PlanStatesTest::init() {
  data_ = std::make_unique<test::TemporaryFolder>();
  session_ = std::make_unique<test::PlanSession>(data_->path());
}

void PlanStatesTest::cleanup() {
  session_.reset();
  data_.reset();
}

QList<FixButton*> PlanStatesTest::fix_cards() {
  QList<FixButton*> shown;
  for (auto* card : session_->child<QWidget>("plan.fixes")->findChildren<FixButton*>())
    if (!card->isHidden()) shown << card;
  return shown;
}

QString PlanStatesTest::table_cell(std::size_t column) {
  return session_->child<DataTable>("plan.alternatives.table")->table()->rows().front().cells[column].text;
}

void PlanStatesTest::slots_alone_are_named_and_changed() {
  Deployment asked = documents();
  asked.requests = 64;
  asked.max_num_seqs = 32;
  start(asked);
  QCOMPARE(shortage_text(*session_->answer()), u8("32 of 64 requests wait: max-num-seqs is 32"));
  QCOMPARE(table_cell(4), u8("64 → 32"));
  QTRY_COMPARE(fix_cards().size(), 1);  // memory is not short: nothing frees any
  QCOMPARE(fix_cards().front()->text(), u8("max-num-seqs 32 → 64"));
  QTest::mouseClick(fix_cards().front(), Qt::LeftButton);
  QVERIFY(session_->answers());
  QCOMPARE(session_->asked().requests, 64);
  QCOMPARE(session_->asked().max_num_seqs, 64);
  QVERIFY(session_->answer()->verdict == Verdict::fits);
}

void PlanStatesTest::far_over_the_limit_has_a_way_on() {
  start(too_large());
  QVERIFY(session_->answer()->verdict == Verdict::fails);
  auto* both = static_cast<FixButton*>(nullptr);
  QTRY_VERIFY((both = session_->child<FixButton>("plan.fix.pair")) != nullptr);
  QCOMPARE(table_cell(7), u8("–"));  // nothing runs: no rate, rather than 0
  QCOMPARE(table_cell(9), u8("two together"));
  QVERIFY2(both->text().startsWith(u8("tensor parallel 1 → 8 and ")), qPrintable(both->text()));
  QTest::mouseClick(both, Qt::LeftButton);
  QVERIFY(session_->answers());
  QCOMPARE(session_->asked().gpus, 8);
  QVERIFY(session_->answer()->verdict == Verdict::fits);
}

// No letter lies on the bar but the segments' own, and the limit's mark stands apart from what it crosses.
void PlanStatesTest::bars_far_over_the_limit_are_readable() {
  start(too_large());
  auto* view = session_->child<QWidget>("plan.rankBars.view");
  const QImage image = drawn(view);
  const double scale = image.devicePixelRatio();
  const int row = static_cast<int>(scale * units(4));  // through the only bar
  const QRgb bad = ink(Colour::bad).rgb(), panel = ink(Colour::panel).rgb();
  int marks = 0;
  for (int x = 1; x < image.width(); ++x) {
    const bool begins = image.pixel(x, row) == bad && image.pixel(x - 1, row) != bad;
    if (!begins) continue;
    ++marks;
    QCOMPARE(image.pixel(x - 1, row), panel);
  }
  QCOMPARE(marks, 1);
  // Charts without a line say why in their middle, though they have no axis yet.
  for (const char* plot : {"plan.chart.frontier.plot", "plan.chart.throughput.plot"}) {
    const QImage chart = drawn(session_->child<QWidget>(plot));
    const QRect middle(chart.width() / 4, chart.height() / 2 - 8, chart.width() / 2, 16);
    int letters = 0;
    for (int x = middle.left(); x < middle.right(); ++x)
      for (int y = middle.top(); y < middle.bottom(); ++y)
        letters += chart.pixelColor(x, y).lightness() < ink(Colour::strong).lightness();
    QVERIFY2(letters > 100, plot);
  }
}

void PlanStatesTest::layers_are_counted_one_way() {
  start(too_large());
  QVERIFY2(session_->child<QLabel>("plan.facts")->text().startsWith(u8("61 layers + 1 draft")),
           qPrintable(session_->child<QLabel>("plan.facts")->text()));
  QVERIFY(kv_formula(*session_->answer()).front().starts_with("61 layers"));
}

void PlanStatesTest::a_lower_max_length_leaves_no_note() {
  start(shipped_deployments()[1]);  // lengths up to 16,384
  session_->type("plan.maxLength", "8192");
  QVERIFY(session_->answers());
  QCOMPARE(session_->answer()->lengths.max, 8192);
  const QString note = session_->child<QLabel>("plan.note")->text();
  QVERIFY2(!note.contains(u8("16,384")), qPrintable(note));
}

void PlanStatesTest::axes_of_another_question_go() {
  start(documents());
  auto* plot = session_->child<QWidget>("plan.chart.frontier.plot");
  QTest::qWait(0);
  const QImage before = drawn(plot);
  session_->type("plan.maxLength", "1,000,000");
  QVERIFY(session_->answers());
  QTRY_VERIFY(drawn(plot) != before);
  session_->type("plan.maxLength", "8,192");
  QVERIFY(session_->answers());
  QTRY_VERIFY(drawn(plot) == before);
}

void PlanStatesTest::a_slide_moves_no_axis() {
  Deployment by_length = documents();
  by_length.lengths = {};
  by_length.shared_prefix = 0;
  by_length.max_model_len = 256;
  start(by_length);
  auto* slider = session_->child<QSlider>("plan.lengthSlider");
  auto* plot = session_->child<QWidget>("plan.chart.throughput.plot");
  const auto values = [&] {  // of the upright axis, and nothing else
    const QImage image = drawn(plot);
    return image.copy(0, 0, static_cast<int>(units(6) * image.devicePixelRatio()), image.height());
  };
  QTest::qWait(0);
  const QImage before = values();
  slider->setSliderDown(true);
  slider->setValue(slider->maximum());  // many times less
  QVERIFY(session_->answers());
  QVERIFY(session_->child<PlanForm>("plan.form")->is_sliding());
  QTest::qWait(0);
  QVERIFY(values() == before);
  slider->setSliderDown(false);
  session_->type("plan.requests", "47");
  QVERIFY(session_->answers());
  QTRY_VERIFY(values() != before);
}

void PlanStatesTest::the_selector_says_what_changed() {
  auto* selector = session_->child<QComboBox>("plan.deployment");
  start(documents());
  QCOMPARE(selector->currentText(), u8("Chat with long documents"));
  session_->type("plan.maxLength", "4096");
  QVERIFY(session_->answers());
  QCOMPARE(selector->currentIndex(), -1);
  QCOMPARE(selector->placeholderText(), u8("Chat with long documents, changed"));
  session_->type("plan.maxLength", "8192");
  QVERIFY(session_->answers());
  QCOMPARE(selector->currentText(), u8("Chat with long documents"));
  Deployment unnamed;
  unnamed.model = "llama-3.1-8b";
  unnamed.max_model_len = 4096;
  start(unnamed);
  QCOMPARE(selector->currentIndex(), -1);
  QCOMPARE(selector->placeholderText(), u8("Llama 3.1 8B, not saved"));
  for (const ThemeMode mode : {ThemeMode::dark, ThemeMode::light}) {
    Theme::current().set_mode(mode);
    QCOMPARE(selector->palette().color(QPalette::PlaceholderText), ink(Colour::text));
  }
}

void PlanStatesTest::what_is_red_is_not_saved() {
  start(documents());
  auto* button = session_->child<QPushButton>("plan.saveThis");
  auto* action = session_->window->findChild<QAction*>(u8("plan.save"));
  QVERIFY(button->isEnabled() && action->isEnabled());
  session_->type("plan.requests", "many");
  QVERIFY(!button->isEnabled() && !action->isEnabled());
  session_->type("plan.requests", "48");
  QVERIFY(session_->answers());
  QVERIFY(button->isEnabled() && action->isEnabled());
  session_->type("plan.lengthP50", "7,000");  // above p95: the planner refuses it
  QVERIFY(session_->answers());
  QVERIFY(!button->isEnabled() && !action->isEnabled());
}

void PlanStatesTest::the_first_page_plans_any_model() {
  auto* models = session_->child<QComboBox>("plan.start.model");
  QVERIFY(models->isVisible() && models->findText(u8("DeepSeek-V3")) >= 0);
  QVERIFY(session_->child<QPushButton>("plan.start.open")->isVisible());
  session_->choose("plan.start.model", u8("Qwen3 8B"));
  session_->choose("plan.start.gpu", u8("L40S"));
  session_->choose("plan.start.engine", u8("vLLM"));
  session_->type("plan.start.requests", "12");
  session_->type("plan.start.length", "few");
  QTest::mouseClick(session_->child<QPushButton>("plan.start.go"), Qt::LeftButton);
  QVERIFY(session_->child<QWidget>("plan.start")->isVisible());  // not with a red field
  session_->type("plan.start.length", "4096");
  QTest::mouseClick(session_->child<QPushButton>("plan.start.go"), Qt::LeftButton);
  QVERIFY(session_->answers());
  QCOMPARE(session_->asked().model, std::string("qwen3-8b"));
  QCOMPARE(session_->asked().gpu, std::string("L40S"));
  QCOMPARE(session_->asked().engine, std::string("vllm"));
  QCOMPARE(session_->asked().requests, 12);
  QCOMPARE(session_->asked().max_model_len, std::optional<std::int64_t>(4096));
  QCOMPARE(session_->answer()->engine, std::string("vllm"));
  QVERIFY(session_->child<QComboBox>("plan.engine")->isVisible());
  QVERIFY(session_->child<QComboBox>("plan.model")->itemText(0).startsWith(u8("Open a GGUF")));
}

void PlanStatesTest::a_model_opened_first_keeps_the_choices() {
  session_->choose("plan.start.gpu", u8("L4"));
  session_->choose("plan.start.engine", u8("SGLang"));
  const std::filesystem::path config = data_->path() / "config.json";
  std::ofstream(config) << find_model_profile("llama-3.1-8b")->config;
  session_->plan->open(QString::fromStdString(config.string()));
  QVERIFY(session_->answers());
  QCOMPARE(session_->asked().gpu, std::string("L4"));
  QCOMPARE(session_->asked().engine, std::string("sglang"));
  QCOMPARE(session_->asked().model, config.string());
}

void PlanStatesTest::tab_reads_the_first_page() {
  session_->window->activateWindow();
  QVERIFY(QTest::qWaitForWindowActive(session_->window.get()));
  auto* first = session_->child<QWidget>("plan.deployment");
  first->setFocus();
  QStringList seen;
  for (int i = 0; i < 40 && !(i > 0 && session_->window->focusWidget() == first); ++i) {
    seen << session_->window->focusWidget()->objectName();
    QTest::keyClick(session_->window->focusWidget(), Qt::Key_Tab);
  }
  int last = -1;
  for (const char* stop :
       {"plan.deployment", "plan.readCommand", "plan.recipe", "plan.start.model", "plan.start.gpu",
        "plan.start.engine", "plan.start.requests", "plan.start.length", "plan.start.go", "plan.start.open",
        "plan.start.readCommand", "plan.start.recipe", "plan.start.0", "plan.start.1", "plan.start.2",
        "shell.commandsButton", "shell.rail.plan"}) {
    const int at = static_cast<int>(seen.indexOf(u8(stop)));
    QVERIFY2(at > last, qPrintable(u8(stop) + u8(" in ") + seen.join(u' ')));
    last = at;
  }
}

void PlanStatesTest::nothing_is_cut_data() {
  QTest::addColumn<int>("language");
  QTest::addColumn<int>("percent");
  for (const int percent : {100, 125, 150}) {
    QTest::addRow("English, %d %%", percent) << static_cast<int>(Language::english) << percent;
    QTest::addRow("Chinese, %d %%", percent) << static_cast<int>(Language::chinese) << percent;
  }
}

void PlanStatesTest::nothing_is_cut() {
  QFETCH(int, language);
  QFETCH(int, percent);
  speak(static_cast<Language>(language));
  Theme::current().set_text_percent(percent);
  cleanup();
  init();
  // Large text on the smallest screen that people have; usual text in the smallest window.
  const QSize smallest = percent > 100 ? QSize(1366, 728) : QSize(units(260), units(160));
  for (const Deployment& asked : {too_large(), [] {
                                    Deployment tight = documents();
                                    tight.gpu = "L40S";
                                    tight.kv_cache_dtype = "bfloat16";
                                    return tight;
                                  }()}) {
    start(asked);
    QTRY_VERIFY(!fix_cards().isEmpty());
    for (const QSize size : {smallest, QSize(1280, 800), QSize(1440, 900)}) {
      session_->window->resize(size.expandedTo(smallest));
      if (auto* tabs = session_->child<QTabBar>("plan.narrowTabs"); tabs->isVisible())
        tabs->setCurrentIndex(1);
      auto* area = session_->child<QScrollArea>("plan.answer");
      QTRY_VERIFY(area->isVisible());
      for (FixButton* card : fix_cards())
        QTRY_VERIFY2(card->height() >= card->heightForWidth(card->width()), qPrintable(card->text()));
      for (const FixButton* card : fix_cards())
        QTRY_VERIFY2(card->parentWidget()->rect().contains(card->geometry()), qPrintable(card->text()));
      if (percent > 100) continue;  // then questions have a tooltip
      for (const Card* card : area->findChildren<Card*>())
        for (const auto* label : card->findChildren<ElidedLabel*>(QString(), Qt::FindDirectChildrenOnly))
          if (card->isVisible() && size.width() >= 1280)
            QTRY_VERIFY2(label->toolTip().isEmpty(), qPrintable(label->text()));
    }
  }
  session_.reset();
  Theme::current().set_text_percent(100);
  speak(Language::english);
}

QTEST_MAIN(PlanStatesTest)
#include "plan_states_test.moc"
