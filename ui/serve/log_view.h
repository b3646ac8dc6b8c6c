// SPDX-License-Identifier: GPL-3.0-or-later
// The Log tab: the engine's log, newest line first, by level and words. A copy has what is shown.
#pragma once
#include "ui/serve/engine_log.h"
#include "ui/widgets/card.h"

class QComboBox;
class QLineEdit;
class QTimer;

namespace pitwall::ui {

class DataTable;

class LogView : public Card {
  Q_OBJECT

 public:
  explicit LogView(QWidget* parent = nullptr);

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  void look();  ///< shows what is new
  void fill();
  QComboBox* level_;
  QLineEdit* search_;
  DataTable* table_;
  Label* said_;
  QTimer* timer_;
  std::int64_t shown_ = -1;
};

}  // namespace pitwall::ui
