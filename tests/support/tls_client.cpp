// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/tls_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <utility>

namespace pitwall::test {

void write_certificate(const std::filesystem::path& folder) {
  EVP_PKEY* key = EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256");
  X509* certificate = X509_new();
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_set_pubkey(certificate, key);
  X509_NAME* name = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("localhost"),
                             -1, -1, 0);
  X509_set_issuer_name(certificate, name);
  X509_sign(certificate, key, EVP_sha256());
  std::FILE* file = std::fopen((folder / "cert.pem").c_str(), "w");
  PEM_write_X509(file, certificate);
  std::fclose(file);
  file = std::fopen((folder / "key.pem").c_str(), "w");
  PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr);
  std::fclose(file);
  X509_free(certificate);
  EVP_PKEY_free(key);
}

struct TlsClient::State {
  SSL_CTX* context = SSL_CTX_new(TLS_client_method());
  SSL* ssl = nullptr;
  int socket = -1;
  bool connected = false;
  std::string received;

  bool receive() {
    char buffer[16384];
    const int size = SSL_read(ssl, buffer, sizeof buffer);
    if (size > 0) received.append(buffer, static_cast<std::size_t>(size));
    return size > 0;
  }
};

TlsClient::TlsClient(int port, const std::filesystem::path& certificate, int version)
    : state_(std::make_unique<State>()) {
  State& state = *state_;
  SSL_CTX_load_verify_locations(state.context, certificate.c_str(), nullptr);
  SSL_CTX_set_verify(state.context, SSL_VERIFY_PEER, nullptr);
  if (version != 0) {
    SSL_CTX_set_security_level(state.context, 0);  // else OpenSSL itself offers nothing so old
    SSL_CTX_set_min_proto_version(state.context, version);
    SSL_CTX_set_max_proto_version(state.context, version);
  }
  state.socket = ::socket(AF_INET, SOCK_STREAM, 0);
  const timeval patience{60, 0};
  setsockopt(state.socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(state.socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return;
  state.ssl = SSL_new(state.context);
  SSL_set_fd(state.ssl, state.socket);
  state.connected = SSL_connect(state.ssl) == 1;
}

TlsClient::~TlsClient() {
  SSL_free(state_->ssl);
  SSL_CTX_free(state_->context);
  drop();
}

bool TlsClient::connected() const {
  return state_->connected;
}

std::string TlsClient::protocol() const {
  return SSL_get_version(state_->ssl);
}

void TlsClient::send(std::string_view bytes) {
  SSL_write(state_->ssl, bytes.data(), static_cast<int>(bytes.size()));
}

std::string TlsClient::read_until(std::string_view mark) {
  std::string& received = state_->received;
  std::size_t at;
  while ((at = received.find(mark)) == std::string::npos) {
    if (!state_->receive()) return std::exchange(received, {});
  }
  std::string result = received.substr(0, at + mark.size());
  received.erase(0, result.size());
  return result;
}

std::string TlsClient::read_all() {
  while (state_->receive()) {
  }
  return std::exchange(state_->received, {});
}

bool TlsClient::closed_well() const {
  return (SSL_get_shutdown(state_->ssl) & SSL_RECEIVED_SHUTDOWN) != 0;
}

void TlsClient::drop() {
  if (state_->socket >= 0) ::close(std::exchange(state_->socket, -1));
}

}  // namespace pitwall::test
