// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/safetensors_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/base/text_escape.h"
#include "engine/base/units.h"
#include "engine/model/json_text.h"

namespace pitwall {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kLengthBytes = sizeof(std::uint64_t);
constexpr std::uint64_t kMaxHeaderBytes = 32 << 20;
constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 40;  // of one tensor

Error malformed(const fs::path& path, const std::string& what, std::string param = {}) {
  return {Error::Kind::invalid_input,
          fmt::format("{} is not a sound safetensors file: {}", path.string(), what), "",
          "Fetch or convert the file again", std::move(param)};
}

Error truncated(const fs::path& path, std::uint64_t needed, std::uint64_t found) {
  return {Error::Kind::invalid_input,
          fmt::format("{} is truncated: it needs {} bytes and has {}", path.string(),
                      format_count(static_cast<std::int64_t>(needed)),
                      format_count(static_cast<std::int64_t>(found))),
          "Is the download incomplete?", "Fetch the file again", ""};
}

std::optional<TensorType> tensor_type_of(std::string_view dtype) {
  constexpr TensorType kTypes[] = {TensorType::f32,     TensorType::f16,     TensorType::bf16,
                                   TensorType::f8_e4m3, TensorType::f8_e5m2, TensorType::f64,
                                   TensorType::i64,     TensorType::i32,     TensorType::i16,
                                   TensorType::i8,      TensorType::u8,      TensorType::boolean};
  for (const TensorType type : kTypes) {
    if (dtype == tensor_type_info(type).name) return type;
  }
  return std::nullopt;
}

// The unsigned numbers of a JSON array; nothing when it is something else.
std::optional<std::vector<std::uint64_t>> numbers_of(const nlohmann::json& entry, const char* key) {
  const auto found = entry.find(key);
  if (found == entry.end() || !found->is_array()) return std::nullopt;
  std::vector<std::uint64_t> numbers;
  for (const auto& item : *found) {
    if (!item.is_number_unsigned()) return std::nullopt;
    numbers.push_back(item.get<std::uint64_t>());
  }
  return numbers;
}

struct PlacedTensor {
  TensorView view;  // data is set once the whole file is known to be there
  std::uint64_t begin = 0, end = 0;
};

/// Rows are all dimensions but the last: [experts, rows, columns] is experts·rows rows. No dimension: one
/// number.
Result<TensorView> shaped(const fs::path& path, const std::string& name, TensorType type,
                          const std::vector<std::uint64_t>& shape) {
  const std::uint64_t columns = shape.empty() ? 1 : shape.back();
  std::uint64_t rows = 1, numbers = columns;
  bool too_many = columns > kMaxElements;
  for (std::size_t i = 0; i + 1 < shape.size() && !too_many; ++i) {
    too_many = shape[i] > kMaxElements || (shape[i] > 0 && std::max(rows, numbers) > kMaxElements / shape[i]);
    if (too_many) break;
    rows *= shape[i];
    numbers *= shape[i];
  }
  if (too_many) {
    return malformed(path,
                     fmt::format("tensor {} has shape [{}]; it may hold up to {} numbers",
                                 quote_for_message(name), fmt::join(shape, ", "), kMaxElements),
                     name);
  }
  TensorView view{name, type, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)};
  view.bytes = tensor_bytes(type, view.rows * view.columns);
  return view;
}

