// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/gpu_profile.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "engine/base/profile_list.h"
#include "engine/base/text_escape.h"

namespace pitwall {

std::span<const std::string_view> embedded_gpu_profiles();  // written by CMake from profiles/gpus

namespace {

using nlohmann::json;

constexpr double kNoLimit = 1e300;

Error bad_profile(std::string why) {
  return {Error::Kind::invalid_input, "A GPU profile cannot be read", std::move(why),
          "Compare it with the other files of profiles/gpus", ""};
}

/// Reads {"value": number, "source": text} by key; the first fault stays.
class Figures {
 public:
  explicit Figures(const json& document) : document_(document) {}

  double positive(const char* key, double highest = kNoLimit) {
    const json& figure = document_.at(key);
    const double value = figure.at("value").get<double>();
    if (fault_.empty() && !(value > 0 && value <= highest)) {
      fault_ = fmt::format("{} is {}; it must be above 0{}", key, value,
                           highest < kNoLimit ? fmt::format(" and at most {}", highest) : "");
    }
    if (fault_.empty() && figure.at("source").get_ref<const std::string&>().empty()) {
      fault_ = fmt::format("{} names no source", key);
    }
    return value;
  }
  double share(const char* key) { return positive(key, 1); }
  const std::string& fault() const { return fault_; }

 private:
  const json& document_;
  std::string fault_;
};

}  // namespace

Result<GpuProfile> parse_gpu_profile(std::string_view text) {
  try {
    const json document = json::parse(text);
    GpuProfile gpu;
    document.at("name").get_to(gpu.name);
    document.at("title").get_to(gpu.title);
    Figures figures(document);
    gpu.memory = static_cast<Bytes>(figures.positive("memory_bytes", 1e15));
    gpu.reserve_share = figures.share("reserve_share");
    gpu.memory_bandwidth = figures.positive("memory_bandwidth");
    gpu.matrix_rate = figures.positive("matrix_rate");
    gpu.link_bandwidth = figures.positive("link_bandwidth");
    gpu.weight_read_efficiency = figures.share("weight_read_efficiency");
    gpu.kv_read_efficiency = figures.share("kv_read_efficiency");
    gpu.matrix_efficiency = figures.share("matrix_efficiency");
    gpu.attention_efficiency = figures.share("attention_efficiency");
    gpu.link_efficiency = figures.share("link_efficiency");
    gpu.step_overhead = static_cast<Nanos>(std::llround(figures.positive("step_overhead_us", 1e9) * 1000));
    if (!figures.fault().empty()) return bad_profile(figures.fault());
    return gpu;
  } catch (const json::exception& problem) {
    return bad_profile(problem.what());
  }
}

const std::vector<GpuProfile>& gpu_profiles() {
  static const std::vector<GpuProfile> profiles = parse_profiles(embedded_gpu_profiles(), parse_gpu_profile);
  return profiles;
}

Result<GpuProfile> find_gpu(std::string_view name) {
  if (const GpuProfile* gpu = find_profile(gpu_profiles(), name)) return *gpu;
  return Error{Error::Kind::not_found, "There is no GPU profile " + quote_for_message(name), "",
               "These exist: " + profile_names(gpu_profiles()), "gpu"};
}

}  // namespace pitwall
