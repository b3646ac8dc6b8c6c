// SPDX-License-Identifier: GPL-3.0-or-later
// What a route answers, and errors in OpenAI's shape.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "engine/base/result.h"

namespace pitwall {

struct HttpReply {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;  ///< beside those that every reply has
  std::string code = {};                                     ///< of an error: for counting, as in its body
};

std::string_view status_text(int status);  ///< "Not Found"
HttpReply json_reply(std::string body, int status = 200);

/// {"error": {"message", "type", "param", "code"}}; `code` may be empty. Messages are cut: a body stays below
/// 4 KiB.
std::string error_body(std::string_view message, int status, std::string_view param = {},
                       std::string_view code = {});
HttpReply error_reply(int status, std::string_view message, std::string_view param = {},
                      std::string_view code = {});

/// By kind: 400, 404, 503 or 500; the code says why where OpenAI has a word for it.
int status_of(const Error& error);
HttpReply error_reply(const Error& error);

/// 404: this server has another model.
HttpReply unknown_model(const std::string& asked, const std::string& served);

}  // namespace pitwall
