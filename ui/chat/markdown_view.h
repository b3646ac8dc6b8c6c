// SPDX-License-Identifier: GPL-3.0-or-later
// MarkdownView: one message's text, as tall as its content. A growing reply costs time in proportion to what
// is added: finished paragraphs and code lines are laid out once, only the unfinished end is laid out again.
#pragma once
#include <QTextBrowser>
#include <memory>
#include <string>
#include <vector>

namespace pitwall::ui {

class CodeBlock;

class MarkdownView : public QTextBrowser {
  Q_OBJECT

 public:
  explicit MarkdownView(QWidget* parent = nullptr);
  ~MarkdownView() override;

  void set_plain(const QString& text);
  void set_markdown(const std::string& markdown);  ///< lays out everything
  void append_markdown(const std::string& markdown);
  const std::string& source() const { return source_; }
  std::vector<QTextCursor> find_all(const QString& text) const;  ///< in order, without regard to case
  /// Shows where the hits are; `current` stands out, −1: none does.
  void mark(const std::vector<QTextCursor>& hits, int current);
  QRect place_of(const QTextCursor& hit) const;  ///< in this widget

 Q_SIGNALS:
  void link_activated(const QUrl& url);  ///< a click or Enter on a link; nothing is opened here
  void code_copied();

 protected:
  QVariant loadResource(int type, const QUrl& name) override;  ///< nothing
  void wheelEvent(QWheelEvent* event) override;                ///< left to the conversation
  void resizeEvent(QResizeEvent* event) override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 private:
  void start_over();
  void render_all();
  void render_end();
  bool advance_text();
  bool advance_code();
  void keep_height();
  void activate(const QUrl& url);

  std::string source_;
  bool plain_ = false;
  std::size_t stable_ = 0;   // source before it is laid out for good
  int stable_position_ = 0;  // and this is where the document goes on after it
  std::unique_ptr<CodeBlock> open_code_;
  std::string fence_;  // that opened it: "```" or longer
  QStringList code_blocks_;
  qsizetype stable_code_blocks_ = 0;
};

}  // namespace pitwall::ui
