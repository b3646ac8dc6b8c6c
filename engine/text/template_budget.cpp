// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/template_budget.h"

#include <fmt/format.h>

#include "engine/base/units.h"

namespace pitwall::jinja {

namespace {

[[noreturn]] void over_limit(std::string message) {
  throw TemplateFailure{std::move(message), 0, Error::Kind::out_of_memory};
}

}  // namespace

void TemplateBudget::step(std::size_t count) {
  steps_ += count;
  if (steps_ > limits_.steps) over_limit(fmt::format("the template takes more than {} steps", limits_.steps));
}

void TemplateBudget::require(std::size_t bytes) const {
  if (bytes > limits_.memory_bytes || held_ > limits_.memory_bytes - bytes) {
    over_limit(fmt::format("the template's values take more than {}",
                           format_bytes(static_cast<Bytes>(limits_.memory_bytes))));
  }
}

void TemplateBudget::hold(std::size_t bytes) {
  require(bytes);
  held_ += bytes;
}

void TemplateBudget::enter() {
  if (depth_ >= limits_.depth) over_limit(fmt::format("nested deeper than {} levels", limits_.depth));
  ++depth_;
}

}  // namespace pitwall::jinja
