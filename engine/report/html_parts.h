// SPDX-License-Identifier: GPL-3.0-or-later
// Pieces of HTML documents that all reports share. Text is escaped.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "engine/report/report_content.h"

namespace pitwall {

std::string html_text(std::string_view text);
const char* tone_class(Tone tone);
const char* sign_of(Tone tone);  ///< "✓ ": never colour alone
std::string note_html(const Table& table);
std::string table_html(const Table& table);  ///< its note alone where it has no rows
/// `question` may be empty; `body` is HTML.
std::string html_section(const char* title, const char* question, const std::string& body,
                         const char* classes = "");
std::string list_html(const std::vector<std::string>& items);
/// Self-contained: the style inside, nothing loaded, no script. `body` is HTML. `style`: CSS beyond that of
/// reports.
std::string html_document(const std::string& title, const std::string& body, const std::string& footer,
                          std::string_view style = {});

}  // namespace pitwall
