// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/reports/reports_page.h"

namespace pitwall::ui {

struct ReportsPage::State {
  EngineController& engine;
  Store& store;
};

ReportsPage::ReportsPage(EngineController& engine, Store& store, QWidget* parent)
    : Page(parent), state_(new State{engine, store}) {
  setObjectName(id());
}

ReportsPage::~ReportsPage() = default;

QString ReportsPage::id() const { return QStringLiteral("reports"); }
QString ReportsPage::title() const { return tr("Reports"); }
QList<QAction*> ReportsPage::page_actions() { return {}; }
void ReportsPage::activated() {}
void ReportsPage::open_run(qint64) {}

}  // namespace pitwall::ui
