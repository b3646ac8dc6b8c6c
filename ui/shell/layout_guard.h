// SPDX-License-Identifier: GPL-3.0-or-later
// LayoutGuard: no window is painted before its layouts have followed what changed. A paint that was asked for
// earlier comes between a change and its layout, and on a busy machine that picture stands for seconds: cards
// over each other, words cut.
#pragma once
#include <QObject>

namespace pitwall::ui {

/// Watches every window of the application from its construction on.
class LayoutGuard : public QObject {
  Q_OBJECT

 public:
  explicit LayoutGuard(QObject* parent);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  bool followed_ = false;  ///< a layout, since it was last asked
};

}  // namespace pitwall::ui
