// SPDX-License-Identifier: GPL-3.0-or-later
// What the chat page remembers between starts: sampling, the system prompt of new chats, presets, and what is
// not yet sent in each chat.
#pragma once
#include <QSettings>
#include <QString>
#include <QStringList>
#include <vector>

namespace pitwall::ui {

/// Sampling as the fields show it.
struct SamplingChoice {
  double temperature = 0.7, top_p = 0.95, min_p = 0.05;
  int top_k = 0;          ///< 0 = off
  int max_tokens = 1024;  ///< 0 = up to the context's end
  QString seed;           ///< empty = another one for each reply
  QString stop;           ///< as typed: stop strings with | between them, \n for a line end
  bool operator==(const SamplingChoice&) const = default;
};

/// Sampling and a system prompt under a name.
struct ChatPreset {
  QString name;
  SamplingChoice sampling;
  QString system_prompt;  ///< empty: the chat keeps its own
};
std::vector<ChatPreset> shipped_presets();

/// What is written and not yet sent.
struct ChatDraft {
  QString text;
  QStringList files;  ///< paths
};

/// UI thread only. Writes through at each change.
class ChatPreferences {
 public:
  ChatPreferences();  ///< config_folder()/chat.ini

  SamplingChoice sampling();
  void set_sampling(const SamplingChoice& choice);
  QString system_prompt() const;
  void set_system_prompt(const QString& text);
  std::vector<ChatPreset> presets();  ///< the user's own
  void set_presets(const std::vector<ChatPreset>& presets);
  /// Of a chat; 0 = of the new one.
  ChatDraft draft(qint64 chat) const;
  void set_draft(qint64 chat, const ChatDraft& draft);

 private:
  QSettings file_;
};

}  // namespace pitwall::ui
