// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/engine_runner.h"

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "app/common/backend_factory.h"

namespace pitwall::test {

namespace {

[[noreturn]] void give_up(const Error& error) {
  std::fprintf(stderr, "%s\n", error.text().c_str());
  std::abort();
}

}  // namespace

std::unique_ptr<Engine> start_engine(const std::filesystem::path& model, const SettingList& settings,
                                     bool prompt_logits) {
  EngineOptions options;
  options.model = model;
  options.make_backend = backend_factory();
  options.prompt_logits = prompt_logits;
  options.strict_checks = true;
  for (const auto& [name, value] : settings) {
    if (auto ok = options.settings.set(name, value); !ok) give_up(ok.error());
  }
  auto engine = Engine::start(std::move(options));
  if (!engine) give_up(engine.error());
  return std::move(*engine);
}

std::vector<Reply> run_requests(Engine& engine, std::vector<GenerationRequest> requests) {
  std::vector<Reply> replies(requests.size());
  std::mutex mutex;
  std::condition_variable done;
  std::size_t finished = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    auto id = engine.submit(std::move(requests[i]), [&, i](OutputEvent&& event) {
      Reply& reply = replies[i];
      reply.text += event.text;
      reply.tokens.insert(reply.tokens.end(), event.tokens.begin(), event.tokens.end());
      reply.logprobs.insert(reply.logprobs.end(), event.logprobs.begin(), event.logprobs.end());
      if (!event.finished) return;
      reply.last = std::move(event);
      std::lock_guard lock(mutex);
      ++finished;
      done.notify_one();
    });
    if (!id) give_up(id.error());
  }
  std::unique_lock lock(mutex);
  done.wait(lock, [&] { return finished == replies.size(); });
  return replies;
}

Reply run_request(Engine& engine, GenerationRequest request) {
  std::vector<GenerationRequest> requests;
  requests.push_back(std::move(request));
  return run_requests(engine, std::move(requests)).front();
}

std::vector<float> joined_logits(const OutputEvent& event) {
  std::vector<SliceLogits> slices = event.logits;
  std::sort(slices.begin(), slices.end(),
            [](const SliceLogits& a, const SliceLogits& b) { return a.first_position < b.first_position; });
  std::vector<float> all;
  for (const SliceLogits& slice : slices) all.insert(all.end(), slice.values.begin(), slice.values.end());
  return all;
}

GenerationRequest greedy_request(std::vector<TokenId> prompt, int max_tokens) {
  GenerationRequest request;
  request.prompt = std::move(prompt);
  request.sampling.choice.temperature = 0;
  request.sampling.max_tokens = max_tokens;
  request.ignore_eos = true;
  return request;
}

}  // namespace pitwall::test
