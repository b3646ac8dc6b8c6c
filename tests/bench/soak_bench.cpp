// SPDX-License-Identifier: GPL-3.0-or-later
// The soak over HTTP: a random mix of requests against a server process, its memory, threads and file
// descriptors every minute, and whether everything was given back. Usage: soak_bench [minutes] [clients]
// [model]; PITWALL_CTL names the program.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "tests/support/http_soak.h"
#include "tests/support/server_process.h"
#include "tests/support/test_support.h"
#include "tests/support/tiny_model.h"

using namespace pitwall;

namespace {

void print_row(const char* when, const test::ProcessFigures& figures) {
  std::printf("%-12s %14.2f %8d %8d\n", when, static_cast<double>(figures.resident) / (1 << 20),
              figures.files, figures.threads);
  std::fflush(stdout);
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
  const int minutes = argc > 1 ? std::atoi(argv[1]) : 10;
  const int clients = argc > 2 ? std::atoi(argv[2]) : 8;
  const test::TemporaryFolder home;
  const auto model = argc > 3 ? std::filesystem::path(argv[3]) : test::write_tiny_model(home.path());
  test::ServerProcess server(home.path(), model, {"--kv-cache-memory-bytes", "2MiB", "--max-num-seqs", "16"});
  if (server.port() == 0) {
    std::fprintf(stderr, "%s\n", server.log().c_str());
    return 1;
  }
  std::printf("%-12s %14s %8s %8s\n", "", "resident, MiB", "files", "threads");
  print_row("start", test::figures_of(server.pid()));
  std::atomic<bool> stop{false};
  test::SoakTable table;
  std::thread load([&] { table = test::soak_over_http(server.port(), clients, 1, stop, INT64_MAX); });
  const int warm_up =
      std::max(1, minutes * 2 / 5);  // the rings of the Recorder and SQLite's pages fill first
  test::ProcessFigures warm, last;
  for (int minute = 1; minute <= minutes; ++minute) {
    std::this_thread::sleep_for(std::chrono::minutes(1));
    last = test::figures_of(server.pid());
    if (minute == warm_up) warm = last;
    print_row(("minute " + std::to_string(minute)).c_str(), last);
  }
  stop = true;
  load.join();
  const bool rests = rests_soon(server.port());
  print_row("at rest", test::figures_of(server.pid()));
  std::printf("\n%-24s %10s %10s\n", "request", "sent", "as meant");
  bool all_met = true;
  for (const auto& [kind, count] : table) {
    std::printf("%-24s %10lld %10lld\n", kind.c_str(), static_cast<long long>(count.sent),
                static_cast<long long>(count.met));
    all_met &= count.met == count.sent;
  }
  const double grown =
      100.0 * static_cast<double>(last.resident - warm.resident) / static_cast<double>(warm.resident);
  std::printf("\nmemory from minute %d to minute %d: %+.2f %%; %s\n", warm_up, minutes, grown,
              rests ? "no request and no KV block left" : "REQUESTS OR KV BLOCKS ARE LEFT");
  return rests && all_met ? 0 : 1;
}