/// The data is covered whole and once: what overlaps or is left over was meant as something else.
Result<void> check_layout(const fs::path& path, std::vector<PlacedTensor>& tensors) {
  std::sort(tensors.begin(), tensors.end(), [](const PlacedTensor& a, const PlacedTensor& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::uint64_t at = 0;
  for (const PlacedTensor& tensor : tensors) {
    if (tensor.begin != at) {
      return malformed(
          path,
          fmt::format("tensor {} starts at byte {} of the data, {} what lies before it ends at {}",
                      quote_for_message(tensor.view.name), tensor.begin, tensor.begin < at ? "but" : "and",
                      at),
          tensor.view.name);
    }
    at = tensor.end;
  }
  return {};
}

Result<PlacedTensor> read_entry(const fs::path& path, const std::string& name, const nlohmann::json& entry) {
  const auto shape = numbers_of(entry, "shape");
  const auto offsets = numbers_of(entry, "data_offsets");
  const auto dtype = entry.find("dtype");
  if (!shape || !offsets || offsets->size() != 2 || dtype == entry.end() || !dtype->is_string()) {
    return malformed(
        path, fmt::format("tensor {} lacks a dtype, a shape or two data_offsets", quote_for_message(name)),
        name);
  }
  const auto type = tensor_type_of(dtype->get_ref<const std::string&>());
  if (!type) {
    return Error{
        Error::Kind::unsupported,
        fmt::format("{}: tensor {} is stored as {}, which is not read yet", path.string(),
                    quote_for_message(name), quote_for_message(dtype->get_ref<const std::string&>())),
        "", "Use a checkpoint in F32, F16, BF16 or F8_E4M3", name};
  }
  auto view = shaped(path, name, *type, *shape);
  if (!view.ok()) return view.error();
  const auto [begin, end] = std::pair((*offsets)[0], (*offsets)[1]);
  if (begin > end || end - begin != static_cast<std::uint64_t>(view->bytes)) {
    return malformed(path,
                     fmt::format("tensor {} of shape [{}] needs {} bytes, its data_offsets are {} to {}",
                                 quote_for_message(name), fmt::join(*shape, ", "), view->bytes, begin, end),
                     name);
  }
  return PlacedTensor{std::move(*view), begin, end};
}

/// The header is held in memory from then on.
Result<std::uint64_t> read_header_length(MappedFile& map) {
  const auto bytes = map.bytes();
  if (bytes.size() < kLengthBytes) return truncated(map.path(), kLengthBytes, bytes.size());
  if (auto held = map.hold(kLengthBytes); !held.ok()) return held.error();
  std::uint64_t length;
  std::memcpy(&length, bytes.data(), kLengthBytes);
  if (length > kMaxHeaderBytes) {
    return malformed(map.path(),
                     fmt::format("its first 8 bytes say that the header has {} bytes; up to {} are read",
                                 length, kMaxHeaderBytes));
  }
  if (length > bytes.size() - kLengthBytes) return truncated(map.path(), kLengthBytes + length, bytes.size());
  if (auto held = map.hold(static_cast<std::size_t>(kLengthBytes + length)); !held.ok()) return held.error();
  map.end_holding();
  return length;
}

// The shard of each tensor, by the index file. Shards must lie in the folder itself.
Result<std::map<std::string, std::string>> read_index(const fs::path& file) {
  auto index = read_json_object(file);
  if (!index.ok()) return index.error();
  const Error wrong{Error::Kind::invalid_input,
                    fmt::format("{} has no weight_map of tensors to file names", file.string()), "",
                    "Fetch the file again", "weight_map"};
  const auto map = index->find("weight_map");
  if (map == index->end() || !map->is_object() || map->empty()) return wrong;
  std::map<std::string, std::string> shards;
  for (const auto& [name, shard] : map->items()) {
    if (!shard.is_string()) return wrong;
    const auto& file_name = shard.get_ref<const std::string&>();
    if (fs::path(file_name).filename() != file_name || file_name == "." || file_name == "..") {
      return Error{Error::Kind::invalid_input,
                   fmt::format("{} names {}, which is no plain file name", file.string(),
                               quote_for_message(file_name)),
                   "", "Fetch the file again", "weight_map"};
    }
    shards.emplace(name, file_name);
  }
  return shards;
}

Result<SafetensorsSet> open_sharded(const fs::path& folder, const fs::path& index_file) {
  const auto shards = read_index(index_file);
  if (!shards.ok()) return shards.error();
  std::map<std::string, std::size_t> opened;  // file name → position in set.files
  SafetensorsSet set;
  for (const auto& [name, file_name] : *shards) {
    if (!opened.contains(file_name)) {
      std::error_code ignored;
      if (!fs::exists(folder / file_name, ignored)) {
        return Error{Error::Kind::not_found,
                     fmt::format("{} is missing, which {} names", (folder / file_name).string(),
                                 index_file.filename().string()),
                     "The download is incomplete, or a link leads nowhere", "Fetch the model again", name};
      }
      auto file = SafetensorsFile::open(folder / file_name);
      if (!file.ok()) return file.error();
      opened.emplace(file_name, set.files.size());
      set.files.push_back(std::move(*file));
    }
    const TensorView* view = set.files[opened[file_name]].find(name);
    if (view == nullptr) {
      return Error{Error::Kind::invalid_input,
                   fmt::format("{} places tensor {} in {}, which does not hold it", index_file.string(),
                               quote_for_message(name), file_name),
                   "The shards belong to another model", "Fetch the model again", name};
    }
    set.tensors.push_back(*view);
  }
  return set;
}

Error no_weights(const fs::path& folder) {
  std::vector<std::string> others;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".safetensors") others.push_back(entry.path().filename().string());
  }
  std::sort(others.begin(), others.end());
  std::string cause = "The folder has a configuration but no weights";
  if (!others.empty())
    cause = fmt::format("Nothing says which of its other files is the model: {}", fmt::join(others, ", "));
  return {Error::Kind::not_found,
          fmt::format("{} holds neither model.safetensors nor model.safetensors.index.json", folder.string()),
          cause, "Fetch the whole model, or give a .gguf file", "model"};
}

}  // namespace

