// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/normalizer.h"

#include "engine/text/byte_alphabet.h"
#include "engine/text/text_search.h"
#include "engine/text/utf8.h"

namespace pitwall {

namespace {

/// `change(code, out)` appends what becomes of each code point.
template <class Change>
std::string map_code_points(std::string_view text, Change change) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Utf8Step step = utf8_step(text);
    change(step.code, out);
    text.remove_prefix(step.length);
  }
  return out;
}

std::string without(bool (*dropped)(char32_t), std::string_view text) {
  return map_code_points(text, [dropped](char32_t code, std::string& out) {
    if (!dropped(code)) append_utf8(out, code);
  });
}

bool between(char32_t code, char32_t first, char32_t last) {
  return code >= first && code <= last;
}

/// The blocks that BERT's tokenizer calls Chinese.
bool is_chinese(char32_t code) {
  return between(code, 0x4E00, 0x9FFF) || between(code, 0x3400, 0x4DBF) || between(code, 0x20000, 0x2A6DF) ||
         between(code, 0x2A700, 0x2B73F) || between(code, 0x2B740, 0x2B81F) ||
         between(code, 0x2B920, 0x2CEAF) || between(code, 0xF900, 0xFAFF) || between(code, 0x2F800, 0x2FA1F);
}

std::string cleaned(std::string_view text) {
  return map_code_points(text, [](char32_t code, std::string& out) {
    const bool line = code == '\t' || code == '\n' || code == '\r';
    if (!line && (code == 0 || code == 0xFFFD || is_control_or_format(code))) return;
    if (line || is_white_space(code)) {
      out += ' ';
    } else {
      append_utf8(out, code);
    }
  });
}

std::string with_chinese_apart(std::string_view text) {
  return map_code_points(text, [](char32_t code, std::string& out) {
    const bool apart = is_chinese(code);
    if (apart) out += ' ';
    append_utf8(out, code);
    if (apart) out += ' ';
  });
}

bool nmt_drops(char32_t code) {
  return between(code, 0x01, 0x08) || code == 0x0B || between(code, 0x0E, 0x1F) || code == 0x7F ||
         code == 0x8F || code == 0x9F;
}

bool nmt_makes_space(char32_t code) {
  return code == 0x09 || code == 0x0A || code == 0x0C || code == 0x0D || code == 0x1680 ||
         between(code, 0x200B, 0x200F) || code == 0x2028 || code == 0x2029 || code == 0x2581 ||
         code == 0xFEFF || code == 0xFFFD;
}

}  // namespace

std::string Normalizer::apply(std::string_view text, bool starts_segment) const {
  std::string out(text);
  for (const NormalizerStep& step : steps) out = step(out, starts_segment);
  return out;
}

NormalizerStep unicode_form_step(NormalizationForm form) {
  return [form](std::string_view text, bool) { return normalized(text, form); };
}

NormalizerStep lower_case_step() {
  return [](std::string_view text, bool) { return lower_case(text); };
}

NormalizerStep strip_step(bool left, bool right) {
  return [left, right](std::string_view text, bool) {
    while (left && !text.empty()) {
      const Utf8Step step = utf8_step(text);
      if (!is_white_space(step.code)) break;
      text.remove_prefix(step.length);
    }
    while (right && !text.empty()) {
      const std::string_view last = last_code_point(text);
      if (!is_white_space(utf8_step(last).code)) break;
      text.remove_suffix(last.size());
    }
    return std::string(text);
  };
}

NormalizerStep strip_accents_step() {
  return [](std::string_view text, bool) { return without(is_mark, text); };
}

NormalizerStep replace_step(std::string wanted, std::string replacement) {
  return [wanted = std::move(wanted), replacement = std::move(replacement)](std::string_view text, bool) {
    return replace_all(text, wanted, replacement);
  };
}

NormalizerStep replace_step(Regex pattern, std::string replacement) {
  return [pattern = std::move(pattern), replacement = std::move(replacement)](std::string_view text, bool) {
    RegexSearch search;
    std::string out;
    std::size_t at = 0;
    while (const auto match = search.find(pattern, text, at)) {
      out.append(text.substr(at, match->begin - at)).append(replacement);
      at = match->end;
    }
    return out.append(text.substr(at));
  };
}

NormalizerStep prepend_step(std::string prefix) {
  return [prefix = std::move(prefix)](std::string_view text, bool starts_segment) {
    return text.empty() || !starts_segment ? std::string(text) : prefix + std::string(text);
  };
}

NormalizerStep nmt_step() {
  return [](std::string_view text, bool) {
    return map_code_points(text, [](char32_t code, std::string& out) {
      if (nmt_makes_space(code)) {
        out += ' ';
      } else if (!nmt_drops(code)) {
        append_utf8(out, code);
      }
    });
  };
}

NormalizerStep byte_alphabet_step() {
  return [](std::string_view text, bool) { return alphabet_from_bytes(text); };
}

NormalizerStep bert_step(BertNormalization options) {
  return [options](std::string_view text, bool) {
    std::string out(text);
    if (options.clean_text) out = cleaned(out);
    if (options.chinese_characters) out = with_chinese_apart(out);
    if (options.strip_accents) out = without(is_nonspacing_mark, normalized(out, NormalizationForm::nfd));
    if (options.lower_case) out = lower_case(out);
    return out;
  };
}

}  // namespace pitwall
