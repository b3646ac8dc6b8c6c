// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/compose.h"

#include "ui/chat/chat_page.h"
#include "ui/plan/plan_page.h"
#include "ui/reports/reports_page.h"
#include "ui/serve/live_view.h"
#include "ui/serve/serve_page.h"
#include "ui/shell/settings_page.h"
#include "ui/tune/tune_page.h"

namespace pitwall::ui {

std::unique_ptr<MainWindow> compose_window(
    EngineController& engine, Store& store, Preferences& preferences,
    std::function<Result<GpuProfile>(const std::string& name)> find_gpu) {
  auto window = std::make_unique<MainWindow>(engine, preferences);
  auto* plan = new PlanPage(engine, store, preferences, find_gpu);
  auto* serve = new ServePage(engine, preferences);
  auto* chat = new ChatPage(engine, store, preferences);
  auto* tune = new TunePage(engine, store, std::move(find_gpu));
  auto* reports = new ReportsPage(engine, store);
  window->add_page(plan, QStringLiteral("plan"), Qt::CTRL | Qt::Key_1);
  window->add_page(serve, QStringLiteral("serve"), Qt::CTRL | Qt::Key_2);
  window->add_page(chat, QStringLiteral("chat"), Qt::CTRL | Qt::Key_3);
  window->add_page(tune, QStringLiteral("tune"), Qt::CTRL | Qt::Key_5);
  window->add_page(reports, QStringLiteral("reports"), Qt::CTRL | Qt::Key_7);
  auto* settings = new SettingsPage(engine, preferences, window->registry());
  window->add_page(settings, QStringLiteral("settings"), Qt::CTRL | Qt::Key_Comma, true);
  QObject::connect(settings, &SettingsPage::layout_reset_requested, window.get(), &MainWindow::reset_layout);
  QObject::connect(plan, &PlanPage::serve_requested, serve, &ServePage::take_plan);
  QObject::connect(serve, &ServePage::page_requested, window.get(), &MainWindow::show_page);
  QObject::connect(serve, &ServePage::run_requested, window.get(),
                   [reports, window = window.get()](qint64 run) {
                     window->show_page(reports->id());
                     reports->open_run(run);
                   });
  QObject::connect(chat, &ChatPage::page_requested, window.get(), &MainWindow::show_page);
  QObject::connect(
      chat, &ChatPage::steps_requested, window.get(),
      [serve, window = window.get()](const RequestRecord& request) {
        const auto utc = [&request](Nanos steady) {
          return static_cast<double>(request.arrival_utc + steady - request.arrival) / kNanosPerSecond;
        };
        window->show_page(serve->id());
        if (!serve->findChild<LiveView*>()->show_step_between(utc(request.scheduled), utc(request.finished)))
          window->post({Banner::Severity::warn,
                        ChatPage::tr("The steps of this request are held no more. Its run is in Reports."),
                        {},
                        {},
                        {}});
      });
  QObject::connect(tune, &TunePage::page_requested, window.get(), &MainWindow::show_page);
  QObject::connect(reports, &ReportsPage::page_requested, window.get(), &MainWindow::show_page);
  QObject::connect(reports, &ReportsPage::checklist_found, window.get(), &MainWindow::open_path);
  return window;
}

}  // namespace pitwall::ui
