// SPDX-License-Identifier: GPL-3.0-or-later
// The line under the top bar: what happened, a button that does the next thing, Copy details. Several queue.
#pragma once
#include <QWidget>
#include <vector>

#include "ui/shell/page.h"

class QLabel;
class QPushButton;
class QToolButton;

namespace pitwall::ui {

class BannerBar : public QWidget {
  Q_OBJECT

 public:
  explicit BannerBar(QWidget* parent = nullptr);
  /// Worst first, then newest first, and before all what can be undone until something new is said. The same
  /// text is not queued twice. `lasting`: clear() leaves it.
  void post(const Banner& banner, bool lasting = false);
  void dismiss();  ///< the one shown
  void withdraw(const QString& text);
  void clear();
  const Banner* current() const { return queue_.empty() ? nullptr : &queue_.front().banner; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  struct Queued {
    Banner banner;
    bool lasting;
  };
  void show_front();
  std::vector<Queued> queue_;
  QLabel *icon_, *text_, *more_;
  QPushButton *verb_, *copy_;
  QToolButton* close_;
};

}  // namespace pitwall::ui
