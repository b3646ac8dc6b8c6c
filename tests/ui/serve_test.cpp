// SPDX-License-Identifier: GPL-3.0-or-later
// The window with a real engine on a tiny model: load, serve, stop, and what it says when something is wrong.
#include <QAccessible>
#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSet>
#include <QSignalSpy>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTest>
#include <fstream>
#include <future>

#include "engine/base/file.h"
#include "tests/support/taken_port.h"
#include "tests/ui/open_palette.h"
#include "tests/ui/serve_session.h"
#include "ui/serve/model_facts.h"
#include "ui/serve/settings_form.h"
#include "ui/shell/shortcut_sheet.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/line_chart.h"

using namespace pitwall;
using namespace pitwall::ui;
using test::kPatienceMs;

namespace {

QString u8(const char* text) {
  return QString::fromUtf8(text);
}

QString accessible_name(QWidget* widget) {
  QAccessibleInterface* face = QAccessible::queryAccessibleInterface(widget);
  return face ? face->text(QAccessible::Name) : QString();
}

}  // namespace

class ServeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { session_.begin(); }
  void init() { session_.open(); }
  void cleanup() { session_.close(); }
  void starts_with_an_offer();
  void header_facts_are_read_before_start();
  void loads_serves_and_stops();
  void a_start_that_fails_leaves_the_focus_in_the_list();
  void a_jump_gives_the_focus_to_what_is_in_sight();
  void a_load_can_be_cancelled();
  void missing_file();
  void a_plan_without_weights_changes_nothing();
  void a_model_that_is_gone_stays_in_the_list();
  void damaged_file();
  void port_in_use_offers_another();
  void memory_limit_points_at_its_setting();
  void nonsense_stays_in_its_field();
  void settings_are_remembered_and_session_ones_are_not();
  void restart_while_serving();
  void a_restart_with_what_is_gone_ends_nothing();
  void a_choice_outside_the_list_selects_no_row();
  void closing_while_busy();
  void every_stop_of_tab_has_a_name();
  void shortcuts_and_pages();
  void palette_finds_actions_and_settings();
  void narrow_window_keeps_everything();
  void banners_queue_worst_first();
  void what_can_be_undone_is_seen();

 private:
  const std::filesystem::path& model() const { return session_.model(); }
  test::ServeFixture session_;
};

void ServeTest::starts_with_an_offer() {
  QCOMPARE(session_->engine.state(), EngineState::stopped);
  QCOMPARE(session_->window->current_page()->id(), u8("serve"));
  QVERIFY(session_->child<QPushButton>("serve.open")->isVisible());
  QVERIFY(session_->child<QPushButton>("serve.fetch.smollm2")->isVisible());
  const QWidget* models = session_->child<QPushButton>("serve.open")->parentWidget();
  QTRY_VERIFY_WITH_TIMEOUT(models->height() <= models->sizeHint().height(), kPatienceMs);  // not half a page
  QVERIFY(!session_->child<QPushButton>("serve.startStop")->isEnabled());
  QVERIFY(!session_->child<QWidget>("serve.figures")->isVisible());
  QVERIFY(session_->banner->isHidden());
}

void ServeTest::header_facts_are_read_before_start() {
  session_->serve->choose_model(QString::fromStdString(model().string()));
  auto* card = session_->child<ModelCard>("serve.modelCard");
  QVERIFY(QTest::qWaitFor([&] { return card->accessibleDescription().contains(u8("Architecture: llama")); },
                          kPatienceMs));
  for (const char* fact :
       {"Quantisation: ", "Layers: ", "Heads: ", "Context: 2,048 tokens", "KV per token: ", "File size: "})
    QVERIFY2(card->accessibleDescription().contains(u8(fact)), qPrintable(card->accessibleDescription()));
  QCOMPARE(session_->engine.state(), EngineState::stopped);
  QVERIFY(session_->child<QPushButton>("serve.startStop")->isEnabled());
}

