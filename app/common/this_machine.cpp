// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/this_machine.h"

#include "engine/base/file.h"
#include "engine/plan/machine_profile.h"
#include "engine/telemetry/host_memory.h"
#include "kernels/backends.h"

namespace pitwall {

namespace {

Result<MachineFloors> measure(const std::string& device, Bytes memory) {
  const auto measured = measure_floors({});
  if (!measured) return measured.error();
  MachineFloors floors{device, memory, measured->read_gbps, measured->copy_gbps};
  for (const auto& [format, rate] : measured->tflops) {
    if (format == "float32") floors.float32_tflops = rate;
    if (format == "int8") floors.int8_tflops = rate;
  }
  return floors;
}

}  // namespace

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
  const auto backend = make_backend({});
  if (!backend) return backend.error();
  const std::string device = (*backend)->device().name;
  const Bytes memory = read_host_memory().total;
  const std::filesystem::path file = cache_folder() / "this-machine.json";
  constexpr std::size_t kLargestRecord = 64 * 1024;
  if (const auto record = read_file(file, kLargestRecord)) {
    if (const auto known = floors_from(*record, device, memory)) return profile_of(*known);
  }
  const auto floors = measure(device, memory);
  if (!floors) return floors.error();
  // A record that cannot be kept is measured again next time.
  (void)write_file_atomic(file, floors_record(*floors));
  return profile_of(*floors);
}

}  // namespace pitwall
