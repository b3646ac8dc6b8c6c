// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/safetensors_writer.h"

#include <cassert>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"

namespace pitwall {

namespace {

constexpr std::size_t kHeaderAlignment = 8;

std::string header_of(const std::vector<NamedMatrix>& matrices) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  std::size_t offset = 0;
  for (const NamedMatrix& matrix : matrices) {
    const std::size_t end = offset + matrix.values.size_bytes();
    header[matrix.name] = {
        {"dtype", "F32"}, {"shape", {matrix.rows, matrix.columns}}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.append((kHeaderAlignment - text.size() % kHeaderAlignment) % kHeaderAlignment, ' ');
  return text;
}

}  // namespace

Result<void> write_safetensors(const std::filesystem::path& file, const std::vector<NamedMatrix>& matrices) {
  const std::string header = header_of(matrices);
  const std::uint64_t length = header.size();
  std::string content(reinterpret_cast<const char*>(&length), sizeof(length));
  content += header;
  for (const NamedMatrix& matrix : matrices) {
    assert(static_cast<std::int64_t>(matrix.values.size()) == matrix.rows * matrix.columns);
    content.append(reinterpret_cast<const char*>(matrix.values.data()), matrix.values.size_bytes());
  }
  return write_file_atomic(file, content);
}

}  // namespace pitwall
