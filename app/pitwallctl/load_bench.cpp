// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pitwallctl/load_bench.h"

#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "app/pitwallctl/console.h"
#include "app/pitwallctl/load_text.h"
#include "engine/base/file.h"
#include "engine/bench/aiperf_export.h"
#include "engine/bench/bench_json.h"
#include "engine/bench/engine_job.h"
#include "engine/telemetry/record_json.h"

namespace pitwall::ctl {

namespace {

constexpr const char* kKeyVariable = "OPENAI_API_KEY";  // as other clients of such servers have it

Result<std::string> api_key(const std::string& file) {
  if (file.empty()) {
    const char* key = std::getenv(kKeyVariable);
    return std::string(key != nullptr ? key : "");
  }
  constexpr std::size_t kLongest = 64 * 1024;
  auto key = read_file(file, kLongest);
  if (!key.ok()) return key.error();
  key->erase(key->find_last_not_of(" \t\r\n") + 1);
  return key;
}

Result<std::shared_ptr<const Tokenizer>> tokenizer_of(const LoadBench& bench) {
  if (bench.tokenizer.empty()) return std::shared_ptr<const Tokenizer>();
  return open_tokenizer(bench.tokenizer);
}

JobOptions job_options(const LoadFlags& flags, bool keep_text) {
  JobOptions options;
  options.ignore_eos = flags.ignore_eos;
  options.temperature = flags.temperature;
  options.keep_text = keep_text;
  return options;
}

Result<BenchJob> job_for_server(const LoadBench& bench, LoadSource source, LoadSetup setup) {
  ServerAddress server = bench.server;
  auto key = api_key(bench.api_key_file);
  if (!key.ok()) return key.error();
  server.api_key = std::move(*key);
  auto tokenizer = tokenizer_of(bench);
  if (!tokenizer.ok()) return tokenizer.error();
  const Settings settings = bench.flags->settings();
  JobOptions options = job_options(bench.load, bench.save_detailed);
  options.text_prompts = bench.text_prompts;
  options.silence = static_cast<Nanos>(bench.timeout_s * static_cast<double>(kNanosPerSecond));
  setup.tokenizer_id = bench.tokenizer;
  return server_job(server, bench.flags->given("model") ? settings.text("model") : "", std::move(*tokenizer),
                    std::move(source), std::move(setup), options);
}

Result<void> write_files(const LoadBench& bench, const BenchOutcome& outcome,
                         nlohmann::ordered_json document) {
  if (bench.output.empty()) return {};
  if (bench.output_format == "aiperf-jsonl") return write_output(bench.output, aiperf_jsonl(outcome.plays));
  if (bench.output_format == "aiperf-csv")
    return write_output(bench.output, aiperf_csv(outcome.report, outcome.plays));
  if (bench.save_detailed) add_details(document, outcome.plays);
  return write_output(bench.output, dump_json(document, 2) + "\n");
}

Result<void> run_and_show(const LoadBench& bench, BenchJob job, bool json) {
  std::unique_ptr<Store> store;
  if (bench.save_run) {
    auto opened = open_store();
    if (!opened.ok()) return opened.error();
    store = std::move(*opened);
    job.runs = store.get();
  }
  StatusLine status;
  const std::int64_t repeats = job.setup.repeats;
  job.on_progress = [&status, repeats](int repeat, const PlayProgress& progress) {
    status.show([&] {
      const std::string what =
          repeat == 0 ? std::string("warm-up") : fmt::format("load {} of {}", repeat, repeats);
      return fmt::format("{}: {} of {} ended, {} failed, {} sent", what, progress.ended, progress.total,
                         progress.failed, progress.sent);
    });
  };
  const auto outcome = run_bench(job);
  status.clear();
  if (!outcome.ok()) return outcome.error();
  const LoadReport& report = outcome->report;
  for (const std::string& warning : report.warnings) print_note("warning: " + warning);
  nlohmann::ordered_json document = bench_json(report);
  for (const std::string& entry : bench.metadata) {
    const std::size_t equals = entry.find('=');
    document.emplace(entry.substr(0, equals), entry.substr(equals + 1));  // a key of ours stays
  }
  if (auto written = write_files(bench, *outcome, document); !written.ok()) return written.error();
  json ? print_json(document) : print(load_text(report));
  if (report.vllm.completed > 0) return {};
  const auto& reasons = report.failure_reasons;
  return Error{
      Error::Kind::io, fmt::format("None of the {} requests ended well", format_count(report.vllm.failed)),
      reasons.empty() ? "" : reasons.begin()->first, "Send one by hand, or look at the server's log", ""};
}

}  // namespace

void LoadBench::add_to(CLI::App& command) {
  load.add_to(command, 1);
  const char* group = "Target";
  command
      .add_option(
          "--url", server.url,
          "An OpenAI server, such as http://127.0.0.1:8080; --model is then the name it knows (default: its "
          "first)")
      ->group(group);
  command.add_option("--endpoint", server.endpoint, "Of the server")
      ->check(CLI::IsMember({"/v1/completions", "/v1/chat/completions"}))
      ->capture_default_str()
      ->group(group);
  command
      .add_option(
          "--api-key-file", api_key_file,
          fmt::format("File with the server's key; default: the environment variable {}", kKeyVariable))
      ->group(group);
  command
      .add_option(
          "--tokenizer", tokenizer,
          "With --url: what cuts its prompts (a model, tokenizer.json or .model); without it prompts are "
          "common words")
      ->group(group);
  command.add_flag("--text-prompts", text_prompts, "Send text although token ids are known")->group(group);
  command.add_option("--request-timeout", timeout_s, "Seconds of silence after which a request has failed")
      ->check(CLI::Range(0.001, 1e6))
      ->capture_default_str()
      ->group(group);
  group = "Output";
  command.add_flag("--save-run", save_run, "Keep each load as a run in the store")->group(group);
  command.add_option("--output", output, "File for the result")->group(group);
  command.add_option("--output-format", output_format, "Of that file")
      ->check(CLI::IsMember({"vllm", "aiperf-jsonl", "aiperf-csv"}))
      ->capture_default_str()
      ->group(group);
  command.add_option("--label", label, "A name for the result")->group(group);
  command.add_option("--metadata", metadata, "More keys for the JSON, as vLLM's bench has them")
      ->type_name("KEY=VALUE")
      ->check([](const std::string& entry) {
        const std::size_t equals = entry.find('=');
        const bool sound = equals != std::string::npos && equals > 0;
        return sound ? std::string() : std::string("it must be KEY=VALUE");
      })
      ->group(group);
  command
      .add_flag("--save-detailed", save_detailed,
                "The file holds each request too: lengths, times, errors, and the generated texts")
      ->group(group);
}

void LoadBench::check(const CLI::App& command) const {
  const auto given = [&](const char* name) { return command.get_option(name)->count() > 0; };
  if (server.url.empty()) {
    synthetic.check(command);
    for (const char* name :
         {"--endpoint", "--api-key-file", "--tokenizer", "--text-prompts", "--request-timeout"}) {
      if (given(name)) throw CLI::RequiresError(name, "--url");
    }
    if (load.given()) return;
    for (const char* name :
         {"--request-rate", "--burstiness", "--max-concurrency", "--num-warmups", "--repeats", "--goodput",
          "--save-run", "--output", "--output-format", "--save-detailed", "--label", "--metadata"}) {
      if (given(name)) throw CLI::RequiresError(name, "--workload, --trace or --url");
    }
  } else if (!synthetic.profile.empty()) {
    throw CLI::ExcludesError("--url", "--synthetic");
  }
}

Result<LoadedBench> start_for_load(Settings settings, const SyntheticFlags& synthetic) {
  auto said = std::make_unique<HeaderSink>();
  EngineOptions options;
  options.settings = std::move(settings);
  options.runs = said.get();
  auto engine = start_engine(std::move(options), synthetic);
  if (!engine.ok()) return engine.error();
  return LoadedBench{std::move(said), std::move(*engine)};
}

BenchJob job_for_engine(const LoadedBench& loaded, const LoadFlags& flags, LoadSource source, LoadSetup setup,
                        bool keep_text) {
  JobOptions options = job_options(flags, keep_text);
  options.owns_engine = true;
  return engine_job(*loaded.engine, loaded.said->header(), std::move(source), std::move(setup), options);
}

Result<void> run_load_bench(const LoadBench& bench, LoadSource source, bool json) {
  auto setup = bench.load.setup(source, bench.synthetic.seed);
  if (!setup.ok()) return setup.error();
  setup->label = bench.label;
  if (!bench.server.url.empty()) {
    auto job = job_for_server(bench, std::move(source), std::move(*setup));
    if (!job.ok()) return job.error();
    return run_and_show(bench, std::move(*job), json);
  }
  const auto loaded = start_for_load(bench.flags->settings(), bench.synthetic);
  if (!loaded.ok()) return loaded.error();
  return run_and_show(
      bench, job_for_engine(*loaded, bench.load, std::move(source), std::move(*setup), bench.save_detailed),
      json);
}

}  // namespace pitwall::ctl
