// SPDX-License-Identifier: GPL-3.0-or-later
// A BenchJob against the engine in this process, or against a server: what answers fills in what it knows.
#pragma once
#include "engine/bench/bench_job.h"
#include "engine/bench/openai_server.h"

namespace pitwall {

struct JobOptions {
  bool ignore_eos = false;
  double temperature = 0;
  bool keep_text = false;
  bool owns_engine = false;               ///< in this process: nobody else uses it, a cancelled load ends it
  bool text_prompts = false;              ///< to a server: prompts as text although ids are known
  Nanos silence = 600 * kNanosPerSecond;  ///< of a server, after which a request has failed
};

/// `header`: what the engine says of itself (HeaderSink). `engine` outlives the job.
BenchJob engine_job(Engine& engine, const RunHeader& header, LoadSource source, LoadSetup setup,
                    const JobOptions& options);

/// The model by ask_model, the header by client_run_header. `tokenizer` may be null. Error::io names the
/// server.
Result<BenchJob> server_job(const ServerAddress& server, const std::string& model,
                            std::shared_ptr<const Tokenizer> tokenizer, LoadSource source, LoadSetup setup,
                            const JobOptions& options);

}  // namespace pitwall
