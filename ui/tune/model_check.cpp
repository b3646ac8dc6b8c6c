// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tune/model_check.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/library/model_profile.h"
#include "engine/library/models_folder.h"
#include "engine/plan/model_outline.h"
#include "ui/shell/fuzzy_match.h"

namespace pitwall::ui {

namespace {

constexpr std::size_t kMostNear = 3;

std::string near_names(const std::string& typed) {
  std::vector<std::pair<double, std::string>> found;
  for (const ModelProfile& profile : model_profiles()) {
    if (profile.config.empty()) continue;
    if (const auto score = fuzzy_score(QString::fromStdString(typed), QString::fromStdString(profile.name)))
      found.emplace_back(-*score, profile.name);
  }
  std::sort(found.begin(), found.end());
  std::string names;
  for (std::size_t i = 0; i < std::min(found.size(), kMostNear); ++i)
    names += (names.empty() ? "" : ", ") + found[i].second;
  return names;
}

}  // namespace

Result<void> check_model(const Checklist& checklist) {
  if (checklist.target == TuneTarget::running_engine) return {};
  if (checklist.model.empty())
    return Error{Error::Kind::invalid_input, "No model is named", "", "Name one, or a file", "model"};
  if (checklist.target == TuneTarget::fresh_engine) {
    if (const auto path = resolve_model(checklist.model); !path) return path.error();
    return {};
  }
  const auto outline = read_outline(checklist.model);
  if (outline) return {};
  Error error = outline.error();
  error.param = "model";
  if (error.kind != Error::Kind::not_found || find_model_profile(checklist.model) != nullptr) return error;
  const std::string near = near_names(checklist.model);
  error.action = near.empty() ? "Type a part of a known name and choose, or open a file"
                              : "Check the path, or take a near name: " + near;
  return error;
}

}  // namespace pitwall::ui
