// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/template_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/text/template_formatting.h"
#include "engine/text/template_operators.h"
#include "engine/text/utf8.h"

namespace pitwall::jinja {

using Kind = Value::Kind;

namespace {

std::string json_real(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  return format_real(value);
}

std::string escape_beyond_ascii(char32_t code) {
  const auto number = static_cast<std::uint32_t>(code);
  if (code < 0x10000) return fmt::format("\\u{:04x}", number);
  return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + ((number - 0x10000) >> 10), 0xDC00 + (number & 0x3FF));
}

std::string escape_character(std::string_view character, char32_t code, bool ascii) {
  switch (code) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    case '\f':
      return "\\f";
    case '\b':
      return "\\b";
    default:
      break;
  }
  const bool escaped = code < 0x20 || (ascii && code >= 0x7F);
  return escaped ? escape_beyond_ascii(code) : std::string(character);
}

class JsonWriter {
 public:
  JsonWriter(Context& context, const JsonStyle& style) : context_(context), style_(style), out_(context) {}
  std::string take() { return out_.take(); }

  void write(const Value& value) {
    const DepthGuard guard(context_.budget());
    context_.budget().step();
    switch (value.kind()) {
      case Kind::none:
        out_ << "null";
        break;
      case Kind::boolean:
        out_ << (value.truthy() ? "true" : "false");
        break;
      case Kind::integer:
        out_ << std::to_string(value.integer());
        break;
      case Kind::real:
        out_ << json_real(value.real());
        break;
      case Kind::text:
        write_text(value.text());
        break;
      case Kind::list:
      case Kind::tuple:
        write_items(value.sequence().items);
        break;
      case Kind::dict:
        write_entries(value.dict().entries);
        break;
      default:
        fail(fmt::format("Object of type {} is not JSON serializable", value.type_name()));
    }
  }

 private:
  void write_text(std::string_view text) {
    out_ << "\"";
    std::size_t plain = 0;
    for (std::size_t at = 0; at < text.size();) {
      const Utf8Step step = utf8_step(text.substr(at));
      const std::string_view character = text.substr(at, step.length);
      const std::string escaped = escape_character(character, step.code, style_.ascii);
      at += step.length;
      if (escaped == character) continue;
      out_ << text.substr(plain, at - step.length - plain) << escaped;
      plain = at;
    }
    out_ << text.substr(plain) << "\"";
  }

  void write_items(const Items& items) {
    open("[");
    for (const Value& item : items) {
      separate(&item != &items.front());
      write(item);
    }
    close("]", items.empty());
  }

  void write_entries(Entries entries) {
    if (style_.sort_keys) {
      std::stable_sort(entries.begin(), entries.end(),
                       [&](const auto& a, const auto& b) { return order(context_, a.first, b.first) < 0; });
    }
    open("{");
    for (const auto& entry : entries) {
      separate(&entry != &entries.front());
      write_key(entry.first);
      out_ << style_.key_separator;
      write(entry.second);
    }
    close("}", entries.empty());
  }

  void write_key(const Value& key) {
    if (key.is_text()) return write_text(key.text());
    if (!key.is_number() && !key.is_none()) {
      fail(fmt::format("keys must be str, int, float, bool or None, not {}", key.type_name()));
    }
    out_ << "\"";
    write(key);
    out_ << "\"";
  }

  void open(std::string_view bracket) {
    out_ << bracket;
    ++level_;
  }
  void separate(bool after_another) {
    if (after_another) out_ << style_.item_separator;
    new_line();
  }
  void close(std::string_view bracket, bool empty) {
    --level_;
    if (!empty) new_line();
    out_ << bracket;
  }
  void new_line() {
    if (!style_.indent) return;
    out_ << "\n";
    for (int i = 0; i < level_; ++i) out_ << *style_.indent;
  }

  Context& context_;
  const JsonStyle& style_;
  TextBuilder out_;
  int level_ = 0;
};

}  // namespace

std::string to_json(Context& context, const Value& value, const JsonStyle& style) {
  JsonWriter writer(context, style);
  writer.write(value);
  return writer.take();
}

}  // namespace pitwall::jinja
