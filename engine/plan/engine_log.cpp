// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/engine_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>

namespace pitwall {

namespace {

using Term = std::optional<Bytes> DeviceMemoryLog::*;

constexpr double kMostPrinted = 1e12;  // of any number in a log: beyond it a line is damaged

/// Walks one line: text up to a marker, then the number behind it.
class Line {
 public:
  explicit Line(std::string_view text) : text_(text) {}

  bool holds(std::string_view marker) const { return text_.find(marker) != std::string_view::npos; }

  /// Moves behind the marker.
  bool skip(std::string_view marker) {
    const std::size_t found = text_.find(marker);
    if (found == std::string_view::npos) return false;
    text_.remove_prefix(found + marker.size());
    return true;
  }

  /// The number that comes next, spaces and brackets before it, thousands separators inside.
  std::optional<double> number() {
    const std::size_t first = text_.find_first_not_of(" (=:\t");
    if (first == std::string_view::npos) return std::nullopt;
    std::string digits;
    std::size_t at = first;
    for (; at < text_.size(); ++at) {
      const char letter = text_[at];
      if ((letter >= '0' && letter <= '9') || letter == '.' || (letter == '-' && at == first)) {
        digits += letter;
      } else if (letter != ',' || at + 1 >= text_.size() || text_[at + 1] < '0' || text_[at + 1] > '9') {
        break;
      }
    }
    double value = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (problem != std::errc() || end == digits.data() || std::abs(value) > 1e15) return std::nullopt;
    text_.remove_prefix(at);
    return value;
  }
  std::optional<double> number_after(std::string_view marker) {
    return skip(marker) ? number() : std::nullopt;
  }
  std::string_view rest() const { return text_; }

 private:
  std::string_view text_;
};

std::optional<Bytes> in_units(std::optional<double> number, Bytes unit) {
  if (!number || std::abs(*number) > kMostPrinted / 1e3) return std::nullopt;
  return std::llround(*number * static_cast<double>(unit));
}
std::optional<Bytes> gib(std::optional<double> number) {
  return in_units(number, kGiB);
}

std::optional<std::int64_t> count(std::optional<double> number) {
  if (!number || *number < 0 || *number > kMostPrinted) return std::nullopt;
  return std::llround(*number);
}

template <class Value>
bool keep(std::optional<Value>& place, const std::optional<Value>& value) {
  if (value) place = value;
  return value.has_value();
}

/// "(Worker_TP1 pid=7)" and "[… TP1]" → "rank 1"; lines of the only process belong to rank 0.
std::string rank_of(std::string_view line) {
  for (std::size_t at = line.find("TP"); at != std::string_view::npos; at = line.find("TP", at + 2)) {
    int rank = 0;
    const auto [end, problem] = std::from_chars(line.data() + at + 2, line.data() + line.size(), rank);
    const bool alone = at == 0 || line[at - 1] == '_' || line[at - 1] == ' ' || line[at - 1] == '[';
    if (problem == std::errc() && alone) return fmt::format("rank {}", rank);
  }
  return "rank 0";
}

class LogReader {
 public:
  Result<EngineLog> read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = text.substr(0, end);
      const bool said = vllm(line) || sglang(line) || tensorrt(line) || llama(line);
      said_ |= said;
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (!said_) {
      return Error{Error::Kind::not_found, "The log says nothing about memory", "",
                   "Give the lines that vLLM, SGLang, TensorRT-LLM or llama.cpp print while they start",
                   "log"};
    }
    finish();
    return std::move(log_);
  }

 private:
  DeviceMemoryLog& device(const std::string& name) {
    for (DeviceMemoryLog& each : log_.devices) {
      if (each.device == name) return each;
    }
    log_.devices.push_back({});
    log_.devices.back().device = name;
    return log_.devices.back();
  }

  bool is(const char* engine) {
    log_.engine = engine;
    return true;
  }

  bool term(std::string_view text, std::string_view marker, Term place) {
    Line line(text);
    const auto bytes = gib(line.number_after(marker));
    if (bytes) device(rank_of(text)).*place = bytes;
    return bytes.has_value();
  }

  bool vllm(std::string_view text) {
    bool said = vllm_capacity(text) || vllm_summary(text) || vllm_shortage(text);
    said |= term(text, "Model loading took ", &DeviceMemoryLog::weights) ||
            term(text, "Loading model weights took ", &DeviceMemoryLog::weights);
    said |= term(text, "Available KV cache memory: ", &DeviceMemoryLog::kv);
    if (Line line(text); line.skip("Graph capturing finished in "))
      said |= term(line.rest(), "took ", &DeviceMemoryLog::graphs);
    said |= term(text, "CUDA graph pool memory: ", &DeviceMemoryLog::graphs);
    if (Line line(text); line.skip("model weights take ")) {  // v0, one line of terms
      said = true;
      term(text, "model weights take ", &DeviceMemoryLog::weights);
      term(text, "non_torch_memory takes ", &DeviceMemoryLog::runtime);
      term(text, "PyTorch activation peak memory takes ", &DeviceMemoryLog::activations);
      term(text, "reserved for KV Cache is ", &DeviceMemoryLog::kv);
    }
    if (Line line(text); line.skip("total_gpu_memory (")) {
      DeviceMemoryLog& rank = device(rank_of(text));
      said |= keep(rank.total, gib(line.number()));
      if (line.skip("gpu_memory_utilization") && line.skip(") = ")) keep(rank.limit, gib(line.number()));
    }
    return said && is("vllm");
  }

