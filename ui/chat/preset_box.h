// SPDX-License-Identifier: GPL-3.0-or-later
// PresetBox: presets to choose from, shipped ones and the user's own; saves what the fields say under a name,
// renames and deletes.
#pragma once
#include <QWidget>
#include <vector>

#include "ui/chat/chat_preferences.h"

class QComboBox;
class QLineEdit;
class QPushButton;

namespace pitwall::ui {

class Label;

class PresetBox : public QWidget {
  Q_OBJECT

 public:
  explicit PresetBox(QWidget* parent = nullptr);
  QComboBox* choice() const { return choice_; }  ///< stands elsewhere: the owner places it
  void set_presets(std::vector<ChatPreset> own);
  const std::vector<ChatPreset>& presets() const { return own_; }  ///< the user's own
  /// What the fields say now: the choice follows, as "own settings" where no preset says the same.
  void show_fields(const SamplingChoice& sampling, const QString& system_prompt);

 Q_SIGNALS:
  void chosen(const pitwall::ui::ChatPreset& preset);
  void presets_changed();  ///< saved or renamed
  void delete_requested(const pitwall::ui::ChatPreset& preset);

 private:
  std::vector<ChatPreset> all() const;
  const ChatPreset* own_chosen() const;
  void fill();
  void ask_name(bool rename);
  void take_name();
  void close_name();

  std::vector<ChatPreset> own_;
  ChatPreset fields_;  // with the name of the preset that says the same
  bool renaming_ = false;
  QComboBox* choice_;
  QWidget *buttons_, *name_row_;
  QPushButton *save_, *rename_, *remove_;
  QLineEdit* name_;
  Label* refusal_;
};

}  // namespace pitwall::ui
