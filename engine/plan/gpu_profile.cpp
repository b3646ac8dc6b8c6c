// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/gpu_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
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
constexpr int kMostGpus = 1024;

Error bad_profile(std::string why) {
  return {Error::Kind::invalid_input, "A GPU profile cannot be read", std::move(why),
          "Compare it with the other files of profiles/gpus", ""};
}

/// Reads {"value": number, "source": text} by key; the first fault stays.
class Figures {
 public:
  Figures(const json& document, std::string owner) : document_(document), owner_(std::move(owner)) {}

  double positive(const char* key, double highest = kNoLimit) {
    const double value = entry(key).get<double>();
    check(key, value, value > 0, "above 0", highest);
    return value;
  }
  double not_negative(const char* key) {
    const double value = entry(key).get<double>();
    check(key, value, value >= 0, "0 or more", kNoLimit);
    return value;
  }
  double share(const char* key) { return positive(key, 1); }
  Bytes bytes(const char* key) { return std::llround(positive(key, 1e15)); }
  Nanos microseconds(const char* key) { return std::llround(positive(key, 1e9) * 1000); }
  std::vector<Bytes> byte_list(const char* key) {
    std::vector<Bytes> list;
    for (const json& value : entry(key)) {
      list.push_back(std::llround(value.get<double>()));
      check(key, value.get<double>(), value.get<double>() >= 0, "0 or more", 1e15);
    }
    if (list.empty()) blame(fmt::format("{} is empty", key));
    return list;
  }
  const std::string& fault() const { return fault_; }

 private:
  const json& entry(const char* key) {
    const json& figure = document_.at(key);
    if (figure.at("source").get_ref<const std::string&>().empty()) {
      blame(fmt::format("{} names no source", key));
    }
    return figure.at("value");
  }
  void check(const char* key, double value, bool sound, const char* bound, double highest) {
    if (sound && value <= highest) return;
    blame(fmt::format("{} is {}; it must be {}{}", key, value, bound,
                      highest < kNoLimit ? fmt::format(" and at most {}", highest) : ""));
  }
  void blame(const std::string& what) {
    if (fault_.empty()) fault_ = owner_ + what;
  }

  const json& document_;
  std::string owner_, fault_;
};

Result<EngineRates> parse_engine(const std::string& name, const json& document) {
  Figures figures(document, name + "'s ");
  EngineRates rates;
  rates.engine = name;
  rates.weight_read = figures.share("weight_read_efficiency");
  rates.packed_read = figures.share("packed_read_efficiency");
  rates.kv_read = figures.share("kv_read_efficiency");
  rates.byte_kv_read = figures.share("byte_kv_read_efficiency");
  rates.matrix = figures.share("matrix_efficiency");
  rates.packed_matrix = figures.share("packed_matrix_efficiency");
  rates.unpacks = figures.not_negative("unpacks_weights") > 0;
  rates.attention = figures.share("attention_efficiency");
  rates.step_overhead = figures.microseconds("step_overhead_us");
  rates.layer_overhead = figures.microseconds("layer_overhead_us");
  rates.error_share = figures.share("error_share");
  if (!figures.fault().empty()) return bad_profile(figures.fault());
  return rates;
}

/// In capitals, without what people leave out: "rtx 4090" is RTX-4090.
std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char letter : name) {
    if (std::isalnum(static_cast<unsigned char>(letter)))
      plain += static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  return plain;
}

/// Whether what follows a name says its memory: the "80G" of "H100-80G".
bool is_memory_of(const GpuProfile& gpu, std::string_view rest) {
  constexpr double kNear = 0.08;  // of what the driver reports: makers round, and count in powers of ten
  double size = 0;
  const auto [end, fault] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
  const double memory = static_cast<double>(gpu.memory) / static_cast<double>(kGiB);
  return fault == std::errc() && std::string_view(end, rest.data() + rest.size()) == "G" &&
         std::abs(size - memory) <= kNear * memory;
}

/// By its name, also as drivers and people have it: "NVIDIA GeForce RTX 4090", "4090", "H100-80GB".
const GpuProfile* gpu_called(std::string_view name) {
  constexpr std::size_t kTelling = 4;  // letters and digits of an end that names a card
  std::string plain = plain_name(name);
  for (const std::string_view maker : {"NVIDIA", "GEFORCE", "TESLA"}) {
    if (plain.starts_with(maker)) plain.erase(0, maker.size());
  }
  for (const std::string_view socket : {"SXM4", "SXM5", "PCIE"}) {
    if (const std::size_t at = plain.find(socket); at != std::string::npos) plain.erase(at, socket.size());
  }
  if (plain.ends_with("GB")) plain.pop_back();
  const GpuProfile* found = nullptr;
  for (const GpuProfile& gpu : gpu_profiles()) {
    const std::string known = plain_name(gpu.name);
    if (known == plain) return &gpu;
    const bool end = plain.size() >= kTelling && known.ends_with(plain);
    if (end || (plain.starts_with(known) && is_memory_of(gpu, std::string_view(plain).substr(known.size()))))
      found = &gpu;
  }
  return found;
}

