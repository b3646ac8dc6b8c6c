// SPDX-License-Identifier: GPL-3.0-or-later
// A Recorder on a virtual clock, told what happened millisecond by millisecond.
#pragma once
#include <memory>
#include <string>

#include "engine/telemetry/recorder.h"

namespace pitwall::test {

constexpr Nanos ms(double value) {
  return static_cast<Nanos>(value * kNanosPerMs);
}

inline RequestRecord request(std::uint64_t id, Nanos arrival, int prompt_tokens = 10) {
  RequestRecord record;
  record.id = {id};
  record.label = "chatcmpl-" + std::to_string(id);
  record.arrival = arrival;
  record.prompt_tokens = prompt_tokens;
  return record;
}

/// A recorder on a clock that starts at 1 s, with one request that arrived then.
struct Timeline {
  VirtualClock clock{1'700'000'000 * kNanosPerSecond};
  std::unique_ptr<Recorder> recorder;
  RequestId id{1};
  Nanos start = kNanosPerSecond;

  Timeline() {
    clock.advance(start);
    recorder = std::make_unique<Recorder>(clock);
    recorder->arrived(request(1, start));
  }
  Nanos at(double milliseconds) {
    const Nanos time = start + ms(milliseconds);
    if (time > clock.now()) clock.advance(time - clock.now());
    return time;
  }
};

}  // namespace pitwall::test
