// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/markdown_html.h"

#include <md4c.h>

#include <vector>

#include "engine/base/text_escape.h"
#include "ui/chat/markdown.h"

namespace pitwall::ui {

namespace {

std::string text_of(const MD_ATTRIBUTE& attribute) {
  return std::string(attribute.text, attribute.size);
}

bool is_safe(const std::string& target) {
  for (const std::string_view scheme : {"http://", "https://", "mailto:"})
    if (target.starts_with(scheme)) return true;
  return false;
}

/// Turns md4c's stream of callbacks into tags.
class HtmlWriter {
 public:
  std::string write(std::string_view markdown) {
    MD_PARSER parser{};
    parser.flags = kMarkdownFlags;
    parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
      return static_cast<HtmlWriter*>(self)->enter_block(type, detail), 0;
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
      return static_cast<HtmlWriter*>(self)->leave_block(type, detail), 0;
    };
    parser.enter_span = [](MD_SPANTYPE type, void* detail, void* self) {
      return static_cast<HtmlWriter*>(self)->enter_span(type, detail), 0;
    };
    parser.leave_span = [](MD_SPANTYPE type, void*, void* self) {
      return static_cast<HtmlWriter*>(self)->leave_span(type), 0;
    };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* self) {
      return static_cast<HtmlWriter*>(self)->text(type, {text, size}), 0;
    };
    md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, this);
    return std::move(html_);
  }

 private:
  /// The document has headings of its own above these.
  static const char* heading(void* detail) {
    const unsigned level = static_cast<MD_BLOCK_H_DETAIL*>(detail)->level;
    return level == 1 ? "h4>" : level == 2 ? "h5>" : "h6>";
  }

  void open_cell(const char* tag, const MD_BLOCK_TD_DETAIL& detail) {
    html_ += std::string("<") + tag + (detail.align == MD_ALIGN_RIGHT ? " class=\"number\">" : ">");
  }

  void enter_block(MD_BLOCKTYPE type, void* detail) {
    switch (type) {
      case MD_BLOCK_P:
        html_ += "<p>";
        break;
      case MD_BLOCK_H:
        html_ += std::string("<") + heading(detail);
        break;
      case MD_BLOCK_QUOTE:
        html_ += "<blockquote>";
        break;
      case MD_BLOCK_UL:
        html_ += "<ul>";
        break;
      case MD_BLOCK_OL:
        html_ += "<ol start=\"" + std::to_string(static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start) + "\">";
        break;
      case MD_BLOCK_LI:
        html_ += "<li>";
        break;
      case MD_BLOCK_HR:
        html_ += "<hr>\n";
        break;
      case MD_BLOCK_CODE:
        html_ += "<pre><code>";
        break;
      case MD_BLOCK_TABLE:
        html_ += "<div class=\"scroll\"><table>";
        break;
      case MD_BLOCK_TR:
        html_ += "<tr>";
        break;
      case MD_BLOCK_TH:
        open_cell("th", *static_cast<MD_BLOCK_TD_DETAIL*>(detail));
        break;
      case MD_BLOCK_TD:
        open_cell("td", *static_cast<MD_BLOCK_TD_DETAIL*>(detail));
        break;
      default:
        break;
    }
  }

  void leave_block(MD_BLOCKTYPE type, void* detail) {
    switch (type) {
      case MD_BLOCK_P:
        html_ += "</p>\n";
        break;
      case MD_BLOCK_H:
        html_ += std::string("</") + heading(detail) + "\n";
        break;
      case MD_BLOCK_QUOTE:
        html_ += "</blockquote>\n";
        break;
      case MD_BLOCK_UL:
        html_ += "</ul>\n";
        break;
      case MD_BLOCK_OL:
        html_ += "</ol>\n";
        break;
      case MD_BLOCK_LI:
        html_ += "</li>\n";
        break;
      case MD_BLOCK_CODE:
        html_ += "</code></pre>\n";
        break;
      case MD_BLOCK_TABLE:
        html_ += "</table></div>\n";
        break;
      case MD_BLOCK_TR:
        html_ += "</tr>\n";
        break;
      case MD_BLOCK_TH:
        html_ += "</th>";
        break;
      case MD_BLOCK_TD:
        html_ += "</td>";
        break;
      default:
        break;
    }
  }

  void open_link(const std::string& target) {
    links_.push_back(is_safe(target));
    if (links_.back()) html_ += "<a rel=\"noreferrer\" href=\"" + escaped(target) + "\">";
  }

  void enter_span(MD_SPANTYPE type, void* detail) {
    switch (type) {
      case MD_SPAN_EM:
        html_ += "<em>";
        break;
      case MD_SPAN_STRONG:
        html_ += "<strong>";
        break;
      case MD_SPAN_DEL:
        html_ += "<del>";
        break;
      case MD_SPAN_CODE:
        html_ += "<code class=\"word\">";
        break;
      case MD_SPAN_A:
        open_link(text_of(static_cast<MD_SPAN_A_DETAIL*>(detail)->href));
        break;
      case MD_SPAN_IMG:
        open_link(text_of(static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src));
        break;
      default:
        break;
    }
  }

  void leave_span(MD_SPANTYPE type) {
    switch (type) {
      case MD_SPAN_EM:
        html_ += "</em>";
        break;
      case MD_SPAN_STRONG:
        html_ += "</strong>";
        break;
      case MD_SPAN_DEL:
        html_ += "</del>";
        break;
      case MD_SPAN_CODE:
        html_ += "</code>";
        break;
      case MD_SPAN_A:
      case MD_SPAN_IMG:
        if (links_.back()) html_ += "</a>";
        links_.pop_back();
        break;
      default:
        break;
    }
  }

  void text(MD_TEXTTYPE type, std::string_view text) {
    switch (type) {
      case MD_TEXT_NULLCHAR:
        html_ += "\uFFFD";
        break;
      case MD_TEXT_BR:
        html_ += "<br>\n";
        break;
      case MD_TEXT_SOFTBR:
        html_ += "\n";
        break;
      case MD_TEXT_ENTITY:  // md4c has seen that it is one: "&amp;"
        html_ += text;
        break;
      default:
        html_ += escaped(text);
        break;
    }
  }

  static std::string escaped(std::string_view text) { return escape_html(replace_invalid_utf8(text)); }

  std::string html_;
  std::vector<bool> links_;  // that are open; false: shown as text
};

}  // namespace

std::string markdown_html(std::string_view markdown) {
  return HtmlWriter().write(markdown);
}

}  // namespace pitwall::ui
