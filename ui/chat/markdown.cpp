// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/markdown.h"

#include <QCoreApplication>
#include <QTextDocument>
#include <QTextDocumentFragment>
#include <QTextFrame>
#include <QTextTable>
#include <vector>

#include "ui/shell/theme.h"

namespace pitwall::ui {

namespace {

constexpr qsizetype kLongestRun = 2000;  // characters without a gap

/// Where a line may end is looked for to the end of a word, so a word of a million letters takes minutes: in
/// each long one stand breaks that nobody sees.
QString with_breaks(const QString& text) {
  if (text.size() <= kLongestRun) return text;
  QString broken;
  broken.reserve(text.size() + text.size() / kLongestRun);
  qsizetype run = 0;
  for (const QChar c : text) {
    run = c.isSpace() ? 0 : run + 1;
    if (run > kLongestRun && !c.isLowSurrogate()) {
      broken += QChar(0x200B);  // zero-width space
      run = 1;
    }
    broken += c;
  }
  return broken;
}

QTextCharFormat text_format(FontRole role, Colour colour = Colour::text) {
  QTextCharFormat format;
  format.setFont(Theme::current().font(role));
  format.setForeground(ink(colour));
  return format;
}

QTextBlockFormat paragraph_format() {
  QTextBlockFormat format;
  format.setBottomMargin(units(2));
  format.setLineHeight(110, QTextBlockFormat::ProportionalHeight);
  return format;
}

/// A cursor at the end, in an empty block of the given format. The empty block that a new document starts
/// with, and the one that Qt keeps after each frame, are used rather than left as gaps.
QTextCursor new_block_at_end(QTextDocument& document, const QTextBlockFormat& format) {
  QTextCursor cursor(&document);
  cursor.movePosition(QTextCursor::End);
  if (cursor.block().length() > 1) {
    cursor.insertBlock(format);
  } else {
    cursor.setBlockFormat(format);
  }
  cursor.setBlockCharFormat(text_format(FontRole::body));
  return cursor;
}

/// Qt keeps an empty block after a frame; it must not look like an empty line.
QTextBlockFormat flat_block_format() {
  QTextBlockFormat format;
  format.setLineHeight(1, QTextBlockFormat::FixedHeight);
  return format;
}

void flatten_block_after_frame(QTextDocument& document) {
  QTextCursor cursor(&document);
  cursor.movePosition(QTextCursor::End);
  cursor.setBlockFormat(flat_block_format());
  QTextCharFormat format;
  format.setFontPointSize(1);
  cursor.setBlockCharFormat(format);
}

/// Turns md4c's stream of callbacks into blocks, spans and tables of a document.
class Writer {
 public:
  Writer(QTextDocument& document, QStringList& code_blocks)
      : document_(document), code_blocks_(code_blocks), cursor_(&document) {}

