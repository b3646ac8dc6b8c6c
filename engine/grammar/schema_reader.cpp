// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/grammar/schema_reader.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "engine/base/text_escape.h"

namespace pitwall {

namespace {

/// A name as a part of a JSON pointer (RFC 6901).
std::string pointer_part(std::string_view name) {
  std::string out = "/";
  for (const char c : name) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

std::optional<std::string> name_of(std::string_view part) {
  std::string out;
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part[i] == '%') {
      unsigned value = 0;
      if (i + 2 >= part.size()) return std::nullopt;
      const auto read = std::from_chars(part.data() + i + 1, part.data() + i + 3, value, 16);
      if (read.ec != std::errc() || read.ptr != part.data() + i + 3) return std::nullopt;
      out += static_cast<char>(value);
      i += 2;
    } else {
      out += part[i];
    }
  }
  std::string unescaped;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i] != '~') {
      unescaped += out[i];
      continue;
    }
    if (i + 1 == out.size() || (out[i + 1] != '0' && out[i + 1] != '1')) return std::nullopt;
    unescaped += out[++i] == '0' ? '~' : '/';
  }
  return unescaped;
}

}  // namespace

Error schema_error(Error::Kind kind, const std::string& keyword, const std::string& pointer,
                   const std::string& what) {
  return {
      .kind = kind,
      .what = "Keyword " + quote_for_message(keyword) + " at " + quote_for_message(pointer, 400) + " " + what,
      .cause = {},
      .action = {},
      .param = pointer};
}

Error unsupported_keyword(const std::string& keyword, const std::string& pointer) {
  Error error =
      schema_error(Error::Kind::unsupported, keyword, pointer, "is not supported in a guided reply");
  error.action = "Leave it out and check the reply yourself, or say it with other keywords";
  return error;
}

struct SchemaReader::Walk {
  SchemaConjunction out;
  std::vector<const SchemaJson*> path;  ///< schemas whose $ref or allOf are being followed
};

Result<void> SchemaReader::check() const {
  std::vector<std::pair<const SchemaJson*, int>> open{{&root_, 1}};
  for (std::size_t count = 1; !open.empty(); ++count) {
    const auto [value, depth] = open.back();
    open.pop_back();
    if (depth > kDeepestSchema || count > kMostSchemaValues) {
      return Error{.kind = Error::Kind::out_of_memory,
                   .what = "The schema is nested deeper than " + std::to_string(kDeepestSchema) +
                           " levels or holds more than " + std::to_string(kMostSchemaValues) + " values",
                   .cause = {},
                   .action = "Use a smaller schema; $ref takes nesting out of it",
                   .param = {}};
    }
    if (!value->is_structured()) continue;
    for (const SchemaJson& inner : *value) open.emplace_back(&inner, depth + 1);
  }
  return {};
}

SchemaNode SchemaReader::child(const SchemaNode& node, const std::string& key) {
  return {.json = &node.json->at(key), .pointer = node.pointer + pointer_part(key)};
}

SchemaNode SchemaReader::child(const SchemaNode& node, const std::string& key, std::size_t index) {
  return {.json = &node.json->at(key).at(index),
          .pointer = node.pointer + pointer_part(key) + "/" + std::to_string(index)};
}

SchemaNode SchemaReader::child(const SchemaNode& node, const std::string& key, const std::string& name) {
  return {.json = &node.json->at(key).at(name),
          .pointer = node.pointer + pointer_part(key) + pointer_part(name)};
}

Result<SchemaNode> SchemaReader::target(const SchemaNode& node) {
  const SchemaJson& reference = node.json->at("$ref");
  const auto refused = [&](Error::Kind kind, const std::string& what) {
    return schema_error(kind, "$ref", node.pointer, what);
  };
  if (!reference.is_string()) return refused(Error::Kind::invalid_input, "is not a string");
  const auto text = reference.get<std::string>();
  if (!text.starts_with('#') || (text.size() > 1 && text[1] != '/')) {
    return refused(Error::Kind::unsupported, "refers to " + quote_for_message(text) +
                                                 ": only \"#\" and \"#/…\" of the same schema are known");
  }
  const SchemaJson* at = &root_;
  for (std::size_t begin = 1; begin < text.size();) {
    const std::size_t end = std::min(text.find('/', begin + 1), text.size());
    const auto name = name_of(std::string_view(text).substr(begin + 1, end - begin - 1));
    const SchemaJson* next = nullptr;
    if (name && at->is_object()) {
      const auto found = at->find(*name);
      if (found != at->end()) next = &*found;
    } else if (name && at->is_array()) {
      std::size_t index = 0;
      const auto read = std::from_chars(name->data(), name->data() + name->size(), index);
      if (read.ec == std::errc() && read.ptr == name->data() + name->size() && index < at->size())
        next = &(*at)[index];
    }
    if (next == nullptr)
      return refused(Error::Kind::invalid_input,
                     "refers to " + quote_for_message(text) + ", which is not there");
    at = next;
    begin = end;
  }
  return SchemaNode{.json = at, .pointer = text, .branch_of = node.branch_of};
}