  bool vllm_capacity(std::string_view text) {
    bool said = false;
    Line line(text);
    said |= keep(log_.kv_tokens, count(line.number_after("GPU KV cache size: ")));
    if (Line rest(text); rest.skip("Maximum concurrency for ")) {  // a line of its own in older versions
      said |= keep(log_.max_model_len, count(rest.number()));
      if (rest.skip("per request: ")) keep(log_.concurrency, rest.number());
    }
    for (const std::string_view marker : {"# GPU blocks: ", "# cuda blocks: "}) {
      Line blocks(text);
      said |= keep(log_.gpu_blocks, count(blocks.number_after(marker)));
    }
    Line blocks(text);
    keep(log_.cpu_blocks, count(blocks.number_after("# CPU blocks: ")));
    return said;
  }

  bool vllm_summary(std::string_view text) {
    Line line(text);
    if (!line.skip("Free memory on device (") && !line.skip("Free memory on device cuda")) return false;
    if (line.rest().starts_with(":")) line.skip("(");
    DeviceMemoryLog& rank = device(rank_of(text));
    keep(rank.free_at_start, gib(line.number()));
    if (line.skip("/")) keep(rank.total, gib(line.number()));
    if (line.skip("GPU memory utilization") && line.skip("(") && line.number() && line.skip(","))
      keep(rank.limit, gib(line.number()));
    const auto consumed = gib(line.number_after("Actual usage is "));
    if (consumed) {
      keep(rank.activations, gib(line.number_after("non-torch), ")));
      const std::size_t graphs = line.rest().find(" GiB for CUDAGraph");
      if (graphs != std::string_view::npos) {
        const std::string_view before = line.rest().substr(0, graphs);
        Line number(before.substr(before.rfind(' ') + 1));
        keep(rank.graphs, gib(number.number()));
      }
      if (!rank.weights) rank.weights = consumed;
      if (*rank.weights < *consumed) rank.runtime = *consumed - *rank.weights;
    }
    keep(rank.kv, gib(line.number_after("Current kv cache memory in use is ")));
    return true;
  }

  bool vllm_shortage(std::string_view text) {
    Line line(text);
    if (line.holds("No available memory for the cache blocks")) {
      log_.shortage.emplace();
      return true;
    }
    if (!line.skip("To serve at least one request with the model")) return false;
    KvShortage shortage;
    shortage.max_model_len = count(line.number_after("max seq len (")).value_or(0);
    line.skip("(");
    shortage.needed = gib(line.number()).value_or(0);
    shortage.available = gib(line.number_after("available KV cache memory (")).value_or(0);
    shortage.longest_that_fits = count(line.number_after("maximum model length is ")).value_or(0);
    log_.shortage = shortage;
    return true;
  }

  bool sglang(std::string_view text) {
    bool said = false;
    DeviceMemoryLog seen;
    if (Line line(text); line.skip("Load weight end.")) {
      said = keep(seen.weights, gib(line.number_after("mem usage=")));
    } else if (Line pool(text); pool.skip("KV Cache is allocated. ")) {
      keep(log_.kv_tokens, count(pool.number_after("#tokens: ")));
      const auto k = gib(pool.number_after("K size: "));
      const auto v = gib(pool.number_after("V size: "));
      if (k && v) seen.kv = *k + *v;
      Line whole(text);
      if (!seen.kv) keep(seen.kv, gib(whole.number_after("KV size: ")));
      said = true;
    } else if (Line state(text); state.skip("Mamba Cache is allocated.")) {
      const auto convolution = gib(state.number_after("conv_state size: "));
      const auto recurrent = gib(state.number_after("ssm_state size: "));
      state_bytes_[rank_of(text)] = convolution.value_or(0) + recurrent.value_or(0);
      said = true;
    } else if (Line graphs(text); graphs.skip("Capture cuda graph end.")) {
      said = keep(seen.graphs, gib(graphs.number_after("mem usage=")));
    } else if (Line ready(text); ready.holds("max_total_num_tokens=")) {
      said = keep(log_.kv_tokens, count(ready.number_after("max_total_num_tokens=")));
      keep(log_.max_num_batched_tokens, count(ready.number_after("chunked_prefill_size=")));
      keep(log_.max_num_seqs, count(ready.number_after("max_running_requests=")));
      keep(log_.max_model_len, count(ready.number_after("context_len=")));
    }
    if (!said) return false;
    DeviceMemoryLog& rank = device(rank_of(text));
    keep(rank.weights, seen.weights);
    keep(rank.kv, seen.kv);
    keep(rank.graphs, seen.graphs);
    return is("sglang");
  }