  void write(std::string_view markdown) {
    MD_PARSER parser{};
    parser.flags = kMarkdownFlags;
    parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
      return static_cast<Writer*>(self)->enter_block(type, detail), 0;
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void*, void* self) {
      return static_cast<Writer*>(self)->leave_block(type), 0;
    };
    parser.enter_span = [](MD_SPANTYPE type, void* detail, void* self) {
      return static_cast<Writer*>(self)->enter_span(type, detail), 0;
    };
    parser.leave_span = [](MD_SPANTYPE, void*, void* self) {
      return static_cast<Writer*>(self)->leave_span(), 0;
    };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* self) {
      return static_cast<Writer*>(self)->text(type, QString::fromUtf8(text, size)), 0;
    };
    md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, this);
  }

 private:
  struct List {
    bool ordered = false;
    unsigned next = 1;
  };

  void enter_block(MD_BLOCKTYPE type, void* detail) {
    switch (type) {
      case MD_BLOCK_P:
        begin_paragraph();
        break;
      case MD_BLOCK_H:
        begin_heading(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level);
        break;
      case MD_BLOCK_QUOTE:
        ++quotes_;
        break;
      case MD_BLOCK_UL:
        lists_.push_back({});
        break;
      case MD_BLOCK_OL:
        lists_.push_back({true, static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start});
        break;
      case MD_BLOCK_LI:
        begin_item(*static_cast<MD_BLOCK_LI_DETAIL*>(detail));
        break;
      case MD_BLOCK_HR:
        write_rule();
        break;
      case MD_BLOCK_CODE:
        begin_code(*static_cast<MD_BLOCK_CODE_DETAIL*>(detail));
        break;
      case MD_BLOCK_TABLE:
        begin_table(*static_cast<MD_BLOCK_TABLE_DETAIL*>(detail));
        break;
      case MD_BLOCK_TR:
        column_ = 0;
        break;
      case MD_BLOCK_TH:
      case MD_BLOCK_TD:
        begin_cell(*static_cast<MD_BLOCK_TD_DETAIL*>(detail), type == MD_BLOCK_TH);
        break;
      default:
        break;
    }
  }

  void leave_block(MD_BLOCKTYPE type) {
    switch (type) {
      case MD_BLOCK_QUOTE:
        --quotes_;
        break;
      case MD_BLOCK_UL:
      case MD_BLOCK_OL:
        lists_.pop_back();
        break;
      case MD_BLOCK_LI:
        item_open_ = false;
        break;
      case MD_BLOCK_CODE:
        end_code();
        break;
      case MD_BLOCK_TR:
        ++row_;
        break;
      case MD_BLOCK_TABLE:
        end_table();
        break;
      default:
        break;
    }
  }

  double indent() const { return units(4) * quotes_ + units(5) * static_cast<double>(lists_.size()); }

  void begin_paragraph() {
    if (item_open_) {  // the item's own line; a second paragraph of an item gets a block of its own
      item_open_ = false;
      return;
    }
    QTextBlockFormat format = paragraph_format();
    format.setLeftMargin(indent());
    start_block(format, text_format(FontRole::body, quotes_ > 0 ? Colour::muted : Colour::text));
  }

  void begin_heading(unsigned level) {
    QTextBlockFormat format = paragraph_format();
    format.setLeftMargin(indent());
    format.setTopMargin(units(level <= 2 ? 2 : 1));
    format.setHeadingLevel(static_cast<int>(level));
    start_block(format, text_format(level <= 2 ? FontRole::title : FontRole::section));
  }

  void begin_item(const MD_BLOCK_LI_DETAIL& item) {
    QTextBlockFormat format = paragraph_format();
    format.setLeftMargin(indent());
    format.setTextIndent(-units(5));
    format.setBottomMargin(units(1));
    format.setTabPositions({QTextOption::Tab(units(5), QTextOption::LeftTab)});
    start_block(format, text_format(FontRole::body, quotes_ > 0 ? Colour::muted : Colour::text));
    List& list = lists_.back();
    QString mark = list.ordered ? QStringLiteral("%1.").arg(list.next++) : QStringLiteral("•");
    if (item.is_task) mark = item.task_mark == ' ' ? QStringLiteral("☐") : QStringLiteral("☑");
    cursor_.insertText(mark + QLatin1Char('\t'), text_format(FontRole::body, Colour::muted));
    item_open_ = true;
  }

  void write_rule() {
    QTextBlockFormat line = flat_block_format();
    line.setBackground(ink(Colour::border));
    line.setTopMargin(units(1));
    line.setBottomMargin(units(3));
    QTextCharFormat tiny;
    tiny.setFontPointSize(1);
    start_block(line, tiny);
    cursor_.insertText(QStringLiteral(" "), tiny);
  }

  void start_block(const QTextBlockFormat& block, const QTextCharFormat& chars) {
    item_open_ = false;
    cursor_ = new_block_at_end(document_, block);
    spans_ = {chars};
  }

  void begin_code(const MD_BLOCK_CODE_DETAIL& detail) {
    item_open_ = false;
    code_language_ = QString::fromUtf8(detail.lang.text, detail.lang.size);
    code_.emplace();
  }

  void end_code() {
    CodeBlock block(document_, code_language_, code_blocks_.size());
    if (code_->endsWith(QLatin1Char('\n'))) code_->chop(1);
    block.append(*code_);
    code_blocks_ << *code_;
    code_.reset();
  }

  void begin_table(const MD_BLOCK_TABLE_DETAIL& detail) {
    item_open_ = false;
    QTextTableFormat format;
    format.setBorder(0);
    format.setBorderCollapse(true);
    format.setCellPadding(units(1));
    format.setCellSpacing(0);
    format.setLeftMargin(indent());
    format.setBottomMargin(units(2));
    QTextCursor at = new_block_at_end(document_, flat_block_format());
    table_ = at.insertTable(static_cast<int>(detail.head_row_count + detail.body_row_count),
                            static_cast<int>(detail.col_count), format);
    row_ = 0;
  }

  void begin_cell(const MD_BLOCK_TD_DETAIL& detail, bool head) {
    if (table_ == nullptr || row_ >= table_->rows() || column_ >= table_->columns()) return;
    QTextTableCell cell = table_->cellAt(row_, column_++);
    QTextTableCellFormat format;
    format.setBottomBorder(1);
    format.setBottomBorderStyle(QTextFrameFormat::BorderStyle_Solid);
    format.setBottomBorderBrush(ink(head ? Colour::border : Colour::grid));
    format.setRightPadding(units(4));
    format.setLeftPadding(units(1));
    format.setTopPadding(units(0.75));
    format.setBottomPadding(units(0.75));
    cell.setFormat(format);
    cursor_ = cell.firstCursorPosition();
    QTextBlockFormat block;
    block.setAlignment(detail.align == MD_ALIGN_RIGHT    ? Qt::AlignRight
                       : detail.align == MD_ALIGN_CENTER ? Qt::AlignHCenter
                                                         : Qt::AlignLeft);
    cursor_.setBlockFormat(block);
    QTextCharFormat chars = text_format(FontRole::small, head ? Colour::muted : Colour::text);
    if (head) chars.setFontWeight(QFont::DemiBold);
    spans_ = {chars};
  }

  void end_table() {
    table_ = nullptr;
    flatten_block_after_frame(document_);
  }

  void enter_span(MD_SPANTYPE type, void* detail) {
    QTextCharFormat format = spans_.empty() ? text_format(FontRole::body) : spans_.back();
    switch (type) {
      case MD_SPAN_EM:
        format.setFontItalic(true);
        break;
      case MD_SPAN_STRONG:
        format.setFontWeight(QFont::DemiBold);
        break;
      case MD_SPAN_DEL:
        format.setFontStrikeOut(true);
        break;
      case MD_SPAN_CODE:
        format.setFont(Theme::current().font(FontRole::code));
        format.setBackground(ink(Colour::alt));
        break;
      case MD_SPAN_A:
        make_link(format, static_cast<MD_SPAN_A_DETAIL*>(detail)->href);
        break;
      case MD_SPAN_IMG:
        make_link(format, static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src);
        break;
      default:
        break;
    }
    spans_.push_back(format);
  }

  void leave_span() {
    if (spans_.size() > 1) spans_.pop_back();
  }

  void make_link(QTextCharFormat& format, const MD_ATTRIBUTE& target) {
    format.setAnchor(true);
    format.setAnchorHref(QString::fromUtf8(target.text, target.size));
    format.setForeground(ink(Colour::accent));
    format.setFontUnderline(true);
  }

  void text(MD_TEXTTYPE type, QString text) {
    if (code_) {
      *code_ += text;
      return;
    }
    if (type == MD_TEXT_NULLCHAR) text = QChar(QChar::ReplacementCharacter);
    if (type == MD_TEXT_BR) text = QChar(QChar::LineSeparator);
    if (type == MD_TEXT_SOFTBR) text = QLatin1Char(' ');
    if (type == MD_TEXT_ENTITY) text = QTextDocumentFragment::fromHtml(text).toPlainText();
    item_open_ = false;
    cursor_.insertText(with_breaks(text), spans_.empty() ? text_format(FontRole::body) : spans_.back());
  }

  QTextDocument& document_;
  QStringList& code_blocks_;
  QTextCursor cursor_;
  std::vector<QTextCharFormat> spans_;
  std::vector<List> lists_;
  std::optional<QString> code_;
  QString code_language_;
  QTextTable* table_ = nullptr;
  int quotes_ = 0, row_ = 0, column_ = 0;
  bool item_open_ = false;  // the line of a list item was begun and has no text yet
};

}  // namespace

