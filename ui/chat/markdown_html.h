// SPDX-License-Identifier: GPL-3.0-or-later
// Markdown → HTML for files. The text is untrusted: HTML in it is shown as text, pictures become links, and a
// link that is not http, https or mailto becomes text.
#pragma once
#include <string>
#include <string_view>

namespace pitwall::ui {

std::string markdown_html(std::string_view markdown);

}  // namespace pitwall::ui
