// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pitwallctl/load_flags.h"

#include <cmath>
#include <limits>

#include "app/pitwallctl/number_checks.h"

namespace pitwall::ctl {

void LoadFlags::add_to(CLI::App& command, int default_repeats) {
  repeats = default_repeats;
  command.get_option("--seed")->description("Of the random weights, and of the load's prompts and arrivals");
  const char* group = "Load";
  CLI::Option* trace_option =
      command.add_option("--trace", trace, "Trace file: .csv, or JSON lines; sent by its own times")
          ->type_name("FILE")
          ->group(group);
  command.add_option("--workload", workload, "Named workload, such as chat")
      ->type_name("NAME")
      ->excludes(trace_option)
      ->group(group);
  command
      .add_option(
          "--request-rate", request_rate,
          "Requests per second: a workload is paced at it, a trace stretched to it; inf = all at once")
      ->check(check_request_rate)
      ->type_name("R|inf")
      ->group(group);
  command
      .add_option(
          "--burstiness", burstiness,
          "Of a workload's arrivals: 1 Poisson, below 1 burstier (shape of a gamma distribution), inf equal "
          "gaps")
      ->check([](const std::string& text) {
        return positive_number(text) ? std::string() : std::string("it must be above 0, or inf");
      })
      ->type_name("B|inf")
      ->excludes(trace_option)
      ->capture_default_str()
      ->group(group);
  command.add_option("--max-concurrency", max_concurrency, "Requests sent and not ended, at most")
      ->check(check_above_zero)
      ->group(group);
  command
      .add_option("--num-warmups", warmups,
                  "Requests before the measured ones, with other prompts, one by one")
      ->check(CLI::Range(0, 1 << 20))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--repeats", repeats,
                  "Times the whole load is sent, each with other prompts; gives intervals")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str()
      ->group(group);
  command.add_flag("--ignore-eos", ignore_eos, "Replies run to their full length")->group(group);
  command.add_option("--temperature", temperature, "Of sampling")
      ->check(CLI::Range(0.0, 2.0))
      ->capture_default_str()
      ->group(group);
  command
      .add_option(
          "--goodput", goodput,
          "What a good request meets: ttft:MS tpot:MS e2el:MS, or mlperf:NAME, such as mlperf:llama3.1-8b")
      ->expected(1, 8)
      ->check([](const std::string& word) {
        const auto objectives = parse_objectives({word});
        return objectives.ok() ? std::string() : objectives.error().text();
      })
      ->group(group);
  command
      .add_flag("--goodput-undefined-is-bad", undefined_is_bad,
                "A request without a TPOT (one token) misses a limit on it, as AIPerf counts; vLLM leaves "
                "the limit out")
      ->group(group);
}

Result<LoadSource> LoadFlags::source() const {
  LoadSource source;
  if (!trace.empty()) {
    auto read = read_trace(trace);
    if (!read.ok()) return read.error();
    source.trace = std::move(*read);
  } else {
    auto found = find_workload(workload);
    if (!found.ok()) return found.error();
    source.workload = std::move(*found);
  }
  source.num_prompts = num_prompts;
  if (!request_rate.empty()) source.request_rate = std::stod(request_rate);
  source.burstiness = std::stod(burstiness);
  return source;
}

Result<LoadSetup> LoadFlags::setup(const LoadSource& source, std::uint64_t seed) const {
  LoadSetup setup;
  auto objectives = parse_objectives(goodput);
  if (!objectives.ok()) return objectives.error();
  setup.objectives = std::move(*objectives);
  setup.undefined_is_bad = undefined_is_bad;
  setup.workload = source.trace ? source.trace->name : source.workload->name;
  setup.request_rate = source.request_rate ? *source.request_rate
                       : source.trace      ? std::numeric_limits<double>::quiet_NaN()
                                           : source.workload->request_rate;
  setup.burstiness = source.burstiness;
  if (max_concurrency > 0) setup.max_concurrency = max_concurrency;
  setup.warmups = warmups;
  setup.repeats = repeats;
  setup.seed = seed;
  return setup;
}

}  // namespace pitwall::ctl
