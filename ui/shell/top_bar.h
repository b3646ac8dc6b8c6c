// SPDX-License-Identifier: GPL-3.0-or-later
// The bar over the page: title, the page's selectors, the engine's state, the page's actions as buttons,
// those without room in a menu.
#pragma once
#include <QWidget>

#include "engine/telemetry/snapshot.h"

class QAction;
class QHBoxLayout;
class QMenu;
class QPushButton;

namespace pitwall::ui {

class Label;
class Page;
class Tag;

class TopBar : public QWidget {
  Q_OBJECT

 public:
  explicit TopBar(QWidget* parent = nullptr);
  void add_page(Page& page);  ///< makes its buttons once
  void show_page(const Page& page);
  void show_state(EngineState state);
  QSize minimumSizeHint() const override;

 protected:
  bool event(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  struct Parts {
    const Page* page;
    QWidget *context, *actions;
    QList<QWidget*> fixed = {};  // among the buttons
    QList<std::pair<QAction*, QPushButton*>> buttons = {};
    QPushButton* more = nullptr;  // what has no room in the bar
    QMenu* menu = nullptr;
  };
  void fold(const Parts& parts);
  void fold_shown();
  Label* title_;
  Tag* state_;
  QHBoxLayout *contexts_, *actions_;
  QList<Parts> pages_;
};

}  // namespace pitwall::ui
