// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/chat_preferences.h"

#include "engine/base/file.h"

namespace pitwall::ui {

namespace {

const QString kTemperature = QStringLiteral("sampling/temperature"), kTopP = QStringLiteral("sampling/top_p"),
              kMinP = QStringLiteral("sampling/min_p"), kTopK = QStringLiteral("sampling/top_k"),
              kMaxTokens = QStringLiteral("sampling/max_tokens"), kSeed = QStringLiteral("sampling/seed"),
              kSystemPrompt = QStringLiteral("system_prompt"), kDraft = QStringLiteral("draft");

}  // namespace

ChatPreferences::ChatPreferences()
    : file_(QString::fromStdString((config_folder() / "chat.ini").string()), QSettings::IniFormat) {}

SamplingChoice ChatPreferences::sampling() const {
  SamplingChoice choice;
  choice.temperature = file_.value(kTemperature, choice.temperature).toDouble();
  choice.top_p = file_.value(kTopP, choice.top_p).toDouble();
  choice.min_p = file_.value(kMinP, choice.min_p).toDouble();
  choice.top_k = file_.value(kTopK, choice.top_k).toInt();
  choice.max_tokens = file_.value(kMaxTokens, choice.max_tokens).toInt();
  choice.seed = file_.value(kSeed).toString();
  return choice;
}

void ChatPreferences::set_sampling(const SamplingChoice& choice) {
  file_.setValue(kTemperature, choice.temperature);
  file_.setValue(kTopP, choice.top_p);
  file_.setValue(kMinP, choice.min_p);
  file_.setValue(kTopK, choice.top_k);
  file_.setValue(kMaxTokens, choice.max_tokens);
  file_.setValue(kSeed, choice.seed);
}

QString ChatPreferences::system_prompt() const {
  return file_.value(kSystemPrompt).toString();
}
void ChatPreferences::set_system_prompt(const QString& text) {
  file_.setValue(kSystemPrompt, text);
}
QString ChatPreferences::draft() const {
  return file_.value(kDraft).toString();
}

void ChatPreferences::set_draft(const QString& text) {
  file_.setValue(kDraft, text);
  file_.sync();
}

}  // namespace pitwall::ui
