// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/machine_profile.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace pitwall {

namespace {

constexpr double kBillion = 1e9, kTrillion = 1e12;
constexpr Nanos kMicrosecond = 1000;
constexpr double kErrorShare = 0.35, kErrorShareOfBusy = 0.5;

}  // namespace

GpuProfile profile_of(const MachineFloors& floors) {
  GpuProfile machine;
  machine.name = kThisMachine;
  machine.title = floors.device;
  machine.memory = floors.memory;
  machine.memory_bandwidth = floors.read_gbps * kBillion;
  machine.matrix_rate = floors.float32_tflops * kTrillion;
  machine.int8_rate = floors.int8_tflops * kTrillion;
  // Ranks and swapped blocks lie in the same memory: copies read and write it.
  machine.link_bandwidth = machine.peer_bandwidth = floors.copy_gbps * kBillion / 2;
  machine.link_efficiency = machine.peer_efficiency = 0.9;
  machine.all_reduce_latency = 30 * kMicrosecond;  // after which a waiting worker sleeps
  machine.reserve_share = 0.1;
  machine.context_memory = 64 * kMiB;
  machine.communicator_memory = {0};

  EngineRates rates;
  rates.engine = kOwnEngine;
  // kernels/cpu/README.md: decode of 1 reads weights and KV at 73 % of the read bandwidth, attention alone at
  // 25 %, with KV of 8 bits in three quarters of the time; linears of 16 bits reach 51 GMAC/s a thread.
  rates.weight_read = rates.packed_read = 0.73;
  rates.kv_read = 0.25;
  rates.byte_kv_read = 0.17;
  rates.matrix = 0.8;
  // Packed weights multiply as bytes, two digits of the input each: a third of that rate.
  rates.packed_matrix = 0.33 * machine.int8_rate / machine.matrix_rate;
  rates.attention = 0.25;
  rates.step_overhead = 50 * kMicrosecond;
  rates.layer_overhead = 5 * kMicrosecond;
  rates.error_share = kErrorShare + kErrorShareOfBusy * floors.busy;
  machine.engines = {rates};
  machine.measured = floors.measured;
  machine.busy = floors.busy;
  return machine;
}

MachineFloors better_of(const MachineFloors& before, const MachineFloors& now) {
  MachineFloors better = now;
  for (double MachineFloors::*figure : {&MachineFloors::read_gbps, &MachineFloors::copy_gbps,
                                        &MachineFloors::float32_tflops, &MachineFloors::int8_tflops})
    better.*figure = std::max(before.*figure, now.*figure);
  return better;
}

std::string floors_record(const MachineFloors& floors) {
  const nlohmann::ordered_json record = {{"device", floors.device},
                                         {"memory_bytes", floors.memory},
                                         {"read_gbps", floors.read_gbps},
                                         {"copy_gbps", floors.copy_gbps},
                                         {"float32_tflops", floors.float32_tflops},
                                         {"int8_tflops", floors.int8_tflops},
                                         {"measured", floors.measured},
                                         {"busy_share", floors.busy}};
  return record.dump(2) + "\n";
}

std::optional<MachineFloors> floors_from(std::string_view record, std::string_view device, Bytes memory) {
  const auto document = nlohmann::json::parse(record, nullptr, false);
  if (!document.is_object()) return std::nullopt;
  if (document.value("device", nlohmann::json()) != nlohmann::json(device)) return std::nullopt;
  if (document.value("memory_bytes", nlohmann::json()) != nlohmann::json(memory)) return std::nullopt;
  MachineFloors floors{std::string(device), memory};
  const auto rate = [&](const char* key) {
    const auto figure = document.find(key);
    return figure != document.end() && figure->is_number() ? figure->get<double>() : 0.0;
  };
  floors.read_gbps = rate("read_gbps");
  floors.copy_gbps = rate("copy_gbps");
  floors.float32_tflops = rate("float32_tflops");
  floors.int8_tflops = rate("int8_tflops");
  if (const auto when = document.find("measured"); when != document.end() && when->is_string())
    floors.measured = when->get<std::string>();
  floors.busy = std::clamp(rate("busy_share"), 0.0, 1.0);
  const double least =
      std::min({floors.read_gbps, floors.copy_gbps, floors.float32_tflops, floors.int8_tflops});
  if (least > 0 && !floors.measured.empty()) return floors;
  return std::nullopt;
}

}  // namespace pitwall
