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
          "The download or copy was probably cut off", "Fetch the file again", ""};
}

std::optional<TensorType> tensor_type_of(std::string_view dtype) {
  if (dtype == "F32") return TensorType::f32;
  if (dtype == "F16") return TensorType::f16;
  if (dtype == "BF16") return TensorType::bf16;
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

Result<TensorView> shaped(const fs::path& path, const std::string& name, TensorType type,
                          std::vector<std::uint64_t> shape) {
  while (shape.size() > 2 && shape.back() == 1) shape.pop_back();
  if (shape.empty()) shape = {1};  // a single number
  if (shape.size() > 2) {
    return Error{Error::Kind::unsupported,
                 fmt::format("{}: tensor {} has shape [{}]; one or two dimensions are read", path.string(),
                             quote_for_message(name), fmt::join(shape, ", ")),
                 "", "", name};
  }
  const std::uint64_t rows = shape.size() == 2 ? shape[0] : 1, columns = shape.back();
  if (rows == 0 || columns == 0 || columns > kMaxElements / rows) {
    return malformed(path,
                     fmt::format("tensor {} has shape [{}]; it must hold 1 to {} numbers",
                                 quote_for_message(name), fmt::join(shape, ", "), kMaxElements),
                     name);
  }
  TensorView view{name, type, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)};
  view.bytes = tensor_bytes(type, view.rows * view.columns);
  return view;
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
        "", "Use a checkpoint in F32, F16 or BF16", name};
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

Result<std::uint64_t> read_header_length(const MappedFile& map) {
  const auto bytes = map.bytes();
  if (bytes.size() < kLengthBytes) return truncated(map.path(), kLengthBytes, bytes.size());
  std::uint64_t length;
  std::memcpy(&length, bytes.data(), kLengthBytes);
  if (length > kMaxHeaderBytes) {
    return malformed(map.path(),
                     fmt::format("its first 8 bytes say that the header has {} bytes; up to {} are read",
                                 length, kMaxHeaderBytes));
  }
  if (length > bytes.size() - kLengthBytes) return truncated(map.path(), kLengthBytes + length, bytes.size());
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

  const std::byte* data = bytes.data() + file.header_bytes_;
  const std::uint64_t data_bytes = bytes.size() - file.header_bytes_;
  std::uint64_t needed = 0;
  for (const auto& [name, entry] : header->items()) {
    if (name == "__metadata__") continue;
    auto tensor = read_entry(path, name, entry);
    if (!tensor.ok()) return tensor.error();
    needed = std::max(needed, tensor->end);
    if (tensor->end <= data_bytes) tensor->view.data = data + tensor->begin;
    file.tensors_.push_back(std::move(tensor->view));
  }
  if (needed > data_bytes) {
    constexpr std::uint64_t kMaxNeeded = std::uint64_t{1} << 62;
    return truncated(path, file.header_bytes_ + std::min(needed, kMaxNeeded), bytes.size());
  }
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
    return Error{
        Error::Kind::not_found,
        fmt::format("{} holds neither model.safetensors nor model.safetensors.index.json", folder.string()),
        "The folder has a configuration but no weights", "Fetch the whole model, or give a .gguf file",
        "model"};
  }
  auto file = SafetensorsFile::open(single);
  if (!file.ok()) return file.error();
  SafetensorsSet set;
  set.tensors = file->tensors();
  set.files.push_back(std::move(*file));
  return set;
}

}  // namespace pitwall