void ServeTest::loads_serves_and_stops() {
  QSignalSpy states(&session_->engine, &EngineController::state_changed);
  session_.serve();
  QCOMPARE(states.first().first().value<EngineState>(), EngineState::loading);
  QVERIFY(session_->engine.url().startsWith(u8("http://127.0.0.1:")));
  QCOMPARE(session_->child<QPushButton>("shell.url")->text(), session_->engine.url());
  QVERIFY(session_->child<QWidget>("serve.figures")->isVisible());

  const RequestRecord record = session_->generate(40);
  QCOMPARE(record.output_tokens, 40);
  auto* table = session_->child<DataTable>("serve.requestTable");
  QVERIFY(QTest::qWaitFor(
      [&] { return table->model()->rowCount() == 1 && table->model()->index(0, 1).data() == u8("length"); },
      kPatienceMs));
  auto* itl = session_->child<LineChart>("serve.chart.itl");
  QVERIFY(QTest::qWaitFor([&] { return itl->summary().startsWith(u8("ITL, ms: p50 ")); }, kPatienceMs));
  const QString memory = session_->child<QWidget>("serve.memoryBar")->accessibleDescription();
  QVERIFY2(memory.contains(u8("Weights ")) && memory.contains(u8("KV free ")), qPrintable(memory));

  session_->serve->stop();
  QVERIFY(session_->engine.engine() == nullptr);
  QVERIFY(session_->reaches(EngineState::stopped));
  QVERIFY(session_->engine.snapshot() != nullptr);
  QVERIFY(session_->child<QWidget>("serve.figures")->isVisible());  // the last window stays
  QVERIFY(session_->child<QLineEdit>("serve.setting.max-num-seqs")->isEnabled());
  QCOMPARE(session_->preferences.recent_models().front(), QString::fromStdString(model().string()));
  const auto runs = session_->store->runs();
  PW_VERIFY(runs);
  QCOMPARE(runs->size(), std::size_t{1});
  QCOMPARE(runs->front().status, RunStatus::finished);
}

void ServeTest::a_start_that_fails_leaves_the_focus_in_the_list() {
  session_->window->activateWindow();
  QVERIFY(QTest::qWaitForWindowActive(session_->window.get()));
  PW_VERIFY(write_file_atomic(session_.data() / "cut.gguf", "GGUF"));
  session_->preferences.add_recent_model(QString::fromStdString((session_.data() / "cut.gguf").string()));
  session_->serve->activated();
  auto* models = session_->child<DataTable>("serve.models");
  QTRY_VERIFY_WITH_TIMEOUT(models->isVisible(), kPatienceMs);
  session_->serve->choose_model(session_->preferences.recent_models().front());
  models->setFocus();
  session_->serve->start();
  QCOMPARE(QApplication::focusWidget(), session_->child<QPushButton>("serve.cancelLoad"));
  QVERIFY(session_->reaches(EngineState::failed));
  QCOMPARE(QApplication::focusWidget(), models);
}

void ServeTest::a_jump_gives_the_focus_to_what_is_in_sight() {
  session_->window->activateWindow();
  QVERIFY(QTest::qWaitForWindowActive(session_->window.get()));
  session_->child<QPushButton>("serve.open")->setFocus();
  QTest::keyClick(session_->window.get(), Qt::Key_3, Qt::ControlModifier);
  session_.serve();  // and what had it on Serve gives way to the live view
  QTest::keyClick(session_->window.get(), Qt::Key_2, Qt::ControlModifier);
  const QWidget* focused = QApplication::focusWidget();
  QVERIFY(focused != nullptr && focused->isVisible());
  QVERIFY2(session_->serve->isAncestorOf(focused), qPrintable(focused->objectName()));
}

void ServeTest::a_load_can_be_cancelled() {
  PW_VERIFY(session_->serve->set_setting("port", "0"));
  session_->serve->choose_model(QString::fromStdString(model().string()));
  session_->serve->start();
  QCOMPARE(session_->engine.state(), EngineState::loading);
  session_->serve->stop();
  QVERIFY(session_->reaches(EngineState::stopped));
  QVERIFY(session_->banner->isHidden());
  session_.serve();  // and starts all the same afterwards
}

void ServeTest::missing_file() {
  PW_VERIFY(session_->serve->set_setting("port", "0"));  // whoever else is on the usual one
  session_->serve->choose_model(u8("/nowhere/at-all.gguf"));
  session_->serve->start();
  QVERIFY(session_->reaches(EngineState::failed));
  QVERIFY(session_->banner->isVisible());
  const QString said = session_->banner->current()->text;
  QVERIFY2(said.contains(u8("/nowhere/at-all.gguf")), qPrintable(said));
  QVERIFY(!session_->banner->current()->verb.isEmpty());
  QTest::mouseClick(session_->child<QPushButton>("shell.banner.copy"), Qt::LeftButton);
  QTest::keyClick(session_->banner, Qt::Key_Escape);
  QVERIFY(session_->banner->isHidden());
}

