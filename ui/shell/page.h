// SPDX-License-Identifier: GPL-3.0-or-later
// What every page of the window offers to the frame around it.
#pragma once
#include <QAction>
#include <QList>
#include <QString>
#include <QWidget>
#include <functional>

#include "engine/base/result.h"

namespace pitwall::ui {

/// One line under the top bar: what happened with its number, and a button that does the next thing.
struct Banner {
  enum class Severity { good, warn, bad };
  Severity severity = Severity::bad;
  QString text;
  QString verb;                  ///< empty = no button
  std::function<void()> action;  ///< on the UI thread
  QString details;               ///< for Copy details; empty = text
};
Banner banner_of(const Error& error);  ///< bad, with the error's text; the caller adds the verb

class Page : public QWidget {
  Q_OBJECT

 public:
  using QWidget::QWidget;
  virtual QString id() const = 0;     ///< "serve": object name of the page and its rail button
  virtual QString title() const = 0;  ///< translated
  virtual QList<QWidget*> context_widgets() { return {}; }  ///< selectors beside the title, created once
  virtual QList<QAction*> page_actions() {
    return {};
  }                            ///< buttons at the right end, with ids, keys and names
  virtual void activated() {}  ///< the page becomes visible

 Q_SIGNALS:
  void banner_requested(const pitwall::ui::Banner& banner);
};

}  // namespace pitwall::ui
