// SPDX-License-Identifier: GPL-3.0-or-later
// What profiles/models says of a model: the file that can be fetched, the shape to plan with, or both.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/model/model_spec.h"

namespace pitwall {

/// A Python package (a wheel) that holds the model file or a part of it.
struct PackagePart {
  std::string name;
  std::string version;
  Bytes bytes = 0;         ///< of the wheel
  std::string member;      ///< path inside it
  Bytes member_bytes = 0;  ///< of the member, unpacked

  std::string title() const { return name + " " + version; }
};

struct ModelProfile {
  std::string name;  ///< "smollm2"
  std::string title;
  std::string licence;  ///< SPDX identifier
  std::string terms;    ///< address of what its user has to agree to; empty for a permissive licence
  std::string source;
  std::string hub;                      ///< repository that has it, owner and name; empty = nobody else's
  std::vector<std::string> same_shape;  ///< further repositories whose config.json has the same sizes
  std::string config;                   ///< fields of config.json, as JSON; empty = the profile has none
  std::optional<ModelSpec> spec;        ///< of `config`, where this engine runs its architecture

  // The file, where it can be fetched.
  std::string file;  ///< name under the models folder
  Bytes bytes = 0;
  std::string sha256;              ///< 64 lower-case hex digits
  std::vector<PackagePart> parts;  ///< joined in this order they are the file

  bool fetchable() const { return !file.empty(); }
};

/// The error names the key that is missing or has the wrong type.
Result<ModelProfile> parse_model_profile(std::string_view json);

const std::vector<ModelProfile>& model_profiles();              ///< the embedded ones
const ModelProfile* find_model_profile(std::string_view name);  ///< nullptr when unknown

/// What a model is called here: "meta-llama/Llama-3.1-8B-Instruct" is the profile llama-3.1-8b. Paths that
/// exist, and names that no profile has, stay as they are.
std::string local_model_name(const std::string& name);

/// What it is called elsewhere: the repository of the profile of that name. Paths and other names stay.
std::string hub_model_name(const std::string& name);

/// Whether the model's profile holds a checkpoint that was not packed that way. AWQ and GPTQ are made
/// beforehand: engines load such weights and make none.
bool lacks_packed_weights(const std::string& model, std::string_view method);

/// The repository of the same model whose weights are packed that way; empty = none is known.
std::string packed_repository(const std::string& model, std::string_view method);

/// The shape of a model, its weights not needed: a profile's name, or what resolve_model takes, or a bare
/// config.json. The error lists the profiles that have a shape.
Result<ModelSpec> find_model_spec(const std::string& path_or_name);

}  // namespace pitwall
