// SPDX-License-Identifier: GPL-3.0-or-later
// A certificate that a test signs itself, and a blocking TLS client by OpenSSL.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace pitwall::test {

/// Writes `folder`/cert.pem and `folder`/key.pem for localhost.
void write_certificate(const std::filesystem::path& folder);

class TlsClient {
 public:
  /// Trusts `certificate` alone. `version`: 0, or the only one offered, such as TLS1_1_VERSION.
  TlsClient(int port, const std::filesystem::path& certificate, int version = 0);
  ~TlsClient();
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;

  bool connected() const;
  std::string protocol() const;  ///< "TLSv1.3"
  void send(std::string_view bytes);
  std::string read_until(std::string_view mark);
  std::string read_all();    ///< until the server closes
  bool closed_well() const;  ///< the server said that it closes
  void drop();               ///< closes the socket without a word

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pitwall::test
