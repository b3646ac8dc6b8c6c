// SPDX-License-Identifier: GPL-3.0-or-later
// The back-end factory. Linked by app and tests only.
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/execute/backend.h"
#include "engine/execute/kernel_report.h"

namespace pitwall {

enum class ComputeMode : std::uint8_t {
  automatic,  ///< the device's fast mode; CPU: activations in 16 bits per 32 against quantised weights; GPU:
              ///< bfloat16
  float16,    ///< GPU: activations and weights without scales in float16; CPU: as automatic
  float32     ///< float32 arithmetic throughout; CPU: bitwise invariant to batch, chunking, block tables and
              ///< threads
};

struct BackendOptions {
  std::string device = "cpu";  ///< "cpu" or "cuda"; refused with the reason where it is not there
  ComputeMode mode = ComputeMode::automatic;
  int threads = 0;                ///< CPU workers; 0 = the cores this process may use
  Bytes memory_limit = 0;         ///< of the ledger; 0 = none
  std::filesystem::path cache;    ///< folder that keeps what was measured of a GPU; empty: nothing is kept
  bool portable_kernels = false;  ///< CPU: no AVX2 even where it is there (tests, comparison)
};

Result<std::unique_ptr<Backend>> make_backend(const BackendOptions& options);

/// `floors`: measured read and copy bandwidth (GB/s = 1e9) and the rates of multiplications.
struct Floors {
  double read_gbps = 0, copy_gbps = 0;
  std::vector<std::pair<std::string, double>> tflops;  ///< by number format: "float32", "int8", "bfloat16"
  double launch_us = 0;                                ///< GPU: of one kernel in a captured chain
  int threads = 0;
  std::string device;
};
Result<Floors> measure_floors(const BackendOptions& options);

struct KernelBench {
  std::string filter;  ///< part of a name or shape; empty = all
  bool small = false;  ///< shapes for memory checkers, not timed
  bool timed = true;
};
/// Every kernel against its reference, and against the floor measured in the same run.
Result<void> bench_kernels(const BackendOptions& options, const KernelBench& bench,
                           const std::function<void(const KernelReport&)>& on_case);

}  // namespace pitwall
