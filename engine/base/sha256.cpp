// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/sha256.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

namespace pitwall {

struct Sha256::State {
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context{EVP_MD_CTX_new(), EVP_MD_CTX_free};
  bool good = false;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  state_->good = state_->context && EVP_DigestInit_ex(state_->context.get(), EVP_sha256(), nullptr) == 1;
}

Sha256::~Sha256() = default;

void Sha256::update(std::span<const std::byte> bytes) {
  state_->good = state_->good && EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()) == 1;
}

std::string Sha256::finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (!state_->good || EVP_DigestFinal_ex(state_->context.get(), digest.data(), &size) != 1) return {};
  std::string hex;
  for (unsigned i = 0; i < size; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

}  // namespace pitwall
