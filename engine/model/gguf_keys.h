// SPDX-License-Identifier: GPL-3.0-or-later
// GgufKeys: an architecture's keys of a GGUF file, "{architecture}.{name}". The first error stays.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/first_error.h"
#include "engine/model/gguf_metadata.h"

namespace pitwall {

class GgufKeys {
 public:
  /// All must live as long as the keys.
  GgufKeys(const GgufMetadata& metadata, std::string_view architecture, FirstError& first)
      : metadata_(metadata), architecture_(architecture), first_(first) {}

  std::string key(std::string_view name) const;  ///< in full
  bool has(std::string_view name) const { return metadata_.has(key(name)); }
  int count(std::string_view name) const { return first_.take(metadata_.count(key(name))); }
  int count(std::string_view name, int fallback) const {
    return first_.take(metadata_.count(key(name), fallback));
  }
  double real(std::string_view name) const { return first_.take(metadata_.real(key(name))); }
  double real(std::string_view name, double fallback) const {
    return first_.take(metadata_.real(key(name), fallback));
  }
  std::string text(std::string_view name, std::string fallback) const {
    return first_.take(metadata_.text(key(name), std::move(fallback)));
  }
  double number(std::string_view name) const;  ///< an integer or a real
  /// One number for all layers, or an array with one for each.
  std::vector<int> per_layer(std::string_view name, std::size_t layers) const;

  void unsupported(std::string what, std::string_view name) const;
  FirstError& errors() const { return first_; }

 private:
  const GgufMetadata& metadata_;
  std::string_view architecture_;
  FirstError& first_;
};

}  // namespace pitwall
