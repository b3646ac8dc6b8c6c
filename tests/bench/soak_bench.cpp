// SPDX-License-Identifier: GPL-3.0-or-later
// The soak over HTTP: a random mix of requests against a server process, its memory, threads and file
// descriptors every minute, whether memory stays flat and whether everything was given back. Usage:
// soak_bench [minutes] [clients] [model]; PITWALL_CTL names the program.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/http_soak.h"
#include "tests/support/server_process.h"
#include "tests/support/test_support.h"
#include "tests/support/tiny_model.h"

using namespace pitwall;

namespace {

// What fills by then: the two minutes of the live percentiles, the newest 4,096 requests' names, SQLite's
// 2 MB of pages, the prefix index. Rings of records are there from the start.
constexpr int kWarmMinutes = 3;
constexpr double kFlat = 2;  // % of the memory then, up or down

void print_row(const std::string& when, Bytes resident, Bytes largest, const test::ProcessFigures& figures) {
  std::printf("%-12s %14.2f %14.2f %8d %8d\n", when.c_str(), static_cast<double>(resident) / (1 << 20),
              static_cast<double>(largest) / (1 << 20), figures.files, figures.threads);
  std::fflush(stdout);
}

/// Looks every second; says the median, which what a request holds for a moment does not move.
Bytes watch_a_minute(int minute, std::int64_t pid) {
  std::vector<Bytes> resident;
  test::ProcessFigures last;
  for (int second = 0; second < 60; ++second) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    last = test::figures_of(pid);
    resident.push_back(last.resident);
  }
  std::sort(resident.begin(), resident.end());
  const Bytes median = resident[resident.size() / 2];
  print_row("minute " + std::to_string(minute), median, resident.back(), last);
  return median;
}

bool rests_soon(int port) {
  for (int i = 0; i < 300; ++i) {
    if (test::server_rests(port)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const int minutes = argc > 1 ? std::max(1, std::atoi(argv[1])) : 10;
  const int clients = argc > 2 ? std::atoi(argv[2]) : 8;
  const test::TemporaryFolder home;
  const auto model = argc > 3 ? std::filesystem::path(argv[3]) : test::write_tiny_model(home.path());
  test::ServerProcess server(home.path(), model, {"--kv-cache-memory-bytes", "2MiB", "--max-num-seqs", "16"});
  if (server.port() == 0) {
    std::fprintf(stderr, "%s\n", server.log().c_str());
    return 1;
  }
  std::printf("%-12s %14s %14s %8s %8s\n", "", "resident, MiB", "largest, MiB", "files", "threads");
  const test::ProcessFigures start = test::figures_of(server.pid());
  print_row("start", start.resident, start.resident, start);
  std::atomic<bool> stop{false};
  test::SoakTable table;
  std::thread load([&] { table = test::soak_over_http(server.port(), clients, 1, stop, INT64_MAX); });
  std::vector<Bytes> resident;  // by minute
  for (int minute = 1; minute <= minutes; ++minute) resident.push_back(watch_a_minute(minute, server.pid()));
  stop = true;
  load.join();
  const bool rests = rests_soon(server.port());
  const test::ProcessFigures rest = test::figures_of(server.pid());
  print_row("at rest", rest.resident, rest.resident, rest);
  std::printf("\n%-24s %10s %10s\n", "request", "sent", "as meant");
  bool all_met = true;
  for (const auto& [kind, count] : table) {
    std::printf("%-24s %10lld %10lld\n", kind.c_str(), static_cast<long long>(count.sent),
                static_cast<long long>(count.met));
    all_met &= count.met == count.sent;
  }
  const int warm = std::clamp(minutes, 1, kWarmMinutes);
  double strayed = 0;  // %, the farthest
  for (int minute = warm + 1; minute <= minutes; ++minute) {
    const auto at = [&](int index) {
      return static_cast<double>(resident[static_cast<std::size_t>(index - 1)]);
    };
    const double grown = 100 * (at(minute) - at(warm)) / at(warm);
    if (std::fabs(grown) > std::fabs(strayed)) strayed = grown;
  }
  std::printf("\nmemory, minutes %d to %d against minute %d: %+.2f %% at most; %s\n", warm + 1, minutes, warm,
              strayed, rests ? "no request and no KV block left" : "REQUESTS OR KV BLOCKS ARE LEFT");
  return rests && all_met && std::fabs(strayed) <= kFlat ? 0 : 1;
}
