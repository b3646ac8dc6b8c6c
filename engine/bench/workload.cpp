// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>

#include "engine/base/profile_list.h"
#include "engine/base/text_escape.h"
#include "engine/bench/random.h"

namespace pitwall {

std::span<const std::string_view> embedded_workloads();  // written by CMake from profiles/workloads

namespace {

using nlohmann::json;

Error bad_workload(std::string why) {
  return {Error::Kind::invalid_input, "A workload cannot be read", std::move(why),
          "Compare it with the other files of profiles/workloads", ""};
}

LengthDistribution lengths_of(const json& object) {
  LengthDistribution lengths;
  if (object.contains("fixed")) {
    lengths.minimum = lengths.maximum = object.at("fixed").get<std::int32_t>();
    return lengths;
  }
  object.at("minimum").get_to(lengths.minimum);
  object.at("maximum").get_to(lengths.maximum);
  if (object.contains("mean")) {
    object.at("mean").get_to(lengths.mean);
    object.at("sigma").get_to(lengths.sigma);
  }
  return lengths;
}

/// "" when sound.
std::string fault_of(const LengthDistribution& lengths, const char* name) {
  if (lengths.minimum < 1 || lengths.maximum > kMaxTraceTokens || lengths.minimum > lengths.maximum) {
    return fmt::format("{} lengths are {} to {}; they must rise within 1 and {}", name, lengths.minimum,
                       lengths.maximum, kMaxTraceTokens);
  }
  if (lengths.mean < 0 || lengths.sigma < 0 || (lengths.mean > 0) != (lengths.sigma > 0))
    return fmt::format("{} has mean {} and sigma {}; both must be above 0", name, lengths.mean,
                       lengths.sigma);
  return {};
}

std::string fault_of(const WorkloadClass& one) {
  if (!(one.share > 0)) return fmt::format("share is {}; it must be above 0", one.share);
  if (auto fault = fault_of(one.prompt, "prompt"); !fault.empty()) return fault;
  if (auto fault = fault_of(one.output, "output"); !fault.empty()) return fault;
  if (one.shared_prefix < 0 || one.shared_prefix % kTraceBlockTokens != 0 ||
      one.shared_prefix > one.prompt.minimum) {
    return fmt::format("shared_prefix is {}; it must be a multiple of {} within the shortest prompt, {}",
                       one.shared_prefix, kTraceBlockTokens, one.prompt.minimum);
  }
  if (auto fault = fault_of(one.turns, "turns"); !fault.empty()) return fault;
  if (one.think_s < 0) return fmt::format("think_s is {}; it must be 0 or more", one.think_s);
  if (one.has_turns() && one.most_context < one.prompt.maximum + one.output.maximum) {
    return fmt::format("most_context is {}; the longest first turn takes {}", one.most_context,
                       one.prompt.maximum + one.output.maximum);
  }
  return {};
}

std::int32_t draw(const LengthDistribution& lengths, Random& random) {
  double value = lengths.minimum + random.uniform() * (lengths.maximum - lengths.minimum + 1.0);
  if (lengths.sigma > 0) {  // mean = exp(mu + sigma²/2)
    const double mu = std::log(lengths.mean) - lengths.sigma * lengths.sigma / 2;
    value = std::exp(mu + lengths.sigma * random.normal());
  }
  return static_cast<std::int32_t>(
      std::clamp(std::floor(value), double{1} * lengths.minimum, double{1} * lengths.maximum));
}

}  // namespace

Result<Workload> parse_workload(std::string_view text) {
  try {
    const json document = json::parse(text);
    Workload workload;
    document.at("name").get_to(workload.name);
    document.at("title").get_to(workload.title);
    document.at("source").get_to(workload.source);
    document.at("requests").get_to(workload.requests);
    const json& rate = document.at("request_rate");
    workload.request_rate = rate == "inf" ? std::numeric_limits<double>::infinity() : rate.get<double>();
    for (const json& entry : document.at("classes")) {
      WorkloadClass one;
      one.share = entry.value("share", 1.0);
      one.prompt = lengths_of(entry.at("prompt"));
      one.output = lengths_of(entry.at("output"));
      one.shared_prefix = entry.value("shared_prefix", 0);
      if (entry.contains("turns")) {
        one.turns = lengths_of(entry.at("turns"));
        entry.at("think_s").get_to(one.think_s);
        entry.at("most_context").get_to(one.most_context);
      }
      if (auto fault = fault_of(one); !fault.empty()) return bad_workload(fault);
      workload.classes.push_back(one);
    }
    if (workload.classes.empty()) return bad_workload("classes is empty");
    if (workload.requests < 1) return bad_workload(fmt::format("requests is {}", workload.requests));
    if (!(workload.request_rate > 0))
      return bad_workload(fmt::format("request_rate is {}", workload.request_rate));
    if (workload.source.empty()) return bad_workload("source is empty");
    return workload;
  } catch (const json::exception& problem) {
    return bad_workload(problem.what());
  }
}

const std::vector<Workload>& workloads() {
  static const std::vector<Workload> all = parse_profiles(embedded_workloads(), parse_workload);
  return all;
}

Result<Workload> find_workload(std::string_view name) {
  if (const Workload* workload = find_profile(workloads(), name)) return *workload;
  return Error{Error::Kind::not_found, "There is no workload " + quote_for_message(name), "",
               "These exist: " + profile_names(workloads()), "workload"};
}

namespace {

class TraceMaker {
 public:
  TraceMaker(const Workload& workload, std::uint64_t seed) : workload_(workload), random_(seed) {
    trace_.name = workload.name;
    for (const WorkloadClass& one : workload.classes) {
      shares_ += one.share;
      next_block_ += one.shared_prefix / kTraceBlockTokens;
    }
  }

