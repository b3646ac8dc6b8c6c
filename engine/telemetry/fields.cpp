// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/telemetry/fields.h"

#include <array>

namespace pitwall {

namespace {

template <class Enum>
bool set_to_named(Enum& value, std::string_view word, int count) {
  for (int i = 0; i < count; ++i) {
    if (word_of(static_cast<Enum>(i)) != word) continue;
    value = static_cast<Enum>(i);
    return true;
  }
  return false;
}

}  // namespace

const char* miss_field(MissReason reason) {
  static constexpr std::array<const char*, kMissReasonCount> kNames = {
      "miss_none",     "miss_disabled", "miss_below_one_block", "miss_cold",
      "miss_diverged", "miss_evicted",  "miss_different_salt",  "miss_not_yet_computed"};
  return kNames[static_cast<std::size_t>(reason)];
}

std::string_view word_of(FinishReason value) {
  return finish_reason_name(value);
}
std::string_view word_of(RunStatus value) {
  return run_status_name(value);
}
std::string_view word_of(MissReason value) {
  return miss_reason_name(value);
}
std::string_view word_of(ItemVerdict value) {
  static constexpr std::array<std::string_view, 5> kWords = {"planned", "running", "keep", "revert",
                                                             "unclear"};
  return kWords[static_cast<std::size_t>(value)];
}
std::string_view word_of(TuneTarget value) {
  static constexpr std::array<std::string_view, 3> kWords = {"simulator", "fresh engine", "running engine"};
  return kWords[static_cast<std::size_t>(value)];
}
std::string_view word_of(ChangedBy value) {
  static constexpr std::array<std::string_view, 5> kWords = {"unknown", "user", "sweep", "checklist",
                                                             "client"};
  return kWords[static_cast<std::size_t>(value)];
}

bool set_word(FinishReason& value, std::string_view word) {
  return set_to_named(value, word, 5);
}
bool set_word(RunStatus& value, std::string_view word) {
  return set_to_named(value, word, 5);
}
bool set_word(MissReason& value, std::string_view word) {
  return set_to_named(value, word, kMissReasonCount);
}
bool set_word(ItemVerdict& value, std::string_view word) {
  return set_to_named(value, word, 5);
}
bool set_word(TuneTarget& value, std::string_view word) {
  return set_to_named(value, word, 3);
}
bool set_word(ChangedBy& value, std::string_view word) {
  return set_to_named(value, word, 5);
}

}  // namespace pitwall
