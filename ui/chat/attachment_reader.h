// SPDX-License-Identifier: GPL-3.0-or-later
// AttachmentReader: reads text files off the UI thread. A disk that never answers, such as a network folder
// that is gone, holds up neither the window nor its end.
#pragma once
#include <QString>
#include <functional>
#include <memory>

#include "engine/base/result.h"
#include "engine/store/store.h"

namespace pitwall::ui {

/// UI thread only. What is still being read when it goes is left to itself.
class AttachmentReader {
 public:
  using Done =
      std::function<void(const QString& path, const Result<Attachment>& file)>;  ///< on the UI thread
  explicit AttachmentReader(Done done);
  ~AttachmentReader();
  void read(const QString& path);

 private:
  struct Mailbox;
  std::shared_ptr<Mailbox> mailbox_;
};

}  // namespace pitwall::ui
