// SPDX-License-Identifier: GPL-3.0-or-later
// Every page of the whole window by Tab, with the engine stopped and serving: nothing traps the focus,
// nothing that can have it is left out or nameless, and each chart and table says what it shows.
#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QAccessible>
#include <QApplication>
#include <QSet>
#include <QTabWidget>
#include <QTest>

#include "engine/bench/checklist_template.h"
#include "tests/support/tiny_model.h"
#include "tests/ui/serve_session.h"
#include "ui/plan/plan_page.h"
#include "ui/shell/theme.h"
#include "ui/tune/tune_page.h"
#include "ui/widgets/chart_card.h"
#include "ui/widgets/data_table.h"

using namespace pitwall;
using namespace pitwall::ui;
using test::kPatienceMs;

namespace {

constexpr int kMostStops = 600;

QString u8(const char* text) {
  return QString::fromUtf8(text);
}

QString words(const QWidget* widget) {
  if (widget == nullptr) return u8("nothing");
  QString path;
  for (const QWidget* one = widget; one != nullptr && one->parentWidget() != nullptr;
       one = one->parentWidget())
    if (!one->objectName().isEmpty()) path = one->objectName() + u8("/") + path;
  return QStringLiteral("%1 in %2").arg(QLatin1String(widget->metaObject()->className()), path);
}

bool takes_tab(const QWidget& widget) {
  if (!widget.isVisible() || !widget.isEnabled() || !(widget.focusPolicy() & Qt::TabFocus)) return false;
  if (widget.focusProxy() != nullptr || widget.inherits("QScrollBar")) return false;
  const auto* area = qobject_cast<const QAbstractScrollArea*>(widget.parentWidget());
  return area == nullptr || area->viewport() != &widget;
}

/// Of a group of exclusive buttons the keyboard goes to one, and by arrows to the others.
bool is_another_of_its_group(const QWidget& widget, const QSet<const QWidget*>& reached) {
  const auto* button = qobject_cast<const QAbstractButton*>(&widget);
  if (button == nullptr || !button->autoExclusive()) return false;
  for (const QWidget* one : reached)
    if (const auto* other = qobject_cast<const QAbstractButton*>(one))
      if (other->autoExclusive() && other->parentWidget() == button->parentWidget()) return true;
  return false;
}

/// Charts and tables on view without a description of what they show.
QStringList silent_parts(const QWidget& page) {
  QStringList silent;
  for (const auto* chart : page.findChildren<ChartCard*>()) {
    bool said = false;
    for (const QWidget* part : chart->findChildren<QWidget*>())
      said = said || (part->focusPolicy() != Qt::NoFocus && !part->accessibleDescription().isEmpty());
    if (chart->isVisible() && !said) silent << words(chart);
  }
  for (const auto* table : page.findChildren<DataTable*>())
    if (table->accessibleName().isEmpty() || table->accessibleDescription().isEmpty()) silent << words(table);
  return silent;
}

}  // namespace

class TabWalkTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void cleanupTestCase();
  void walk_stopped();
  void walk_serving();
  void charts_and_tables_say_what_they_show();

 private:
  void walk_all(const char* engine);
  void walk(const QString& page, const char* engine);
  void show(const QString& page);

  std::unique_ptr<test::TemporaryFolder> home_, data_;
  std::unique_ptr<test::ServeSession> session_;
};

void TabWalkTest::initTestCase() {
  home_ = std::make_unique<test::TemporaryFolder>();
  qputenv("PITWALL_HOME", QByteArray::fromStdString(home_->path().string()));
  QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
  Theme::current().set_mode(ThemeMode::light);
  data_ = std::make_unique<test::TemporaryFolder>();
  session_ = std::make_unique<test::ServeSession>(data_->path());
  session_->window->activateWindow();
  QVERIFY(QTest::qWaitForWindowActive(session_->window.get()));
  // A run, a chat and a checklist with a measured item in the store.
  session_->serve_model(test::write_tiny_model(home_->path()));
  for (int i = 0; i < 3; ++i) (void)session_->generate(20);
  const auto chat = session_->store->create_chat("A chat");
  PW_VERIFY(chat);
  ChatMessage prompt, reply;
  prompt.role = "user";
  prompt.content = "Why?";
  reply.role = "assistant";
  reply.content = "Because.";
  reply.model = "tiny";
  prompt.state = reply.state = "complete";
  const auto asked = session_->store->add_message(*chat, prompt);
  PW_VERIFY(asked);
  reply.parent = *asked;
  PW_VERIFY(session_->store->add_message(*chat, reply));
  session_->serve->stop();
  QVERIFY(session_->reaches(EngineState::stopped));
  auto* tune = static_cast<TunePage*>(session_->window->page(u8("tune")));
  Checklist checklist = checklist_templates().front();
  checklist.num_prompts = 8;
  tune->start(checklist);
  tune->session().run({0});
  QTRY_VERIFY_WITH_TIMEOUT(!tune->session().running(), kPatienceMs);
}

