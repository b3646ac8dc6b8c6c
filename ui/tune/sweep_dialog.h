// SPDX-License-Identifier: GPL-3.0-or-later
// "Run sweep…": one setting over a list of values, as an item that is measured at once.
#pragma once
#include <QDialog>

#include "engine/settings/settings.h"
#include "engine/telemetry/checklist.h"

class QComboBox;
class QLineEdit;

namespace pitwall::ui {

class Label;

class SweepDialog : public QDialog {
  Q_OBJECT

 public:
  /// `base`: what holds before it.
  SweepDialog(const Checklist& checklist, const Settings& base, QWidget* parent = nullptr);
  const Item& item() const { return item_; }  ///< after Accepted; its id is 0

 private:
  void follow_setting();
  void accept_if_sound();
  void refuse(const QString& text);

  const Checklist& checklist_;
  const Settings& base_;
  Item item_;
  QComboBox* setting_;
  QLineEdit* values_;
  Label *from_, *trouble_;
};

}  // namespace pitwall::ui
