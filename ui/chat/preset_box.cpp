// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/preset_box.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/shell/theme.h"
#include "ui/widgets/card.h"

namespace pitwall::ui {

namespace {

constexpr int kLongestName = 40;

const ChatPreset* named(const std::vector<ChatPreset>& presets, const QString& name) {
  const auto found = std::find_if(presets.begin(), presets.end(), [&](const ChatPreset& preset) {
    return preset.name.compare(name, Qt::CaseInsensitive) == 0;
  });
  return found == presets.end() ? nullptr : &*found;
}

QPushButton* compact_button(const QString& text, const char* id) {
  auto* button = new QPushButton(text);
  button->setObjectName(QLatin1String(id));
  button->setProperty("compact", true);
  button->setAccessibleName(QString(text).remove(QChar(0x2026)));
  return button;
}

}  // namespace

PresetBox::PresetBox(QWidget* parent) : QWidget(parent) {
  choice_ = new QComboBox;
  choice_->setObjectName(QStringLiteral("chat.preset"));
  choice_->setAccessibleName(tr("Preset"));
  choice_->view()->setAccessibleName(tr("Presets"));
  choice_->setAccessibleDescription(tr("Sampling, and with some presets a system prompt"));
  choice_->setProperty("compact", true);
  choice_->setSizeAdjustPolicy(QComboBox::AdjustToContents);

  save_ = compact_button(tr("Save preset…"), "chat.savePreset");
  rename_ = compact_button(tr("Rename…"), "chat.renamePreset");
  remove_ = compact_button(tr("Delete"), "chat.deletePreset");
  buttons_ = new QWidget(this);
  auto* buttons = new QHBoxLayout(buttons_);
  buttons->setContentsMargins(0, 0, 0, 0);
  buttons->setSpacing(units(1));
  for (QPushButton* button : {save_, rename_, remove_}) buttons->addWidget(button);
  buttons->addStretch(1);

  name_row_ = new QWidget(this);
  name_ = new QLineEdit;
  name_->setObjectName(QStringLiteral("chat.presetName"));
  name_->setAccessibleName(tr("Name of the preset"));
  name_->setPlaceholderText(tr("Name of the preset"));
  name_->setMaxLength(kLongestName);
  name_->setProperty("compact", true);
  auto* take = compact_button(tr("Save"), "chat.takePresetName");
  auto* cancel = compact_button(tr("Cancel"), "chat.cancelPresetName");
  refusal_ = new Label({}, FontRole::small, Colour::bad);
  refusal_->setObjectName(QStringLiteral("chat.presetRefusal"));
  refusal_->setWordWrap(true);
  auto* line = new QHBoxLayout;
  line->setSpacing(units(1));
  line->addWidget(take);
  line->addWidget(cancel);
  line->addStretch(1);
  auto* column = new QVBoxLayout(name_row_);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(units(1));
  column->addWidget(name_);
  column->addLayout(line);
  column->addWidget(refusal_);

  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(buttons_);
  layout->addWidget(name_row_);
  close_name();
  fill();

  connect(choice_, &QComboBox::activated, this, [this](int index) {
    if (const auto presets = all(); index < static_cast<int>(presets.size()))
      Q_EMIT chosen(presets[static_cast<std::size_t>(index)]);
  });
  connect(save_, &QPushButton::clicked, this, [this] { ask_name(false); });
  connect(rename_, &QPushButton::clicked, this, [this] { ask_name(true); });
  connect(remove_, &QPushButton::clicked, this, [this] {
    if (const ChatPreset* preset = own_chosen()) Q_EMIT delete_requested(ChatPreset(*preset));
  });
  connect(take, &QPushButton::clicked, this, &PresetBox::take_name);
  connect(name_, &QLineEdit::returnPressed, this, &PresetBox::take_name);
  connect(cancel, &QPushButton::clicked, this, &PresetBox::close_name);
}

std::vector<ChatPreset> PresetBox::all() const {
  std::vector<ChatPreset> presets = shipped_presets();
  presets.insert(presets.end(), own_.begin(), own_.end());
  return presets;
}

const ChatPreset* PresetBox::own_chosen() const {
  return named(own_, choice_->currentText());
}

void PresetBox::set_presets(std::vector<ChatPreset> own) {
  own_ = std::move(own);
  fill();
}

void PresetBox::show_fields(const SamplingChoice& sampling, const QString& system_prompt) {
  fields_.sampling = sampling;
  fields_.system_prompt = system_prompt;
  fill();
}

/// A preset with a system prompt is a closer match than one without. Of two that say the same, the one that
/// was chosen stays.
void PresetBox::fill() {
  const QSignalBlocker quiet(choice_);
  const QString before = choice_->currentText();
  const auto presets = all();
  choice_->clear();
  int match = -1, closeness = 0;
  for (std::size_t i = 0; i < presets.size(); ++i) {
    const ChatPreset& preset = presets[i];
    choice_->addItem(preset.name);
    const bool same_prompt = preset.system_prompt == fields_.system_prompt;
    if (preset.sampling != fields_.sampling || !(same_prompt || preset.system_prompt.isEmpty())) continue;
    const int own_closeness = 1 + 2 * same_prompt + (preset.name == before);
    if (own_closeness > closeness) match = static_cast<int>(i);
    closeness = std::max(closeness, own_closeness);
  }
  if (match < 0) {
    choice_->addItem(tr("own settings"));
    match = choice_->count() - 1;
  }
  choice_->setCurrentIndex(match);
  rename_->setVisible(own_chosen() != nullptr);
  remove_->setVisible(own_chosen() != nullptr);
}

void PresetBox::ask_name(bool rename) {
  renaming_ = rename;
  refusal_->hide();
  buttons_->hide();
  name_row_->show();
  name_->setText(own_chosen() ? own_chosen()->name : QString());
  name_->setFocus();
  name_->selectAll();
}

void PresetBox::close_name() {
  name_row_->hide();
  buttons_->show();
}

/// Saving under the name of an own preset replaces it; renaming never does.
void PresetBox::take_name() {
  const QString name = name_->text().simplified();
  const ChatPreset* old = own_chosen();
  const ChatPreset* same = named(own_, name);
  const bool taken = named(shipped_presets(), name) || (renaming_ && same && same != old);
  if (name.isEmpty() || taken || (renaming_ && !old)) {
    refusal_->setText(taken ? tr("Another preset is called “%1”. Choose another name.").arg(name)
                            : tr("A preset needs a name."));
    refusal_->show();
    return;
  }
  const ChatPreset saved{name, fields_.sampling, fields_.system_prompt};
  if (renaming_) {
    own_[static_cast<std::size_t>(old - own_.data())].name = name;
  } else if (same) {
    own_[static_cast<std::size_t>(same - own_.data())] = saved;
  } else {
    own_.push_back(saved);
  }
  choice_->setItemText(choice_->currentIndex(), name);  // the one that stays chosen
  fill();
  close_name();
  Q_EMIT presets_changed();
}

}  // namespace pitwall::ui
