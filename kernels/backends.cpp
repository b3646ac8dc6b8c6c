// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/backends.h"

#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/floors.h"
#ifdef PITWALL_HAS_CUDA
#include "kernels/cuda/bench_kernels.h"
#include "kernels/cuda/cuda_backend.h"
#include "kernels/cuda/gpu_floors.h"
#endif

namespace pitwall {

namespace {

Result<int> threads_of(const BackendOptions& options) {
  constexpr int kMostThreads = 1024;
  if (options.threads < 0 || options.threads > kMostThreads) {
    return Error{Error::Kind::invalid_input, std::to_string(options.threads) + " threads were asked for", "",
                 "choose 1 to " + std::to_string(kMostThreads) + ", or auto for the cores of this machine",
                 "threads"};
  }
  return options.threads > 0 ? options.threads : usable_cores();
}

Result<CpuBackendOptions> cpu_options(const BackendOptions& options) {
  auto threads = threads_of(options);
  if (!threads) return std::move(threads).error();
  CpuBackendOptions cpu;
  cpu.isa = options.portable_kernels ? Isa::portable : best_isa();
  cpu.quantized_activations = options.mode == ComputeMode::automatic;
  cpu.threads = *threads;
  cpu.memory_limit = options.memory_limit;
  return cpu;
}

Error no_such_device(const BackendOptions& options) {
  if (options.device == "cuda") {
    return {Error::Kind::unsupported, "device cuda is not in this build",
            "the program was built without the CUDA back end", "use --device cpu", "device"};
  }
  return {Error::Kind::invalid_input, "device \"" + options.device + "\" is unknown", "",
          "use --device cpu or cuda", "device"};
}

bool is_cuda(const BackendOptions& options) {
  return has_cuda() && options.device == "cuda";
}

}  // namespace

#ifdef PITWALL_HAS_CUDA

bool has_cuda() {
  return true;
}

namespace {

Result<std::unique_ptr<Backend>> make_cuda_backend(const BackendOptions& options) {
  if (options.mode == ComputeMode::float32) {
    return Error{Error::Kind::unsupported, "dtype float32 is not there on the GPU",
                 "its products are of bfloat16 numbers, summed in float32",
                 "use --dtype auto, or --device cpu", "dtype"};
  }
  auto threads = threads_of(options);
  if (!threads) return std::move(threads).error();
  auto backend = cuda::CudaBackend::open({options.memory_limit, *threads, true});
  if (!backend) return std::move(backend).error();
  return std::unique_ptr<Backend>(*std::move(backend));
}

Result<Floors> measure_cuda_floors() {
  auto device = cuda::open_device();
  if (!device) return std::move(device).error();
  auto measured = cuda::measure_gpu_floors(*device);
  if (!measured) return std::move(measured).error();
  Floors floors;
  floors.read_gbps = measured->read_gbps;
  floors.copy_gbps = measured->copy_gbps;
  floors.tflops = {{"bfloat16", measured->bf16_tflops}};
  floors.launch_us = measured->launch_us;
  floors.device = device->name;
  return floors;
}

Result<void> bench_cuda_kernels(const KernelBench& bench,
                                const std::function<void(const KernelReport&)>& on_case) {
  return cuda::run_kernel_cases(bench.small ? cuda::CaseScale::small : cuda::CaseScale::full, bench.filter,
                                bench.timed && !bench.small, on_case);
}

}  // namespace

#else

bool has_cuda() {
  return false;
}

namespace {

Result<std::unique_ptr<Backend>> make_cuda_backend(const BackendOptions& options) {
  return no_such_device(options);
}
Result<Floors> measure_cuda_floors() {
  return no_such_device({.device = "cuda"});
}
Result<void> bench_cuda_kernels(const KernelBench&, const std::function<void(const KernelReport&)>&) {
  return no_such_device({.device = "cuda"});
}

}  // namespace

#endif

Result<std::unique_ptr<Backend>> make_backend(const BackendOptions& options) {
  if (is_cuda(options)) return make_cuda_backend(options);
  if (options.device != "cpu") return no_such_device(options);
  auto cpu = cpu_options(options);
  if (!cpu) return std::move(cpu).error();
  return std::unique_ptr<Backend>(std::make_unique<CpuBackend>(*cpu));
}

Result<Floors> measure_floors(const BackendOptions& options) {
  if (is_cuda(options)) return measure_cuda_floors();
  if (options.device != "cpu") return no_such_device(options);
  auto cpu = cpu_options(options);
  if (!cpu) return std::move(cpu).error();
  auto measured = measure_cpu_floors(cpu->isa, cpu->threads, cpu->memory_limit);
  if (!measured) return std::move(measured).error();
  return Floors{measured->read_gbps,
                measured->copy_gbps,
                {{"float32", measured->float32_tflops}, {"int8", measured->int8_tops}},
                0,
                cpu->threads,
                CpuBackend(*cpu).device().name};
}

Result<void> bench_kernels(const BackendOptions& options, const KernelBench& bench,
                           const std::function<void(const KernelReport&)>& on_case) {
  if (is_cuda(options)) return bench_cuda_kernels(bench, on_case);
  if (options.device != "cpu") return no_such_device(options);
  return Error{Error::Kind::unsupported, "the CPU's kernels are not timed one by one", "",
               "use --device cuda; `floors` and `check` time the CPU", "device"};
}

}  // namespace pitwall
