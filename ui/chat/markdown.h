// SPDX-License-Identifier: GPL-3.0-or-later
// Markdown → QTextDocument through md4c. The text is untrusted: HTML is shown as text, pictures as links,
// nothing is loaded.
#pragma once
#include <md4c.h>

#include <QStringList>
#include <QTextCursor>
#include <string_view>

namespace pitwall::ui {

/// What of Markdown is read; raw HTML is text.
inline constexpr unsigned kMarkdownFlags = MD_FLAG_NOHTML | MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH |
                                           MD_FLAG_TASKLISTS | MD_FLAG_PERMISSIVEURLAUTOLINKS |
                                           MD_FLAG_COLLAPSEWHITESPACE;

/// Where code goes while its fence is still open: a frame at the end of the document.
class CodeBlock {
 public:
  /// Makes an empty code block at the end of the document, with a link "copy:`index`" in its head.
  CodeBlock(QTextDocument& document, const QString& language, qsizetype index);
  QTextCursor end() const;           ///< after its last character
  void append(const QString& code);  ///< whole or partial lines

 private:
  QTextDocument* document_;
  QTextFrame* frame_;
};

/// Appends rendered Markdown to the end of the document, in the theme's fonts and colours. Code blocks are
/// added to `code_blocks`; the block n has a link "copy:n" in its head.
void append_markdown(QTextDocument& document, std::string_view markdown, QStringList& code_blocks);

/// Appends text as it is.
void append_plain(QTextDocument& document, const QString& text);

}  // namespace pitwall::ui
