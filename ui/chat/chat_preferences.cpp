// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/chat_preferences.h"

#include <QCoreApplication>

#include "engine/base/file.h"

namespace pitwall::ui {

namespace {

struct Presets {
  Q_DECLARE_TR_FUNCTIONS(Presets)
};

const QString kSampling = QStringLiteral("sampling"), kPresets = QStringLiteral("presets"),
              kName = QStringLiteral("name"), kSystemPrompt = QStringLiteral("system_prompt"),
              kTemperature = QStringLiteral("temperature"), kTopP = QStringLiteral("top_p"),
              kMinP = QStringLiteral("min_p"), kTopK = QStringLiteral("top_k"),
              kMaxTokens = QStringLiteral("max_tokens"), kSeed = QStringLiteral("seed"),
              kStop = QStringLiteral("stop"), kDraft = QStringLiteral("draft"),
              kDraftFiles = QStringLiteral("draft_files");

/// Of the group that is open.
SamplingChoice read_choice(const QSettings& file) {
  SamplingChoice choice;
  choice.temperature = file.value(kTemperature, choice.temperature).toDouble();
  choice.top_p = file.value(kTopP, choice.top_p).toDouble();
  choice.min_p = file.value(kMinP, choice.min_p).toDouble();
  choice.top_k = file.value(kTopK, choice.top_k).toInt();
  choice.max_tokens = file.value(kMaxTokens, choice.max_tokens).toInt();
  choice.seed = file.value(kSeed).toString();
  choice.stop = file.value(kStop).toString();
  return choice;
}

void write_choice(QSettings& file, const SamplingChoice& choice) {
  file.setValue(kTemperature, choice.temperature);
  file.setValue(kTopP, choice.top_p);
  file.setValue(kMinP, choice.min_p);
  file.setValue(kTopK, choice.top_k);
  file.setValue(kMaxTokens, choice.max_tokens);
  file.setValue(kSeed, choice.seed);
  file.setValue(kStop, choice.stop);
}

QString group_of(qint64 chat) {
  return chat == 0 ? QString() : QStringLiteral("chat%1/").arg(chat);
}

}  // namespace

std::vector<ChatPreset> shipped_presets() {
  const SamplingChoice balanced;
  SamplingChoice precise = balanced, varied = balanced, repeatable = balanced;
  precise.temperature = 0;
  varied.temperature = 1.1;
  varied.min_p = 0.1;
  varied.top_p = 1;
  repeatable.seed = QStringLiteral("1");
  return {
      {Presets::tr("Balanced"), balanced, {}},
      {Presets::tr("Precise"), precise, {}},
      {Presets::tr("Varied"), varied, {}},
      {Presets::tr("Repeatable"), repeatable, {}},
      {Presets::tr("Short answers"), balanced,
       Presets::tr(
           "Answer in short sentences. Name the number, the likely cause and the next action. When you "
           "are not sure, say what you would measure.")},
      {Presets::tr("Code"), precise,
       Presets::tr(
           "You help a programmer. Answer with code in one block with its language named, then explain "
           "what is not obvious in a few lines.")},
  };
}

ChatPreferences::ChatPreferences()
    : file_(QString::fromStdString((config_folder() / "chat.ini").string()), QSettings::IniFormat) {}

SamplingChoice ChatPreferences::sampling() {
  file_.beginGroup(kSampling);
  const SamplingChoice choice = read_choice(file_);
  file_.endGroup();
  return choice;
}

void ChatPreferences::set_sampling(const SamplingChoice& choice) {
  file_.beginGroup(kSampling);
  write_choice(file_, choice);
  file_.endGroup();
}

std::vector<ChatPreset> ChatPreferences::presets() {
  std::vector<ChatPreset> presets;
  const int count = file_.beginReadArray(kPresets);
  for (int i = 0; i < count; ++i) {
    file_.setArrayIndex(i);
    presets.push_back(
        {file_.value(kName).toString(), read_choice(file_), file_.value(kSystemPrompt).toString()});
  }
  file_.endArray();
  return presets;
}

void ChatPreferences::set_presets(const std::vector<ChatPreset>& presets) {
  file_.remove(kPresets);
  file_.beginWriteArray(kPresets, static_cast<int>(presets.size()));
  for (std::size_t i = 0; i < presets.size(); ++i) {
    file_.setArrayIndex(static_cast<int>(i));
    file_.setValue(kName, presets[i].name);
    file_.setValue(kSystemPrompt, presets[i].system_prompt);
    write_choice(file_, presets[i].sampling);
  }
  file_.endArray();
  file_.sync();
}

QString ChatPreferences::system_prompt() const {
  return file_.value(kSystemPrompt).toString();
}
void ChatPreferences::set_system_prompt(const QString& text) {
  file_.setValue(kSystemPrompt, text);
}

ChatDraft ChatPreferences::draft(qint64 chat) const {
  const QString group = group_of(chat);
  return {file_.value(group + kDraft).toString(), file_.value(group + kDraftFiles).toStringList()};
}

void ChatPreferences::set_draft(qint64 chat, const ChatDraft& draft) {
  const auto keep = [this, group = group_of(chat)](const QString& key, const auto& value) {
    value.isEmpty() ? file_.remove(group + key) : file_.setValue(group + key, value);
  };
  keep(kDraft, draft.text);
  keep(kDraftFiles, draft.files);
  file_.sync();
}

}  // namespace pitwall::ui
