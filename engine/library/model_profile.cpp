// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/library/model_profile.h"

#include <cassert>
#include <nlohmann/json.hpp>

#include "engine/library/embedded_profiles.h"

namespace pitwall {

using nlohmann::json;

Result<ModelProfile> parse_model_profile(std::string_view text) {
  try {
    const json document = json::parse(text);
    const json& package = document.at("package");
    ModelProfile profile;
    document.at("name").get_to(profile.name);
    document.at("title").get_to(profile.title);
    document.at("licence").get_to(profile.licence);
    document.at("source").get_to(profile.source);
    document.at("file").get_to(profile.file);
    document.at("bytes").get_to(profile.bytes);
    document.at("sha256").get_to(profile.sha256);
    package.at("name").get_to(profile.package.name);
    package.at("version").get_to(profile.package.version);
    package.at("bytes").get_to(profile.package.bytes);
    package.at("member").get_to(profile.package.member);
    return profile;
  } catch (const json::exception& problem) {
    return Error{Error::Kind::invalid_input, "A model profile cannot be read", problem.what(),
                 "Compare it with the other files of profiles/models", ""};
  }
}

const std::vector<ModelProfile>& model_profiles() {
  static const std::vector<ModelProfile> profiles = [] {
    std::vector<ModelProfile> out;
    for (const std::string_view text : embedded_model_profiles()) {
      auto profile = parse_model_profile(text);
      assert(profile.ok() && "profiles/models holds a file that the tests should have refused");
      if (profile) out.push_back(std::move(profile).value());
    }
    return out;
  }();
  return profiles;
}

const ModelProfile* find_model_profile(std::string_view name) {
  for (const ModelProfile& profile : model_profiles()) {
    if (profile.name == name) return &profile;
  }
  return nullptr;
}

}  // namespace pitwall
