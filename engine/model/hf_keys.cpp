// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/hf_keys.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "engine/base/text_escape.h"
#include "engine/base/units.h"

namespace pitwall {

using nlohmann::json;

namespace {

// Cut, and printable whatever the file holds.
std::string shown(const json& value) {
  constexpr std::size_t kLimit = 80;
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() > kLimit) text = text.substr(0, kLimit) + "…";
  return text;
}

constexpr int kMost = std::numeric_limits<int>::max();

bool is_count(const json& value) {
  return value.is_number_unsigned() && value.get<std::uint64_t>() <= kMost;
}

}  // namespace

bool HfKeys::names(const char* key) const {
  return object_.contains(key);
}

const json* HfKeys::find(const char* key) const {
  const auto found = object_.find(key);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

const json* HfKeys::object(const char* key) const {
  const json* value = find(key);
  if (value == nullptr || value->is_object()) return value;
  wrong(key, "an object");
  return nullptr;
}

int HfKeys::number(const char* key, int least) const {
  const json* value = find(key);
  if (value == nullptr) {
    missing(key);
  } else if (is_count(*value) && value->get<int>() >= least) {
    return value->get<int>();
  } else {
    wrong(key, fmt::format("a count from {} to {}", least, format_count(kMost)));
  }
  return least;
}

int HfKeys::count(const char* key) const {
  return number(key, 0);
}

int HfKeys::size(const char* key) const {
  return number(key, 1);
}

double HfKeys::real(const char* key, double fallback) const {
  const json* value = find(key);
  if (value == nullptr) return fallback;
  if (value->is_number()) return value->get<double>();
  wrong(key, "a number");
  return fallback;
}

bool HfKeys::flag(const char* key, bool fallback) const {
  const json* value = find(key);
  if (value == nullptr) return fallback;
  if (value->is_boolean()) return value->get<bool>();
  wrong(key, "true or false");
  return fallback;
}

std::string HfKeys::text(const char* key, std::string_view fallback) const {
  const json* value = find(key);
  if (value == nullptr) return std::string(fallback);
  if (value->is_string()) return value->get<std::string>();
  wrong(key, "a string");
  return std::string(fallback);
}

template <class Element, class Accepts>
std::vector<Element> HfKeys::list(const char* key, std::string_view expected, const Accepts& accepts) const {
  std::vector<Element> elements;
  const json* value = find(key);
  if (value == nullptr) return elements;
  bool sound = value->is_array();
  if (sound) {
    for (const json& element : *value) sound = sound && accepts(element);
  }
  if (!sound) {
    wrong(key, expected);
    return elements;
  }
  for (const json& element : *value) elements.push_back(element.get<Element>());
  return elements;
}

std::vector<double> HfKeys::reals(const char* key) const {
  return list<double>(key, "a list of numbers", [](const json& value) { return value.is_number(); });
}

std::vector<int> HfKeys::counts(const char* key) const {
  return list<int>(key, "a list of counts", is_count);
}

std::vector<std::string> HfKeys::texts(const char* key) const {
  return list<std::string>(key, "a list of strings", [](const json& value) { return value.is_string(); });
}

std::vector<std::string> HfKeys::texts(const char* key, std::size_t layers) const {
  std::vector<std::string> listed = texts(key);
  if (has(key) && listed.size() != layers) {
    wrong(key, fmt::format("one for each of the {} layers", layers));
    listed.clear();
  }
  return listed;
}

void HfKeys::wrong(std::string_view key, std::string_view expected) const {
  const auto found = object_.find(key);
  first_.keep({Error::Kind::invalid_input,
               fmt::format("{} is {}, expected {}", quote_for_message(key),
                           found == object_.end() ? "missing" : shown(*found), expected),
               "", "Check the model's config.json", std::string(key)});
}

void HfKeys::missing(std::string_view key) const {
  first_.keep({Error::Kind::invalid_input, fmt::format("{} is missing", quote_for_message(key)), "",
               "Check the model's config.json", std::string(key)});
}

void HfKeys::unsupported(std::string what, std::string_view key) const {
  first_.keep({Error::Kind::unsupported, std::move(what), "",
               "Choose a model that needs none of what is named here", std::string(key)});
}

}  // namespace pitwall
