// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cpu/booked_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string>
#include <utility>

namespace pitwall {

namespace {

constexpr Bytes kPage = 4 * kKiB;
constexpr Bytes kHugePage = 2 * kMiB;
constexpr Bytes kAlignment = 64;
constexpr Bytes kArenaChunk = 64 * kMiB;  // address space; pages become resident as they are written

Bytes round_up(Bytes bytes, Bytes unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// What map_pages() maps for `bytes`: whole huge pages from that size up.
std::size_t mapped_size(Bytes bytes) {
  return static_cast<std::size_t>(round_up(bytes, bytes >= kHugePage ? kHugePage : kPage));
}

void unmap_pages(std::byte* data, Bytes bytes) {
  munmap(data, mapped_size(bytes));
}

/// Anonymous zero pages; sizes from a huge page up start on a huge-page boundary. nullptr = the system
/// refuses.
std::byte* map_pages(Bytes bytes) {
  const std::size_t size = mapped_size(bytes);
  const auto slack = static_cast<std::size_t>(bytes >= kHugePage ? kHugePage : 0);
  void* mapped = mmap(nullptr, size + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* start = static_cast<std::byte*>(mapped);
  if (slack == 0) return start;

  const std::size_t before = (slack - reinterpret_cast<std::uintptr_t>(start) % slack) % slack;
  std::byte* aligned = start + before;
  if (before > 0) munmap(start, before);
  if (before < slack) munmap(aligned + size, slack - before);
#ifdef MADV_HUGEPAGE
  madvise(aligned, size, MADV_HUGEPAGE);
#endif
  return aligned;
}

/// Makes the pages resident now: a machine that is too small says so here and not in the middle of a step.
bool populate(std::byte* data, Bytes bytes) {
#ifdef MADV_POPULATE_WRITE
  if (madvise(data, static_cast<std::size_t>(bytes), MADV_POPULATE_WRITE) == 0) return true;
  if (errno == ENOMEM || errno == EFAULT || errno == EHWPOISON) return false;
#endif
  std::fill_n(data, bytes, std::byte{0});
  return true;
}

Error refused_by_system(Bytes bytes, std::string_view purpose) {
  return {Error::Kind::out_of_memory,
          "the system gave no " + format_bytes(bytes) + " for " + std::string(purpose),
          "the machine has too little free memory",
          "close other programs, or ask for fewer KV blocks or a smaller model", "memory-limit"};
}

}  // namespace

Result<BookedMemory> BookedMemory::take(Ledger& ledger, Category category, Bytes bytes,
                                        std::string_view purpose, Residence residence) {
  BookedMemory memory;
  if (bytes == 0) return memory;
  if (auto booked = ledger.take(category, bytes, purpose); !booked) return std::move(booked).error();
  memory.ledger_ = &ledger;
  memory.category_ = category;
  memory.bytes_ = bytes;
  memory.data_ = map_pages(bytes);
  if (memory.data_ == nullptr) return refused_by_system(bytes, purpose);
  if (residence == Residence::from_start && !populate(memory.data_, bytes)) {
    return refused_by_system(bytes, purpose);
  }
  return memory;
}

BookedMemory::BookedMemory(BookedMemory&& other) noexcept {
  *this = std::move(other);
}

BookedMemory& BookedMemory::operator=(BookedMemory&& other) noexcept {
  std::swap(ledger_, other.ledger_);
  std::swap(category_, other.category_);
  std::swap(bytes_, other.bytes_);
  std::swap(data_, other.data_);
  return *this;
}

BookedMemory::~BookedMemory() {
  if (data_ != nullptr) unmap_pages(data_, bytes_);
  if (ledger_ != nullptr) ledger_->give_back(category_, bytes_);
}

Result<std::byte*> BookedArena::take(Bytes bytes, std::string_view purpose) {
  const Bytes needed = round_up(bytes, kAlignment);
  if (auto booked = ledger_.take(category_, needed, purpose); !booked) return std::move(booked).error();
  if (chunks_.empty() || chunks_.back().size - chunks_.back().used < needed) {
    const Bytes size = std::max(kArenaChunk, round_up(needed, kHugePage));
    std::byte* data = map_pages(size);
    if (data == nullptr) {
      ledger_.give_back(category_, needed);
      return refused_by_system(bytes, purpose);
    }
    chunks_.push_back({data, size, 0});
  }
  booked_ += needed;
  Chunk& chunk = chunks_.back();
  std::byte* piece = chunk.data + chunk.used;
  chunk.used += needed;
  return piece;
}

BookedArena::~BookedArena() {
  for (const Chunk& chunk : chunks_) unmap_pages(chunk.data, chunk.size);
  ledger_.give_back(category_, booked_);
}

}  // namespace pitwall
