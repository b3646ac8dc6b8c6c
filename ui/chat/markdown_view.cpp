// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/markdown_view.h"

#include <QAbstractTextDocumentLayout>
#include <QApplication>
#include <QClipboard>
#include <QScrollBar>
#include <QTextDocument>
#include <QToolTip>
#include <QWheelEvent>
#include <cmath>
#include <string_view>

#include "ui/chat/markdown.h"
#include "ui/shell/theme.h"

namespace pitwall::ui {

namespace {

/// A paragraph without an end is cut here, so that laying out the end again stays cheap.
constexpr std::size_t kLongestEnd = std::size_t{16} << 10;
const QString kCopyLink = QStringLiteral("copy:");

/// The fence at the start of a line ("```", "~~~~"), at most three spaces in; empty when there is none.
std::string_view fence_of(std::string_view line) {
  const std::size_t start = std::min(line.find_first_not_of(' '), line.size());
  if (start > 3 || start == line.size() || (line[start] != '`' && line[start] != '~')) return {};
  const std::size_t end = std::min(line.find_first_not_of(line[start], start), line.size());
  return end - start >= 3 ? line.substr(start, end - start) : std::string_view();
}

bool closes(std::string_view line, std::string_view fence) {
  const std::string_view found = fence_of(line);
  if (found.size() < fence.size() || found.front() != fence.front()) return false;
  const std::size_t after = line.find(found) + found.size();
  return line.find_first_not_of(" \t\r\n", after) == std::string_view::npos;
}

QString language_of(std::string_view line, std::string_view fence) {
  const QString info = QString::fromUtf8(line.substr(line.find(fence) + fence.size())).trimmed();
  return info.section(QLatin1Char(' '), 0, 0);
}

/// Where `text` can be cut: `paragraphs` ends after the last blank line that more text at the margin follows;
/// a fence that opens ends the search.
struct Cut {
  std::size_t paragraphs = 0;
  std::size_t fence_line = std::string_view::npos, after_fence_line = 0;
};
Cut find_cut(std::string_view text) {
  Cut cut;
  bool blank = false;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t newline = text.find('\n', begin);
    const std::string_view line =
        text.substr(begin, newline == std::string_view::npos ? newline : newline - begin);
    const bool empty = line.find_first_not_of(" \t\r") == std::string_view::npos;
    if (blank && !empty && line.front() != ' ' && line.front() != '\t') cut.paragraphs = begin;
    if (newline == std::string_view::npos) break;
    if (!fence_of(line).empty()) {
      cut.fence_line = begin;
      cut.after_fence_line = newline + 1;
      break;
    }
    blank = empty;
    begin = newline + 1;
  }
  return cut;
}

}  // namespace

MarkdownView::MarkdownView(QWidget* parent) : QTextBrowser(parent) {
  setProperty("bare", true);
  setFrameShape(NoFrame);
  setOpenLinks(false);
  setUndoRedoEnabled(false);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
  setTextInteractionFlags(Qt::TextBrowserInteraction | Qt::TextSelectableByKeyboard);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAutoFillBackground(false);
  viewport()->setAutoFillBackground(false);
  document()->setDocumentMargin(0);
  connect(document()->documentLayout(), &QAbstractTextDocumentLayout::documentSizeChanged, this,
          &MarkdownView::keep_height);
  connect(this, &QTextBrowser::anchorClicked, this, &MarkdownView::activate);
  connect(&Theme::current(), &Theme::changed, this, &MarkdownView::render_all);
}

MarkdownView::~MarkdownView() = default;

void MarkdownView::set_plain(const QString& text) {
  plain_ = true;
  source_ = text.toStdString();
  render_all();
}

void MarkdownView::set_markdown(const std::string& markdown) {
  plain_ = false;
  source_ = markdown;
  render_all();
}

void MarkdownView::append_markdown(const std::string& markdown) {
  plain_ = false;
  source_ += markdown;
  render_end();
}

void MarkdownView::start_over() {
  document()->clear();
  code_blocks_.clear();
  stable_ = 0;
  stable_position_ = 0;
  stable_code_blocks_ = 0;
  open_code_.reset();
}

void MarkdownView::render_all() {
  start_over();
  if (plain_) {
    append_plain(*document(), QString::fromStdString(source_));
  } else {
    ui::append_markdown(*document(), source_, code_blocks_);
    stable_ = source_.size();
    stable_position_ = document()->characterCount() - 1;
    stable_code_blocks_ = code_blocks_.size();
  }
  keep_height();
}

void MarkdownView::render_end() {
  QTextCursor cursor(document());
  cursor.beginEditBlock();
  cursor.setPosition(stable_position_);
  if (open_code_) {
    cursor.setPosition(open_code_->end().position(), QTextCursor::KeepAnchor);
  } else {
    cursor.movePosition(QTextCursor::End, QTextCursor::KeepAnchor);
  }
  cursor.removeSelectedText();
  code_blocks_.resize(stable_code_blocks_);
  while (open_code_ ? advance_code() : advance_text()) {
  }
  cursor.endEditBlock();
  keep_height();
}

