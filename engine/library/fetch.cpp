// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/library/fetch.h"

#include "engine/base/text_escape.h"
#include "engine/library/model_profile.h"
#include "engine/library/package_fetch.h"

namespace pitwall {

std::vector<std::string> fetchable_models() {
  std::vector<std::string> names;
  for (const ModelProfile& profile : model_profiles()) {
    if (profile.fetchable()) names.push_back(profile.name);
  }
  return names;
}

Result<std::filesystem::path> fetch_model(const std::string& name, const FetchOptions& options) {
  const ModelProfile* profile = find_model_profile(name);
  if (profile != nullptr && profile->fetchable()) return fetch_package(*profile, options);
  std::string known;
  for (const std::string& other : fetchable_models()) known += (known.empty() ? "" : ", ") + other;
  return Error{Error::Kind::not_found, "There is no model " + quote_for_message(name) + " to fetch", "",
               "These can be fetched: " + known, "name"};
}

}  // namespace pitwall
