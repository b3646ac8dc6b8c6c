// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/socket_table.h"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
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

std::uint16_t port_of(const std::string& address) {  // "0100007F:1F90"
  unsigned port = 0;
  const std::size_t colon = address.find(':');
  if (colon != std::string::npos) {
    std::from_chars(address.data() + colon + 1, address.data() + address.size(), port, 16);
  }
  return static_cast<std::uint16_t>(port);
}

/// Empty when the kernel shows no table.
std::vector<SocketRow> read_table() {
  std::vector<SocketRow> rows;
  for (const char* path : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);  // titles
    while (std::getline(file, line)) {
      std::istringstream columns(line);
      std::string number, local, remote, queues, timer, retransmits, uid, timeout;
      SocketRow row;
      columns >> number >> local >> remote >> std::hex >> row.state >> std::dec >> queues >> timer >>
          retransmits >> uid >> timeout >> row.inode;
      if (!columns) continue;
      row.local_port = port_of(local);
      row.remote_port = port_of(remote);
      rows.push_back(row);
    }
  }
  return rows;
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

bool loopback_peer_closed(std::uint16_t own_port, std::uint16_t peer_port) {
  const std::vector<SocketRow> rows = read_table();
  for (const SocketRow& row : rows) {
    if (row.local_port == peer_port && row.remote_port == own_port) return row.inode == 0;
  }
  return !rows.empty();
}

}  // namespace pitwall
