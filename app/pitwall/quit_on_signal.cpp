// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pitwall/quit_on_signal.h"

#include <fcntl.h>
#include <unistd.h>

#include <QApplication>
#include <QSocketNotifier>
#include <csignal>

namespace {

int pipe_ends[2] = {-1, -1};

/// A handler may do little more than write a byte; the event loop does the rest.
void on_signal(int) {
  const char byte = 1;
  [[maybe_unused]] const ssize_t written = ::write(pipe_ends[1], &byte, 1);
}

}  // namespace

QuitOnSignal::QuitOnSignal() : notifier_(nullptr) {
  if (::pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) != 0) return;
  notifier_ = new QSocketNotifier(pipe_ends[0], QSocketNotifier::Read, this);
  connect(notifier_, &QSocketNotifier::activated, this, [] { QApplication::closeAllWindows(); });
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, on_signal);
}
