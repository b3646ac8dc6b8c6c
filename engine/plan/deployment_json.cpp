// SPDX-License-Identifier: GPL-3.0-or-later
// Deployments as JSON: what profiles/deployments holds and "Save as deployment" writes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>
#include <span>

#include "engine/base/profile_list.h"
#include "engine/base/text_escape.h"
#include "engine/plan/deployment.h"

namespace pitwall {

std::span<const std::string_view> embedded_deployments();  // written by CMake from profiles/deployments

namespace {

using Json = nlohmann::ordered_json;
using Meaning = MemoryBudget::Meaning;

struct MeaningName {
  const char* name;
  Meaning meaning;
};
constexpr MeaningName kMeanings[] = {{"automatic", Meaning::automatic},
                                     {"bytes", Meaning::bytes},
                                     {"share_of_total", Meaning::share_of_total},
                                     {"share_static", Meaning::share_static},
                                     {"share_of_free", Meaning::share_of_free},
                                     {"share_after_weights", Meaning::share_after_weights},
                                     {"kv_bytes", Meaning::kv_bytes},
                                     {"margin", Meaning::margin}};

Error bad(std::string what, std::string key) {
  return {Error::Kind::invalid_input, "A deployment cannot be read: " + std::move(what), "",
          "Compare it with the files of profiles/deployments", std::move(key)};
}

/// Walks over the fields of a deployment: writes them, or reads those that are there and remembers their
/// names.
class Writer {
 public:
  template <class T>
  void operator()(const char* name, const T& value) {
    out_[name] = value;
  }
  void operator()(const char* name, const std::optional<std::int64_t>& value) {
    if (value) out_[name] = *value;
  }
  Json out_ = Json::object();
};

class Reader {
 public:
  explicit Reader(const Json& in) : in_(in) {}
  template <class T>
  void operator()(const char* name, T& value) {
    if (const Json* found = find(name)) take(*found, name, value);
  }
  void operator()(const char* name, std::optional<std::int64_t>& value) {
    if (const Json* found = find(name)) take(*found, name, value.emplace());
  }
  /// The first key that no field has.
  std::string unknown() const {
    for (const auto& [key, value] : in_.items()) {
      if (std::find(known_.begin(), known_.end(), key) == known_.end()) return key;
    }
    return "";
  }

 private:
  template <class T>
  static void take(const Json& json, const char* name, T& value) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      // A float of a whole number is that number: other programs write 8.0.
      const double number = json.is_number() ? json.get<double>() : std::nan("");
      if (!(std::floor(number) == number))
        throw std::invalid_argument(name + (" is " + json.dump()) + ", no whole number");
      if (!(number >= static_cast<double>(std::numeric_limits<T>::min()) &&
            number <= static_cast<double>(std::numeric_limits<T>::max())))
        throw std::out_of_range(name);
    }
    json.get_to(value);
  }
  template <class T>
  static void take(const Json& json, const char* name, std::vector<T>& values) {
    if (!json.is_array()) throw std::invalid_argument(std::string(name) + " is no list");
    values.resize(json.size());
    for (std::size_t i = 0; i < values.size(); ++i) take(json[i], name, values[i]);
  }
  const Json* find(const char* name) {
    known_.emplace_back(name);
    const auto found = in_.find(name);
    if (found == in_.end()) return nullptr;
    if (found->is_number_float()) {
      const double value = found->get<double>();
      if (!(value >= -9e18 && value <= 9e18)) throw std::out_of_range(name);
    }
    return &*found;
  }
  const Json& in_;
  std::vector<std::string> known_;
};

template <class Deploy, class Visit>
void fields(Deploy& d, Visit& visit) {
  visit("name", d.name);
  visit("model", d.model);
  visit("told_model", d.told_model);
  visit("gpu", d.gpu);
  visit("gpus", d.gpus);
  visit("tensor_parallel", d.tensor_parallel);
  visit("pipeline_parallel", d.pipeline_parallel);
  visit("expert_parallel", d.expert_parallel);
  visit("max_num_seqs", d.max_num_seqs);
  visit("max_num_batched_tokens", d.max_num_batched_tokens);
  visit("block_size", d.block_size);
  visit("threads", d.threads);
  visit("swap_space", d.swap_space);
  visit("max_model_len", d.max_model_len);
  visit("kv_cache_dtype", d.kv_cache_dtype);
  visit("quantization", d.quantization);
  visit("prefix_caching", d.prefix_caching);
  visit("graphs", d.graphs);
  visit("prompt_logprobs", d.prompt_logprobs);
  visit("draft_layers", d.draft_layers);
  visit("shared_context", d.shared_context);
  visit("graph_sizes", d.graph_sizes);
  visit("requests", d.requests);
  visit("length_p50", d.lengths.p50);
  visit("length_p95", d.lengths.p95);
  visit("length_max", d.lengths.max);
  visit("lengths", d.lengths.trace);
  visit("prompt_tokens", d.prompt_tokens);
  visit("output_tokens", d.output_tokens);
  visit("shared_prefix", d.shared_prefix);
  visit("ttft_limit_ms", d.ttft_limit_ms);
  visit("tpot_limit_ms", d.tpot_limit_ms);
  visit("memory_share", d.budget.share);
  visit("memory_bytes", d.budget.bytes);
  visit("other_processes", d.budget.other_processes);
}

}  // namespace

std::string deployment_json(const Deployment& deployment) {
  Writer writer;
  fields(deployment, writer);
  writer("engine", deployment.engine);
  for (const MeaningName& one : kMeanings) {
    if (one.meaning == deployment.budget.meaning) writer("memory_meaning", std::string(one.name));
  }
  return writer.out_.dump(2, ' ', false, Json::error_handler_t::replace);
}

Result<Deployment> parse_deployment(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    if (!json.is_object()) return bad("it is no object", "");
    Deployment deployment;
    Reader reader(json);
    fields(deployment, reader);
    std::string meaning = "automatic", source;
    reader("engine", deployment.engine);
    reader("memory_meaning", meaning);
    reader("source", source);  // this and the id are of the shipped ones
    reader("id", deployment.id);
    if (const std::string key = reader.unknown(); !key.empty())
      return bad("it has no key " + quote_for_message(key), key);
    auto engine = find_engine_choice(deployment.engine);
    if (!engine) return std::move(engine).error();
    deployment.engine = engine->name;
    const auto named = std::find_if(std::begin(kMeanings), std::end(kMeanings),
                                    [&](const MeaningName& one) { return meaning == one.name; });
    if (named == std::end(kMeanings))
      return bad("memory_meaning " + quote_for_message(meaning) + " is unknown", "memory_meaning");
    deployment.budget.meaning = named->meaning;
    if (auto sound = check(deployment); !sound) return std::move(sound).error();
    return deployment;
  } catch (const std::invalid_argument& problem) {
    return bad(problem.what(), "");
  } catch (const std::out_of_range& problem) {
    return bad(fmt::format("{} is out of range", problem.what()), problem.what());
  } catch (const Json::exception& problem) {
    return bad(problem.what(), "");
  }
}

const std::vector<Deployment>& shipped_deployments() {
  static const std::vector<Deployment> deployments = parse_profiles(embedded_deployments(), parse_deployment);
  return deployments;
}

}  // namespace pitwall
