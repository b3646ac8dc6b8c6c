// SPDX-License-Identifier: GPL-3.0-or-later
// ProgressStrip: one line over the live view while something goes on beside serving: how far it is, and
// Cancel.
#pragma once
#include "ui/widgets/card.h"

class QProgressBar;

namespace pitwall::ui {

class ProgressStrip : public Card {
  Q_OBJECT

 public:
  struct Words {
    QString id;        ///< object name; the words' and the button's follow from it
    QString bar_name;  ///< accessible
    QString cancel;    ///< "Cancel fetch"
  };
  explicit ProgressStrip(const Words& words, QWidget* parent = nullptr);  ///< hidden
  /// `total` 0: nobody knows how much there is.
  void show_progress(const QString& text, std::int64_t done, std::int64_t total);

 Q_SIGNALS:
  void cancelled();

 private:
  Label* said_;
  QProgressBar* bar_;
};

}  // namespace pitwall::ui