CodeBlock::CodeBlock(QTextDocument& document, const QString& language, qsizetype index)
    : document_(&document) {
  QTextFrameFormat frame;
  frame.setBorder(1);
  frame.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
  frame.setBorderBrush(ink(Colour::border));
  frame.setBackground(ink(Colour::alt));
  frame.setPadding(units(2));
  frame.setTopMargin(units(1));
  frame.setBottomMargin(units(3));
  QTextCursor cursor = new_block_at_end(document, flat_block_format());
  frame_ = cursor.insertFrame(frame);

  QTextTableFormat head;
  head.setBorder(0);
  head.setCellPadding(0);
  head.setCellSpacing(0);
  head.setBottomMargin(units(1));
  head.setWidth(QTextLength(QTextLength::PercentageLength, 100));
  QTextTable* table = frame_->firstCursorPosition().insertTable(1, 2, head);
  QTextCursor cell = table->cellAt(0, 0).firstCursorPosition();
  cell.insertText(language.isEmpty() ? QCoreApplication::translate("Markdown", "code") : language,
                  text_format(FontRole::small, Colour::muted));
  cell = table->cellAt(0, 1).firstCursorPosition();
  QTextBlockFormat right;
  right.setAlignment(Qt::AlignRight);
  cell.setBlockFormat(right);
  QTextCharFormat link = text_format(FontRole::small, Colour::accent);
  link.setAnchor(true);
  link.setAnchorHref(QStringLiteral("copy:%1").arg(index));
  cell.insertText(QCoreApplication::translate("Markdown", "Copy"), link);

  QTextBlockFormat lines;
  lines.setLineHeight(120, QTextBlockFormat::ProportionalHeight);
  end().setBlockFormat(lines);
  flatten_block_after_frame(document);
}

QTextCursor CodeBlock::end() const {
  return frame_->lastCursorPosition();
}

void CodeBlock::append(const QString& code) {
  QTextCursor cursor = end();
  cursor.insertText(with_breaks(code), text_format(FontRole::code));
}

void append_markdown(QTextDocument& document, std::string_view markdown, QStringList& code_blocks) {
  QTextCursor edit(&document);
  edit.beginEditBlock();
  Writer(document, code_blocks).write(markdown);
  edit.endEditBlock();
}

void append_plain(QTextDocument& document, const QString& text) {
  QTextBlockFormat format;
  format.setLineHeight(110, QTextBlockFormat::ProportionalHeight);
  new_block_at_end(document, format).insertText(with_breaks(text), text_format(FontRole::body));
}

}  // namespace pitwall::ui