Result<void> SchemaReader::visit(const SchemaNode& node, Walk& walk) {
  SchemaConjunction& out = walk.out;
  if (node.json->is_boolean()) {
    if (!node.json->get<bool>()) out.impossible = true;
    return {};
  }
  if (!node.json->is_object()) {
    return Error{.kind = Error::Kind::invalid_input,
                 .what = "The schema at " + quote_for_message(node.pointer, 400) +
                         " is neither an object nor true or false",
                 .cause = {},
                 .action = {},
                 .param = node.pointer};
  }
  if (std::ranges::find(node.branch_of, node.json) != node.branch_of.end()) {
    out.impossible = true;
    return {};
  }
  if (std::ranges::find(walk.path, node.json) != walk.path.end()) {
    return Error{.kind = Error::Kind::invalid_input,
                 .what = "The schema at " + quote_for_message(node.pointer, 400) +
                         " refers to itself without anything in between",
                 .cause = "$ref or allOf run in a ring",
                 .action = {},
                 .param = node.pointer};
  }
  if (static_cast<int>(walk.path.size()) >= kLongestReferences) {
    return Error{.kind = Error::Kind::out_of_memory,
                 .what = "More than " + std::to_string(kLongestReferences) +
                         " references follow each other at " + quote_for_message(node.pointer, 400),
                 .cause = {},
                 .action = "Refer to the last of them",
                 .param = node.pointer};
  }
  if (std::ranges::find(out.nodes, node.json, &SchemaNode::json) != out.nodes.end()) return {};
  out.nodes.push_back(node);
  walk.path.push_back(node.json);
  if (node.json->contains("$ref")) {
    auto to = target(node);
    if (!to.ok()) return std::move(to).error();
    if (auto done = visit(*to, walk); !done.ok()) return done;
  }
  if (const auto all = node.json->find("allOf"); all != node.json->end()) {
    if (!all->is_array())
      return schema_error(Error::Kind::invalid_input, "allOf", node.pointer, "is not a list");
    for (std::size_t i = 0; i < all->size(); ++i) {
      SchemaNode part = child(node, "allOf", i);
      part.branch_of = node.branch_of;
      if (auto done = visit(part, walk); !done.ok()) return done;
    }
  }
  walk.path.pop_back();
  return {};
}

Result<SchemaConjunction> SchemaReader::conjunction(const SchemaList& list) {
  Walk walk;
  for (const SchemaNode& node : list) {
    if (node.followed) {
      walk.out.nodes.push_back(node);
    } else if (auto done = visit(node, walk); !done.ok()) {
      return std::move(done).error();
    }
  }
  SchemaConjunction& out = walk.out;
  for (std::size_t i = 0; i < out.nodes.size() && !out.branches && !out.impossible; ++i) {
    const SchemaNode& node = out.nodes[i];
    const bool any_of = !node.any_of_chosen && node.json->contains("anyOf");
    if (!any_of && (node.one_of_chosen || !node.json->contains("oneOf"))) continue;
    const std::string keyword = any_of ? "anyOf" : "oneOf";
    const SchemaJson& schemas = node.json->at(keyword);
    if (!schemas.is_array() || schemas.empty())
      return schema_error(Error::Kind::invalid_input, keyword, node.pointer, "is not a list of schemas");
    out.branches.emplace();
    for (std::size_t k = 0; k < schemas.size(); ++k) {
      SchemaList branch = out.nodes;
      for (SchemaNode& followed : branch) followed.followed = true;
      (any_of ? branch[i].any_of_chosen : branch[i].one_of_chosen) = true;
      SchemaNode chosen = child(node, keyword, k);
      chosen.branch_of = node.branch_of;
      chosen.branch_of.push_back(node.json);
      branch.push_back(std::move(chosen));
      out.branches->push_back(std::move(branch));
    }
  }
  return std::move(walk.out);
}

}  // namespace pitwall
