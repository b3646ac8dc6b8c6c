// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/library/model_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "engine/base/profile_list.h"
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
  document.at("file").get_to(profile.file);
  document.at("bytes").get_to(profile.bytes);
  document.at("sha256").get_to(profile.sha256);
  for (const json& entry : document.at("packages")) {
    PackagePart part;
    entry.at("name").get_to(part.name);
    entry.at("version").get_to(part.version);
    entry.at("bytes").get_to(part.bytes);
    entry.at("member").get_to(part.member);
    entry.at("member_bytes").get_to(part.member_bytes);
    profile.parts.push_back(std::move(part));
  }
}

Error bad_profile(std::string why) {
  return {Error::Kind::invalid_input, "A model profile cannot be read", std::move(why),
          "Compare it with the other files of profiles/models", ""};
}

/// In lower case, without the owner.
std::string last_name(std::string_view repository) {
  std::string out(repository.substr(repository.rfind('/') + 1));
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return out;
}

/// Without the parts that change no size.
std::string plain_name(std::string_view repository) {
  static constexpr std::string_view kNoSize[] = {"meta", "instruct", "chat", "it", "hf"};
  const std::string name = last_name(repository);
  std::string plain;
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t end = std::min(name.find('-', at), name.size());
    const std::string part = name.substr(at, end - at);
    if (std::find(std::begin(kNoSize), std::end(kNoSize), part) == std::end(kNoSize))
      plain += (plain.empty() ? "" : "-") + part;
    at = end + 1;
  }
  return plain;
}

/// How its checkpoint is quantised, as config.json says it; empty = in no way.
std::string method_of(const ModelProfile& profile) {
  const json config = json::parse(profile.config, nullptr, false);
  const json quantized =
      config.is_object() ? config.value("quantization_config", json::object()) : json::object();
  return quantized.value("quant_method", "");
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
    profile.hub = document.value("hub", "");
    profile.same_shape = document.value("same_shape", std::vector<std::string>{});
    if (document.contains("config")) {
      profile.config = document.at("config").dump();
      auto spec = named_spec(document.at("config"), profile.name);
      if (!spec.ok() && spec.error().kind != Error::Kind::unsupported) return spec.error();
      if (spec) profile.spec = std::move(spec).value();
    }
    profile.terms = document.value("terms", "");
    if (document.contains("packages") || profile.config.empty()) read_download(document, profile);
    Bytes joined = 0;
    for (const PackagePart& part : profile.parts) joined += part.member_bytes;
    if (joined != profile.bytes)
      return bad_profile(fmt::format("Its packages hold {} bytes, and bytes is {}", joined, profile.bytes));
    return profile;
  } catch (const json::exception& problem) {
    return bad_profile(problem.what());
  }
}

const std::vector<ModelProfile>& model_profiles() {
  static const std::vector<ModelProfile> profiles =
      parse_profiles(embedded_model_profiles(), parse_model_profile);
  return profiles;
}

const ModelProfile* find_model_profile(std::string_view name) {
  return find_profile(model_profiles(), name);
}

std::string local_model_name(const std::string& name) {
  std::error_code error;
  if (name.empty() || fs::exists(name, error)) return name;
  const std::string last = last_name(name), plain = plain_name(name);
  for (const ModelProfile& profile : model_profiles()) {
    const bool same = std::any_of(profile.same_shape.begin(), profile.same_shape.end(),
                                  [&](const std::string& each) { return last_name(each) == last; });
    if (same || last == profile.name) return profile.name;
  }
  for (const ModelProfile& profile : model_profiles()) {
    if (plain == profile.name || (!profile.hub.empty() && plain == plain_name(profile.hub)))
      return profile.name;
  }
  return name;
}

std::string hub_model_name(const std::string& name) {
  std::error_code error;
  const ModelProfile* profile = fs::exists(name, error) ? nullptr : find_model_profile(name);
  return profile == nullptr || profile->hub.empty() ? name : profile->hub;
}

bool lacks_packed_weights(const std::string& model, std::string_view method) {
  const ModelProfile* profile = find_model_profile(local_model_name(model));
  const bool packed = method == "awq" || method == "gptq";
  return packed && profile != nullptr && !profile->config.empty() && method_of(*profile) != method;
}

std::string packed_repository(const std::string& model, std::string_view method) {
  const std::string hub = last_name(hub_model_name(local_model_name(model)));
  for (const ModelProfile& profile : model_profiles()) {
    if (last_name(profile.hub).starts_with(hub) && method_of(profile) == method) return profile.hub;
  }
  return "";
}

Result<ModelSpec> find_model_spec(const std::string& path_or_name) {
  if (const ModelProfile* profile = find_model_profile(path_or_name); profile && profile->spec)
    return *profile->spec;
  const auto path = resolve_model(path_or_name);
  if (path.ok()) return file_spec(*path);
  Error error = path.error();
  const std::string known =
      profile_names(model_profiles(), [](const ModelProfile& profile) { return profile.spec.has_value(); });
  error.action += (error.action.empty() ? "" : ", ") + ("or take one of the profiles: " + known);
  return error;
}

}  // namespace pitwall
