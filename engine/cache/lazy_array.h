// SPDX-License-Identifier: GPL-3.0-or-later
// LazyArray: an array that costs nothing until an element is used, and never moves its elements.
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

namespace pitwall {

template <class T>
class LazyArray {
 public:
  /// Makes element `i`, and its neighbours in the same chunk, if it is not there yet.
  T& touch(std::size_t i) {
    const std::size_t chunk = i / kChunk;
    if (chunk >= chunks_.size()) chunks_.resize(chunk + 1);
    if (!chunks_[chunk]) chunks_[chunk] = std::make_unique<T[]>(kChunk);
    return chunks_[chunk][i % kChunk];
  }
  T& operator[](std::size_t i) { return chunks_[i / kChunk][i % kChunk]; }
  const T& operator[](std::size_t i) const { return chunks_[i / kChunk][i % kChunk]; }
  bool has(std::size_t i) const { return i / kChunk < chunks_.size() && chunks_[i / kChunk]; }

 private:
  static constexpr std::size_t kChunk = 4096;
  std::vector<std::unique_ptr<T[]>> chunks_;
};

}  // namespace pitwall
