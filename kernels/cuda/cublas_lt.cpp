// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/cublas_lt.h"

#include <cublasLt.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <compare>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "engine/base/file.h"

namespace pitwall::cuda {

namespace {

constexpr int kWays = 8;
constexpr int kTrials = 4;
// What a kernel of the library costs beside its own time: it neither starts before the one ahead of it has
// ended nor lets the next one start (measured on an H200, as times are here: milliseconds).
constexpr float kBorder = 1e-3f;

struct Library {
  void* handle = nullptr;
  decltype(&cublasLtCreate) create = nullptr;
  decltype(&cublasLtDestroy) destroy = nullptr;
  decltype(&cublasLtGetVersion) version = nullptr;
  decltype(&cublasLtMatmul) matmul = nullptr;
  decltype(&cublasLtMatmulDescCreate) desc_create = nullptr;
  decltype(&cublasLtMatmulDescDestroy) desc_destroy = nullptr;
  decltype(&cublasLtMatmulDescSetAttribute) desc_set = nullptr;
  decltype(&cublasLtMatrixLayoutCreate) layout_create = nullptr;
  decltype(&cublasLtMatrixLayoutDestroy) layout_destroy = nullptr;
  decltype(&cublasLtMatmulPreferenceCreate) preference_create = nullptr;
  decltype(&cublasLtMatmulPreferenceDestroy) preference_destroy = nullptr;
  decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set = nullptr;
  decltype(&cublasLtMatmulAlgoGetHeuristic) heuristic = nullptr;
};

Result<Library> open_library() {
  Library lib;
  const std::string major = std::to_string(CUBLAS_VER_MAJOR);
  std::string tried;
  for (const std::string& name :
       {"libcublasLt.so." + major, "/usr/local/cuda/lib64/libcublasLt.so." + major}) {
    lib.handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (lib.handle != nullptr) break;
    tried += (tried.empty() ? "" : "; ") + std::string(dlerror());
  }
  if (lib.handle == nullptr) {
    return Error{Error::Kind::unsupported, "cuBLASLt " + major + " was not found", tried,
                 "Install the CUDA runtime libraries, or put their folder on LD_LIBRARY_PATH", "device"};
  }
  bool whole = true;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(lib.handle, name));
    whole = whole && function != nullptr;
  };
  find(lib.create, "cublasLtCreate");
  find(lib.destroy, "cublasLtDestroy");
  find(lib.version, "cublasLtGetVersion");
  find(lib.matmul, "cublasLtMatmul");
  find(lib.desc_create, "cublasLtMatmulDescCreate");
  find(lib.desc_destroy, "cublasLtMatmulDescDestroy");
  find(lib.desc_set, "cublasLtMatmulDescSetAttribute");
  find(lib.layout_create, "cublasLtMatrixLayoutCreate");
  find(lib.layout_destroy, "cublasLtMatrixLayoutDestroy");
  find(lib.preference_create, "cublasLtMatmulPreferenceCreate");
  find(lib.preference_destroy, "cublasLtMatmulPreferenceDestroy");
  find(lib.preference_set, "cublasLtMatmulPreferenceSetAttribute");
  find(lib.heuristic, "cublasLtMatmulAlgoGetHeuristic");
  if (!whole) {
    dlclose(lib.handle);
    return Error{Error::Kind::unsupported, "cuBLASLt lacks functions that the back end needs", "",
                 "Install the libraries of CUDA " + major, "device"};
  }
  return lib;
}

/// The largest power of two up to 256 that divides the address and the row's bytes.
std::uint32_t alignment_of(const void* place, std::int64_t row_bytes) {
  const std::uint64_t bits = reinterpret_cast<std::uint64_t>(place) | static_cast<std::uint64_t>(row_bytes);
  std::uint32_t alignment = 256;
  while (bits % alignment != 0) alignment /= 2;
  return alignment;
}

/// What a way is chosen for.
struct Shape {
  int rows, outputs, inner, x_stride, w_stride, y_stride, packed;
  bool y_wide, add, gated, half;
  std::uint32_t x_alignment, w_alignment, y_alignment;
  auto operator<=>(const Shape&) const = default;
};

Shape shape_of(const Product& p) {
  return {p.rows,
          p.outputs,
          p.inner,
          p.x_stride,
          p.w_stride,
          p.y_stride,
          p.packed,
          p.y_wide,
          p.add,
          p.gated,
          p.half,
          alignment_of(p.x, std::int64_t{2} * p.x_stride),
          alignment_of(p.w, std::int64_t{2} * p.w_stride),
          alignment_of(p.y, std::int64_t{p.y_wide ? 4 : 2} * p.y_stride)};
}

}  // namespace

