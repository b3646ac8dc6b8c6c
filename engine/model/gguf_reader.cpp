// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/gguf_reader.h"

#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <unordered_set>

#include "engine/base/text_escape.h"
#include "engine/base/units.h"
#include "engine/model/first_error.h"
#include "engine/model/ggml_types.h"

namespace pitwall {

namespace {

constexpr std::string_view kMagic = "GGUF";
constexpr std::uint32_t kMaxDimensions = 4;
constexpr std::uint64_t kMaxNameBytes = 1024;
constexpr std::uint64_t kMaxAlignment = 1 << 20;
constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 40;  // of one tensor
constexpr std::uint64_t kMinTensorBytes =
    8 + 4 + 8 + 4 + 8;                               // name length, dimensions, one of them, type, offset
constexpr std::uint64_t kMinEntryBytes = 8 + 4 + 1;  // key length, type, value

Error truncated(const std::filesystem::path& path, const std::string& what) {
  return {Error::Kind::invalid_input, fmt::format("{} is truncated: {}", path.string(), what),
          "The download or copy was probably cut off", "Fetch the file again", ""};
}

Error malformed(const std::filesystem::path& path, const std::string& what, std::string param = {}) {
  return {Error::Kind::invalid_input, fmt::format("{} is not a sound GGUF file: {}", path.string(), what), "",
          "Fetch or convert the file again", std::move(param)};
}

// Reads forward; after the first error every read yields zero and moves nothing.
class Cursor {
 public:
  explicit Cursor(MappedFile& map) : map_(map), bytes_(map.bytes()) {}

  std::span<const std::byte> take(std::uint64_t length, std::string_view what) {
    if (errors_.error()) return {};
    if (length > left()) {
      fail(truncated(map_.path(), fmt::format("{} needs {} bytes at offset {}, but the file ends at byte {}",
                                              what, length, at_, bytes_.size())));
      return {};
    }
    const auto wanted = static_cast<std::size_t>(length);
    if (auto held = map_.hold(at_ + wanted); !held.ok()) {
      fail(std::move(held).error());
      return {};
    }
    const auto part = bytes_.subspan(at_, wanted);
    at_ += part.size();
    return part;
  }

  template <class Number>
  Number number(std::string_view what) {
    Number value{};
    if (const auto part = take(sizeof(Number), what); !part.empty())
      std::memcpy(&value, part.data(), sizeof(Number));
    return value;
  }

  std::string_view text(std::string_view what) {
    const auto length = number<std::uint64_t>(what);
    const auto part = take(length, what);
    return {reinterpret_cast<const char*>(part.data()), part.size()};
  }

  // A number of things that take at least `unit` bytes each: a count that the rest of the file cannot hold is
  // an error.
  std::uint64_t count(std::uint64_t unit, std::string_view what) {
    const auto value = number<std::uint64_t>(what);
    if (!errors_.error() && value > left() / unit) {
      fail(truncated(map_.path(),
                     fmt::format("{} is {}, with {} bytes or more each, but only {} bytes follow offset {}",
                                 what, value, unit, left(), at_)));
    }
    return errors_.error() ? 0 : value;
  }

  void fail(Error error) { errors_.keep(std::move(error)); }
  const std::optional<Error>& error() const { return errors_.error(); }
  std::size_t at() const { return at_; }
  std::size_t left() const { return bytes_.size() - at_; }
  const std::filesystem::path& path() const { return map_.path(); }
  std::span<const std::byte> since(std::size_t start) const { return bytes_.subspan(start, at_ - start); }