/// Those whose names begin alike: "A100" is A100-40G or A100-80G.
std::string gpus_alike(std::string_view name) {
  const std::string plain = plain_name(name);
  return plain.empty() ? "" : profile_names(gpu_profiles(), [&](const GpuProfile& gpu) {
    return plain_name(gpu.name).starts_with(plain);
  });
}

}  // namespace

Bytes GpuProfile::communicator(int ranks) const {
  if (communicator_memory.empty()) return 0;
  std::size_t i = 0;
  while (i + 1 < communicator_memory.size() && (1 << i) < ranks) ++i;
  return communicator_memory[i];
}

const EngineRates& GpuProfile::rates(std::string_view engine) const {
  const auto found = std::find_if(engines.begin(), engines.end(),
                                  [&](const EngineRates& rates) { return rates.engine == engine; });
  return found != engines.end() ? *found : engines.front();
}

double GpuProfile::all_reduce_s(double bytes, int ranks) const {
  if (ranks < 2) return 0;
  return static_cast<double>(all_reduce_latency) / kNanosPerSecond +
         2.0 * (ranks - 1) / ranks * bytes / (peer_bandwidth * peer_efficiency);
}

double GpuProfile::send_s(double bytes) const {
  return static_cast<double>(all_reduce_latency) / kNanosPerSecond +
         bytes / (peer_bandwidth * peer_efficiency);
}

Result<GpuProfile> parse_gpu_profile(std::string_view text) {
  try {
    const json document = json::parse(text);
    GpuProfile gpu;
    document.at("name").get_to(gpu.name);
    document.at("title").get_to(gpu.title);
    Figures figures(document, "");
    gpu.memory = figures.bytes("memory_bytes");
    gpu.reserve_share = figures.share("reserve_share");
    gpu.memory_bandwidth = figures.positive("memory_bandwidth");
    gpu.matrix_rate = figures.positive("matrix_rate");
    gpu.fp8_rate = figures.not_negative("fp8_rate");
    if (document.contains("fp4_rate")) gpu.fp4_rate = figures.positive("fp4_rate");
    gpu.int8_rate = figures.positive("int8_rate");
    gpu.link_bandwidth = figures.positive("link_bandwidth");
    gpu.peer_bandwidth = figures.positive("peer_bandwidth");
    gpu.link_efficiency = figures.share("link_efficiency");
    gpu.peer_efficiency = figures.share("peer_efficiency");
    gpu.all_reduce_latency = figures.microseconds("all_reduce_latency_us");
    gpu.context_memory = figures.bytes("context_memory");
    gpu.library_workspace = figures.bytes("library_workspace");
    gpu.graph_memory = figures.bytes("graph_memory");
    gpu.communicator_memory = figures.byte_list("communicator_memory");
    if (!figures.fault().empty()) return bad_profile(figures.fault());
    for (const auto& [engine, rates] : document.at("engines").items()) {
      auto parsed = parse_engine(engine, rates);
      if (!parsed) return std::move(parsed).error();
      gpu.engines.push_back(*parsed);
    }
    if (gpu.engines.empty() || gpu.engines.front().engine != kOwnEngine) {
      return bad_profile(fmt::format("engines has no {}", kOwnEngine));
    }
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
  if (const GpuProfile* gpu = gpu_called(name)) return *gpu;
  const std::string alike = gpus_alike(name);
  return Error{Error::Kind::not_found, "There is no GPU profile " + quote_for_message(name),
               alike.empty() ? "" : fmt::format("These begin so: {}", alike),
               "These exist: " + profile_names(gpu_profiles()), "gpu"};
}

Result<GpuCount> parse_gpu_count(std::string_view text) {
  if (const GpuProfile* gpu = gpu_called(text)) return GpuCount{gpu->name, 1};
  const std::size_t x = text.find_last_of("xX");
  const std::string_view digits = x == std::string_view::npos ? "" : text.substr(x + 1);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
    return GpuCount{std::string(text), 1};
  }
  int count = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (fault != std::errc() || count < 1 || count > kMostGpus) {
    return Error{Error::Kind::invalid_input,
                 fmt::format("{} asks for {} GPUs", quote_for_message(text), digits), "",
                 fmt::format("Take 1 to {}, such as --gpu {}x8", kMostGpus, text.substr(0, x)), "gpu"};
  }
  const std::string_view name = text.substr(0, x);
  if (name.empty()) {
    return Error{Error::Kind::invalid_input, fmt::format("{} names no GPU", quote_for_message(text)), "",
                 fmt::format("Write it in front, such as --gpu H200{}", text), "gpu"};
  }
  const GpuProfile* gpu = gpu_called(name);
  return GpuCount{gpu == nullptr ? std::string(name) : gpu->name, count};
}

}  // namespace pitwall
