// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/this_machine.h"

#include <algorithm>
#include <cstdlib>

#include "engine/base/clock.h"
#include "engine/base/file.h"
#include "engine/base/threads.h"
#include "engine/plan/machine_profile.h"
#include "engine/telemetry/host_memory.h"

namespace pitwall {

namespace {

constexpr std::size_t kLargestRecord = 64 * 1024;

std::filesystem::path record_file() {
  return cache_folder() / "this-machine.json";
}

std::optional<MachineFloors> kept_floors(const std::string& device, Bytes memory) {
  const auto record = read_file(record_file(), kLargestRecord);
  return record ? floors_from(*record, device, memory) : std::nullopt;
}

/// Share of the cores that is busy already, by the load of the last minute.
double busy_share() {
  double load = 0;
  if (getloadavg(&load, 1) != 1) return 0;
  return std::clamp(load / usable_cores(), 0.0, 1.0);
}

MachineFloors machine_floors(const Floors& measured, double busy) {
  MachineFloors floors{measured.device, read_host_memory().total, measured.read_gbps, measured.copy_gbps};
  for (const auto& [format, rate] : measured.tflops) {
    if (format == "float32") floors.float32_tflops = rate;
    if (format == "int8") floors.int8_tflops = rate;
  }
  floors.measured = format_utc(RealClock().utc_now());
  floors.busy = busy;
  return floors;
}

/// Of the device that is meant without options.
Result<std::string> device_of_this_machine() {
  const auto backend = make_backend({});
  if (!backend) return backend.error();
  return (*backend)->device().name;
}

}  // namespace

Result<Floors> renew_floors(const BackendOptions& options) {
  const double busy = busy_share();
  auto measured = measure_floors(options);
  if (!measured) return measured;
  const auto device = device_of_this_machine();
  if (!device || *device != measured->device) return measured;
  MachineFloors floors = machine_floors(*measured, busy);
  if (const auto kept = kept_floors(floors.device, floors.memory)) floors = better_of(*kept, floors);
  // A record that cannot be kept is measured again next time.
  (void)write_file_atomic(record_file(), floors_record(floors));
  return measured;
}

Result<GpuProfile> find_gpu_or_this_machine(const GpuCount& gpus) {
  if (gpus.name != kThisMachine) {
    auto gpu = find_gpu(gpus.name);
    if (gpu) return gpu;
    Error error = gpu.error();
    error.action += ", " + std::string(kThisMachine);
    return error;
  }
  if (gpus.count != 1) {
    return Error{Error::Kind::invalid_input,
                 std::to_string(gpus.count) + " of this machine were asked for, and there is one", "",
                 "Take --gpu " + std::string(kThisMachine), "gpu"};
  }
  const auto device = device_of_this_machine();
  if (!device) return device.error();
  if (const auto kept = kept_floors(*device, read_host_memory().total)) return profile_of(*kept);
  const double busy = busy_share();
  const auto measured = renew_floors({});
  if (!measured) return measured.error();
  return profile_of(machine_floors(*measured, busy));
}

Result<GpuCount> parse_known_gpus(std::string_view text) {
  auto gpus = parse_gpu_count(text);
  if (!gpus || gpus->name == kThisMachine) return gpus;
  if (const auto known = find_gpu_or_this_machine(*gpus); !known) return known.error();
  return gpus;
}

}  // namespace pitwall
