// SPDX-License-Identifier: GPL-3.0-or-later
// What the chat page remembers between starts: sampling, the system prompt of new chats, the text not yet
// sent.
#pragma once
#include <QSettings>
#include <QString>

namespace pitwall::ui {

/// Sampling as the fields show it.
struct SamplingChoice {
  double temperature = 0.7, top_p = 0.95, min_p = 0.05;
  int top_k = 0;          ///< 0 = off
  int max_tokens = 1024;  ///< 0 = up to the context's end
  QString seed;           ///< empty = another one for each reply
};

/// UI thread only. Writes through at each change.
class ChatPreferences {
 public:
  ChatPreferences();  ///< config_folder()/chat.ini

  SamplingChoice sampling() const;
  void set_sampling(const SamplingChoice& choice);
  QString system_prompt() const;
  void set_system_prompt(const QString& text);
  QString draft() const;
  void set_draft(const QString& text);

 private:
  QSettings file_;
};

}  // namespace pitwall::ui