  Trace make(int requests) {
    while (std::ssize(trace_.requests) < requests) add_conversation(requests);
    pace(trace_, {workload_.request_rate}, random_.next());
    return std::move(trace_);
  }

 private:
  void add_conversation(int most) {
    double chosen = random_.uniform() * shares_;
    std::int32_t first_block = 0;  // of the class's shared prefix
    auto one = workload_.classes.begin();
    for (; chosen >= one->share && one + 1 != workload_.classes.end(); ++one) {
      chosen -= one->share;
      first_block += one->shared_prefix / kTraceBlockTokens;
    }
    TraceRequest request;
    for (std::int32_t block = 0; block < one->shared_prefix / kTraceBlockTokens; ++block)
      request.blocks.push_back(first_block + block);
    request.prompt_tokens = draw(one->prompt, random_);
    request.output_tokens = draw(one->output, random_);
    if (!one->has_turns()) {
      trace_.requests.push_back(std::move(request));
      return;
    }
    const std::int32_t turns = draw(one->turns, random_);
    for (std::int32_t turn = 1;; ++turn) {
      own_blocks(request);
      trace_.requests.push_back(request);
      request.after = static_cast<std::int32_t>(trace_.requests.size()) - 1;
      request.think = std::llround(one->think_s * static_cast<double>(kNanosPerSecond));
      request.prompt_tokens += request.output_tokens + draw(one->prompt, random_);
      request.output_tokens = draw(one->output, random_);
      const bool fits = request.prompt_tokens + request.output_tokens <= one->most_context;
      if (turn == turns || !fits || std::ssize(trace_.requests) == most) return;
    }
  }

  /// Blocks over the whole prompt: what the next turn repeats of it has the same ones.
  void own_blocks(TraceRequest& request) {
    while (std::ssize(request.blocks) * kTraceBlockTokens < request.prompt_tokens)
      request.blocks.push_back(next_block_++);
  }

  const Workload& workload_;
  Random random_;
  double shares_ = 0;
  std::int32_t next_block_ = 0;
  Trace trace_;
};

}  // namespace

Trace make_trace(const Workload& workload, int requests, std::uint64_t seed) {
  return TraceMaker(workload, seed).make(requests);
}

}  // namespace pitwall
