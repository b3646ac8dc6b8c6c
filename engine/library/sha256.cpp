// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/library/sha256.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <memory>
#include <vector>

namespace pitwall {

Result<std::string> sha256_of_file(const std::filesystem::path& path,
                                   const std::function<void(Bytes)>& on_progress,
                                   const std::atomic<bool>* cancel) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  if (!context || EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) != 1) {
    return Error{Error::Kind::internal, "OpenSSL offers no SHA-256", "", "Check the installation of OpenSSL",
                 ""};
  }
  std::ifstream file(path, std::ios::binary);
  const Error unreadable{Error::Kind::io, "Cannot read " + path.string(), "",
                         "Check the disk and the permissions", ""};
  if (!file) return unreadable;
  std::vector<char> part(std::size_t{1} << 20);
  Bytes done = 0;
  while (file) {
    file.read(part.data(), static_cast<std::streamsize>(part.size()));
    EVP_DigestUpdate(context.get(), part.data(), static_cast<std::size_t>(file.gcount()));
    done += file.gcount();
    if (on_progress) on_progress(done);
    if (cancel != nullptr && cancel->load()) return Error{Error::Kind::cancelled, "Cancelled", "", "", ""};
  }
  if (file.bad()) return unreadable;

  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_DigestFinal_ex(context.get(), digest.data(), &size);
  std::string hex;
  for (unsigned i = 0; i < size; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

}  // namespace pitwall