void ServeTest::a_plan_without_weights_changes_nothing() {
  auto* field = session_->child<QLineEdit>("serve.setting.max-model-len");
  const QString before = field->text();
  session_->window->show_page(u8("plan"));
  session_->serve->take_plan(u8("llama-3.1-8b"), {{"max-model-len", "16384"}, {"max-num-seqs", "128"}});
  QCOMPARE(field->text(), before);
  QCOMPARE(session_->window->current_page()->id(), u8("plan"));
  QCOMPARE(session_->banner->current()->text,
           u8("Llama 3.1 8B has no weights on this machine. Open its .gguf file."));
  QCOMPARE(session_->banner->current()->verb, u8("Open…"));
  session_->serve->take_plan(u8("smollm2"), {{"max-model-len", "16384"}});
  QCOMPARE(field->text(), before);
  QCOMPARE(session_->banner->current()->verb, u8("Go to Serve"));
  session_->banner->current()->action();
  QCOMPARE(session_->window->current_page()->id(), u8("serve"));
  session_->serve->take_plan(QString::fromStdString(model().string()), {{"max-num-seqs", "3"}});
  QCOMPARE(session_->child<QLineEdit>("serve.setting.max-num-seqs")->text(), u8("3"));
  QCOMPARE(session_->serve->chosen_model(), QString::fromStdString(model().string()));
}

void ServeTest::a_model_that_is_gone_stays_in_the_list() {
  const test::TemporaryFolder drive;
  const auto here = drive.path() / "drive.gguf", away = drive.path() / "away";
  std::filesystem::copy_file(model(), here);
  const QString path = QString::fromStdString(here.string());
  session_->preferences.add_recent_model(path);
  session_->serve->choose_model(path);
  const auto row = [&] {
    const QString csv = session_->child<DataTable>("serve.models")->to_csv();
    for (const QString& line : csv.split(u'\n'))
      if (line.startsWith(u8("drive,"))) return line;
    return QString();
  };
  const auto card = [&] { return session_->child<QWidget>("serve.modelCard")->accessibleDescription(); };
  session_->serve->activated();
  QTRY_VERIFY_WITH_TIMEOUT(row().contains(u8("recent")), kPatienceMs);
  QTRY_VERIFY(card().contains(u8("Layers")));
  std::filesystem::rename(here, away);
  session_->preferences.add_recent_model(QString::fromStdString(model().string()));  // forgets nothing
  session_->serve->activated();
  QTRY_VERIFY_WITH_TIMEOUT(row().contains(u8("missing")), kPatienceMs);
  QTRY_VERIFY(!card().contains(u8("Layers")));
  std::filesystem::rename(away, here);
  session_->serve->activated();
  QTRY_VERIFY_WITH_TIMEOUT(row().contains(u8("recent")), kPatienceMs);
  QTRY_VERIFY(card().contains(u8("Layers")));
}

void ServeTest::damaged_file() {
  const std::filesystem::path path = session_.data() / "cut.gguf";
  std::filesystem::copy_file(model(), path);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  session_->serve->choose_model(QString::fromStdString(path.string()));
  session_->serve->start();
  QVERIFY(session_->reaches(EngineState::failed));
  QVERIFY(session_->banner->isVisible());
  QVERIFY(session_->engine.engine() == nullptr);
}

void ServeTest::port_in_use_offers_another() {
  const test::TakenPort taken;
  PW_VERIFY(session_->serve->set_setting("kv-cache-memory-bytes", "16MiB"));
  PW_VERIFY(session_->serve->set_setting("port", std::to_string(taken.port())));
  session_->serve->choose_model(QString::fromStdString(model().string()));
  const QSignalSpy loads(&session_->engine, &EngineController::load_progress);
  session_->serve->start();
  QVERIFY(session_->reaches(EngineState::failed));
  QCOMPARE(session_->engine.last_error().kind, Error::Kind::busy);
  QVERIFY(loads.isEmpty());  // said before a byte is read
  QVERIFY(session_->store->runs()->empty());
  QVERIFY(session_->banner->current()->text.contains(QString::number(taken.port())));
  const QString owner = QStringLiteral("Process %1 (serve_test)").arg(QCoreApplication::applicationPid());
  QVERIFY2(session_->banner->current()->text.contains(owner), qPrintable(session_->banner->current()->text));
  const QString verb = session_->banner->current()->verb;
  QVERIFY2(verb.startsWith(u8("Use ")) && verb.mid(4).toInt() > 0, qPrintable(verb));
  QVERIFY(session_->engine.engine() == nullptr);
  QTest::mouseClick(session_->child<QPushButton>("shell.banner.verb"), Qt::LeftButton);
  QVERIFY(session_->reaches(EngineState::serving));
  QVERIFY(!session_->engine.url().endsWith(QString::number(taken.port())));
  QVERIFY(session_->banner->isHidden());
}

