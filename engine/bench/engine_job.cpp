// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/engine_job.h"

#include "engine/bench/bench_run.h"
#include "engine/bench/engine_load.h"
#include "engine/bench/http_load.h"
#include "engine/bench/server_watch.h"
#include "engine/library/http_url.h"

namespace pitwall {

BenchJob engine_job(Engine& engine, const RunHeader& header, LoadSource source, LoadSetup setup,
                    const JobOptions& options) {
  BenchJob job;
  job.source = std::move(source);
  setup.backend = "pitwall";
  setup.model_id = engine.served_name();
  setup.tokenizer_id = engine.tokenizer() ? engine.served_name() : "";
  setup.endpoint = "in this process";
  job.setup = std::move(setup);
  job.tokenizer = engine.tokenizer();
  job.vocabulary = engine.model().spec().vocabulary;
  job.header = header;
  job.engine = &engine;
  job.play = [&engine, options](const Load& load, const PromptMaker& prompts) -> Result<PlayedLoad> {
    const EngineLoadTarget target{engine,
                                  [&](std::size_t index) { return prompts.tokens(index); },
                                  options.ignore_eos,
                                  options.temperature,
                                  options.keep_text,
                                  options.owns_engine};
    return play_in_process(load, target);
  };
  return job;
}

Result<BenchJob> server_job(const ServerAddress& server, const std::string& model,
                            std::shared_ptr<const Tokenizer> tokenizer, LoadSource source, LoadSetup setup,
                            const JobOptions& options) {
  const auto address = parse_http_url(server.base() + server.endpoint);
  if (!address) return address.error();
  const auto asked = ask_model(server, model);
  if (!asked) return asked.error();
  BenchJob job;
  job.source = std::move(source);
  setup.backend = server.chat() ? "openai-chat" : "openai";
  setup.model_id = asked->name;
  setup.endpoint = address->shown();
  job.setup = std::move(setup);
  job.tokenizer = std::move(tokenizer);
  job.header = client_run_header(asked->name);
  job.play = [server, known = *asked, options](const Load& load,
                                               const PromptMaker& prompts) -> Result<PlayedLoad> {
    HttpLoadTarget target;
    target.url = server.base() + server.endpoint;
    target.headers = server.headers();
    const BodyOptions body{options.ignore_eos, options.temperature, options.text_prompts};
    target.body = [&](std::size_t index) {
      return request_body(prompts, load.trace, index, server, known, body);
    };
    target.silence = options.silence;
    target.keep_text = options.keep_text;
    ServerWatch watch(server);
    auto played = play_over_http(load, target);
    if (played.ok()) played->server = watch.stop();
    return played;
  };
  return job;
}

}  // namespace pitwall
