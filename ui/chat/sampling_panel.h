// SPDX-License-Identifier: GPL-3.0-or-later
// The right column: how tokens are chosen, and the system prompt.
#pragma once
#include <QWidget>

#include "engine/step/sampling_params.h"
#include "ui/chat/chat_preferences.h"

class QDoubleSpinBox;
class QLineEdit;
class QPlainTextEdit;
class QSpinBox;

namespace pitwall::ui {

class SamplingPanel : public QWidget {
  Q_OBJECT

 public:
  explicit SamplingPanel(QWidget* parent = nullptr);
  SamplingChoice choice() const;
  void set_choice(const SamplingChoice& choice);
  QString system_prompt() const;
  void set_system_prompt(const QString& text);

 Q_SIGNALS:
  void changed();

 private:
  QDoubleSpinBox *temperature_, *top_p_, *min_p_;
  QSpinBox *top_k_, *max_tokens_;
  QLineEdit* seed_;
  QPlainTextEdit* system_prompt_;
};

/// With a random seed where none is chosen.
SamplingParams sampling_params(const SamplingChoice& choice);

}  // namespace pitwall::ui
