// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/library/model_profile.h"

#include <cassert>
#include <nlohmann/json.hpp>

#include "engine/base/text_escape.h"
#include "engine/library/embedded_profiles.h"
#include "engine/library/models_folder.h"
#include "engine/model/hf_config.h"
#include "engine/model/json_text.h"
#include "engine/model/model.h"

namespace pitwall {

using nlohmann::json;
namespace fs = std::filesystem;

namespace {

void read_download(const json& document, ModelProfile& profile) {
  const json& package = document.at("package");
  document.at("file").get_to(profile.file);
  document.at("bytes").get_to(profile.bytes);
  document.at("sha256").get_to(profile.sha256);
  package.at("name").get_to(profile.package.name);
  package.at("version").get_to(profile.package.version);
  package.at("bytes").get_to(profile.package.bytes);
  package.at("member").get_to(profile.package.member);
}

Result<ModelSpec> named_spec(const json& config, const std::string& name) {
  auto spec = read_hf_spec(config);
  if (spec) spec->name = name;
  return spec;
}

Result<ModelSpec> file_spec(const fs::path& path) {
  const fs::path config = fs::is_directory(path) ? path / "config.json" : path;
  if (config.extension() == ".json") {
    const auto object = read_json_object(config);
    if (!object.ok()) return object.error();
    return named_spec(*object, path.stem().string());
  }
  const auto model = Model::open(path);
  if (!model.ok()) return model.error();
  return (*model)->spec();
}

}  // namespace

Result<ModelProfile> parse_model_profile(std::string_view text) {
  try {
    const json document = json::parse(text);
    ModelProfile profile;
    document.at("name").get_to(profile.name);
    document.at("title").get_to(profile.title);
    document.at("licence").get_to(profile.licence);
    document.at("source").get_to(profile.source);
    if (document.contains("config")) {
      auto spec = named_spec(document.at("config"), profile.name);
      if (!spec.ok()) return spec.error();
      profile.spec = std::move(spec).value();
    }
    if (document.contains("package") || !profile.spec) read_download(document, profile);
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

Result<ModelSpec> find_model_spec(const std::string& path_or_name) {
  if (const ModelProfile* profile = find_model_profile(path_or_name); profile && profile->spec)
    return *profile->spec;
  const auto path = resolve_model(path_or_name);
  if (path.ok()) return file_spec(*path);
  Error error = path.error();
  std::string known;
  for (const ModelProfile& profile : model_profiles()) {
    if (profile.spec) known += (known.empty() ? "" : ", ") + profile.name;
  }
  error.action += (error.action.empty() ? "" : ", ") + ("or take one of the profiles: " + known);
  return error;
}

}  // namespace pitwall
