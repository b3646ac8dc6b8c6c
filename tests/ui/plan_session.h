// SPDX-License-Identifier: GPL-3.0-or-later
// The real window with the plan page, driven as a person would.
#pragma once
#include <QComboBox>
#include <QLineEdit>
#include <QTest>
#include <filesystem>
#include <memory>

#include "app/common/backend_factory.h"
#include "engine/store/store.h"
#include "ui/plan/plan_form.h"
#include "ui/plan/plan_page.h"
#include "ui/plan/rank_bars.h"
#include "ui/shell/compose.h"
#include "ui/shell/engine_controller.h"
#include "ui/shell/main_window.h"
#include "ui/shell/preferences.h"
#include "ui/widgets/data_table.h"

namespace pitwall::test {

inline constexpr int kPatienceMs = 60'000;

inline QString u8(const char* text) {
  return QString::fromUtf8(text);
}

struct PlanSession {
  explicit PlanSession(const std::filesystem::path& folder)
      : preferences(folder),
        store(*Store::open(folder / "pitwall.db")),
        engine(backend_factory(), store.get()) {
    window = ui::compose_window(engine, *store, preferences,
                                [](const std::string& name) { return find_gpu(name); });
    window->resize(1440, 900);
    window->show();
    plan = static_cast<ui::PlanPage*>(window->page(u8("plan")));
  }
  template <class T>
  T* child(const char* name) {
    return window->findChild<T*>(u8(name));
  }
  bool answers() {
    return QTest::qWaitFor([&] { return plan->answered(); }, kPatienceMs);
  }
  void start(const Deployment& deployment) {
    plan->start(deployment);
    QVERIFY(answers());
    QVERIFY(answer() != nullptr);
  }
  /// As a person would: select all, type, Enter.
  void type(const char* field, const char* text) {
    auto* edit = child<QLineEdit>(field);
    edit->setFocus();
    edit->selectAll();
    QTest::keyClick(edit, Qt::Key_Delete);
    QTest::keyClicks(edit, u8(text));
    QTest::keyClick(edit, Qt::Key_Return);
  }
  void choose(const char* box, const QString& text) {
    auto* combo = child<QComboBox>(box);
    combo->setCurrentIndex(combo->findText(text));
    Q_EMIT combo->activated(combo->currentIndex());
    Q_EMIT combo->textActivated(text);
  }
  const Deployment& asked() { return child<ui::PlanForm>("plan.form")->deployment(); }
  std::shared_ptr<const DeploymentPlan> answer() {
    for (const ui::RankBarEntry& entry : child<ui::RankBars>("plan.rankBars")->entries())
      if (entry.subject) return entry.plan;
    return nullptr;
  }
  int rows() { return child<ui::DataTable>("plan.alternatives.table")->model()->rowCount(); }

  ui::Preferences preferences;
  std::unique_ptr<Store> store;
  ui::EngineController engine;
  std::unique_ptr<ui::MainWindow> window;
  ui::PlanPage* plan = nullptr;
};

inline Deployment documents() {
  for (const Deployment& deployment : shipped_deployments())
    if (deployment.name == "Chat with long documents") return deployment;
  return {};
}

}  // namespace pitwall::test
