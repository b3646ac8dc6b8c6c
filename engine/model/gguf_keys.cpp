// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/gguf_keys.h"

#include <fmt/format.h>

#include <limits>

namespace pitwall {

std::string GgufKeys::key(std::string_view name) const {
  return fmt::format("{}.{}", architecture_, name);
}

double GgufKeys::number(std::string_view name) const {
  const auto integer = metadata_.integer(key(name));
  return integer.ok() ? static_cast<double>(*integer) : real(name);
}

std::vector<int> GgufKeys::per_layer(std::string_view name, std::size_t layers) const {
  if (!metadata_.is_array(key(name))) return std::vector<int>(layers, count(name));
  std::vector<int> counts;
  for (const std::int64_t value : first_.take(metadata_.integers(key(name), layers))) {
    if (value < 0 || value > std::numeric_limits<int>::max()) {
      first_.keep({Error::Kind::invalid_input,
                   fmt::format("Metadata key \"{}\" holds {}, which is no count", key(name), value), "",
                   "Fetch or convert the model again", key(name)});
    }
    counts.push_back(static_cast<int>(value));
  }
  counts.resize(layers);  // after an error
  return counts;
}

void GgufKeys::unsupported(std::string what, std::string_view name) const {
  first_.keep({Error::Kind::unsupported, std::move(what), "",
               "Choose a model that needs none of what is named here", key(name)});
}

}  // namespace pitwall
