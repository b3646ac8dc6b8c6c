// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/golden_check.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/model/safetensors_reader.h"
#include "engine/serve/replies.h"

namespace pitwall {

namespace {

using Tokens = std::vector<TokenId>;

struct Golden {
  std::vector<Tokens> prompts, greedy;
  std::vector<std::vector<float>> logits;  ///< by prompt: [length × vocabulary]
};

Error unreadable(const std::filesystem::path& folder, const std::string& cause) {
  return {Error::Kind::invalid_input, folder.string() + " is no golden folder", cause,
          "It needs config.json, model.safetensors, expected.json and expected.safetensors", "data"};
}

Result<Golden> read_golden(const std::filesystem::path& folder) {
  Golden golden;
  const auto json = nlohmann::json::parse(std::ifstream(folder / "expected.json"), nullptr, false);
  if (!json.is_object() || !json.contains("tokens") || !json.contains("greedy"))
    return unreadable(folder, "expected.json has no tokens or no greedy tokens");
  golden.prompts = json["tokens"].get<std::vector<Tokens>>();
  golden.greedy = json["greedy"].get<std::vector<Tokens>>();
  auto file = SafetensorsFile::open(folder / "expected.safetensors");
  if (!file) return std::move(file).error();
  for (std::size_t i = 0; i < golden.prompts.size(); ++i) {
    const TensorView* view = file->find("logits." + std::to_string(i));
    if (view == nullptr || golden.greedy.size() != golden.prompts.size())
      return unreadable(folder, "expected.safetensors has no logits." + std::to_string(i));
    auto& values = golden.logits.emplace_back(static_cast<std::size_t>(view->rows * view->columns));
    dequantize(view->type, view->data, values.data(), static_cast<std::int64_t>(values.size()));
  }
  return golden;
}

GenerationRequest greedy_request(Tokens prompt, int max_tokens, bool logits) {
  GenerationRequest request;
  request.prompt = std::move(prompt);
  request.sampling.choice.temperature = 0;
  request.sampling.max_tokens = max_tokens;
  request.sampling.prompt_logits = logits;
  request.ignore_eos = true;
  return request;
}

double relative_l2(const std::vector<float>& got, const std::vector<float>& expected) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double d = static_cast<double>(got[i]) - static_cast<double>(expected[i]);
    difference += d * d;
    size += static_cast<double>(expected[i]) * static_cast<double>(expected[i]);
  }
  return std::isfinite(difference) ? std::sqrt(difference / size) : std::numeric_limits<double>::quiet_NaN();
}

/// What one engine says of the folder's prompts.
struct Answers {
  std::vector<std::vector<float>> logits;  ///< by sequence: [length × vocabulary]
  std::size_t vocabulary = 0;
};

Result<Answers> logits_of(Engine& engine, const std::vector<Tokens>& sequences) {
  Answers answers;
  answers.vocabulary = static_cast<std::size_t>(engine.model().spec().vocabulary);
  std::vector<GenerationRequest> requests;
  for (const Tokens& sequence : sequences) requests.push_back(greedy_request(sequence, 1, true));
  auto replies = run_requests(engine, std::move(requests));
  if (!replies) return std::move(replies).error();
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    auto logits = prompt_logits((*replies)[i], sequences[i].size(), answers.vocabulary);
    if (!logits) return std::move(logits).error();
    answers.logits.push_back(*std::move(logits));
  }
  return answers;
}

/// One sequence alone, nothing of it found in the prefix cache.
Result<bool> same_twice(Engine& engine, const Tokens& sequence) {
  std::vector<std::vector<float>> runs;
  for (const char* salt : {"first", "second"}) {
    GenerationRequest request = greedy_request(sequence, 1, true);
    request.cache_salt = salt;
    std::vector<GenerationRequest> alone;
    alone.push_back(std::move(request));
    auto replies = run_requests(engine, std::move(alone));
    if (!replies) return std::move(replies).error();
    const auto vocabulary = static_cast<std::size_t>(engine.model().spec().vocabulary);
    auto logits = prompt_logits(replies->front(), sequence.size(), vocabulary);
    if (!logits) return std::move(logits).error();
    runs.push_back(*std::move(logits));
  }
  return std::memcmp(runs[0].data(), runs[1].data(), runs[0].size() * sizeof(float)) == 0;
}

Result<std::vector<Tokens>> continuations(Engine& engine, const Golden& golden) {
  std::vector<GenerationRequest> requests;
  for (std::size_t i = 0; i < golden.prompts.size(); ++i)
    requests.push_back(greedy_request(golden.prompts[i], static_cast<int>(golden.greedy[i].size()), false));
  auto replies = run_requests(engine, std::move(requests));
  if (!replies) return std::move(replies).error();
  std::vector<Tokens> result;
  for (Reply& reply : *replies) result.push_back(std::move(reply.tokens));
  return result;
}

