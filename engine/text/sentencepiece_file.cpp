// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/sentencepiece_file.h"

#include <fmt/format.h>

#include <bit>

#include "engine/base/file.h"
#include "engine/base/text_escape.h"

namespace pitwall {

namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{256} << 20;

Error damaged(std::string what) {
  return {Error::Kind::invalid_input, std::move(what), "The file is damaged or no SentencePiece model",
          "Fetch the model again", "tokenizer.model"};
}

/// One field of a message: a number, or bytes.
struct Field {
  std::uint32_t number = 0;
  std::uint32_t wire = 0;  ///< 0 varint, 1 eight bytes, 2 length and bytes, 5 four bytes
  std::uint64_t value = 0;
  std::string_view bytes;
  std::size_t offset = 0;  ///< in the file
};

/// The fields of a message in a row.
class FieldReader {
 public:
  FieldReader(std::string_view bytes, std::size_t offset) : bytes_(bytes), start_(offset) {}
  bool done() const { return at_ == bytes_.size(); }

  Result<Field> next() {
    Field field;
    field.offset = start_ + at_;
    const auto tag = varint();
    if (!tag.ok()) return tag.error();
    field.number = static_cast<std::uint32_t>(*tag >> 3);
    field.wire = static_cast<std::uint32_t>(*tag & 7);
    switch (field.wire) {
      case 0: {
        const auto value = varint();
        if (!value.ok()) return value.error();
        field.value = *value;
        return field;
      }
      case 1:
        return take(field, 8);
      case 2: {
        const auto length = varint();
        if (!length.ok()) return length.error();
        return take(field, *length);
      }
      case 5:
        return take(field, 4);
      default:
        return damaged(fmt::format("The field at offset {} has wire type {}", field.offset, field.wire));
    }
  }

 private:
  Result<std::uint64_t> varint() {
    std::uint64_t value = 0;
    const std::size_t begin = at_;
    for (unsigned shift = 0; shift < 64 && at_ < bytes_.size(); shift += 7) {
      const auto byte = static_cast<std::uint8_t>(bytes_[at_++]);
      value |= static_cast<std::uint64_t>(byte & 0x7Fu) << shift;
      if (byte < 0x80) return value;
    }
    return damaged(fmt::format("The number at offset {} does not end", start_ + begin));
  }

  Result<Field> take(Field field, std::uint64_t length) {
    if (length > bytes_.size() - at_) {
      return damaged(fmt::format("The field at offset {} has {} bytes, but {} are left", field.offset, length,
                                 bytes_.size() - at_));
    }
    field.bytes = bytes_.substr(at_, length);
    at_ += length;
    for (std::size_t i = 0; field.wire != 2 && i < field.bytes.size(); ++i)
      field.value |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(field.bytes[i])) << (8 * i);
    return field;
  }

  std::string_view bytes_;
  std::size_t start_, at_ = 0;
};

/// Calls `take(field)` for each field of a message; an error ends it.
template <class Take>
Result<void> for_each_field(std::string_view bytes, std::size_t offset, Take take) {
  FieldReader reader(bytes, offset);
  while (!reader.done()) {
    const auto field = reader.next();
    if (!field.ok()) return field.error();
    if (Result<void> taken = take(*field); !taken.ok()) return taken;
  }
  return {};
}

std::size_t content_offset(const Field& field, std::string_view file) {
  return static_cast<std::size_t>(field.bytes.data() - file.data());
}

Error wrong_wire(const Field& field) {
  return damaged(
      fmt::format("Field {} at offset {} has wire type {}", field.number, field.offset, field.wire));
}

