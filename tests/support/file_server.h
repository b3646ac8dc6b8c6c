// SPDX-License-Identifier: GPL-3.0-or-later
// A server of files on a free port of loopback that can be told to misbehave; one connection at a time.
#pragma once
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace pitwall::test {

struct FileRequest {
  std::string target;
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string range() const;                   ///< "bytes=5-", or empty
};

struct FileAnswer {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers = {};  ///< Content-Length is added
  std::string body = {};
  std::size_t cut_at = std::string::npos;  ///< hangs up after so many bytes of the body
  bool hold = false;                       ///< then stays silent until the client hangs up
};

class FileServer {
 public:
  using Handler = std::function<FileAnswer(const FileRequest& request)>;  ///< on the server's thread

  explicit FileServer(Handler handler);
  ~FileServer();
  FileServer(const FileServer&) = delete;
  FileServer& operator=(const FileServer&) = delete;

  std::string url(const std::string& target = "") const;
  std::vector<FileRequest> requests() const;  ///< so far
  void forget_requests();

 private:
  void serve();
  Handler handler_;
  int listener_ = -1, port_ = 0;
  mutable std::mutex mutex_;
  std::vector<FileRequest> requests_;
  std::thread thread_;
};

/// What a sound server answers for `content`, ranges included.
FileAnswer file_answer(const FileRequest& request, const std::string& content,
                       const std::string& etag = "\"v1\"");
FileAnswer redirect_answer(const std::string& location);

}  // namespace pitwall::test
