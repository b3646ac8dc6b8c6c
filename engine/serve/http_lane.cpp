// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/http_lane.h"

#include <boost/asio.hpp>
#include <thread>

#include "engine/base/threads.h"
#include "engine/serve/http_session.h"

namespace pitwall {

namespace asio = boost::asio;

struct HttpLane::State {
  asio::io_context io{1};        // one thread runs it
  asio::steady_timer waits{io};  // its descriptors are there from the start, not from the first connection on
  asio::executor_work_guard<asio::io_context::executor_type> working{io.get_executor()};
  ReadySessions ready{[this] { asio::post(io, [this] { take_events(); }); }};
  std::thread thread;

  void take_events() {
    for (const auto& one : ready.take()) {
      if (const auto session = one.lock()) session->take_events();
    }
  }
};

HttpLane::HttpLane() : state_(std::make_unique<State>()) {}

HttpLane::~HttpLane() {
  finish();
}

asio::io_context& HttpLane::io() {
  return state_->io;
}

ReadySessions& HttpLane::ready() {
  return state_->ready;
}

void HttpLane::run() {
  state_->thread = std::thread([this] {
    set_thread_name("pw-http");
    state_->io.run();
  });
}

void HttpLane::finish() {
  state_->working.reset();
  if (state_->thread.joinable()) state_->thread.join();
}

}  // namespace pitwall
