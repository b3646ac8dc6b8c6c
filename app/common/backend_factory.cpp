// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/backend_factory.h"

#include "engine/base/file.h"

namespace pitwall {

BackendOptions backend_options(const Settings& settings) {
  BackendOptions options;
  options.device = settings.text("device");
  const std::string& dtype = settings.text("dtype");
  if (dtype == "float32") options.mode = ComputeMode::float32;
  if (dtype == "float16") options.mode = ComputeMode::float16;
  options.threads = settings.is_auto("threads") ? 0 : static_cast<int>(settings.integer("threads"));
  options.memory_limit = settings.is_auto("memory-limit") ? 0 : settings.integer("memory-limit");
  options.cache = cache_folder();
  return options;
}

BackendFactory backend_factory() {
  return [](const Settings& settings) { return make_backend(backend_options(settings)); };
}

}  // namespace pitwall
