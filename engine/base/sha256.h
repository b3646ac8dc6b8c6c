// SPDX-License-Identifier: GPL-3.0-or-later
// SHA-256, by OpenSSL: the identity of a checkpoint's header and the sum of a fetched file.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace pitwall {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void update(std::span<const std::byte> bytes);
  /// 64 lower-case hex digits, once; empty when OpenSSL offers no SHA-256.
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pitwall
