// SPDX-License-Identifier: GPL-3.0-or-later
// Key names of the JSON that vLLM's benchmark writes, which ours and a run's export share.
#pragma once

namespace pitwall::test {

inline constexpr const char* kVllmBenchKeys[] = {"date",
                                                 "endpoint_type",
                                                 "backend",
                                                 "label",
                                                 "model_id",
                                                 "tokenizer_id",
                                                 "num_prompts",
                                                 "request_rate",
                                                 "burstiness",
                                                 "max_concurrency",
                                                 "duration",
                                                 "completed",
                                                 "failed",
                                                 "total_input_tokens",
                                                 "total_output_tokens",
                                                 "request_throughput",
                                                 "request_goodput",
                                                 "output_throughput",
                                                 "total_token_throughput",
                                                 "max_output_tokens_per_s",
                                                 "max_concurrent_requests"};

}  // namespace pitwall::test