void TabWalkTest::cleanupTestCase() {
  session_.reset();
}

void TabWalkTest::show(const QString& page) {
  session_->window->show_page(page);
  if (page == u8("reports")) {
    auto* table = session_->child<DataTable>("report.list");
    QTRY_VERIFY_WITH_TIMEOUT(table->model()->rowCount() > 0 && table->current_key() >= 0, kPatienceMs);
  }
  QApplication::processEvents();
}

void TabWalkTest::walk(const QString& page, const char* engine) {
  show(page);
  MainWindow& window = *session_->window;
  const QString where = QStringLiteral("%1, engine %2: ").arg(page, QLatin1String(engine));
  QWidget* first = session_->child<QWidget>(("shell.rail." + page.toStdString()).c_str());
  first->setFocus();
  QVERIFY2(first->hasFocus(), qPrintable(where + words(window.focusWidget())));
  QSet<const QWidget*> reached;
  QWidget* now = first;
  for (int i = 0; i < kMostStops; ++i) {
    reached << now;
    QTest::keyClick(now, Qt::Key_Tab);
    QWidget* next = window.focusWidget();
    QVERIFY2(next != now, qPrintable(where + u8("trapped in ") + words(now)));
    if (next == first) break;
    QVERIFY2(!reached.contains(next), qPrintable(where + u8("going in circles at ") + words(next)));
    now = next;
  }
  QVERIFY2(window.focusWidget() == first, qPrintable(where + u8("no way back from ") + words(now)));
  QTest::keyClick(first, Qt::Key_Backtab, Qt::ShiftModifier);
  QVERIFY2(window.focusWidget() == now, qPrintable(where + u8("backwards: ") + words(window.focusWidget())));

  QStringList left_out, nameless;
  for (const QWidget* widget : window.findChildren<QWidget*>())
    if (takes_tab(*widget) && !reached.contains(widget) && !is_another_of_its_group(*widget, reached))
      left_out << words(widget);
  for (const QWidget* widget : reached)
    if (QAccessible::queryAccessibleInterface(const_cast<QWidget*>(widget))
            ->text(QAccessible::Name)
            .isEmpty())
      nameless << words(widget);
  QVERIFY2(left_out.isEmpty(), qPrintable(where + u8("Tab leaves out ") + left_out.join(u8(", "))));
  QVERIFY2(nameless.isEmpty(), qPrintable(where + u8("no name: ") + nameless.join(u8(", "))));
}

void TabWalkTest::walk_all(const char* engine) {
  for (const QString& page : session_->window->page_ids()) {
    walk(page, engine);
    if (QTest::currentTestFailed()) return;
  }
}

void TabWalkTest::walk_stopped() {
  walk_all("stopped");
}

void TabWalkTest::walk_serving() {
  session_->serve->start();
  QVERIFY(session_->reaches(EngineState::serving));
  (void)session_->generate(20);
  auto* plan = static_cast<PlanPage*>(session_->window->page(u8("plan")));
  plan->start(shipped_deployments().front());
  QTRY_VERIFY_WITH_TIMEOUT(plan->answered(), kPatienceMs);
  walk_all("serving");
}

void TabWalkTest::charts_and_tables_say_what_they_show() {
  QStringList silent;
  for (const QString& page : session_->window->page_ids()) {
    show(page);
    if (QTest::currentTestFailed()) return;
    Page* shown = session_->window->page(page);
    for (auto* tabs : shown->findChildren<QTabWidget*>())
      for (int i = 0; i < tabs->count(); ++i) {
        tabs->setCurrentIndex(i);
        QApplication::processEvents();
        silent << silent_parts(*shown);
      }
    silent << silent_parts(*shown);
  }
  QVERIFY2(silent.isEmpty(), qPrintable(silent.join(u8(", "))));
}

QTEST_MAIN(TabWalkTest)
#include "tab_walk_test.moc"
