// SPDX-License-Identifier: GPL-3.0-or-later
// Pieces of Markdown documents that all reports share.
#pragma once
#include <string>
#include <string_view>

#include "engine/report/report_content.h"

namespace pitwall {

std::string markdown_text(std::string_view text);  ///< one line in which no character starts markup
std::string markdown_table(const Table& table);    ///< with its note; the note alone where it has no rows
std::string markdown_section(const char* title, const std::string& body);

}  // namespace pitwall
