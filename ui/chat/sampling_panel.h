// SPDX-License-Identifier: GPL-3.0-or-later
// The right column: how tokens are chosen, the system prompt, presets of both, and what the last request had
// to compute.
#pragma once
#include <QWidget>

#include "engine/step/sampling_params.h"
#include "ui/chat/chat_preferences.h"

class QDoubleSpinBox;
class QGridLayout;
class QLineEdit;
class QPlainTextEdit;
class QSpinBox;

namespace pitwall::ui {

class Card;
class PresetBox;
class RequestCard;

class SamplingPanel : public QWidget {
  Q_OBJECT

 public:
  explicit SamplingPanel(QWidget* parent = nullptr);
  SamplingChoice choice() const;
  void set_choice(const SamplingChoice& choice);
  QString system_prompt() const;
  void set_system_prompt(const QString& text);
  void set_prompt_tokens(qint64 tokens);  ///< of the system prompt; 0: not known
  PresetBox* presets() const { return presets_; }
  RequestCard* request() const { return request_; }

 Q_SIGNALS:
  void changed();

 private:
  void make_fields();
  QGridLayout* lay_out_fields();
  QWidget* make_system_card();
  void connect_fields();
  QDoubleSpinBox *temperature_, *top_p_, *min_p_;
  QSpinBox *top_k_, *max_tokens_;
  QLineEdit *seed_, *stop_;
  PresetBox* presets_;
  Card* system_card_;
  QPlainTextEdit* system_prompt_;
  RequestCard* request_;
};

/// Of the text of the stop field.
std::vector<std::string> stop_strings(const QString& typed);

/// With a random seed where none is chosen.
SamplingParams sampling_params(const SamplingChoice& choice);

}  // namespace pitwall::ui
