// SPDX-License-Identifier: GPL-3.0-or-later
// What profiles/models says of a model that can be fetched.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/units.h"

namespace pitwall {

/// The Python package (a wheel) that holds the model file.
struct PackageSource {
  std::string name;
  std::string version;
  Bytes bytes = 0;     ///< of the wheel
  std::string member;  ///< path of the model file inside it
};

struct ModelProfile {
  std::string name;  ///< "smollm2"
  std::string title;
  std::string licence;  ///< SPDX identifier
  std::string source;
  std::string file;  ///< name under the models folder
  Bytes bytes = 0;
  std::string sha256;  ///< 64 lower-case hex digits
  PackageSource package;
};

/// The error names the key that is missing or has the wrong type.
Result<ModelProfile> parse_model_profile(std::string_view json);

const std::vector<ModelProfile>& model_profiles();              ///< the embedded ones
const ModelProfile* find_model_profile(std::string_view name);  ///< nullptr when unknown

}  // namespace pitwall
