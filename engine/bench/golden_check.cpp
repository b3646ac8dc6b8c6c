// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/golden_check.h"

#include <algorithm>
#include <cmath>
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

/// By how much the best of a row leads over `token`; 0 where it is the best.
double lead_over(const float* row, std::size_t columns, TokenId token) {
  return static_cast<double>(*std::max_element(row, row + columns)) -
         static_cast<double>(row[static_cast<std::size_t>(token)]);
}

/// One prompt's continuation: along the reference's tokens, and on its own until that is not clear any more.
void judge_greedy(const Golden& golden, std::size_t prompt, const std::vector<float>& forced,
                  const Tokens& own, std::size_t columns, double clear_margin, GoldenResult& result) {
  const Tokens& greedy = golden.greedy[prompt];
  bool clear = true;
  for (std::size_t i = 0; i < greedy.size(); ++i) {
    const float* row = forced.data() + (golden.prompts[prompt].size() - 1 + i) * columns;
    const double lead = lead_over(row, columns, greedy[i]);
    ++result.steps;
    if (lead > 0) ++result.differing;
    if (lead > clear_margin) ++result.wrong;
    if (!clear || own[i] == greedy[i]) continue;
    clear = false;
    if (lead_over(row, columns, own[i]) > clear_margin || lead > clear_margin) ++result.free_wrong;
  }
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

Result<GoldenResult> check_golden(const std::filesystem::path& folder, EngineOptions options,
                                  const GoldenLimits& limits) {
  auto golden = read_golden(folder);
  if (!golden) return std::move(golden).error();
  options.model = folder;
  options.prompt_logits = true;
  auto engine = Engine::start(std::move(options));
  if (!engine) return std::move(engine).error();
  const auto columns = static_cast<std::size_t>((*engine)->model().spec().vocabulary);

  GoldenResult result;
  std::vector<GenerationRequest> requests;
  for (const Tokens& prompt : golden->prompts) requests.push_back(greedy_request(prompt, 1, true));
  auto replies = run_requests(**engine, std::move(requests));
  if (!replies) return std::move(replies).error();
  for (std::size_t i = 0; i < golden->prompts.size(); ++i) {
    auto logits = prompt_logits((*replies)[i], golden->prompts[i].size(), columns);
    if (!logits) return std::move(logits).error();
    const double error = relative_l2(*logits, golden->logits[i]);
    result.worst_l2 = error <= result.worst_l2 ? result.worst_l2 : error;
  }

  requests.clear();
  for (std::size_t i = 0; i < golden->prompts.size(); ++i) {
    const auto count = static_cast<int>(golden->greedy[i].size());
    Tokens forced = golden->prompts[i];
    forced.insert(forced.end(), golden->greedy[i].begin(), golden->greedy[i].end() - 1);
    requests.push_back(greedy_request(std::move(forced), 1, true));
    requests.push_back(greedy_request(golden->prompts[i], count, false));
  }
  replies = run_requests(**engine, std::move(requests));
  if (!replies) return std::move(replies).error();
  for (std::size_t i = 0; i < golden->prompts.size(); ++i) {
    const std::size_t rows = golden->prompts[i].size() + golden->greedy[i].size() - 1;
    auto forced = prompt_logits((*replies)[2 * i], rows, columns);
    if (!forced) return std::move(forced).error();
    judge_greedy(*golden, i, *forced, (*replies)[2 * i + 1].tokens, columns, limits.clear_margin, result);
  }
  return result;
}

}  // namespace pitwall
