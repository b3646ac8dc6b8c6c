// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "app/pitwallctl/commands.h"
#include "app/pitwallctl/console.h"
#include "app/pitwallctl/engine_start.h"
#include "app/pitwallctl/number_checks.h"
#include "app/pitwallctl/setting_flags.h"
#include "engine/base/file.h"
#include "engine/bench/perplexity.h"
#include "engine/model/safetensors_reader.h"
#include "engine/model/safetensors_writer.h"
#include "engine/serve/replies.h"

namespace pitwall::ctl {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::unique_ptr<SettingFlags> flags;
  std::string file, base_file, save_file;
  int chunk_tokens = 512, chunks = 0;
  bool json = false;
};

constexpr std::string_view kTokens = "tokens";

std::string matrix_name(std::size_t chunk) {
  return fmt::format("logprobs.{}", chunk);
}

/// What another run said, chunk by chunk; it must have read the same tokens.
class BaseRun {
 public:
  static Result<BaseRun> open(const std::string& path, const std::vector<TextChunk>& chunks, int vocabulary) {
    auto file = SafetensorsFile::open(path);
    if (!file.ok()) return file.error();
    BaseRun base(std::move(*file));
    std::vector<float> expected;
    for (const TextChunk& chunk : chunks)
      expected.insert(expected.end(), chunk.tokens.begin(), chunk.tokens.end());
    const TensorView* tokens = base.file_.find(kTokens);
    if (tokens == nullptr || base.numbers(*tokens) != expected) {
      return Error{Error::Kind::invalid_input, fmt::format("{} is of another text or tokenizer", path), "",
                   "Save it with the same file, chunks and model family", "base"};
    }
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      const TensorView* view = base.file_.find(matrix_name(i));
      if (view == nullptr || view->rows != chunks[i].scored() || view->columns != vocabulary) {
        return Error{Error::Kind::invalid_input,
                     fmt::format("{} does not hold {} rows of {} log-probabilities for chunk {}", path,
                                 chunks[i].scored(), vocabulary, i),
                     "", "Save it with the same chunks and a model of the same vocabulary", "base"};
      }
    }
    return base;
  }
  std::vector<float> chunk(std::size_t index) const { return numbers(*file_.find(matrix_name(index))); }

 private:
  explicit BaseRun(SafetensorsFile file) : file_(std::move(file)) {}
  static std::vector<float> numbers(const TensorView& view) {
    std::vector<float> all(static_cast<std::size_t>(view.rows * view.columns));
    dequantize(view.type, view.data, all.data(), view.rows * view.columns);
    return all;
  }
  SafetensorsFile file_;
};

Result<SafetensorsStream> create_save_file(const std::string& path, const std::vector<TextChunk>& chunks,
                                           int vocabulary) {
  std::vector<SafetensorsStream::Shape> shapes;
  std::vector<float> tokens;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    shapes.push_back({matrix_name(i), chunks[i].scored(), vocabulary, TensorType::f16});
    tokens.insert(tokens.end(), chunks[i].tokens.begin(), chunks[i].tokens.end());
  }
  shapes.insert(shapes.begin(), {std::string(kTokens), 1, std::ssize(tokens), TensorType::f32});
  auto stream = SafetensorsStream::create(path, std::move(shapes));
  if (!stream.ok()) return stream;
  if (auto ok = stream->append(tokens); !ok.ok()) return ok.error();
  return stream;
}

Json to_json(const Perplexity& result, const std::vector<TextChunk>& chunks) {
  Json json = {{"tokens", result.tokens},     {"perplexity", result.perplexity()},
               {"mean_nll", result.mean_nll}, {"standard_error", result.error},
               {"chunks", chunks.size()},     {"chunk_tokens", chunks.front().tokens.size()}};
  if (result.divergence) {
    json["kl"] = {{"mean", result.divergence->mean},
                  {"p50", result.divergence->p50},
                  {"p99", result.divergence->p99},
                  {"max", result.divergence->largest},
                  {"same_top", result.divergence->same_top}};
  }
  return json;
}

std::string to_text(const Perplexity& result) {
  std::string text = fmt::format("perplexity {:.4f} ± {:.4f} over {} tokens", result.perplexity(),
                                 result.perplexity() * result.error, result.tokens);
  if (result.divergence) {
    text += fmt::format(
        "\nKL divergence from the base: mean {:.6f}, median {:.6f}, 99 % {:.6f}, largest {:.6f}\n"
        "the same likeliest token at {:.2f} %",
        result.divergence->mean, result.divergence->p50, result.divergence->p99, result.divergence->largest,
        100 * result.divergence->same_top);
  }
  return text;
}