/// Lays out the finished paragraphs for good and the rest for now. True when a code block has begun.
bool MarkdownView::advance_text() {
  const std::string_view rest = std::string_view(source_).substr(stable_);
  const Cut cut = find_cut(rest);
  const bool code = cut.fence_line != std::string_view::npos;
  std::size_t finished = code ? cut.fence_line : cut.paragraphs;
  if (!code && rest.size() - finished > kLongestEnd) {
    const std::size_t gap = rest.find_last_of(" \n");
    finished = gap == std::string_view::npos || gap < finished ? rest.size() : gap + 1;
  }
  if (finished > 0) ui::append_markdown(*document(), rest.substr(0, finished), code_blocks_);
  stable_code_blocks_ = code_blocks_.size();
  if (code) {
    const std::string_view line = rest.substr(cut.fence_line, cut.after_fence_line - cut.fence_line);
    fence_ = fence_of(line);
    open_code_ = std::make_unique<CodeBlock>(*document(), language_of(line, fence_), code_blocks_.size());
    code_blocks_ << QString();
    stable_code_blocks_ = code_blocks_.size();
    stable_ += cut.after_fence_line;
    stable_position_ = open_code_->end().position();
    return true;
  }
  stable_ += finished;
  stable_position_ = document()->characterCount() - 1;
  if (finished < rest.size()) ui::append_markdown(*document(), rest.substr(finished), code_blocks_);
  return false;
}

/// Adds the complete lines of the open code block for good and the last one for now. True when the block has
/// ended.
bool MarkdownView::advance_code() {
  QString lines;
  bool ended = false;
  while (!ended) {
    const std::size_t newline = source_.find('\n', stable_);
    if (newline == std::string::npos) break;
    const std::string_view line = std::string_view(source_).substr(stable_, newline - stable_);
    stable_ = newline + 1;
    ended = closes(line, fence_);
    if (!ended) lines += QString::fromUtf8(line) + QLatin1Char('\n');
  }
  QString& code = code_blocks_.last();
  // A line's end is laid out with the next line: no empty line at the bottom of the block.
  QString shown = code.isEmpty() || lines.isEmpty() ? QString() : QStringLiteral("\n");
  shown += lines.chopped(lines.isEmpty() ? 0 : 1);
  open_code_->append(shown);
  code += lines;
  stable_position_ = open_code_->end().position();
  if (ended) {
    open_code_.reset();
    stable_position_ = document()->characterCount() - 1;
    return true;
  }
  const std::string_view last = std::string_view(source_).substr(stable_);
  if (!last.empty() && fence_of(last).empty())
    open_code_->append((code.isEmpty() ? QString() : QStringLiteral("\n")) + QString::fromUtf8(last));
  return false;
}

void MarkdownView::keep_height() {
  const int height = static_cast<int>(std::ceil(document()->size().height()));
  if (height != this->height()) setFixedHeight(std::max(height, 1));
}

void MarkdownView::resizeEvent(QResizeEvent* event) {
  QTextBrowser::resizeEvent(event);
  keep_height();
}

QSize MarkdownView::sizeHint() const {
  return {Theme::current().units(40), height()};
}
QSize MarkdownView::minimumSizeHint() const {
  return {Theme::current().units(20), height()};
}

QVariant MarkdownView::loadResource(int, const QUrl&) {
  return {};
}

void MarkdownView::wheelEvent(QWheelEvent* event) {
  event->ignore();
}

std::vector<QTextCursor> MarkdownView::find_all(const QString& text) const {
  std::vector<QTextCursor> hits;
  if (text.isEmpty()) return hits;
  for (QTextCursor hit = document()->find(text); !hit.isNull(); hit = document()->find(text, hit))
    if (!hit.charFormat().anchorHref().startsWith(kCopyLink)) hits.push_back(hit);
  return hits;
}

void MarkdownView::mark(const std::vector<QTextCursor>& hits, int current) {
  QList<QTextEdit::ExtraSelection> marks;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    QTextEdit::ExtraSelection mark;
    mark.cursor = hits[i];
    const bool chosen = static_cast<int>(i) == current;
    mark.format.setBackground(ink(chosen ? Colour::accent : Colour::warn_fill));
    mark.format.setForeground(ink(chosen ? Colour::on_accent : Colour::text));
    marks << mark;
  }
  setExtraSelections(marks);
}

QRect MarkdownView::place_of(const QTextCursor& hit) const {
  return cursorRect(hit);
}

void MarkdownView::activate(const QUrl& url) {
  if (url.scheme() != QLatin1String("copy")) {
    Q_EMIT link_activated(url);
    return;
  }
  const qsizetype index = url.path().toLongLong();
  if (index < 0 || index >= code_blocks_.size()) return;
  QApplication::clipboard()->setText(code_blocks_[index]);
  QToolTip::showText(QCursor::pos(), tr("Copied"), this);
  Q_EMIT code_copied();
}

}  // namespace pitwall::ui
