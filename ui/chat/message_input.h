// SPDX-License-Identifier: GPL-3.0-or-later
// MessageInput: plain text that grows from two lines to eight. Text beyond the limit is refused, with the
// numbers, before it is laid out: a pasted disk image must not freeze the window. Dropped and pasted files
// are left to the page.
#pragma once
#include <QPlainTextEdit>
#include <QStringList>

#include "ui/shell/preferences.h"

namespace pitwall::ui {

class MessageInput : public QPlainTextEdit {
  Q_OBJECT

 public:
  static constexpr qsizetype kLongestMessage = 400'000;  ///< characters
  static constexpr qsizetype kLongestLine =
      20'000;  ///< longer lines are broken: one line is laid out as a whole

  explicit MessageInput(QWidget* parent = nullptr);
  void set_text(const QString& text);  ///< cut at the limit
  void set_send_key(SendKey key);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void refused(const QString& why);
  void send_requested();
  void files_given(const QStringList& paths);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  bool canInsertFromMimeData(const QMimeData* source) const override;
  void insertFromMimeData(const QMimeData* source) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fit_height();
  int height_of(int lines) const;
  SendKey send_key_ = SendKey::ctrl_enter;
};

/// `text` with a line break in each line that is longer than `longest`.
QString break_long_lines(const QString& text, qsizetype longest);

/// Files that a message may take: models are for the serve page.
bool holds_text_files(const QMimeData& data);

}  // namespace pitwall::ui