struct CublasLt::State {
  /// How one shape is multiplied. cuBLASLt's matrices are column-major: y is [outputs × rows].
  struct Way {
    cublasLtMatmulDesc_t desc = nullptr;
    cublasLtMatrixLayout_t w = nullptr, x = nullptr, y = nullptr;
    std::vector<cublasLtMatmulAlgo_t> ways;  // the first is used; empty: there is none
    bool tuned = false;
    bool beaten = false;  // by a rival
  };
  using Code = std::array<std::uint64_t, sizeof(cublasLtMatmulAlgo_t) / sizeof(std::uint64_t)>;

  Library lib;
  cublasLtHandle_t handle = nullptr;
  cublasLtMatmulPreference_t preference = nullptr;
  void* workspace = nullptr;
  Bytes workspace_bytes = 0;
  std::map<Shape, Way> ways;
  std::map<Shape, Code> choices;  // measured in this run or an earlier one; all zeros: a rival
  std::filesystem::path choices_file;
  bool choices_changed = false;

  static Code code_of(const cublasLtMatmulAlgo_t& algo) {
    Code code;
    std::memcpy(code.data(), &algo, sizeof algo);
    return code;
  }
  Way& way_of(const Shape& shape);
  void make(const Shape& shape, Way& way);
  cublasStatus_t run(const Way& way, const cublasLtMatmulAlgo_t& algo, const Product& product,
                     cudaStream_t stream) const {
    const float beta = product.add ? 1.0f : 0.0f;
    return lib.matmul(handle, way.desc, &product.alpha, product.w, way.w, product.x, way.x, &beta, product.y,
                      way.y, product.y, way.y, &algo, workspace, static_cast<std::size_t>(workspace_bytes),
                      stream);
  }
};

CublasLt::State::Way& CublasLt::State::way_of(const Shape& shape) {
  const auto [found, fresh] = ways.try_emplace(shape);
  if (fresh) make(shape, found->second);
  return found->second;
}

void CublasLt::State::make(const Shape& shape, Way& way) {
  const cudaDataType narrow = shape.half ? CUDA_R_16F : CUDA_R_16BF;
  const cudaDataType y_type = shape.y_wide ? CUDA_R_32F : narrow;
  const cublasOperation_t transposed = CUBLAS_OP_T;
  const auto inner = static_cast<std::uint64_t>(shape.inner);
  const auto outputs = static_cast<std::uint64_t>(shape.outputs);
  const auto rows = static_cast<std::uint64_t>(shape.rows);
  if (lib.desc_create(&way.desc, CUBLAS_COMPUTE_32F, CUDA_R_32F) != CUBLAS_STATUS_SUCCESS ||
      lib.desc_set(way.desc, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed) !=
          CUBLAS_STATUS_SUCCESS ||
      lib.layout_create(&way.w, narrow, inner, outputs, shape.w_stride) != CUBLAS_STATUS_SUCCESS ||
      lib.layout_create(&way.x, narrow, inner, rows, shape.x_stride) != CUBLAS_STATUS_SUCCESS ||
      lib.layout_create(&way.y, y_type, outputs, rows, shape.y_stride) != CUBLAS_STATUS_SUCCESS) {
    return;
  }
  const auto prefer = [this](cublasLtMatmulPreferenceAttributes_t attribute, std::uint32_t alignment) {
    lib.preference_set(preference, attribute, &alignment, sizeof alignment);
  };
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, shape.w_alignment);
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, shape.x_alignment);
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, shape.y_alignment);
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, shape.y_alignment);
  std::array<cublasLtMatmulHeuristicResult_t, kWays> found{};
  int count = 0;
  if (lib.heuristic(handle, way.desc, way.w, way.x, way.y, way.y, preference, kWays, found.data(), &count) !=
      CUBLAS_STATUS_SUCCESS) {
    return;
  }
  for (int i = 0; i < count; ++i) {
    const auto& result = found[static_cast<std::size_t>(i)];
    if (result.state == CUBLAS_STATUS_SUCCESS &&
        result.workspaceSize <= static_cast<std::size_t>(workspace_bytes)) {
      way.ways.push_back(result.algo);
    }
  }
  way.beaten = shape.gated;
  const auto known = choices.find(shape);
  if (known == choices.end()) return;
  way.beaten = known->second == Code{};
  way.tuned = way.beaten;
  // Only what the library offers is taken: a damaged file cannot bring a way that does not fit.
  const auto chosen = std::find_if(way.ways.begin(), way.ways.end(),
                                   [&](const auto& algo) { return code_of(algo) == known->second; });
  if (chosen == way.ways.end()) return;
  std::iter_swap(way.ways.begin(), chosen);
  way.tuned = true;
}

CublasLt::CublasLt(std::unique_ptr<State> state) : state_(std::move(state)) {}

CublasLt::~CublasLt() {
  for (auto& [shape, way] : state_->ways) {
    if (way.desc) state_->lib.desc_destroy(way.desc);
    for (const auto layout : {way.w, way.x, way.y})
      if (layout) state_->lib.layout_destroy(layout);
  }
  if (state_->preference) state_->lib.preference_destroy(state_->preference);
  if (state_->handle) state_->lib.destroy(state_->handle);
}

