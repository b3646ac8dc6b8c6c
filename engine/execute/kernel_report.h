// SPDX-License-Identifier: GPL-3.0-or-later
// What was found out about one kernel at one shape.
#pragma once
#include <string>

namespace pitwall {

struct KernelReport {
  std::string name, shape;
  double error = 0, tolerance = 0;  ///< relative L2 against the reference
  std::string problem;              ///< empty: sound
  double us = 0;                    ///< 0: not timed
  double gbps = 0, tflops = 0;
  double floor_percent = 0;  ///< of the time that this machine needs at best, measured in the same run
};

}  // namespace pitwall
