// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/api_keys.h"

#include <openssl/crypto.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <algorithm>
#include <span>
#include <sstream>

#include "engine/base/file.h"
#include "engine/base/sha256.h"
#include "engine/base/text_escape.h"
#include "engine/settings/settings.h"

namespace pitwall {

namespace {

constexpr std::size_t kLongestName = 64;        // bytes
constexpr std::size_t kLargestFile = 16 << 20;  // bytes

std::string digest_of(std::string_view key) {
  Sha256 sum;
  sum.update(std::as_bytes(std::span(key)));
  return sum.finish();
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const std::size_t from = text.find_first_not_of(kSpace);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(kSpace) - from + 1);
}

/// What an HTTP header can carry in one word.
bool is_visible_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

Error bad_key(std::string what, const char* param) {
  return {.kind = Error::Kind::invalid_input,
          .what = std::move(what),
          .cause = {},
          .action =
              "Use letters, digits and signs of ASCII without spaces, such as the output of `openssl rand "
              "-hex 32`",
          .param = param};
}

bool equal_words(std::string_view text, std::string_view lower_case) {
  return std::equal(text.begin(), text.end(), lower_case.begin(), lower_case.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
}

}  // namespace

Result<ApiKeys> ApiKeys::read(std::string_view listed, const std::string& file) {
  ApiKeys keys;
  int number = 0;
  for (const std::string& key : split_list(listed)) {
    const std::string name = "key-" + std::to_string(++number);
    if (auto ok = keys.add(name, key, "api-key", "The API key " + name); !ok) return ok.error();
  }
  if (!listed.empty() && keys.empty()) return bad_key("api-key holds no key", "api-key");
  if (!file.empty()) {
    if (auto ok = keys.read_file(file); !ok) return ok.error();
  }
  return keys;
}

Result<void> ApiKeys::read_file(const std::string& file) {
  struct stat status {};
  const auto content = pitwall::read_file(file, kLargestFile);
  if (!content || ::stat(file.c_str(), &status) != 0) {
    return Error{.kind = Error::Kind::io,
                 .what = "The file of API keys " + quote_for_message(file) + " cannot be read",
                 .cause = content ? std::string() : content.error().what,
                 .action = "Give a file with one key a line, KEY or NAME:KEY",
                 .param = "api-key-file"};
  }
  if ((status.st_mode & (S_IRGRP | S_IROTH)) != 0) {
    spdlog::warn("other users can read the API keys in {}; `chmod 600` it", quote_for_message(file));
  }
  const std::size_t before = keys_.size();
  std::istringstream lines(*content);
  int number = 0;
  for (std::string text; std::getline(lines, text);) {
    ++number;
    const std::string_view line = trimmed(text);
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t colon = line.find(':');
    const bool named = colon != std::string_view::npos;
    const std::string_view name = named ? trimmed(line.substr(0, colon)) : std::string_view();
    const std::string_view key = named ? trimmed(line.substr(colon + 1)) : line;
    const std::string where = "Line " + std::to_string(number) + " of " + quote_for_message(file);
    if (auto ok = add(named ? name : "key-" + std::to_string(keys_.size() + 1), key, "api-key-file", where);
        !ok)
      return ok;
  }
  if (keys_.size() == before)
    return bad_key("The file " + quote_for_message(file) + " holds no API key", "api-key-file");
  return {};
}

Result<void> ApiKeys::add(std::string_view name, std::string_view key, const char* setting,
                          const std::string& where) {
  const bool printable = is_valid_utf8(name) && std::none_of(name.begin(), name.end(), [](char c) {
                           return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
                         });
  if (name.empty() || name.size() > kLongestName || !printable)
    return bad_key(where + " names its key with nothing, or with more than 64 bytes", setting);
  // A digest that OpenSSL does not give would make all keys alike.
  std::string digest = digest_of(key);
  if (digest.empty()) return Error{Error::Kind::internal, "OpenSSL offers no SHA-256", {}, {}, setting};
  if (key.empty() || !is_visible_ascii(key))
    return bad_key(where + " is empty or has a character that no key may have", setting);
  keys_.push_back({std::string(name), std::move(digest)});
  return {};
}

std::optional<std::string> ApiKeys::find(std::string_view authorization) const {
  const std::size_t space = authorization.find(' ');
  if (space == std::string_view::npos || !equal_words(authorization.substr(0, space), "bearer"))
    return std::nullopt;
  const std::string digest = digest_of(trimmed(authorization.substr(space)));
  const Key* found = nullptr;
  for (const Key& key : keys_) {
    if (key.digest.size() == digest.size() &&
        CRYPTO_memcmp(key.digest.data(), digest.data(), digest.size()) == 0)
      found = &key;
  }
  return found != nullptr ? std::optional(found->name) : std::nullopt;
}

}  // namespace pitwall
