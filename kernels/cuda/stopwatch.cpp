// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/stopwatch.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace pitwall::cuda {

Stopwatch::Stopwatch() {
  keep(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "Opening a stream");
  keep(cudaEventCreate(&begin_), "Making an event");
  keep(cudaEventCreate(&end_), "Making an event");
}

Stopwatch::~Stopwatch() {
  if (begin_ != nullptr) cudaEventDestroy(begin_);
  if (end_ != nullptr) cudaEventDestroy(end_);
  if (stream_ != nullptr) cudaStreamDestroy(stream_);
}

bool Stopwatch::keep(cudaError_t code, const char* what) {
  if (code != cudaSuccess && state_) state_ = check(code, what);
  return code == cudaSuccess;
}

double Stopwatch::median_us(int repeats, int launches,
                            const std::function<void(int turn, cudaStream_t)>& launch) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t captured = nullptr;
  if (!keep(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "Capturing")) return kNone;
  for (int turn = 0; turn < launches; ++turn) launch(turn, stream_);
  if (!keep(cudaStreamEndCapture(stream_, &graph), "Capturing")) return kNone;
  const bool made = keep(cudaGraphInstantiate(&captured, graph, 0), "Capturing");
  cudaGraphDestroy(graph);
  if (!made) return kNone;
  std::vector<float> times;
  for (int repeat = 0; repeat <= repeats; ++repeat) {
    float ms = 0;
    if (!keep(cudaEventRecord(begin_, stream_), "Timing") ||
        !keep(cudaGraphLaunch(captured, stream_), "Timing") ||
        !keep(cudaEventRecord(end_, stream_), "Timing") || !keep(cudaEventSynchronize(end_), "Timing") ||
        !keep(cudaEventElapsedTime(&ms, begin_, end_), "Timing")) {
      cudaGraphExecDestroy(captured);
      return kNone;
    }
    if (repeat > 0) times.push_back(ms);
  }
  cudaGraphExecDestroy(captured);
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return 1e3 * static_cast<double>(times[times.size() / 2]) / launches;
}

}  // namespace pitwall::cuda
