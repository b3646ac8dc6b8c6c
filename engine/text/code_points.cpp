// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/code_points.h"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>

#include <algorithm>

#include "engine/text/utf8.h"

namespace pitwall {

namespace {

const icu::Normalizer2* normalizer(NormalizationForm form) {
  UErrorCode status = U_ZERO_ERROR;
  switch (form) {
    case NormalizationForm::nfc:
      return icu::Normalizer2::getNFCInstance(status);
    case NormalizationForm::nfd:
      return icu::Normalizer2::getNFDInstance(status);
    case NormalizationForm::nfkc:
      return icu::Normalizer2::getNFKCInstance(status);
    case NormalizationForm::nfkd:
      return icu::Normalizer2::getNFKDInstance(status);
  }
  return nullptr;
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// ICU counts in 32 bits: long texts go through in parts that end before a code point that starts anew.
constexpr std::size_t kPartBytes = std::size_t{1} << 28;

std::size_t part_end(std::string_view text, std::size_t begin, const icu::Normalizer2& forms) {
  std::size_t end = begin + kPartBytes;
  while (end < text.size()) {
    const Utf8Step step = utf8_step(text.substr(end));
    if (step.status == Utf8Step::Status::complete && forms.hasBoundaryBefore(static_cast<UChar32>(step.code)))
      return end;
    ++end;
  }
  return text.size();
}

}  // namespace

bool is_white_space(char32_t code) {
  return u_isUWhiteSpace(static_cast<UChar32>(code)) != 0;
}

bool is_mark(char32_t code) {
  return (U_GET_GC_MASK(static_cast<UChar32>(code)) & U_GC_M_MASK) != 0;
}

bool is_word_character(char32_t code) {
  const auto point = static_cast<UChar32>(code);
  return u_isUAlphabetic(point) != 0 ||
         (U_GET_GC_MASK(point) & (U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK)) != 0 ||
         u_hasBinaryProperty(point, UCHAR_JOIN_CONTROL) != 0;
}

bool is_nonspacing_mark(char32_t code) {
  return u_charType(static_cast<UChar32>(code)) == U_NON_SPACING_MARK;
}

bool is_control_or_format(char32_t code) {
  switch (u_charType(static_cast<UChar32>(code))) {
    case U_CONTROL_CHAR:
    case U_FORMAT_CHAR:
    case U_PRIVATE_USE_CHAR:
    case U_SURROGATE:
      return true;
    default:
      return false;
  }
}

bool continues_grapheme(char32_t code) {
  switch (u_getIntPropertyValue(static_cast<UChar32>(code), UCHAR_GRAPHEME_CLUSTER_BREAK)) {
    case U_GCB_EXTEND:
    case U_GCB_SPACING_MARK:
    case U_GCB_ZWJ:
      return true;
    default:
      return false;
  }
}

char32_t simple_lower_case(char32_t code) {
  return static_cast<char32_t>(u_tolower(static_cast<UChar32>(code)));
}

std::string lower_case(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Utf8Step step = utf8_step(text);
    text.remove_prefix(step.length);
    if (step.code == 0x130) {
      out += "i\xCC\x87";
    } else {
      append_utf8(out, simple_lower_case(step.code));
    }
  }
  return out;
}

std::string normalized(std::string_view text, NormalizationForm form) {
  if (is_ascii(text)) return std::string(text);
  const icu::Normalizer2& forms = *normalizer(form);
  std::string out;
  out.reserve(text.size());
  icu::StringByteSink<std::string> sink(&out);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = part_end(text, begin, forms);
    UErrorCode status = U_ZERO_ERROR;
    const icu::StringPiece part(text.data() + begin, static_cast<std::int32_t>(end - begin));
    forms.normalizeUTF8(0, part, sink, nullptr, status);
    begin = end;
  }
  return out;
}

}  // namespace pitwall
