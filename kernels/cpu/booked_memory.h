// SPDX-License-Identifier: GPL-3.0-or-later
// Memory whose bytes stand in the ledger for as long as it lives.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/telemetry/ledger.h"

namespace pitwall {

/// When the system hands out the pages. On first use suits gigabytes of which a run may touch a part: the
/// ledger's limit and the system's promise are checked all the same before there is anything to use.
enum class Residence : std::uint8_t { from_start, on_first_use };

/// Zeroed pages, on huge pages where the system grants them. Move-only. The ledger outlives it.
class BookedMemory {
 public:
  BookedMemory() = default;  ///< nothing
  static Result<BookedMemory> take(Ledger& ledger, Category category, Bytes bytes, std::string_view purpose,
                                   Residence residence = Residence::from_start);
  BookedMemory(BookedMemory&& other) noexcept;
  BookedMemory& operator=(BookedMemory&& other) noexcept;
  BookedMemory(const BookedMemory&) = delete;
  BookedMemory& operator=(const BookedMemory&) = delete;
  ~BookedMemory();

  Bytes bytes() const { return bytes_; }
  template <class T>
  T* as() const {  ///< aligned to a page
    return reinterpret_cast<T*>(data_);
  }

 private:
  Ledger* ledger_ = nullptr;
  Category category_{};
  Bytes bytes_ = 0;
  std::byte* data_ = nullptr;
};

/// Many pieces that live and die together, packed into shared huge pages: the weights. The ledger outlives
/// it.
class BookedArena {
 public:
  BookedArena(Ledger& ledger, Category category) : ledger_(ledger), category_(category) {}
  BookedArena(const BookedArena&) = delete;
  BookedArena& operator=(const BookedArena&) = delete;
  ~BookedArena();

  Result<std::byte*> take(Bytes bytes, std::string_view purpose);  ///< zeroed, aligned to 64 bytes

 private:
  struct Chunk {
    std::byte* data;
    Bytes size, used;
  };
  Ledger& ledger_;
  Category category_;
  Bytes booked_ = 0;
  std::vector<Chunk> chunks_;
};

}  // namespace pitwall