Result<SafetensorsFile> SafetensorsFile::open(const fs::path& path) {
  auto map = MappedFile::open(path);
  if (!map.ok()) return map.error();
  SafetensorsFile file(std::move(*map));
  const auto bytes = file.map_.bytes();
  const auto length = read_header_length(file.map_);
  if (!length.ok()) return length.error();
  file.header_bytes_ = static_cast<std::size_t>(kLengthBytes + *length);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + kLengthBytes,
                              static_cast<std::size_t>(*length));
  const auto header = parse_json_object(text, path);
  if (!header.ok()) return header.error();

  std::vector<PlacedTensor> tensors;
  for (const auto& [name, entry] : header->items()) {
    if (name == "__metadata__") continue;
    auto tensor = read_entry(path, name, entry);
    if (!tensor.ok()) return tensor.error();
    tensors.push_back(*std::move(tensor));
  }
  if (auto sound = check_layout(path, tensors); !sound.ok()) return sound.error();
  // No hole and no overlap: at most 2^44 bytes for each tensor of a header that is bounded, which fits.
  const std::uint64_t expected = file.header_bytes_ + (tensors.empty() ? 0 : tensors.back().end);
  if (expected > bytes.size()) return truncated(path, expected, bytes.size());
  if (expected < bytes.size()) {
    return malformed(
        path, fmt::format("it needs {} bytes and has {}", format_count(static_cast<std::int64_t>(expected)),
                          format_count(static_cast<std::int64_t>(bytes.size()))));
  }
  for (PlacedTensor& tensor : tensors) {
    tensor.view.data = bytes.data() + file.header_bytes_ + tensor.begin;
    file.tensors_.push_back(std::move(tensor.view));
  }
  std::sort(file.tensors_.begin(), file.tensors_.end(),
            [](const TensorView& a, const TensorView& b) { return a.name < b.name; });
  return file;
}

const TensorView* SafetensorsFile::find(std::string_view name) const {
  const auto found =
      std::lower_bound(tensors_.begin(), tensors_.end(), name,
                       [](const TensorView& view, std::string_view wanted) { return view.name < wanted; });
  return found != tensors_.end() && found->name == name ? &*found : nullptr;
}

Result<SafetensorsSet> open_safetensors_folder(const fs::path& folder) {
  std::error_code ignored;
  if (const fs::path index = folder / "model.safetensors.index.json"; fs::exists(index, ignored)) {
    return open_sharded(folder, index);
  }
  const fs::path single = folder / "model.safetensors";
  if (!fs::exists(single, ignored)) {
    return no_weights(folder);
  }
  auto file = SafetensorsFile::open(single);
  if (!file.ok()) return file.error();
  SafetensorsSet set;
  set.tensors = file->tensors();
  set.files.push_back(std::move(*file));
  return set;
}

}  // namespace pitwall