void ServeTest::memory_limit_points_at_its_setting() {
  PW_VERIFY(session_->serve->set_setting("port", "0"));
  PW_VERIFY(session_->serve->set_setting("memory-limit", "1MiB"));
  session_->serve->choose_model(QString::fromStdString(model().string()));
  session_->serve->start();
  QVERIFY(session_->reaches(EngineState::failed));
  QCOMPARE(session_->engine.last_error().kind, Error::Kind::out_of_memory);
  QVERIFY(!session_->banner->current()->verb.isEmpty());
}

void ServeTest::nonsense_stays_in_its_field() {
  session_->serve->choose_model(QString::fromStdString(model().string()));
  auto* field = session_->child<QLineEdit>("serve.setting.max-num-seqs");
  field->setFocus();
  field->selectAll();
  QTest::keyClicks(field, u8("many"));
  QTest::keyClick(field, Qt::Key_Return);
  QCOMPARE(field->text(), u8("many"));
  QVERIFY2(field->accessibleDescription().contains(u8("max-num-seqs")),
           qPrintable(field->accessibleDescription()));
  session_->serve->start();
  QCOMPARE(session_->engine.state(), EngineState::stopped);
  field->selectAll();
  QTest::keyClicks(field, u8("8"));
  QTest::keyClick(field, Qt::Key_Return);
  QCOMPARE(session_->child<SettingsForm>("serve.settings")->settings().integer("max-num-seqs"), 8);
}

void ServeTest::settings_are_remembered_and_session_ones_are_not() {
  auto* field = session_->child<QLineEdit>("serve.setting.max-num-batched-tokens");
  field->selectAll();
  QTest::keyClicks(field, u8("512"));
  QTest::keyClick(field, Qt::Key_Return);
  PW_VERIFY(session_->serve->set_setting("port", "9999"));
  const Settings again = Preferences(session_.data()).engine_settings();
  QCOMPARE(again.integer("max-num-batched-tokens"), 512);
  QCOMPARE(again.integer("port"), 8080);

  std::ofstream(session_.data() / "settings.json") << "{\"no-such-setting\": 1}";
  QString trouble;
  QVERIFY(!Preferences(session_.data()).engine_settings(&trouble).changed("max-num-batched-tokens"));
  QVERIFY(trouble.contains(u8("no-such-setting")));
}

void ServeTest::restart_while_serving() {
  session_.serve();
  const QString before = session_->engine.url();
  session_->engine.start(session_->engine.model_path(), session_->engine.settings());
  QCOMPARE(session_->engine.state(), EngineState::loading);
  QVERIFY(session_->engine.engine() == nullptr);
  QVERIFY(session_->reaches(EngineState::serving));
  QVERIFY(!before.isEmpty());
  QCOMPARE(session_->store->runs()->size(), std::size_t{2});
}

void ServeTest::a_restart_with_what_is_gone_ends_nothing() {
  session_.serve();
  const QString serving = session_->engine.model_path(), url = session_->engine.url();
  const auto said = [this] {
    return session_->banner->current() ? session_->banner->current()->text : QString();
  };
  const auto other = session_.data() / "other.gguf";
  std::filesystem::copy_file(model(), other);
  const QString path = QString::fromStdString(other.string());
  session_->serve->choose_model(path);
  QTRY_VERIFY_WITH_TIMEOUT(said().startsWith(u8("other is chosen")), kPatienceMs);
  const auto restart = session_->banner->current()->action;
  session_->banner->dismiss();
  std::filesystem::remove(other);
  restart();
  QTRY_VERIFY2_WITH_TIMEOUT(said().contains(path), qPrintable(said()), kPatienceMs);
  session_->banner->dismiss();
  session_->serve->choose_model(u8("/nowhere/at-all.gguf"));
  QTRY_VERIFY2_WITH_TIMEOUT(said().contains(u8("/nowhere/at-all.gguf")), qPrintable(said()), kPatienceMs);
  QVERIFY2(!said().contains(u8("is chosen")), qPrintable(said()));
  QCOMPARE(session_->engine.state(), EngineState::serving);
  QCOMPARE(session_->engine.model_path(), serving);
  QCOMPARE(session_->engine.url(), url);
}

