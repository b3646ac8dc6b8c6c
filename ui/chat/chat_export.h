// SPDX-License-Identifier: GPL-3.0-or-later
// A chat as a file: Markdown and HTML of the branch that is shown, JSON of all versions with their timings.
#pragma once
#include <QString>
#include <optional>
#include <string>
#include <vector>

#include "ui/chat/conversation_tree.h"

namespace pitwall::ui {

struct ChatDocument {
  std::string title, system_prompt;
  std::vector<ShownMessage> shown;
  std::vector<ChatMessage> versions;
};

enum class ChatFileFormat { markdown, json, html };
std::optional<ChatFileFormat> chat_file_format(const QString& path);  ///< by its suffix

std::string chat_markdown(const ChatDocument& chat);
std::string chat_json(const ChatDocument& chat);
/// Self-contained: nothing is loaded, no script, all text of the chat escaped.
std::string chat_html(const ChatDocument& chat);
std::string chat_text(const ChatDocument& chat, ChatFileFormat format);

QString file_name_of(const QString& title);  ///< without suffix, safe in any file system

}  // namespace pitwall::ui
