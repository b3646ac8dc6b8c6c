// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/response_reader.h"

#include <algorithm>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <optional>
#include <utility>

namespace pitwall {

namespace beast = boost::beast;
namespace http = beast::http;
using beast::string_view;
using boost::system::error_code;

namespace {

class Parser final : public http::basic_parser<false> {
 public:
  Parser() {
    eager(true);
    body_limit(boost::none);
  }
  ResponseReader::Head head;
  const ResponseReader::BodySink* on_body = nullptr;
  bool stopped = false;

 private:
  void on_request_impl(http::verb, string_view, string_view, int, error_code&) override {}
  void on_response_impl(int status, string_view, int, error_code&) override { head.status = status; }
  void on_field_impl(http::field name, string_view, string_view value, error_code&) override {
    if (name != http::field::content_type) return;
    const string_view type = value.substr(0, value.find(';'));
    head.event_stream = beast::iequals(type.substr(0, type.find(' ')), "text/event-stream");
  }
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(string_view body, error_code& code) override { return hand_on(body, code); }
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, string_view body, error_code& code) override {
    return hand_on(body, code);
  }
  void on_finish_impl(error_code&) override {}

  std::size_t hand_on(string_view body, error_code& code) {
    if (on_body != nullptr && !(*on_body)({body.data(), body.size()})) {
      stopped = true;
      code = http::error::need_buffer;  // any error leaves put()
    }
    return body.size();
  }
};

}  // namespace

struct ResponseReader::State {
  std::optional<Parser> parser{std::in_place};
  std::string pending;  // a head or chunk header that is not whole
};

ResponseReader::ResponseReader() : state_(std::make_unique<State>()) {}
ResponseReader::~ResponseReader() = default;
ResponseReader::ResponseReader(ResponseReader&&) noexcept = default;
ResponseReader& ResponseReader::operator=(ResponseReader&&) noexcept = default;

ResponseReader::Status ResponseReader::feed(std::string_view bytes, const BodySink& on_body) {
  std::string joined;
  if (!state_->pending.empty()) {
    joined = std::exchange(state_->pending, {}) + std::string(bytes);
    bytes = joined;
  }
  while (!bytes.empty()) {
    Parser& parser = *state_->parser;
    parser.on_body = &on_body;
    error_code code;
    const std::size_t taken = parser.put(boost::asio::const_buffer(bytes.data(), bytes.size()), code);
    bytes.remove_prefix(std::min(taken, bytes.size()));
    if (parser.stopped) return Status::stopped;
    if (code == http::error::need_more) {
      state_->pending = bytes;
      return Status::more;
    }
    if (code) return Status::broken;
    if (!parser.is_done()) continue;
    if (parser.head.status >= 200) return bytes.empty() ? Status::done : Status::broken;
    state_->parser.emplace();  // the real response follows
  }
  return Status::more;
}

ResponseReader::Status ResponseReader::finish() {
  if (!has_head()) return Status::broken;
  error_code code;
  state_->parser->put_eof(code);
  return code ? Status::broken : Status::done;
}

bool ResponseReader::has_head() const {
  return state_->parser->is_header_done();
}

const ResponseReader::Head& ResponseReader::head() const {
  return state_->parser->head;
}

bool ResponseReader::keeps_alive() const {
  return state_->parser->is_done() && state_->parser->keep_alive();
}

void ResponseReader::next() {
  state_->parser.emplace();
  state_->pending.clear();
}

}  // namespace pitwall