Result<std::unique_ptr<CublasLt>> CublasLt::open(void* workspace, Bytes workspace_bytes) {
  auto library = open_library();
  if (!library) return std::move(library).error();
  auto state = std::make_unique<State>();
  state->lib = *library;
  state->workspace = workspace;
  state->workspace_bytes = workspace_bytes;
  std::unique_ptr<CublasLt> self(new CublasLt(std::move(state)));
  const Library& lib = self->state_->lib;
  const auto bytes = static_cast<std::uint64_t>(workspace_bytes);
  if (lib.create(&self->state_->handle) != CUBLAS_STATUS_SUCCESS ||
      lib.preference_create(&self->state_->preference) != CUBLAS_STATUS_SUCCESS ||
      lib.preference_set(self->state_->preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes,
                         sizeof bytes) != CUBLAS_STATUS_SUCCESS) {
    return Error{Error::Kind::internal, "cuBLASLt could not be started", "", "Update the driver", "device"};
  }
  return self;
}

bool CublasLt::multiply(const Product& product, cudaStream_t stream) {
  const State::Way& way = state_->way_of(shape_of(product));
  return !way.ways.empty() && state_->run(way, way.ways.front(), product, stream) == CUBLAS_STATUS_SUCCESS;
}

bool CublasLt::is_beaten(const Product& product) const {
  return state_->way_of(shape_of(product)).beaten;
}

void CublasLt::tune(const Product& product, const std::function<void()>& rival,
                    const std::function<void()>& rest, void* flush, std::size_t flush_bytes,
                    cudaStream_t stream) {
  State::Way& way = state_->way_of(shape_of(product));
  if (way.tuned || way.ways.size() + (rival ? 1 : 0) < 2) return;
  way.tuned = true;
  cudaEvent_t begin = nullptr, end = nullptr;
  if (cudaEventCreate(&begin) != cudaSuccess || cudaEventCreate(&end) != cudaSuccess) return;
  // The shortest time of a few, or 0.
  const auto measure = [&](const std::function<bool()>& run) {
    float fastest = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      cudaMemsetAsync(flush, trial, flush_bytes, stream);
      cudaEventRecord(begin, stream);
      if (!run()) break;
      cudaEventRecord(end, stream);
      float took = 0;
      if (cudaEventSynchronize(end) != cudaSuccess || cudaEventElapsedTime(&took, begin, end) != cudaSuccess)
        break;
      if (fastest == 0 || took < fastest) fastest = took;
    }
    return fastest;
  };
  float best = 0;
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < way.ways.size(); ++i) {
    const float took = measure([&] {
      const bool ran = state_->run(way, way.ways[i], product, stream) == CUBLAS_STATUS_SUCCESS;
      if (ran && rest) rest();
      return ran;
    });
    if (took > 0 && (best == 0 || took < best)) best = took, chosen = i;
  }
  if (rival) {
    const float took = measure([&] { return rival(), true; });
    way.beaten = took > 0 && (best == 0 || took < best + kBorder);
  }
  if (!way.ways.empty()) std::swap(way.ways.front(), way.ways[chosen]);
  state_->choices[shape_of(product)] = way.beaten ? State::Code{} : State::code_of(way.ways.front());
  state_->choices_changed = true;
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
}

void CublasLt::load_choices(const std::filesystem::path& folder, const std::string& gpu) {
  std::string name = "ways " + gpu + " cublaslt " + std::to_string(version()) + ".txt";
  for (char& letter : name)
    if (letter == ' ' || letter == '/') letter = '-';
  state_->choices_file = folder / name;
  std::ifstream file(state_->choices_file);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    Shape shape{};
    State::Code code;
    words >> shape.rows >> shape.outputs >> shape.inner >> shape.x_stride >> shape.w_stride >>
        shape.y_stride >> shape.packed >> shape.y_wide >> shape.add >> shape.gated >> shape.half >>
        shape.x_alignment >> shape.w_alignment >> shape.y_alignment >> std::hex;
    for (std::uint64_t& word : code) words >> word;
    if (words) state_->choices[shape] = code;
  }
}

Result<void> CublasLt::save_choices() const {
  if (!state_->choices_changed || state_->choices_file.empty()) return {};
  std::ostringstream text;
  for (const auto& [shape, code] : state_->choices) {
    text << std::dec << shape.rows << ' ' << shape.outputs << ' ' << shape.inner << ' ' << shape.x_stride
         << ' ' << shape.w_stride << ' ' << shape.y_stride << ' ' << shape.packed << ' ' << shape.y_wide
         << ' ' << shape.add << ' ' << shape.gated << ' ' << shape.half << ' ' << shape.x_alignment << ' '
         << shape.w_alignment << ' ' << shape.y_alignment << std::hex;
    for (const std::uint64_t word : code) text << ' ' << word;
    text << '\n';
  }
  return write_file_atomic(state_->choices_file, text.str());
}

std::size_t CublasLt::version() const {
  return state_->lib.version();
}

}  // namespace pitwall::cuda
