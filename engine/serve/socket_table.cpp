// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/socket_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

namespace pitwall {

namespace {

namespace fs = std::filesystem;

constexpr int kListening = 0x0A;

struct SocketRow {
  std::uint16_t local_port = 0, remote_port = 0;
  int state = 0;
  std::uint64_t inode = 0;  // 0: no program holds it any more
};

/// "0100007F:1F90"
std::uint16_t port_of(std::string_view address) {
  unsigned port = 0;
  const std::size_t colon = address.find(':');
  if (colon != std::string_view::npos) {
    std::from_chars(address.data() + colon + 1, address.data() + address.size(), port, 16);
  }
  return static_cast<std::uint16_t>(port);
}

template <class Number>
Number number_of(std::string_view text, int base) {
  Number number{};
  std::from_chars(text.data(), text.data() + text.size(), number, base);
  return number;
}

/// Columns: number, local address, remote address, state, queues, timer, retransmits, user, timeout, inode, …
std::optional<SocketRow> row_of(std::string_view line) {
  std::array<std::string_view, 10> columns;
  std::size_t count = 0;
  while (count < columns.size()) {
    const std::size_t first = line.find_first_not_of(' ');
    if (first == std::string_view::npos) return std::nullopt;
    const std::size_t end = std::min(line.find(' ', first), line.size());
    columns[count++] = line.substr(first, end - first);
    line.remove_prefix(end);
  }
  return SocketRow{port_of(columns[1]), port_of(columns[2]), number_of<int>(columns[3], 16),
                   number_of<std::uint64_t>(columns[9], 10)};
}

/// Empty when the kernel shows no table.
std::vector<SocketRow> read_table() {
  std::vector<SocketRow> rows;
  for (const char* path : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);  // titles
    while (std::getline(file, line)) {
      if (const auto row = row_of(line)) rows.push_back(*row);
    }
  }
  return rows;
}

std::uint32_t key_of(std::uint16_t own_port, std::uint16_t peer_port) {
  return std::uint32_t{own_port} << 16 | peer_port;
}

bool holds(const fs::path& process, const std::string& socket) {
  std::error_code error;
  for (fs::directory_iterator entry(process / "fd", error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;
    if (fs::read_symlink(entry->path(), gone) == socket) return true;
  }
  return false;
}

}  // namespace

std::optional<PortOwner> port_owner(std::uint16_t port) {
  for (const SocketRow& row : read_table()) {
    if (row.state != kListening || row.local_port != port || row.inode == 0) continue;
    const std::string socket = "socket:[" + std::to_string(row.inode) + "]";
    std::error_code error;
    for (fs::directory_iterator entry("/proc", error), end; !error && entry != end; entry.increment(error)) {
      const std::string name = entry->path().filename();
      int pid = 0;
      if (std::from_chars(name.data(), name.data() + name.size(), pid).ec != std::errc()) continue;
      if (!holds(entry->path(), socket)) continue;
      PortOwner owner{pid, {}};
      std::ifstream command(entry->path() / "comm");
      std::getline(command, owner.name);
      return owner;
    }
  }
  return std::nullopt;
}

void LoopbackPeers::read() {
  read_ = Clock::now();
  held_.clear();
  for (const SocketRow& row : read_table()) {
    held_[key_of(row.remote_port, row.local_port)] |= row.inode != 0;
  }
  const Clock::time_point ended = Clock::now();
  next_ = ended + std::max<Clock::duration>(std::chrono::milliseconds(100), 9 * (ended - read_));
}

bool LoopbackPeers::closed(std::uint16_t own_port, std::uint16_t peer_port, Clock::time_point since) {
  const std::lock_guard lock(mutex_);
  if (Clock::now() >= next_) read();
  if (read_ < since || held_.empty()) return false;
  const auto found = held_.find(key_of(own_port, peer_port));
  return found == held_.end() || !found->second;
}

}  // namespace pitwall
