// SPDX-License-Identifier: GPL-3.0-or-later
// Ring: the newest entries of something that never ends.
#pragma once
#include <algorithm>
#include <utility>
#include <vector>

namespace pitwall {

/// All slots are made at once: what is kept of a server that has run for days takes the memory that it took
/// at the start, and adding to it allocates nothing. Entries are numbered from 0, the oldest. Not
/// thread-safe.
template <class T>
class Ring {
 public:
  explicit Ring(std::size_t capacity) : slots_(capacity) {}  ///< capacity ≥ 1

  void push(T value) {
    slots_[place(size_)] = std::move(value);
    if (size_ < slots_.size()) {
      ++size_;
    } else {
      oldest_ = place(1);
    }
  }

  std::size_t size() const { return size_; }
  const T& operator[](std::size_t i) const { return slots_[place(i)]; }  ///< i < size()

  std::vector<T> newest(std::size_t n) const {  ///< oldest first
    std::vector<T> result;
    result.reserve(std::min(n, size_));
    for (std::size_t i = size_ - std::min(n, size_); i < size_; ++i) result.push_back((*this)[i]);
    return result;
  }

 private:
  std::size_t place(std::size_t i) const { return (oldest_ + i) % slots_.size(); }

  std::vector<T> slots_;
  std::size_t oldest_ = 0, size_ = 0;
};

}  // namespace pitwall
