// SPDX-License-Identifier: GPL-3.0-or-later
// The reports page over a store of its own, driven as a person would.
#pragma once
#include <algorithm>
#include <memory>
#include <vector>

#include "app/common/backend_factory.h"
#include "engine/store/store.h"
#include "tests/support/test_support.h"
#include "ui/reports/reports_page.h"
#include "ui/shell/engine_controller.h"

namespace pitwall::test {

struct ReportsSession {
  TemporaryFolder folder;
  std::unique_ptr<Store> store;
  std::unique_ptr<ui::EngineController> engine;
  std::unique_ptr<ui::ReportsPage> page;
  std::vector<ui::Banner> banners;

  ReportsSession() {
    auto opened = Store::open(folder.path() / "pitwall.db");
    if (!opened) qFatal("%s", opened.error().text().c_str());
    store = std::move(*opened);
    engine = std::make_unique<ui::EngineController>(backend_factory(), store.get());
  }
  /// A second one takes the place of the first.
  void open_page(int width = 1300, int height = 800) {
    page.reset();
    page = std::make_unique<ui::ReportsPage>(*engine, *store);
    QObject::connect(page.get(), &ui::Page::banner_requested, page.get(),
                     [this](const ui::Banner& banner) { banners.push_back(banner); });
    page->resize(width, height);
    page->show();
  }
  template <class Widget>
  Widget* find(const char* id) const {
    auto* widget = page->findChild<Widget*>(QLatin1String(id));
    if (!widget) qFatal("no %s", id);
    return widget;
  }
  bool has_banner(const QString& words) const {
    return std::any_of(banners.begin(), banners.end(),
                       [&](const ui::Banner& banner) { return banner.text.contains(words); });
  }
};

}  // namespace pitwall::test
