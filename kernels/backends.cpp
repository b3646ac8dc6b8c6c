// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/backends.h"

#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/floors.h"

namespace pitwall {

namespace {

Result<CpuBackendOptions> cpu_options(const BackendOptions& options) {
  if (options.device == "cuda") {
    return Error{Error::Kind::unsupported, "device cuda is not in this build",
                 "the program was built without the CUDA back end", "use --device cpu", "device"};
  }
  if (options.device != "cpu") {
    return Error{Error::Kind::invalid_input, "device \"" + options.device + "\" is unknown", "",
                 "use --device cpu", "device"};
  }
  constexpr int kMostThreads = 1024;
  if (options.threads < 0 || options.threads > kMostThreads) {
    return Error{Error::Kind::invalid_input, std::to_string(options.threads) + " threads were asked for", "",
                 "choose 1 to " + std::to_string(kMostThreads) + ", or auto for the cores of this machine",
                 "threads"};
  }
  CpuBackendOptions cpu;
  cpu.isa = options.portable_kernels ? Isa::portable : best_isa();
  cpu.quantized_activations = options.mode == ComputeMode::automatic;
  cpu.threads = options.threads > 0 ? options.threads : usable_cores();
  cpu.memory_limit = options.memory_limit;
  return cpu;
}

}  // namespace

Result<std::unique_ptr<Backend>> make_backend(const BackendOptions& options) {
  auto cpu = cpu_options(options);
  if (!cpu) return std::move(cpu).error();
  return std::unique_ptr<Backend>(std::make_unique<CpuBackend>(*cpu));
}

Result<Floors> measure_floors(const BackendOptions& options) {
  auto cpu = cpu_options(options);
  if (!cpu) return std::move(cpu).error();
  auto measured = measure_cpu_floors(cpu->isa, cpu->threads, cpu->memory_limit);
  if (!measured) return std::move(measured).error();
  return Floors{measured->read_gbps, measured->copy_gbps, measured->float32_tflops,
                measured->int8_tops, cpu->threads,        CpuBackend(*cpu).device().name};
}

}  // namespace pitwall