 private:
  MappedFile& map_;
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  FirstError errors_;
};

void read_magic(Cursor& cursor) {
  const auto start = cursor.take(std::min(kMagic.size(), cursor.left()), "the magic");
  if (cursor.error() ||
      (start.size() == kMagic.size() && std::memcmp(start.data(), kMagic.data(), kMagic.size()) == 0))
    return;
  std::string hex;
  for (const std::byte byte : start) hex += fmt::format("{:02x} ", static_cast<unsigned>(byte));
  const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
  Error error{
      Error::Kind::invalid_input,
      start.empty()
          ? fmt::format("{} is empty; a GGUF file starts with \"GGUF\" (47 47 55 46)", cursor.path().string())
          : fmt::format("{} starts with {}({}); a GGUF file starts with \"GGUF\" (47 47 55 46)",
                        cursor.path().string(), hex, quote_for_message(text)),
      "It is another kind of file, or the download brought an error page or a pointer file instead",
      "Give a .gguf file, or a folder with config.json and safetensors", ""};
  cursor.fail(std::move(error));
}

std::uint32_t read_version(Cursor& cursor) {
  const auto version = cursor.number<std::uint32_t>("the version");
  if (cursor.error() || version == 2 || version == 3) return version;
  const bool swapped = (version & 0xFFFFu) == 0;
  cursor.fail(
      {Error::Kind::unsupported,
       fmt::format("{} is of GGUF version {}; versions 2 and 3 are read", cursor.path().string(), version),
       swapped ? "The file is probably big-endian" : "", "Convert the model again with a current converter",
       ""});
  return version;
}

GgufType read_type(Cursor& cursor, std::string_view key) {
  const std::size_t offset = cursor.at();
  const auto number = cursor.number<std::uint32_t>("a metadata value's type");
  if (number < kGgufTypeCount) return static_cast<GgufType>(number);
  cursor.fail(malformed(cursor.path(),
                        fmt::format("metadata key {} has value type {} at offset {}; types are 0 to {}",
                                    quote_for_message(key), number, offset, kGgufTypeCount - 1),
                        std::string(key)));
  return GgufType::u8;
}

void skip_elements(Cursor& cursor, GgufType type, std::uint64_t count, std::string_view key) {
  const std::string what = "metadata key " + quote_for_message(key);
  if (const std::size_t bytes = gguf_scalar_bytes(type); bytes > 0) {
    cursor.take(count * bytes, what);  // no overflow: count was bounded by the bytes that are left
    return;
  }
  for (std::uint64_t i = 0; i < count && !cursor.error(); ++i) cursor.text(what);
}

GgufValue read_value(Cursor& cursor, std::string_view key) {
  GgufValue value;
  value.type = value.element = read_type(cursor, key);
  if (value.type == GgufType::array) {
    value.element = read_type(cursor, key);
    if (value.element == GgufType::array) {
      cursor.fail(malformed(cursor.path(),
                            fmt::format("metadata key {} is an array of arrays", quote_for_message(key)),
                            std::string(key)));
    }
    const std::size_t unit = gguf_scalar_bytes(value.element);
    value.count = cursor.count(unit > 0 ? unit : sizeof(std::uint64_t),
                               fmt::format("the length of metadata key {}", quote_for_message(key)));
  }
  const std::size_t start = cursor.at();
  skip_elements(cursor, value.element, value.count, key);
  value.bytes = cursor.since(start);
  return value;
}

void read_metadata(Cursor& cursor, std::uint64_t count, GgufMetadata& metadata) {
  for (std::uint64_t i = 0; i < count && !cursor.error(); ++i) {
    const std::string_view key = cursor.text("a metadata key");
    const GgufValue value = read_value(cursor, key);
    if (!cursor.error() && !metadata.insert(key, value)) {
      cursor.fail(malformed(cursor.path(),
                            fmt::format("metadata key {} appears twice", quote_for_message(key)),
                            std::string(key)));
    }
  }
}

GgufTensor read_tensor(Cursor& cursor) {
  GgufTensor tensor;
  const std::string_view name = cursor.text("a tensor's name");
  if (name.size() > kMaxNameBytes) {
    cursor.fail(malformed(cursor.path(), fmt::format("a tensor's name has {} bytes; {} are allowed",
                                                     name.size(), kMaxNameBytes)));
    return tensor;
  }
  tensor.name = name;
  const auto dimensions = cursor.number<std::uint32_t>("a tensor's number of dimensions");
  if (dimensions > kMaxDimensions) {
    cursor.fail(malformed(cursor.path(), fmt::format("tensor {} has {} dimensions; {} are allowed",
                                                     quote_for_message(name), dimensions, kMaxDimensions)));
    return tensor;
  }
  for (std::uint32_t i = 0; i < dimensions; ++i)
    tensor.shape.push_back(cursor.number<std::uint64_t>("a tensor's shape"));
  tensor.type = cursor.number<std::uint32_t>("a tensor's type");
  tensor.offset = cursor.number<std::uint64_t>("a tensor's offset");
  return tensor;
}

void read_tensors(Cursor& cursor, std::uint64_t count, std::vector<GgufTensor>& tensors) {
  std::unordered_set<std::string> names;
  for (std::uint64_t i = 0; i < count && !cursor.error(); ++i) {
    tensors.push_back(read_tensor(cursor));
    if (!cursor.error() && !names.insert(tensors.back().name).second) {
      cursor.fail(malformed(cursor.path(),
                            fmt::format("tensor {} appears twice", quote_for_message(tensors.back().name))));
    }
  }
}

Result<std::uint64_t> read_alignment(const GgufFile& file) {
  const std::string_view key = "general.alignment";
  const auto alignment = file.metadata().count(key, 32);
  if (!alignment.ok()) return alignment.error();
  const auto value = static_cast<std::uint64_t>(*alignment);
  if (value == 0 || value % 8 != 0 || value > kMaxAlignment) {
    return malformed(file.path(),
                     fmt::format("{} is {}; it must be a multiple of 8 up to {}", key, value, kMaxAlignment),
                     std::string(key));
  }
  return value;
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

Error not_read(const std::filesystem::path& path, const GgufTensor& tensor) {
  return {Error::Kind::unsupported,
          fmt::format("{}: tensor {} is stored as {}, which is not read yet", path.string(),
                      quote_for_message(tensor.name), ggml_type_name(tensor.type)),
          "", "Use a file of another quantisation, such as Q4_K_M, Q6_K or Q8_0", tensor.name};
}

// Shape and size; `data` is set by the caller once its place is known to lie inside the file.
Result<GgufExtent> describe(const std::filesystem::path& path, const GgufTensor& tensor) {
  const std::string name = quote_for_message(tensor.name);
  const auto block = ggml_block(tensor.type);
  if (!block) return not_read(path, tensor);
  if (tensor.shape.empty()) {
    return malformed(path, fmt::format("tensor {} has no dimensions", name), tensor.name);
  }
  // Rows are all dimensions but the first: [columns, rows, experts] is experts·rows rows.
  std::uint64_t numbers = 1;
  for (const std::uint64_t side : tensor.shape) {
    if (side != 0 && side <= kMaxElements / numbers) {
      numbers *= side;
      continue;
    }
    return malformed(path,
                     fmt::format("tensor {} has shape {}; it must hold 1 to {} numbers", name,
                                 shape_text(tensor.shape), kMaxElements),
                     tensor.name);
  }
  const std::uint64_t columns = tensor.shape[0], rows = numbers / columns;
  GgufExtent extent{&tensor, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)};
  if (extent.columns % block->elements != 0) {
    return malformed(path,
                     fmt::format("tensor {} has rows of {} numbers, no multiple of the {} of a block of {}",
                                 name, extent.columns, block->elements, ggml_type_name(tensor.type)),
                     tensor.name);
  }
  extent.bytes = extent.rows * (extent.columns / block->elements) * block->bytes;
  return extent;
}

}  // namespace

Result<GgufFile> GgufFile::open(const std::filesystem::path& path) {
  auto map = MappedFile::open(path);
  if (!map.ok()) return map.error();
  GgufFile file(std::move(*map));
  Cursor cursor(file.map_);
  read_magic(cursor);
  file.version_ = read_version(cursor);
  const auto tensors = cursor.count(kMinTensorBytes, "the number of tensors");
  const auto entries = cursor.count(kMinEntryBytes, "the number of metadata keys");
  read_metadata(cursor, entries, file.metadata_);
  read_tensors(cursor, tensors, file.tensors_);
  if (cursor.error()) return *cursor.error();
  file.map_.end_holding();
  file.header_bytes_ = cursor.at();
  auto alignment = read_alignment(file);
  if (!alignment.ok()) return alignment.error();
  file.alignment_ = *alignment;
  return file;
}

Result<std::vector<GgufExtent>> GgufFile::extents() const {
  const std::uint64_t size = map_.bytes().size();
  const std::uint64_t data_start = (header_bytes_ + alignment_ - 1) / alignment_ * alignment_;
  std::vector<GgufExtent> extents;
  extents.reserve(tensors_.size());
  std::uint64_t furthest = 0;  // where the tensors end
  const GgufTensor* last = nullptr;
  for (const GgufTensor& tensor : tensors_) {
    auto extent = describe(path(), tensor);
    if (!extent.ok()) return extent.error();
    if (tensor.offset % alignment_ != 0 || tensor.offset > std::numeric_limits<std::int64_t>::max() / 2) {
      return malformed(path(),
                       fmt::format("tensor {} has offset {}, no multiple of {} inside a file",
                                   quote_for_message(tensor.name), tensor.offset, alignment_),
                       tensor.name);
    }
    // At most 2^42 bytes at offsets below 2^62: these sums cannot overflow.
    const std::uint64_t start = data_start + tensor.offset;
    const std::uint64_t end = start + static_cast<std::uint64_t>(extent->bytes);
    if (end > furthest) furthest = end, last = &tensor;
    if (end <= size) extent->data = map_.bytes().data() + start;
    extents.push_back(*extent);
  }
  if (furthest > size) {
    const auto number = [](std::uint64_t bytes) { return format_count(static_cast<std::int64_t>(bytes)); };
    return truncated(path(), fmt::format("tensor {} needs bytes {} to {}, the file has {} ({} missing)",
                                         quote_for_message(last->name), number(data_start + last->offset),
                                         number(furthest), number(size),
                                         format_bytes(static_cast<Bytes>(furthest - size))));
  }
  return extents;
}

Result<std::vector<TensorView>> GgufFile::tensor_views() const {
  for (const GgufTensor& tensor : tensors_) {
    if (!tensor_type_of_ggml(tensor.type)) return not_read(path(), tensor);
  }
  const auto all = extents();
  if (!all.ok()) return all.error();
  std::vector<TensorView> views;
  views.reserve(all->size());
  for (const GgufExtent& extent : *all) {
    TensorView view{extent.tensor->name, *tensor_type_of_ggml(extent.tensor->type), extent.rows,
                    extent.columns};
    view.bytes = extent.bytes;
    view.data = extent.data;
    views.push_back(std::move(view));
  }
  return views;
}

}  // namespace pitwall
