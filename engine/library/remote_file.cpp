// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/library/remote_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "engine/base/text_escape.h"
#include "engine/library/http_client.h"
#include "engine/library/http_url.h"
#include "engine/library/remote_errors.h"

namespace pitwall {

namespace {

constexpr int kMostRedirects = 10;

std::string header(const HttpResponse& answer, std::string_view name) {
  const std::string* value = find_header(answer, name);
  return value ? *value : "";
}

std::optional<Bytes> number(std::string_view text) {
  Bytes value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

bool is_redirect(int status) {
  constexpr std::array kStatuses = {301, 302, 303, 307, 308};
  return std::find(kStatuses.begin(), kStatuses.end(), status) != kStatuses.end();
}

/// "bytes 100-199/200" of RFC 9110, section 14.4.
bool read_content_range(std::string_view text, RemoteFile& file) {
  if (!text.starts_with("bytes ")) return false;
  text.remove_prefix(6);
  const std::size_t dash = text.find('-'), slash = text.find('/');
  if (dash == std::string_view::npos || slash == std::string_view::npos || dash > slash) return false;
  const auto start = number(text.substr(0, dash));
  if (!start) return false;
  file.start = *start;
  file.size = number(text.substr(slash + 1)).value_or(-1);
  return true;
}

/// The file name of RFC 6266; the extended form (filename*=UTF-8''…) wins.
std::string offered_name(std::string_view disposition) {
  constexpr std::string_view kExtended = "filename*=UTF-8''", kPlain = "filename=";
  if (const std::size_t at = disposition.find(kExtended); at != std::string_view::npos) {
    const std::string_view rest = disposition.substr(at + kExtended.size());
    return percent_decode(rest.substr(0, rest.find_first_of("; ")));
  }
  const std::size_t at = disposition.find(kPlain);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = disposition.substr(at + kPlain.size());
  if (rest.starts_with('"')) return std::string(rest.substr(1, rest.find('"', 1) - 1));
  return std::string(rest.substr(0, rest.find_first_of("; ")));
}

/// An entity tag that is a SHA-256 sum; the hub's are, for large files.
std::string sum_in_tag(std::string_view tag) {
  if (tag.size() != 66 || tag.front() != '"' || tag.back() != '"') return "";
  const std::string_view hex = tag.substr(1, 64);
  return hex.find_first_not_of("0123456789abcdef") == std::string_view::npos ? std::string(hex) : "";
}

class Reception {
 public:
  Reception(const RemoteRequest& request, const Hub& hub) : request_(request), hub_(hub) {}

  Result<void> run(const std::function<Result<bool>(const RemoteFile&)>& on_file,
                   const std::function<Result<bool>(std::string_view)>& on_bytes) {
    const auto asked = parse_http_url(request_.url);
    if (!asked) return asked.error();
    std::string url = request_.url;
    for (int redirects = 0; redirects <= kMostRedirects; ++redirects) {
      const auto place = parse_http_url(url);
      if (!place) return place.error();
      const auto on_head = [&](const HttpResponse& head) -> Result<bool> {
        take_linked(head);
        if (is_redirect(head.status)) return false;
        if (auto read = read_head(head, *asked); !read) return std::move(read).error();
        return on_file(file_);
      };
      auto answer = http_receive(wire_request(url, *place), on_head, on_bytes);
      if (!answer) return std::move(answer).error();
      if (!is_redirect(answer->status)) return {};
      auto next = join_url(*place, header(*answer, "Location"));
      if (!next) return lost(*asked, "It is a redirect to no http or https address");
      if (place->tls && next->starts_with("http://"))
        return lost(*asked, "It leads from https to http, where anybody could change the file");
      url = std::move(next).value();
    }
    return lost(*asked, fmt::format("It led on {} times", kMostRedirects + 1));
  }

 private:
  HttpRequest wire_request(const std::string& url, const HttpUrl& place) const {
    HttpRequest out{.url = url, .headers = {{"Accept-Encoding", "identity"}}, .cancel = request_.cancel};
    if (request_.start >= 0) {
      const std::string end = request_.count > 0 ? std::to_string(request_.start + request_.count - 1) : "";
      out.headers.emplace_back("Range", fmt::format("bytes={}-{}", request_.start, end));
    }
    const auto home = parse_http_url(hub_.address);
    if (!hub_.token.empty() && home && home->origin() == place.origin())
      out.headers.emplace_back("Authorization", "Bearer " + hub_.token);
    return out;
  }

  /// What the hub says before it leads on to where the bytes lie.
  void take_linked(const HttpResponse& head) {
    const std::string* tag = find_header(head, "X-Linked-ETag");
    if (tag == nullptr) return;
    file_.version = *tag;
    file_.sha256 = sum_in_tag(*tag);
  }

  Result<void> read_head(const HttpResponse& head, const HttpUrl& asked) {
    if (head.status != 200 && head.status != 206) return refusal(head, asked, hub_);
    if (header(head, "Content-Type").starts_with("text/html")) {
      return Error{Error::Kind::invalid_input, asked.shown() + " is a web page, not a file", "",
                   "Take the address of the download itself", "name"};
    }
    file_.resumes = head.status == 206;
    if (file_.resumes && !read_content_range(header(head, "Content-Range"), file_))
      return Error{Error::Kind::unsupported, asked.shown() + " was answered with a range that cannot be read",
                   quote_for_message(header(head, "Content-Range")), "Try another server", ""};
    if (!file_.resumes) file_.size = number(header(head, "Content-Length")).value_or(-1);
    if (file_.version.empty()) file_.version = header(head, "ETag");
    if (file_.version.empty()) file_.version = header(head, "Last-Modified");
    file_.offered_name = offered_name(header(head, "Content-Disposition"));
    return {};
  }

  static Error lost(const HttpUrl& asked, const std::string& cause) {
    return {Error::Kind::invalid_input, asked.shown() + " leads nowhere", cause, "Check the address", "name"};
  }

  const RemoteRequest& request_;
  const Hub& hub_;
  RemoteFile file_;
};

}  // namespace

Result<void> receive_file(const RemoteRequest& request, const Hub& hub,
                          const std::function<Result<bool>(const RemoteFile& file)>& on_file,
                          const std::function<Result<bool>(std::string_view bytes)>& on_bytes) {
  return Reception(request, hub).run(on_file, on_bytes);
}

}  // namespace pitwall
