// SPDX-License-Identifier: GPL-3.0-or-later
// The lists of named profiles that travel inside the binary: parsed once, found by name, named in messages.
#pragma once
#include <cassert>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace pitwall {

/// `texts` come from the build, where the tests have parsed each of them; one that fails all the same is
/// left out.
template <class Profile>
std::vector<Profile> parse_profiles(std::span<const std::string_view> texts,
                                    Result<Profile> (*parse)(std::string_view text)) {
  std::vector<Profile> out;
  for (const std::string_view text : texts) {
    auto profile = parse(text);
    assert(profile.ok() && "profiles/ holds a file that the tests should have refused");
    if (profile) out.push_back(std::move(profile).value());
  }
  return out;
}

/// nullptr when none has the name.
template <class Profile>
const Profile* find_profile(const std::vector<Profile>& profiles, std::string_view name) {
  for (const Profile& profile : profiles) {
    if (profile.name == name) return &profile;
  }
  return nullptr;
}

/// "a, b, c": the names of those that `wanted` takes.
template <class Profile, class Wanted>
std::string profile_names(const std::vector<Profile>& profiles, Wanted&& wanted) {
  std::string names;
  for (const Profile& profile : profiles) {
    if (wanted(profile)) names += (names.empty() ? "" : ", ") + profile.name;
  }
  return names;
}

template <class Profile>
std::string profile_names(const std::vector<Profile>& profiles) {
  return profile_names(profiles, [](const Profile&) { return true; });
}

}  // namespace pitwall
