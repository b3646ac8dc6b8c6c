// SPDX-License-Identifier: GPL-3.0-or-later
// MessageInput: plain text that grows from two lines to eight. Text beyond the limit is refused, with the
// numbers, before it is laid out: a pasted disk image must not freeze the window.
#pragma once
#include <QPlainTextEdit>

namespace pitwall::ui {

class MessageInput : public QPlainTextEdit {
  Q_OBJECT

 public:
  static constexpr qsizetype kLongestMessage = 400'000;  ///< characters
  static constexpr qsizetype kLongestLine =
      20'000;  ///< longer lines are broken: one line is laid out as a whole

  explicit MessageInput(QWidget* parent = nullptr);
  void set_text(const QString& text);  ///< cut at the limit
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void refused(const QString& why);

 protected:
  void insertFromMimeData(const QMimeData* source) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fit_height();
  int height_of(int lines) const;
};

/// `text` with a line break in each line that is longer than `longest`.
QString break_long_lines(const QString& text, qsizetype longest);

}  // namespace pitwall::ui
