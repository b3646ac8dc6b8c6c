// SPDX-License-Identifier: GPL-3.0-or-later
// DialogKeys: no shortcut of a window acts while a dialog is open over it. Qt keeps mouse and keys from such
// a window, but not its shortcuts, and a busy desktop gives the dialog the focus late.
#pragma once
#include <QObject>

class QWidget;

namespace pitwall::ui {

class DialogKeys : public QObject {
  Q_OBJECT

 public:
  explicit DialogKeys(QWidget* window);  ///< whose shortcuts are held back; it owns this

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace pitwall::ui