Result<std::vector<float>> chunk_logits(Engine& engine, const TextChunk& chunk, std::size_t columns) {
  GenerationRequest request;
  request.prompt = chunk.tokens;
  request.sampling.choice.temperature = 0;
  request.sampling.max_tokens = 1;
  request.sampling.prompt_logits = true;
  auto replies = run_requests(engine, {std::move(request)});
  if (!replies.ok()) return replies.error();
  return prompt_logits(replies->front(), chunk.tokens.size(), columns);
}

Result<Perplexity> measure(Engine& engine, const Options& options, const std::vector<TextChunk>& chunks) {
  const int vocabulary = engine.model().spec().vocabulary;
  const auto columns = static_cast<std::size_t>(vocabulary);
  std::optional<BaseRun> base;
  std::optional<SafetensorsStream> save;
  if (!options.base_file.empty()) {
    auto opened = BaseRun::open(options.base_file, chunks, vocabulary);
    if (!opened.ok()) return opened.error();
    base.emplace(std::move(*opened));
  }
  if (!options.save_file.empty()) {
    auto created = create_save_file(options.save_file, chunks, vocabulary);
    if (!created.ok()) return created.error();
    save.emplace(std::move(*created));
  }
  PerplexityMeter meter;
  StatusLine status;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const TextChunk& chunk = chunks[i];
    const auto logits = chunk_logits(engine, chunk, columns);
    if (!logits.ok()) return logits.error();
    const std::vector<float> before = base ? base->chunk(i) : std::vector<float>();
    for (std::int32_t row = 0; row < chunk.scored(); ++row) {
      const auto position = static_cast<std::size_t>(chunk.first_scored + row);
      const auto log_p = log_probabilities(std::span(*logits).subspan(position * columns, columns));
      const std::span<const float> other =
          base ? std::span(before).subspan(static_cast<std::size_t>(row) * columns, columns)
               : std::span<const float>();
      meter.add(log_p, chunk.tokens[position + 1], other);
      if (!save) continue;
      if (auto ok = save->append(log_p); !ok.ok()) return ok.error();
    }
    status.show([&] {
      return fmt::format("chunk {} of {}: perplexity {:.4f}", i + 1, chunks.size(),
                         meter.result().perplexity());
    });
  }
  if (save) {
    if (auto ok = save->finish(); !ok.ok()) return ok.error();
  }
  return meter.result();
}

Result<void> run(const Options& options) {
  const auto text = read_file(options.file);
  if (!text.ok()) return text.error();
  EngineOptions engine_options;
  engine_options.settings = options.flags->settings();
  engine_options.prompt_logits = true;
  const std::pair<std::string_view, int> wanted[] = {{"max-num-seqs", 1},
                                                     {"max-model-len", options.chunk_tokens + 1}};
  for (const auto& [name, value] : wanted) {
    if (options.flags->given(name)) continue;
    if (auto set = engine_options.settings.set(name, std::to_string(value), SettingOrigin::preset); !set.ok())
      return set.error();
  }
  auto engine = start_engine(std::move(engine_options));
  if (!engine.ok()) return engine.error();
  const auto& tokenizer = (*engine)->tokenizer();
  if (!tokenizer) {
    return Error{Error::Kind::unsupported, "The model has no tokenizer, so the text cannot be read", "",
                 "Choose a model with a tokenizer", "model"};
  }
  const std::vector<TokenId> tokens = tokenizer->encode(*text, true, false);
  const bool adds_bos = tokenizer->bos() && !tokens.empty() && tokens.front() == *tokenizer->bos();
  const auto chunks = cut_text(tokens, std::min(options.chunk_tokens, (*engine)->max_model_len() - 1),
                               adds_bos ? tokenizer->bos() : std::nullopt, options.chunks);
  if (!chunks.ok()) return chunks.error();
  const auto result = measure(**engine, options, *chunks);
  if (!result.ok()) return result.error();
  if (options.json) {
    print_json(to_json(*result, *chunks));
  } else {
    print(to_text(*result) + "\n");
  }
  return {};
}

}  // namespace

void add_perplexity_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "perplexity", "How well the model foretells a text, and how far it strays from another run");
  options->flags = std::make_unique<SettingFlags>(*command, engine_setting);
  command->add_option("--file", options->file, "Text file")->required()->check(CLI::ExistingFile);
  command
      ->add_option("--chunk", options->chunk_tokens, "Tokens of a chunk; the second half of each is scored")
      ->check(CLI::Range(4, 1 << 20))
      ->capture_default_str();
  command->add_option("--chunks", options->chunks, "Only the first so many chunks; 0 = all")
      ->check(check_from_zero);
  command->add_option("--save", options->save_file,
                      "Write the log-probabilities of every scored token (2 bytes × vocabulary each), "
                      "as a base for --base");
  command->add_option("--base", options->base_file,
                      "Compare with a run that --save wrote: KL divergence by token");
  command->add_flag("--json", options->json, "One JSON document on stdout");
  command->callback([&action, options] { action = [options] { return run(*options); }; });
}

}  // namespace pitwall::ctl