double worst_of(const Answers& got, const std::vector<std::vector<float>>& expected) {
  double worst = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double error = relative_l2(got.logits[i], expected[i]);
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

struct Best {
  TokenId token;
  float lead;  ///< over the second
};
Best best_of(const float* row, std::size_t columns) {
  const float* best = std::max_element(row, row + columns);
  float second = -std::numeric_limits<float>::infinity();
  for (const float* logit = row; logit < row + columns; ++logit)
    if (logit != best) second = std::max(second, *logit);
  return {static_cast<TokenId>(best - row), *best - second};
}

double rms_difference(const float* a, const float* b, std::size_t columns) {
  double sum = 0;
  for (std::size_t i = 0; i < columns; ++i) {
    const double d = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    sum += d * d;
  }
  return std::sqrt(sum / static_cast<double>(columns));
}

bool is_clear(double lead, double rounding) {
  return lead > std::max(kClearMargin, kClearErrors * rounding);
}

/// One prompt's continuation: along the reference's tokens, and alone until it leaves them.
void judge(const Tokens& prompt, const Tokens& reference_tokens, const Tokens& own, const float* reference,
           const float* tested, std::size_t columns, GoldenResult& result) {
  bool together = true;
  for (std::size_t i = 0; i < reference_tokens.size(); ++i) {
    const std::size_t row = (prompt.size() - 1 + i) * columns;
    const Best expected = best_of(reference + row, columns), got = best_of(tested + row, columns);
    const auto lead = static_cast<double>(expected.lead);
    const double error = rms_difference(tested + row, reference + row, columns);
    result.largest_error = std::max(result.largest_error, error);
    ++result.steps;
    if (got.token != expected.token) {
      ++result.differing;
      result.differing_above += lead > kClearMargin ? 1 : 0;
      result.wrong += is_clear(lead, error) ? 1 : 0;
    }
    if (together && own[i] != reference_tokens[i]) {
      together = false;
      result.leads_alone.push_back(lead);
    }
  }
}

Result<std::unique_ptr<Engine>> open_engine(const std::filesystem::path& folder, EngineOptions options,
                                            const char* frequencies) {
  options.model = folder;
  options.prompt_logits = true;
  if (auto set = options.settings.set("rope-frequencies", frequencies); !set) return std::move(set).error();
  return Engine::start(std::move(options));
}

}  // namespace

std::vector<std::filesystem::path> golden_folders(const std::filesystem::path& data) {
  std::vector<std::filesystem::path> folders;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(data / "golden", none)) {
    if (std::filesystem::exists(entry.path() / "expected.safetensors")) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

Result<GoldenResult> check_golden(const std::filesystem::path& folder, GoldenEngines engines) {
  auto golden = read_golden(folder);
  if (!golden) return std::move(golden).error();
  auto model = Model::open(folder);
  if (!model) return std::move(model).error();
  const char* frequencies = (*model)->spec().bfloat16_reference ? "bfloat16" : "exact";

  auto reference = open_engine(folder, std::move(engines.reference), frequencies);
  if (!reference) return std::move(reference).error();
  const auto tokens = continuations(**reference, *golden);
  if (!tokens) return tokens.error();
  std::vector<Tokens> forced = golden->prompts;
  for (std::size_t i = 0; i < forced.size(); ++i)
    forced[i].insert(forced[i].end(), (*tokens)[i].begin(), (*tokens)[i].end() - 1);
  const auto expected = logits_of(**reference, forced);
  if (!expected) return expected.error();
  (*reference)->stop();

  auto tested = open_engine(folder, std::move(engines.tested), frequencies);
  if (!tested) return std::move(tested).error();
  const auto prompts = logits_of(**tested, golden->prompts);
  if (!prompts) return prompts.error();
  const auto got = logits_of(**tested, forced);
  if (!got) return got.error();
  const auto alone = continuations(**tested, *golden);
  if (!alone) return alone.error();

  const auto longest = std::max_element(forced.begin(), forced.end(),
                                        [](const auto& a, const auto& b) { return a.size() < b.size(); });
  const auto same = same_twice(**tested, *longest);
  if (!same) return same.error();

  GoldenResult result;
  result.same_twice = *same;
  const std::vector<LayerSpec>& layers = (*model)->spec().layers;
  result.routed = std::any_of(layers.begin(), layers.end(), [](const auto& layer) { return layer.mlp.moe; });
  result.file_l2 = worst_of(*prompts, golden->logits);
  result.reference_l2 = worst_of(*got, expected->logits);
  for (std::size_t i = 0; i < golden->prompts.size(); ++i) {
    judge(golden->prompts[i], (*tokens)[i], (*alone)[i], expected->logits[i].data(), got->logits[i].data(),
          got->vocabulary, result);
  }
  for (const double lead : result.leads_alone)
    result.wrong_alone += is_clear(lead, result.largest_error) ? 1 : 0;
  return result;
}

}  // namespace pitwall
