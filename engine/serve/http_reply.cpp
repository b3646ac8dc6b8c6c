// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/http_reply.h"

#include <nlohmann/json.hpp>

#include "engine/base/text_escape.h"

namespace pitwall {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestMessage = 600;  // bytes; escapes make at most six of one
constexpr std::size_t kLongestParam = 100;

std::string_view cut(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return text;
  std::size_t end = limit;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // not inside a character
  return text.substr(0, end);
}

Json text_or_null(std::string_view text) {
  return text.empty() ? Json() : Json(text);
}

}  // namespace

std::string_view status_text(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 204:
      return "No Content";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    default:
      return "Internal Server Error";
  }
}

HttpReply json_reply(std::string body, int status) {
  return {.status = status, .body = std::move(body), .headers = {}};
}

std::string error_body(std::string_view message, int status, std::string_view param, std::string_view code) {
  Json error;
  error["message"] = cut(message, kLongestMessage);
  error["type"] = status >= 500 ? "server_error" : "invalid_request_error";
  error["param"] = text_or_null(cut(param, kLongestParam));
  error["code"] = text_or_null(code);
  return Json{{"error", std::move(error)}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

HttpReply error_reply(int status, std::string_view message, std::string_view param, std::string_view code) {
  HttpReply reply = json_reply(error_body(message, status, param, code), status);
  reply.code = code;
  if (status == 503) reply.headers.emplace_back("Retry-After", "1");
  return reply;
}

int status_of(const Error& error) {
  switch (error.kind) {
    case Error::Kind::invalid_input:
    case Error::Kind::unsupported:
      return 400;
    case Error::Kind::not_found:
      return 404;
    case Error::Kind::busy:
    case Error::Kind::cancelled:
    case Error::Kind::out_of_memory:
      return 503;
    default:
      return 500;
  }
}

HttpReply error_reply(const Error& error) {
  std::string_view code;
  if (error.kind == Error::Kind::unsupported) code = "unsupported_value";
  return error_reply(status_of(error), error.text(), error.param, code);
}

HttpReply unknown_model(const std::string& asked, const std::string& served) {
  return error_reply(404,
                     "The model " + quote_for_message(asked) + " does not exist; this server has " +
                         quote_for_message(served),
                     "model", "model_not_found");
}

}  // namespace pitwall