/// Neither its row nor its figures are those of the model before.
void ServeTest::a_choice_outside_the_list_selects_no_row() {
  session_->preferences.add_recent_model(QString::fromStdString(model().string()));
  session_.serve();
  session_->serve->activated();
  auto* table = session_->child<DataTable>("serve.models");
  auto* serve_this = session_->child<QPushButton>("serve.serveThis");
  QTRY_VERIFY_WITH_TIMEOUT(table->current_key() >= 0, kPatienceMs);
  session_->serve->stop();
  QVERIFY(session_->reaches(EngineState::stopped));
  const auto effective = [this] {
    QStringList texts;
    for (const auto* label : session_->child<SettingsForm>("serve.settings")->findChildren<QLabel*>())
      texts << label->text();
    return texts;
  };
  QVERIFY(effective().contains(u8("16.0 MiB")));
  session_->serve->choose_model(u8("/nowhere/at-all.gguf"));
  QCOMPARE(table->current_key(), -1);
  QVERIFY(!serve_this->isEnabled());
  QVERIFY(!effective().contains(u8("16.0 MiB")));
  session_->serve->choose_model(QString::fromStdString(model().string()));
  QVERIFY(table->current_key() >= 0);
  QVERIFY(serve_this->isEnabled());
}

void ServeTest::closing_while_busy() {
  session_.serve();
  GenerationRequest request;
  request.prompt = {70, 71, 72};
  request.ignore_eos = true;  // up to the context's end
  auto ended = std::make_shared<std::promise<FinishReason>>();
  PW_VERIFY(session_->engine.engine()->submit(std::move(request), [ended](OutputEvent&& event) {
    if (event.finished) ended->set_value(event.reason);
  }));
  session_->window->close();
  session_.close_window();
  auto reason = ended->get_future();
  QCOMPARE(reason.wait_for(std::chrono::seconds(0)), std::future_status::ready);
}

void ServeTest::every_stop_of_tab_has_a_name() {
  session_.serve();
  for (const QString& page : session_->window->page_ids()) {
    session_->window->show_page(page);
    QApplication::processEvents();
    for (QWidget* widget : session_->window->findChildren<QWidget*>())
      if (widget->isVisible() && widget->isEnabled() && (widget->focusPolicy() & Qt::TabFocus) &&
          !widget->focusProxy())
        QVERIFY2(!accessible_name(widget).isEmpty(),
                 qPrintable(QStringLiteral("%1: %2 %3")
                                .arg(page, QString::fromLatin1(widget->metaObject()->className()),
                                     widget->objectName())));
    // Tab goes round and comes back: no trap.
    session_->window->activateWindow();
    QWidget* first = session_->child<QWidget>("shell.rail.serve");
    first->setFocus();
    QSet<QWidget*> seen;
    for (int i = 0; i < 200 && !(i > 0 && session_->window->focusWidget() == first); ++i) {
      seen << session_->window->focusWidget();
      QTest::keyClick(session_->window->focusWidget(), Qt::Key_Tab);
    }
    QVERIFY2(session_->window->focusWidget() == first,
             qPrintable(page + u8(": Tab stops at ") + session_->window->focusWidget()->objectName()));
    QVERIFY2(seen.size() > 5, qPrintable(page));
  }
}

