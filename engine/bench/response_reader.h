// SPDX-License-Identifier: GPL-3.0-or-later
// ResponseReader: HTTP/1.1 responses out of bytes that come in any pieces, their bodies without chunk
// framing.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace pitwall {

/// One connection's responses, one after the other. Interim (1xx) ones are passed over. Not thread-safe.
class ResponseReader {
 public:
  ResponseReader();
  ~ResponseReader();
  ResponseReader(ResponseReader&&) noexcept;
  ResponseReader& operator=(ResponseReader&&) noexcept;

  struct Head {
    int status = 0;
    bool event_stream = false;  ///< by Content-Type
  };
  enum class Status {
    more,     ///< the response goes on
    done,     ///< it is whole; call next() before the next one
    stopped,  ///< on_body returned false
    broken    ///< this is not HTTP
  };
  using BodySink = std::function<bool(std::string_view bytes)>;

  /// Takes in the bytes and hands on those of the body.
  Status feed(std::string_view bytes, const BodySink& on_body);
  /// The connection has ended: done where that ends the body, else broken.
  Status finish();

  bool has_head() const;
  const Head& head() const;
  bool keeps_alive() const;  ///< of a whole response
  void next();               ///< forgets this response

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pitwall
