// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/library/fetch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "engine/base/profile_list.h"
#include "engine/base/text_escape.h"
#include "engine/library/download.h"
#include "engine/library/fetch_source.h"
#include "engine/library/model_profile.h"
#include "engine/library/models_folder.h"
#include "engine/library/package_fetch.h"

namespace pitwall {

namespace fs = std::filesystem;

namespace {

Error bad_sum(const std::string& text, const char* cause) {
  return {Error::Kind::invalid_input, quote_for_message(text) + " cannot be the expected sum", cause,
          "Leave it out, or give the 64 hex digits that sha256sum prints", "sha256"};
}

Result<fs::path> fetch_address(const std::string& address, FetchOptions options) {
  std::transform(options.sha256.begin(), options.sha256.end(), options.sha256.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (!options.sha256.empty() && (options.sha256.size() != 64 ||
                                  options.sha256.find_first_not_of("0123456789abcdef") != std::string::npos))
    return bad_sum(options.sha256, "It is no SHA-256 sum");
  const Hub hub = Hub::from_environment();
  const auto sources = read_source(address, hub);
  if (!sources) return sources.error();
  if (sources->size() > 1 && !options.sha256.empty())
    return bad_sum(options.sha256, "This is a set of several files, each with its own sum");

  fs::path first;
  for (std::size_t i = 0; i < sources->size(); ++i) {
    const std::string label =
        sources->size() > 1 ? fmt::format(" part {} of {}", i + 1, sources->size()) : "";
    auto fetched = download_file((*sources)[i], default_models_folder(), hub, options, label);
    if (!fetched) return fetched;
    if (first.empty()) first = std::move(fetched).value();
  }
  return first;
}

}  // namespace

std::vector<std::string> fetchable_models() {
  std::vector<std::string> names;
  for (const ModelProfile& profile : model_profiles()) {
    if (profile.fetchable()) names.push_back(profile.name);
  }
  return names;
}

Result<fs::path> fetch_model(const std::string& source, const FetchOptions& options) {
  if (is_address(source)) return fetch_address(source, options);
  const ModelProfile* profile = find_model_profile(source);
  if (profile == nullptr || !profile->fetchable()) {
    const std::string known =
        profile_names(model_profiles(), [](const ModelProfile& other) { return other.fetchable(); });
    return Error{Error::Kind::not_found, "There is no model " + quote_for_message(source) + " to fetch", "",
                 "These can be fetched: " + known + "; or an address, or hf:org/repo/file.gguf", "name"};
  }
  if (!options.sha256.empty()) return bad_sum(options.sha256, "The sum of a model with a name is known");
  return fetch_package(*profile, options);
}

}  // namespace pitwall
