// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/message_input.h"

#include <QKeyEvent>
#include <QMimeData>
#include <QTextBlock>
#include <QTextLayout>
#include <algorithm>
#include <cmath>

#include "ui/shell/theme.h"
#include "ui/widgets/local_files.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

namespace {

constexpr int kLeastLines = 2, kMostLines = 8;

}  // namespace

QString break_long_lines(const QString& text, qsizetype longest) {
  QString result;
  for (qsizetype begin = 0; begin < text.size();) {
    qsizetype end = text.indexOf(QLatin1Char('\n'), begin);
    if (end < 0) end = text.size();
    if (end - begin > longest) {
      end = begin + longest;
      const qsizetype space = text.lastIndexOf(QLatin1Char(' '), end - 1);
      if (space > begin) end = space + 1;
      if (text[end - 1].isHighSurrogate()) --end;
      result += QStringView(text).mid(begin, end - begin);
      result += QLatin1Char('\n');
      begin = end;
    } else {
      result += QStringView(text).mid(begin, end + 1 - begin);
      begin = end + 1;
    }
  }
  return result;
}

bool holds_text_files(const QMimeData& data) {
  const QStringList paths = local_files(data);
  return !paths.isEmpty() && std::none_of(paths.begin(), paths.end(), [](const QString& path) {
    return path.endsWith(QLatin1String(".gguf")) || path.endsWith(QLatin1String(".safetensors"));
  });
}

MessageInput::MessageInput(QWidget* parent) : QPlainTextEdit(parent) {
  setObjectName(QStringLiteral("chat.input"));
  setPlaceholderText(tr("Write a message"));
  setAccessibleName(tr("Message"));
  set_send_key(send_key_);
  setTabChangesFocus(true);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  document()->setDocumentMargin(Theme::current().units(1.5));
  connect(this, &QPlainTextEdit::textChanged, this, &MessageInput::fit_height);
  connect(&Theme::current(), &Theme::changed, this, &MessageInput::fit_height);
  fit_height();
}

void MessageInput::set_text(const QString& text) {
  setPlainText(break_long_lines(text.left(kLongestMessage), kLongestLine));
  moveCursor(QTextCursor::End);
}

void MessageInput::set_send_key(SendKey key) {
  send_key_ = key;
  setAccessibleDescription(key == SendKey::enter ? tr("Enter sends, Shift+Enter begins a line")
                                                 : tr("Ctrl+Enter sends"));
}

void MessageInput::keyPressEvent(QKeyEvent* event) {
  const bool is_enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  const bool plain = (event->modifiers() & ~Qt::KeypadModifier) == Qt::NoModifier;
  if (is_enter && plain && send_key_ == SendKey::enter) {
    Q_EMIT send_requested();
    return;
  }
  QPlainTextEdit::keyPressEvent(event);
}

bool MessageInput::canInsertFromMimeData(const QMimeData* source) const {
  return source->hasUrls() ? holds_text_files(*source) : QPlainTextEdit::canInsertFromMimeData(source);
}

void MessageInput::insertFromMimeData(const QMimeData* source) {
  if (const QStringList paths = local_files(*source); !paths.isEmpty()) {
    Q_EMIT files_given(paths);
    return;
  }
  const QString text = source->text();
  const qsizetype room =
      kLongestMessage - (document()->characterCount() - 1) + textCursor().selectedText().size();
  if (text.size() > room) {
    Q_EMIT refused(tr("The pasted text has %1 characters; a message takes up to %2. Nothing was pasted.")
                       .arg(count_text(text.size()), count_text(kLongestMessage)));
    return;
  }
  textCursor().insertText(break_long_lines(text, kLongestLine));
  ensureCursorVisible();
}

int MessageInput::height_of(int lines) const {
  const double margins = 2 * document()->documentMargin() + 2 * frameWidth();
  return static_cast<int>(std::ceil(lines * QFontMetricsF(font()).lineSpacing() + margins));
}

/// Lines as shown, counted only as far as they matter.
void MessageInput::fit_height() {
  int lines = 0;
  for (QTextBlock block = document()->begin(); block.isValid() && lines < kMostLines; block = block.next())
    lines += std::max(1, block.layout()->lineCount());
  setFixedHeight(height_of(std::clamp(lines, kLeastLines, kMostLines)));
}

void MessageInput::resizeEvent(QResizeEvent* event) {
  QPlainTextEdit::resizeEvent(event);
  if (event->oldSize().width() != event->size().width()) fit_height();
}

QSize MessageInput::sizeHint() const {
  return {Theme::current().units(60), height()};
}
QSize MessageInput::minimumSizeHint() const {
  return {Theme::current().units(20), height_of(kLeastLines)};
}

}  // namespace pitwall::ui