void ServeTest::shortcuts_and_pages() {
  session_->window->activateWindow();
  QVERIFY(QTest::qWaitForWindowActive(session_->window.get()));
  QCOMPARE(session_->window->page_ids(),
           (QStringList{u8("plan"), u8("serve"), u8("chat"), u8("tune"), u8("reports"), u8("settings")}));
  QTest::keyClick(session_->window.get(), Qt::Key_1, Qt::ControlModifier);
  QCOMPARE(session_->window->current_page()->id(), u8("plan"));
  QTest::keyClick(session_->window.get(), Qt::Key_3, Qt::ControlModifier);
  QCOMPARE(session_->window->current_page()->id(), u8("chat"));
  QTest::keyClick(session_->window.get(), Qt::Key_5, Qt::ControlModifier);
  QCOMPARE(session_->window->current_page()->id(), u8("tune"));
  QTest::keyClick(session_->window.get(), Qt::Key_7, Qt::ControlModifier);
  QCOMPARE(session_->window->current_page()->id(), u8("reports"));
  QTest::keyClick(session_->window.get(), Qt::Key_Comma, Qt::ControlModifier);
  QCOMPARE(session_->window->current_page()->id(), u8("settings"));
  QCOMPARE(session_->child<QLabel>("shell.title")->text(), u8("Settings"));
  QTest::keyClick(session_->window.get(), Qt::Key_2, Qt::ControlModifier);
  ShortcutSheet sheet(session_->window->actions(), session_->window->current_page(), session_->window.get());
  const QString keys = sheet.findChild<DataTable*>()->to_csv();
  for (const char* key : {"F5,", "Shift+F5,", "Ctrl+3,", "F1,"})
    QVERIFY2(keys.contains(u8(key)), qPrintable(keys));

  session_->window->show_page(u8("chat"));
  session_->window->close();
  Preferences again(session_.data());
  QCOMPARE(again.last_page(), u8("chat"));
  QVERIFY(!again.geometry().isEmpty());
}

void ServeTest::palette_finds_actions_and_settings() {
  session_->window->show_page(u8("chat"));
  QStringList seen;
  const auto type = [&](const QString& text) {
    auto* palette = test::open_palette(*session_->window);
    auto* field = palette->findChild<QLineEdit*>();
    QTest::keyClick(field, Qt::Key_Down);
    QTest::keyClicks(field, text);
    seen << (palette->chosen() ? palette->chosen()->text : QString());
    QTest::keyClick(field, palette->chosen() ? Qt::Key_Return : Qt::Key_Escape);
  };
  type(u8("max-num-seqs"));
  QCOMPARE(session_->window->current_page()->id(), u8("serve"));
  QCOMPARE(session_->window->focusWidget(), session_->child<QLineEdit>("serve.setting.max-num-seqs"));
  type(u8("reports"));
  QCOMPARE(session_->window->current_page()->id(), u8("reports"));
  type(u8("no such command"));
  QCOMPARE(seen, (QStringList{u8("max-num-seqs"), u8("Reports"), QString()}));
}

void ServeTest::narrow_window_keeps_everything() {
  session_.serve();
  session_->window->resize(session_->window->minimumSize());
  QApplication::processEvents();
  auto* tabs = session_->child<QTabBar>("serve.narrowTabs");
  QVERIFY(tabs->isVisible());
  QVERIFY(!session_->child<QWidget>("serve.settings")->isVisible());
  tabs->setCurrentIndex(1);
  QVERIFY(session_->child<QWidget>("serve.settings")->isVisible());
  QVERIFY(!session_->child<QWidget>("serve.memoryCard")->isVisible());
  session_->window->resize(1440, 900);
  QApplication::processEvents();
  QVERIFY(session_->child<QWidget>("serve.memoryCard")->isVisible());
}

void ServeTest::banners_queue_worst_first() {
  session_->window->post({Banner::Severity::warn, u8("a warning"), {}, {}, {}});
  session_->window->post({Banner::Severity::bad, u8("an error"), {}, {}, u8("its details")});
  session_->window->post({Banner::Severity::good, u8("good news"), {}, {}, {}});
  session_->window->post({Banner::Severity::bad, u8("an error"), {}, {}, u8("its details")});
  QStringList order;
  while (session_->banner->current()) {
    order << session_->banner->current()->text;
    session_->banner->dismiss();
  }
  QCOMPARE(order, (QStringList{u8("an error"), u8("a warning"), u8("good news")}));
}

void ServeTest::what_can_be_undone_is_seen() {
  session_->window->post({Banner::Severity::bad, u8("an error"), {}, {}, {}});
  int undone = 0;
  session_->window->post(undo_banner(u8("deleted it"), [&undone] { ++undone; }));
  QCOMPARE(session_->child<QLabel>("shell.banner.text")->text(), u8("deleted it"));
  session_->window->post({Banner::Severity::bad, u8("a newer error"), {}, {}, {}});
  QCOMPARE(session_->banner->current()->text, u8("a newer error"));
  session_->banner->dismiss();
  session_->child<QPushButton>("shell.banner.verb")->click();
  QCOMPARE(undone, 1);
  QCOMPARE(session_->banner->current()->text, u8("an error"));
}

QTEST_MAIN(ServeTest)
#include "serve_test.moc"
