// SPDX-License-Identifier: GPL-3.0-or-later
// What one rendering may use: steps, live memory and depth. Going over a limit throws TemplateFailure.
#pragma once
#include <cstddef>
#include <string>
#include <utility>

#include "engine/base/result.h"
#include "engine/text/chat_template.h"

namespace pitwall::jinja {

/// How lexer, parser and evaluator give up; ChatTemplate turns it into an Error and nothing else sees it.
struct TemplateFailure {
  std::string message;
  int line = 0;  ///< 0: the place where the evaluator stands
  Error::Kind kind = Error::Kind::invalid_input;
  bool verbatim = false;  ///< raise_exception: the message stands alone
};

[[noreturn]] inline void fail(std::string message) {
  throw TemplateFailure{std::move(message)};
}

class TemplateBudget {
 public:
  explicit TemplateBudget(const TemplateLimits& limits) : limits_(limits) {}
  TemplateBudget(const TemplateBudget&) = delete;
  TemplateBudget& operator=(const TemplateBudget&) = delete;

  void step(std::size_t count = 1);
  /// Work over `bytes` of text: copying, searching, changing its case.
  void step_over(std::size_t bytes) { step(1 + bytes / 64); }

  /// Fails unless `bytes` more could be held: to be asked before a large value is built.
  void require(std::size_t bytes) const;
  void hold(std::size_t bytes);
  void release(std::size_t bytes) { held_ -= bytes; }

  void enter();
  void leave() { --depth_; }
  const TemplateLimits& limits() const { return limits_; }

 private:
  TemplateLimits limits_;
  std::size_t steps_ = 0;
  std::size_t held_ = 0;
  int depth_ = 0;
};

/// One level of nesting for as long as it lives.
class DepthGuard {
 public:
  explicit DepthGuard(TemplateBudget& budget) : budget_(budget) { budget_.enter(); }
  ~DepthGuard() { budget_.leave(); }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;

 private:
  TemplateBudget& budget_;
};

/// Bytes held on a budget for as long as it lives; values of the template itself and of its input hold none.
class Charge {
 public:
  Charge() = default;
  Charge(TemplateBudget& budget, std::size_t bytes) : budget_(&budget), bytes_(bytes) { budget.hold(bytes); }
  Charge(Charge&& other) noexcept : budget_(std::exchange(other.budget_, nullptr)), bytes_(other.bytes_) {}
  Charge& operator=(Charge&&) = delete;
  ~Charge() {
    if (budget_ != nullptr) budget_->release(bytes_);
  }

 private:
  TemplateBudget* budget_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace pitwall::jinja