Result<void> read_piece(std::string_view bytes, std::size_t offset, SentencePiece& piece) {
  return for_each_field(bytes, offset, [&](const Field& field) -> Result<void> {
    if (field.number == 1 && field.wire == 2) {
      piece.text = std::string(field.bytes);
    } else if (field.number == 2 && field.wire == 5) {
      piece.score = std::bit_cast<float>(static_cast<std::uint32_t>(field.value));
    } else if (field.number == 3 && field.wire == 0) {
      if (field.value < 1 || field.value > 6)
        return damaged(
            fmt::format("The piece at offset {} has type {}; types are 1 to 6", offset, field.value));
      piece.type = static_cast<SentencePiece::Type>(field.value);
    } else if (field.number <= 3) {
      return wrong_wire(field);
    }
    return {};
  });
}

Result<void> read_trainer(std::string_view bytes, std::size_t offset, SentencePieceModel& model) {
  return for_each_field(bytes, offset, [&](const Field& field) -> Result<void> {
    const auto number = static_cast<std::int32_t>(field.value);
    switch (field.number) {
      case 3:
        if (field.value < 1 || field.value > 4)
          return damaged(
              fmt::format("The model type at offset {} is {}; types are 1 to 4", field.offset, field.value));
        model.kind = static_cast<SentencePieceModel::Kind>(number);
        break;
      case 24:
        model.space_as_suffix = field.value != 0;
        break;
      case 35:
        model.byte_fallback = field.value != 0;
        break;
      case 40:
        model.unknown = number;
        break;
      case 41:
        model.bos = number;
        break;
      case 42:
        model.eos = number;
        break;
      default:
        break;
    }
    return {};
  });
}

Result<void> read_normalizer(std::string_view bytes, std::size_t offset, SentencePieceModel& model) {
  return for_each_field(bytes, offset, [&](const Field& field) -> Result<void> {
    switch (field.number) {
      case 2:
        if (field.wire != 2) return wrong_wire(field);
        model.charsmap = std::string(field.bytes);
        break;
      case 3:
        model.dummy_prefix = field.value != 0;
        break;
      case 4:
        model.remove_extra_spaces = field.value != 0;
        break;
      case 5:
        model.escape_spaces = field.value != 0;
        break;
      default:
        break;
    }
    return {};
  });
}

Result<void> check_special(const SentencePieceModel& model) {
  const auto size = static_cast<int>(model.pieces.size());
  for (const auto& [name, id] : {std::pair("unk", model.unknown), {"bos", model.bos}, {"eos", model.eos}}) {
    if (id < -1 || id >= size)
      return damaged(fmt::format("The {} id is {}, outside the vocabulary of {} pieces", name, id, size));
  }
  return {};
}

}  // namespace

Result<SentencePieceModel> parse_sentencepiece(std::string_view bytes) {
  SentencePieceModel model;
  auto read = for_each_field(bytes, 0, [&](const Field& field) -> Result<void> {
    if (field.number >= 1 && field.number <= 3 && field.wire != 2) return wrong_wire(field);
    const std::size_t offset = field.wire == 2 ? content_offset(field, bytes) : 0;
    if (field.number == 1) {
      SentencePiece piece;
      if (auto done = read_piece(field.bytes, offset, piece); !done.ok()) return done;
      if (piece.text.empty() || !is_valid_utf8(piece.text))
        return damaged(fmt::format("Piece {} at offset {} has no valid text", model.pieces.size(), offset));
      model.pieces.push_back(std::move(piece));
      return {};
    }
    if (field.number == 2) return read_trainer(field.bytes, offset, model);
    if (field.number == 3) return read_normalizer(field.bytes, offset, model);
    return {};
  });
  if (!read.ok()) return read.error();
  if (model.pieces.empty()) return damaged("The file has no pieces");
  if (auto checked = check_special(model); !checked.ok()) return checked.error();
  return model;
}

Result<SentencePieceModel> read_sentencepiece(const std::filesystem::path& file) {
  const auto bytes = read_file(file, kMaxFileBytes);
  if (!bytes.ok()) return bytes.error();
  auto model = parse_sentencepiece(*bytes);
  if (model.ok()) return model;
  Error error = std::move(model).error();
  error.what = fmt::format("{}: {}", file.string(), error.what);
  return error;
}

}  // namespace pitwall
