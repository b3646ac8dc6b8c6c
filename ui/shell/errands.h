// SPDX-License-Identifier: GPL-3.0-or-later
// Errands: work on a thread of its own that nobody waits for. A disk that never answers, such as a network
// folder that is gone, holds up neither the window, nor other work, nor the end.
#pragma once
#include <functional>
#include <memory>

namespace pitwall::ui {

/// UI thread only. What has not come back when it goes is left to itself.
class Errands {
 public:
  using Answer = std::function<void()>;  ///< runs on the UI thread, unless the Errands have gone
  Errands();
  ~Errands();
  void send(std::function<Answer()> errand);  ///< may touch nothing that has an end

 private:
  struct Mailbox;
  std::shared_ptr<Mailbox> mailbox_;
};

}  // namespace pitwall::ui
