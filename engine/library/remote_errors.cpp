// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/library/remote_errors.h"

#include <fmt/format.h>

#include "engine/base/text_escape.h"

namespace pitwall {

namespace {

Error locked(const std::string& what, const HttpUrl& asked, const Hub& hub) {
  const auto address = parse_http_url(hub.address);
  if (!address || address->origin() != asked.origin()) {
    return {Error::Kind::invalid_input, what, "The server wants a login or does not let this machine in",
            "Fetch the file with a browser and copy it to the models folder", ""};
  }
  if (hub.token.empty()) {
    return {Error::Kind::invalid_input, what,
            "The repository is private, or its terms have to be accepted first",
            "Accept them on its page, then set HF_TOKEN to a token of your account", ""};
  }
  return {Error::Kind::invalid_input, what, "The account of HF_TOKEN may not read it",
          "Accept the terms on its page with that account, or set HF_TOKEN to a token that has the right",
          ""};
}

}  // namespace

Error refusal(const HttpResponse& answer, const HttpUrl& asked, const Hub& hub) {
  const std::string what = fmt::format("{} was answered with HTTP {}", asked.shown(), answer.status);
  switch (answer.status) {
    case 401:
    case 403:
      return locked(what, asked, hub);
    case 404:
    case 410:
      return {Error::Kind::not_found, what, "There is no such file",
              "Check the spelling of the address: repository, revision, folder and file", ""};
    case 429: {
      const std::string* seconds = find_header(answer, "Retry-After");
      return {Error::Kind::busy, what, "The server has had too many requests from here",
              seconds ? "Try again after " + quote_for_message(*seconds, 40) + " seconds"
                      : "Try again in some minutes",
              ""};
    }
    case 500:
    case 502:
    case 503:
    case 504:
      return {Error::Kind::busy, what, "The server has trouble of its own",
              "Try again later; what has come is kept", ""};
    default:
      return {Error::Kind::unsupported, what, "It is not what a file is answered with", "Check the address",
              ""};
  }
}

}  // namespace pitwall
