// SPDX-License-Identifier: GPL-3.0-or-later
// The back-end factory. Linked by app and tests only.
#pragma once
#include <memory>
#include <string>

#include "engine/base/result.h"
#include "engine/execute/backend.h"

namespace pitwall {

enum class ComputeMode : std::uint8_t {
  automatic,  ///< the device's fast mode; CPU: activations in 16 bits per 32 against quantised weights
  float32     ///< float32 arithmetic throughout; CPU: bitwise invariant to batch, chunking, block tables and
              ///< threads
};

struct BackendOptions {
  std::string device = "cpu";  ///< "cpu"; "cuda" is refused with the reason where it is not built
  ComputeMode mode = ComputeMode::automatic;
  int threads = 0;                ///< CPU workers; 0 = the cores this process may use
  Bytes memory_limit = 0;         ///< of the ledger; 0 = none
  bool portable_kernels = false;  ///< CPU: no AVX2 even where it is there (tests, comparison)
};

Result<std::unique_ptr<Backend>> make_backend(const BackendOptions& options);

/// `floors`: measured read and copy bandwidth (GB/s = 1e9) and multiply-add rate of the machine.
struct Floors {
  double read_gbps = 0, copy_gbps = 0;
  double float32_tflops = 0, int8_tops = 0;
  int threads = 0;
  std::string device;
};
Result<Floors> measure_floors(const BackendOptions& options);

}  // namespace pitwall
