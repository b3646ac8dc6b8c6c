// SPDX-License-Identifier: GPL-3.0-or-later
// A chat as a Markdown file.
#pragma once
#include <QString>
#include <string>
#include <vector>

#include "engine/store/store.h"

namespace pitwall::ui {

std::string chat_markdown(const QString& title, const std::string& system_prompt,
                          const std::vector<ChatMessage>& messages);
QString file_name_of(const QString& title);  ///< without suffix, safe in any file system

}  // namespace pitwall::ui
