// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/library/package_errors.h"

#include <fmt/format.h>

#include <initializer_list>
#include <string_view>

#include "engine/base/text_escape.h"
#include "engine/library/fetch_place.h"

namespace pitwall {

namespace {

bool says_any(const std::string& output, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    if (output.find(word) != std::string::npos) return true;
  }
  return false;
}

/// The last line that says something; programs put their verdict there.
std::string last_line(std::string_view output) {
  const std::size_t end = output.find_last_not_of(" \r\n");
  if (end == std::string_view::npos) return "it said nothing";
  output = output.substr(0, end + 1);
  const std::size_t start = output.find_last_of("\r\n");
  return quote_for_message(start == std::string_view::npos ? output : output.substr(start + 1), 300);
}

}  // namespace

Error python_missing() {
  return {Error::Kind::not_found, "There is no python3 on this machine, and models are fetched with it", "",
          "Install it: apt install python3 python3-venv", ""};
}

Error venv_failed(const ChildOutcome& outcome) {
  if (says_any(outcome.output, {"ensurepip", "No module named venv"})) {
    return {Error::Kind::not_found, "python3 has no venv module, and models are fetched with it", "",
            "Install it: apt install python3-venv", ""};
  }
  return {Error::Kind::io, fmt::format("python3 -m venv failed with exit code {}", outcome.exit_code),
          "Its last words: " + last_line(outcome.output), "Mend the Python installation and try again", ""};
}

Error pip_failed(const ChildOutcome& outcome, const PackagePart& part, const std::filesystem::path& target,
                 const std::filesystem::path& work) {
  const std::string package = part.title();
  if (says_any(outcome.output, {"No space left on device", "Disk quota exceeded"})) {
    return disk_full(work, part.bytes);
  }
  if (says_any(outcome.output, {"CERTIFICATE_VERIFY_FAILED", "SSLError"})) {
    return {Error::Kind::io, "The package index showed a certificate that this machine does not trust",
            "A proxy may stand between, or the certificates are out of date",
            "Install ca-certificates, or name the proxy's certificate in PIP_CERT", ""};
  }
  if (says_any(outcome.output,
               {"NewConnectionError", "NameResolutionError", "Temporary failure in name resolution",
                "ConnectTimeoutError", "ReadTimeoutError", "ProxyError", "Network is unreachable",
                "ConnectionResetError", "Connection refused", "Max retries exceeded"})) {
    return {Error::Kind::io, fmt::format("No network: the package index with {} cannot be reached", package),
            "This machine is offline, or a proxy has to be named in HTTPS_PROXY",
            fmt::format("Connect and try again, or copy {} to {} yourself", target.filename().string(),
                        target.parent_path().string()),
            ""};
  }
  if (says_any(outcome.output, {"No matching distribution found"})) {
    return {Error::Kind::not_found, fmt::format("The package index does not have {}", package),
            "pip may be set to a mirror that lacks it", "Check pip's index settings (pip config list)", ""};
  }
  return {Error::Kind::io,
          fmt::format("pip download of {} failed with exit code {}", package, outcome.exit_code),
          "Its last words: " + last_line(outcome.output), "Try again", ""};
}

}  // namespace pitwall
