// SPDX-License-Identifier: GPL-3.0-or-later
// The window on its tune page, over a store in a folder; and what acts on the dialogs that it opens.
#pragma once
#include <QApplication>
#include <QDialog>
#include <QLabel>
#include <QListView>
#include <QTest>
#include <QTimer>

#include "app/common/backend_factory.h"
#include "engine/bench/checklist_template.h"
#include "engine/store/store.h"
#include "ui/shell/compose.h"
#include "ui/shell/engine_controller.h"
#include "ui/shell/preferences.h"
#include "ui/tune/tune_page.h"

namespace pitwall::test {

using namespace pitwall::ui;

constexpr int kPatienceMs = 120'000;

inline QString u8(const char* text) {
  return QString::fromUtf8(text);
}

struct TuneBench {
  explicit TuneBench(const std::filesystem::path& folder)
      : TuneBench(folder, *Store::open(folder / "pitwall.db")) {}
  TuneBench(const std::filesystem::path& folder, std::unique_ptr<Store> records)
      : preferences(folder), store(std::move(records)), engine(backend_factory(), store.get()) {
    window =
        compose_window(engine, *store, preferences, [](const std::string& name) { return find_gpu(name); });
    window->resize(1440, 900);
    window->show();
    page = static_cast<TunePage*>(window->page(u8("tune")));
    window->show_page(u8("tune"));
    (void)QTest::qWaitFor([&] { return page->session().listed(); }, kPatienceMs);
  }
  template <class T>
  T* child(const char* name) {
    auto* found = window->findChild<T*>(u8(name));
    if (found == nullptr) qFatal("no %s", name);
    return found;
  }
  const Checklist& checklist() { return *page->session().checklist(); }
  const Item& item(std::size_t index) { return checklist().items[index]; }
  bool idle() {
    return QTest::qWaitFor([&] { return !page->session().running(); }, kPatienceMs);
  }
  void key(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    child<QListView>("tune.items")->setFocus();
    QTest::keyClick(child<QListView>("tune.items"), key, modifiers);
  }
  QString text(const char* label) { return child<QLabel>(label)->text(); }

  Preferences preferences;
  std::unique_ptr<Store> store;
  EngineController engine;
  std::unique_ptr<MainWindow> window;
  TunePage* page = nullptr;
};

/// Does something with the next dialog that opens.
inline void with_dialog(const std::function<void(QDialog&)>& action) {
  auto* timer = new QTimer;
  QObject::connect(timer, &QTimer::timeout, timer, [timer, action] {
    auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget());
    if (dialog == nullptr) return;
    timer->deleteLater();
    timer->stop();
    action(*dialog);
  });
  timer->start(10);
}

template <class T>
T& part(QDialog& dialog, const char* name) {
  auto* found = dialog.findChild<T*>(u8(name));
  if (found == nullptr) qFatal("no %s", name);
  return *found;
}

inline Checklist small_steps() {
  Checklist checklist = checklist_templates().front();
  checklist.num_prompts = 12;
  return checklist;
}

}  // namespace pitwall::test