  bool tensorrt(std::string_view text) {
    DeviceMemoryLog seen;
    Line line(text);
    if (line.skip("Peak memory during memory usage profiling")) {
      line.skip(":");
      keep(peak_, gib(line.number()));
      const auto available = gib(line.number_after("calculating max tokens: "));
      const auto fraction = line.number_after("fraction is set ");
      const auto per_token = count(line.number_after("kv size is "));
      if (available && fraction) seen.kv = available;
      if (available && per_token && *per_token > 0)
        keep(log_.kv_tokens, std::optional(*available / *per_token));
      keep(seen.total, gib(line.number_after("device total memory ")));
    } else if (line.skip("Memory used after loading model weights (inside torch)")) {
      line.skip(":");
      keep(seen.weights, gib(line.number()));
    } else if (line.skip("Memory used outside torch (e.g., NCCL and CUDA graphs)")) {
      line.skip(":");
      keep(seen.runtime, gib(line.number()));
    } else {
      return false;
    }
    DeviceMemoryLog& rank = device(rank_of(text));
    keep(rank.total, seen.total);
    keep(rank.weights, seen.weights);
    keep(rank.runtime, seen.runtime);
    keep(rank.kv, seen.kv);
    return is("tensorrt-llm");
  }

  bool llama(std::string_view text) {
    return (llama_breakdown(text) || llama_buffer(text)) && is("llama.cpp");
  }

  /// "CUDA0 KV buffer size = 2560.00 MiB": a device can have several, which add up.
  bool llama_buffer(std::string_view text) {
    static constexpr std::pair<std::string_view, Term> kKinds[] = {
        {" KV buffer size", &DeviceMemoryLog::kv},
        {" RS buffer size", &DeviceMemoryLog::kv},
        {" model buffer size", &DeviceMemoryLog::weights},
        {" compute buffer size", &DeviceMemoryLog::activations}};
    for (const auto& [marker, place] : kKinds) {
      const std::size_t found = text.find(marker);
      if (found == std::string_view::npos || found == 0) continue;
      const std::string_view before = text.substr(0, found);
      Line line(text.substr(found));
      const auto bytes = in_units(line.number_after(" = "), kMiB);
      if (!bytes) return false;
      auto& term = device(std::string(before.substr(before.find_last_of(" :\t") + 1))).*place;
      term = term.value_or(0) + *bytes;
      return true;
    }
    return false;
  }

  /// "|   - CUDA0 (RTX 3090) | 24117 = 23773 + (20903 = 12096 + 7504 + 1302) + 17592186023856 |", or of the
  /// host, without total and free: "|   - Host | 439 = 225 + 136 + 77 |".
  bool llama_breakdown(std::string_view text) {
    Line line(text);
    if (!line.holds("memory_breakdown") || !line.skip("|   - ")) return false;
    const std::string_view name =
        line.rest().substr(0, std::min(line.rest().find_first_of(" |"), line.rest().size()));
    if (!line.skip("|")) return false;
    const bool whole = line.holds("(");
    std::optional<double> total, free;
    if (whole) {
      total = line.number();
      free = line.skip("=") ? line.number() : std::nullopt;
      line.skip("(");
    }
    const auto self = line.number();
    const auto model = line.number_after("=");
    const auto context = line.number_after("+");
    const auto compute = line.number_after("+");
    if (!self || !model || !context || !compute) return false;
    DeviceMemoryLog& place = device(std::string(name));
    place.weights = in_units(model, kMiB);
    place.kv = in_units(context, kMiB);
    place.activations = in_units(compute, kMiB);
    if (total && free) {
      place.total = in_units(total, kMiB);
      // Printed unsigned: where the driver reports more free than there can be it wraps around.
      place.unaccounted = in_units(*total - *free - *self, kMiB);
      if (*place.unaccounted < 0) {
        log_.notes.push_back(fmt::format("{}: the driver reports {} free beside {} in use: unaccounted is {}",
                                         name, format_bytes(*in_units(free, kMiB)),
                                         format_bytes(*in_units(self, kMiB)),
                                         fmt::format("-{}", format_bytes(-*place.unaccounted))));
      }
    }
    return true;
  }

  void finish() {
    for (DeviceMemoryLog& rank : log_.devices) {
      for (const auto& [name, bytes] : state_bytes_) {
        if (rank.device == name && rank.kv) rank.kv = *rank.kv + bytes;
      }
      const bool known = peak_ && rank.weights;
      if (known) rank.activations = std::max<Bytes>(0, *peak_ - *rank.weights - rank.runtime.value_or(0));
    }
  }

  EngineLog log_;
  std::map<std::string, Bytes> state_bytes_;  // recurrent state by rank
  std::optional<Bytes> peak_;                 // TensorRT-LLM's trial run, weights included
  bool said_ = false;
};

}  // namespace

Result<EngineLog> read_engine_log(std::string_view text) {
  return LogReader().read(text);
}

}  // namespace pitwall
