// SPDX-License-Identifier: GPL-3.0-or-later
// The whole window, filled, at the sizes that people have, in both languages and at the largest text: it is
// as small as asked, no word is cut that has no … and no tooltip, nothing needs a sideways scroll but tables,
// and questions of charts stand whole.
#include <QAbstractButton>
#include <QAbstractItemView>
#include <QApplication>
#include <QScrollArea>
#include <QScrollBar>
#include <QTabBar>
#include <QTest>

#include "engine/bench/checklist_template.h"
#include "engine/plan/deployment.h"
#include "tests/ui/one_screen.h"
#include "tests/ui/serve_session.h"
#include "ui/plan/plan_page.h"
#include "ui/reports/reports_page.h"
#include "ui/shell/language.h"
#include "ui/tune/tune_page.h"
#include "ui/widgets/card.h"
#include "ui/widgets/text_line.h"

using namespace pitwall;
using namespace pitwall::ui;

namespace {

constexpr int kUsualText = 100, kLargestText = 150;  // percent
const QSize kSmallScreen(1366, 728);                 // of 1366 × 768, without the desktop's bar
constexpr int kSettleMs = 2000;                      // layouts follow within a few turns

QString u8(const char* text) {
  return QString::fromUtf8(text);
}

QString where(const QWidget& widget) {
  QStringList names;
  for (const QWidget* one = &widget; one != nullptr; one = one->parentWidget())
    if (!one->objectName().isEmpty() && !one->objectName().startsWith(u8("qt_")))
      names.prepend(one->objectName());
  return names.join(u8(" › "));
}

/// Wholly in sight as far as its parents go: what a page scrolls to is as well.
bool shown(const QWidget& widget) {
  return widget.isVisible() && !widget.window()->isHidden();
}

void find_cut_label(const QLabel& label, QStringList& cut) {
  if (label.text().isEmpty() || label.textFormat() == Qt::RichText ||
      !label.pixmap(Qt::ReturnByValue).isNull())
    return;
  const int wide = label.contentsRect().width();
  if (label.wordWrap()) {
    if (label.heightForWidth(label.width()) > label.height() + 1)
      cut << u8("%1: “%2” has %3 of %4 px height")
                 .arg(where(label), label.text())
                 .arg(label.height())
                 .arg(label.heightForWidth(label.width()));
  } else if (const int needed = label.fontMetrics().size(Qt::TextShowMnemonic, label.text()).width();
             needed > wide + 1) {
    const bool elided = qobject_cast<const ElidedLabel*>(&label) != nullptr;
    if (!elided || label.toolTip().isEmpty())
      cut << u8("%1: “%2” has %3 of %4 px").arg(where(label), label.text()).arg(wide).arg(needed);
  }
}

void find_cut_button(const QAbstractButton& button, QStringList& cut) {
  if (button.text().isEmpty() || button.metaObject()->className() == QByteArray("pitwall::ui::FixButton"))
    return;
  const int needed = button.fontMetrics().size(Qt::TextShowMnemonic, button.text()).width() +
                     (button.icon().isNull() ? 0 : button.iconSize().width());
  if (needed > button.width())
    cut << u8("%1: “%2” has %3 of %4 px").arg(where(button), button.text()).arg(button.width()).arg(needed);
}

/// What does not fit on the page that is shown.
QStringList cut_words(const QWidget& window) {
  QStringList cut;
  for (const QWidget* widget : window.findChildren<QWidget*>()) {
    if (!shown(*widget)) continue;
    if (const auto* label = qobject_cast<const QLabel*>(widget)) find_cut_label(*label, cut);
    if (const auto* button = qobject_cast<const QAbstractButton*>(widget)) find_cut_button(*button, cut);
    if (const auto* line = qobject_cast<const TextLine*>(widget);
        line && line->width() < line->sizeHint().width())
      cut << u8("%1: “%2” has %3 of %4 px")
                 .arg(where(*line), line->text())
                 .arg(line->width())
                 .arg(line->sizeHint().width());
    if (const auto* area = qobject_cast<const QScrollArea*>(widget);
        area && area->horizontalScrollBar()->maximum() > 0)
      cut << u8("%1 scrolls sideways by %2 px").arg(where(*area)).arg(area->horizontalScrollBar()->maximum());
  }
  return cut;
}

/// Titles, units and questions of cards that end in "…".
QStringList cut_headers(const QWidget& window) {
  QStringList cut;
  for (const Card* card : window.findChildren<Card*>())
    for (const ElidedLabel* label : card->findChildren<ElidedLabel*>(QString(), Qt::FindDirectChildrenOnly))
      if (shown(*label) && !label->toolTip().isEmpty())
        cut << u8("%1: “%2”").arg(where(*card), label->text());
  return cut;
}

}  // namespace

class WindowSizesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void nothing_is_cut_data();
  void nothing_is_cut();

 private:
  void fill(test::ServeSession& session);
  test::TemporaryFolder home_;
  std::filesystem::path model_;
};

void WindowSizesTest::initTestCase() {
  qputenv("PITWALL_HOME", QByteArray::fromStdString(home_.path().string()));
  model_ = test::write_tiny_model(home_.path());
  Theme::current().set_mode(ThemeMode::light);
}

/// A plan of three alternatives, a checklist measured, an engine that has served.
void WindowSizesTest::fill(test::ServeSession& session) {
  auto* plan = static_cast<PlanPage*>(session.window->page(u8("plan")));
  const auto& shipped = shipped_deployments();
  plan->compare({shipped[0], shipped[1], shipped[2]});
  auto* tune = static_cast<TunePage*>(session.window->page(u8("tune")));
  Checklist checklist = checklist_templates().front();
  checklist.num_prompts = 12;
  QTRY_VERIFY_WITH_TIMEOUT(tune->session().listed(), test::kPatienceMs);
  tune->start(checklist);
  tune->session().run(open_items(checklist));
  QTRY_VERIFY_WITH_TIMEOUT(!tune->session().running(), test::kPatienceMs);
  tune->choose(static_cast<int>(checklist.items.size()) - 1);
  QTRY_VERIFY_WITH_TIMEOUT(plan->answered(), test::kPatienceMs);
  session.serve_model(model_);
  session.generate(8);
  static_cast<ReportsPage*>(session.window->page(u8("reports")))->open_run(1);
}

void WindowSizesTest::nothing_is_cut_data() {
  QTest::addColumn<int>("language");
  QTest::addColumn<int>("text");
  for (const int text : {kUsualText, kLargestText}) {
    QTest::addRow("English, %d %%", text) << static_cast<int>(Language::english) << text;
    QTest::addRow("Chinese, %d %%", text) << static_cast<int>(Language::chinese) << text;
  }
}

void WindowSizesTest::nothing_is_cut() {
  QFETCH(int, language);
  QFETCH(int, text);
  speak(static_cast<Language>(language));
  Theme::current().set_text_percent(text);
  const test::TemporaryFolder data;
  test::ServeSession session(data.path());
  const bool usual = text == kUsualText;
  std::vector<QSize> sizes = {QSize(1280, 800), QSize(1440, 900), QSize(units(260), units(160))};
  if (!usual) sizes = {kSmallScreen, QSize(1440, 900)};
  session.window->resize(sizes.front());  // what comes later finds its room without a resize too
  fill(session);
  QStringList cut;
  for (const QSize size : sizes) {
    session.window->resize(size);
    if (session.window->size() != size)
      cut << u8("the window is %1×%2").arg(session.window->width()).arg(session.window->height());
    for (const QString& page : session.window->page_ids()) {
      session.window->show_page(page);
      const auto* tabs = session.window->findChild<QTabBar*>(page + u8(".narrowTabs"));
      for (int tab = 0; tab < (tabs && tabs->isVisible() ? tabs->count() : 1); ++tab) {
        if (tabs && tabs->isVisible()) const_cast<QTabBar*>(tabs)->setCurrentIndex(tab);
        (void)QTest::qWaitFor([&] { return cut_words(*session.window).isEmpty(); }, kSettleMs);
        QStringList found = cut_words(*session.window);
        if (page == u8("serve") && usual && size.width() >= 1440) found << cut_headers(*session.window);
        for (const QString& one : found) cut << u8("%1×%2 %3").arg(size.width()).arg(size.height()).arg(one);
      }
    }
  }
  cut.removeDuplicates();
  for (const QString& one : cut) qWarning().noquote() << one;
  QCOMPARE(cut.size(), 0);
}

/// On the smallest screen that people still have.
int main(int argc, char** argv) {
  return test::run_on_screen<WindowSizesTest>(1366, 728, argc, argv);
}

#include "window_sizes_test.moc"
