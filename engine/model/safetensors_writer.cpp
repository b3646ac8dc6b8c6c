// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/safetensors_writer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>

namespace pitwall {

namespace {

constexpr std::size_t kHeaderAlignment = 8;

std::string header_of(const std::vector<SafetensorsStream::Shape>& shapes) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  std::int64_t offset = 0;
  for (const SafetensorsStream::Shape& shape : shapes) {
    const std::int64_t end = offset + tensor_bytes(shape.type, shape.rows * shape.columns);
    header[shape.name] = {{"dtype", tensor_type_info(shape.type).name},
                          {"shape", {shape.rows, shape.columns}},
                          {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.append((kHeaderAlignment - text.size() % kHeaderAlignment) % kHeaderAlignment, ' ');
  return text;
}

Error cannot_write(const std::filesystem::path& file, const std::string& reason) {
  return {Error::Kind::io, fmt::format("{} cannot be written", file.string()), reason,
          "Choose a folder that can be written and has room", file.string()};
}

std::string last_reason() {
  return std::error_code(errno, std::generic_category()).message();
}

}  // namespace

Result<void> write_safetensors(const std::filesystem::path& file, const std::vector<NamedMatrix>& matrices) {
  std::vector<SafetensorsStream::Shape> shapes;
  for (const NamedMatrix& matrix : matrices)
    shapes.push_back({matrix.name, matrix.rows, matrix.columns, TensorType::f32});
  auto stream = SafetensorsStream::create(file, std::move(shapes));
  if (!stream.ok()) return stream.error();
  for (const NamedMatrix& matrix : matrices) {
    assert(static_cast<std::int64_t>(matrix.values.size()) == matrix.rows * matrix.columns);
    if (auto ok = stream->append(matrix.values); !ok.ok()) return ok;
  }
  return stream->finish();
}

Result<SafetensorsStream> SafetensorsStream::create(const std::filesystem::path& file,
                                                    std::vector<Shape> shapes) {
  SafetensorsStream stream;
  stream.file_ = file;
  stream.partial_ = file;
  stream.partial_ += fmt::format(".{}.partial", getpid());
  stream.shapes_ = std::move(shapes);
  stream.out_.open(stream.partial_, std::ios::binary | std::ios::trunc);
  if (!stream.out_) return cannot_write(file, last_reason());
  const std::string header = header_of(stream.shapes_);
  const std::uint64_t length = header.size();
  if (auto ok = stream.write(&length, sizeof length); !ok.ok()) return ok.error();
  if (auto ok = stream.write(header.data(), header.size()); !ok.ok()) return ok.error();
  return stream;
}

SafetensorsStream::~SafetensorsStream() {
  if (!out_.is_open()) return;
  out_.close();
  std::error_code ignored;
  std::filesystem::remove(partial_, ignored);
}

Result<void> SafetensorsStream::write(const void* bytes, std::size_t count) {
  out_.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
  return out_ ? Result<void>() : cannot_write(file_, last_reason());
}

Result<void> SafetensorsStream::append(std::span<const float> numbers) {
  if (numbers.empty()) return {};
  assert(current_ < shapes_.size());
  const Shape& shape = shapes_[current_];
  written_ += std::ssize(numbers);
  assert(written_ <= shape.rows * shape.columns);
  if (written_ == shape.rows * shape.columns) ++current_, written_ = 0;
  if (shape.type == TensorType::f32) return write(numbers.data(), numbers.size_bytes());
  assert(shape.type == TensorType::f16);
  std::vector<std::uint16_t> halves;
  halves.reserve(numbers.size());
  for (const float number : numbers) halves.push_back(float_to_half(number));
  return write(halves.data(), halves.size() * sizeof(std::uint16_t));
}

Result<void> SafetensorsStream::finish() {
  while (current_ < shapes_.size() && shapes_[current_].rows * shapes_[current_].columns == 0) ++current_;
  if (current_ < shapes_.size()) {
    return Error{
        Error::Kind::internal,
        fmt::format("{} was not written whole: {} is missing", file_.string(), shapes_[current_].name), "",
        "", ""};
  }
  out_.close();
  if (!out_) return cannot_write(file_, last_reason());
  std::error_code error;
  std::filesystem::rename(partial_, file_, error);
  return error ? cannot_write(file_, error.message()) : Result<void>();
}

}  // namespace pitwall
