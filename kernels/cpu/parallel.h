// SPDX-License-Identifier: GPL-3.0-or-later
// ThreadTeam: parallel regions of about a microsecond. Work is cut into fixed ranges of items; who runs a
// range is decided at run time, so that a thread whose core is busy elsewhere holds nobody up. An item's
// result must not depend on who runs it.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <vector>

namespace pitwall {

/// One caller at a time. The caller takes part; workers spin for a short while after a region and then sleep.
class ThreadTeam {
 public:
  explicit ThreadTeam(int threads);  ///< counting the caller, at least 1
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  /// body(begin, end, thread) over ranges that cover [0, items); returns when all are done. `grain` = items
  /// below which sharing out does not pay. `thread` is in [0, threads()), for scratch memory.
  template <class Body>
  void run(int items, int grain, const Body& body) {
    const int parts = std::min(threads() * kPartsPerThread, (items + grain - 1) / grain);
    if (parts <= 1) {
      if (items > 0 && !abandoned()) body(0, items, 0);
      return;
    }
    const Region<Body> region{&body, items, parts};
    if (threads() == 1) {
      for (int part = 0; part < parts && !abandoned(); ++part) Region<Body>::part(&region, part, 0);
      return;
    }
    dispatch(&Region<Body>::part, &region, parts);
  }

  /// From now on no range is begun: run() returns once those that are under way are done, and its results
  /// are worth nothing. For the end of a team, from any thread.
  void abandon() { abandoned_.store(true, std::memory_order_relaxed); }
  bool abandoned() const { return abandoned_.load(std::memory_order_relaxed); }

 private:
  using Part = void (*)(const void* region, int part, int thread);
  static constexpr int kPartsPerThread = 4;

  template <class Body>
  struct Region {
    const Body* body;
    std::int64_t items;
    std::int64_t parts;
    static void part(const void* context, int part, int thread) {
      const auto& region = *static_cast<const Region*>(context);
      const auto begin = static_cast<int>(region.items * part / region.parts);
      const auto end = static_cast<int>(region.items * (part + 1) / region.parts);
      (*region.body)(begin, end, thread);
    }
  };

  void dispatch(Part part, const void* region, int parts);
  bool run_one_part(int thread);
  void work(int thread);
  void sleep();

  // Ticket of the current region: generation (32 bits) | parts (16) | next unclaimed part (16). A successful
  // claim proves that the region is not over, hence that part_ and region_ read before it belong to it.
  std::atomic<std::uint64_t> ticket_{0};
  std::atomic<Part> part_{nullptr};
  std::atomic<const void*> region_{nullptr};
  std::atomic<std::uint32_t> done_{0};
  std::atomic<bool> caller_waits_{false};
  std::atomic<std::uint32_t> sleepers_{0}, wake_{0};
  std::atomic<bool> stopping_{false}, abandoned_{false};
  std::vector<std::thread> workers_;
};

}  // namespace pitwall
