// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/gguf_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <unordered_set>

#include "engine/base/text_escape.h"
#include "engine/model/first_error.h"

namespace pitwall {

namespace fs = std::filesystem;

namespace {

constexpr int kMostParts = 99999;  // five digits

/// What the keys of a file say about its place in a set.
struct Place {
  int number = 0, count = 1;  ///< number from 0
};

std::string part_ending(int number, int count) {
  return fmt::format("-{:05}-of-{:05}.gguf", number + 1, count);
}

Error bad_set(const std::string& what, std::string cause, std::string param) {
  return {Error::Kind::invalid_input, what, std::move(cause),
          "Keep all parts in one folder under the names that they were published with", std::move(param)};
}

Result<Place> place_of(const GgufFile& file) {
  FirstError first;
  Place place;
  place.count = first.take(file.metadata().count("split.count", 1));
  place.number = first.take(file.metadata().count("split.no", 0));
  if (first.error()) return *first.error();
  if (place.count <= 1) return Place{};
  if (place.count > kMostParts || place.number >= place.count) {
    return bad_set(fmt::format("{} says that it is part {} (split.no, from 0) of {} (split.count)",
                               file.path().string(), place.number, place.count),
                   "The file is damaged", "split.no");
  }
  return place;
}

/// The name of the set, from a part whose name must tell the same place as its keys.
Result<std::string> stem_of(const fs::path& path, const Place& place) {
  const std::string name = path.filename().string(), ending = part_ending(place.number, place.count);
  if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  return bad_set(fmt::format("{} is part {} of {}, but its name does not end in {}", path.string(),
                             place.number + 1, place.count, ending),
                 "The file was renamed, or its parts were put in another order", "split.no");
}

Result<GgufFile> open_part(const fs::path& path, const Place& expected) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    return Error{Error::Kind::not_found,
                 fmt::format("{} is missing: it is part {} of {} of the model", path.string(),
                             expected.number + 1, expected.count),
                 "The download is incomplete", "Fetch the missing part into the same folder", "model"};
  }
  auto file = GgufFile::open(path);
  if (!file) return file;
  const auto place = place_of(*file);
  if (!place) return place.error();
  if (place->number == expected.number && place->count == expected.count) return file;
  return bad_set(fmt::format("{} says that it is part {} of {}, its name part {} of {}", path.string(),
                             place->number + 1, place->count, expected.number + 1, expected.count),
                 "The file was renamed, or belongs to another set", "split.no");
}

Result<void> check_tensors(const std::vector<GgufFile>& parts) {
  std::unordered_set<std::string_view> names;
  std::size_t total = 0;
  for (const GgufFile& part : parts) {
    total += part.tensors().size();
    for (const GgufTensor& tensor : part.tensors()) {
      if (names.insert(tensor.name).second) continue;
      return bad_set(fmt::format("{}: tensor {} is in another part too", part.path().string(),
                                 quote_for_message(tensor.name)),
                     "The parts belong to different models", tensor.name);
    }
  }
  for (const GgufFile& part : parts) {
    const auto stated = part.metadata().count("split.tensors.count", static_cast<int>(total));
    if (!stated) return stated.error();
    if (static_cast<std::size_t>(*stated) == total) continue;
    return bad_set(fmt::format("{}: split.tensors.count is {}, the {} parts hold {} tensors",
                               part.path().string(), *stated, parts.size(), total),
                   "A part belongs to another model", "split.tensors.count");
  }
  return {};
}

}  // namespace

Result<GgufSet> GgufSet::open(const fs::path& path) {
  auto given = GgufFile::open(path);
  if (!given) return std::move(given).error();
  const auto place = place_of(*given);
  if (!place) return place.error();
  GgufSet set;
  set.path_ = path;
  if (place->count == 1) {
    set.parts_.push_back(*std::move(given));
    return set;
  }
  const auto stem = stem_of(path, *place);
  if (!stem) return stem.error();
  for (int i = 0; i < place->count; ++i) {
    const Place expected{i, place->count};
    auto part = i == place->number
                    ? std::move(given)
                    : open_part(path.parent_path() / (*stem + part_ending(i, place->count)), expected);
    if (!part) return std::move(part).error();
    set.parts_.push_back(*std::move(part));
  }
  if (auto sound = check_tensors(set.parts_); !sound) return sound.error();
  return set;
}

std::string GgufSet::name() const {
  if (parts_.size() == 1) return path_.stem().string();
  const std::string first = parts_.front().path().filename().string();
  return first.substr(0, first.size() - part_ending(0, static_cast<int>(parts_.size())).size());
}

std::size_t GgufSet::tensor_count() const {
  std::size_t count = 0;
  for (const GgufFile& part : parts_) count += part.tensors().size();
  return count;
}

std::vector<std::span<const std::byte>> GgufSet::headers() const {
  std::vector<std::span<const std::byte>> headers;
  for (const GgufFile& part : parts_) headers.push_back(part.header());
  return headers;
}

namespace {

template <class Each>
Result<std::vector<Each>> of_all(const std::vector<GgufFile>& parts,
                                 Result<std::vector<Each>> (GgufFile::*list)() const) {
  std::vector<Each> all;
  for (const GgufFile& part : parts) {
    auto some = (part.*list)();
    if (!some) return some;
    std::move(some->begin(), some->end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace

Result<std::vector<GgufExtent>> GgufSet::extents() const {
  return of_all(parts_, &GgufFile::extents);
}

Result<std::vector<TensorView>> GgufSet::tensor_views() const {
  return of_all(parts_, &GgufFile::tensor_views);
}

}  // namespace pitwall
