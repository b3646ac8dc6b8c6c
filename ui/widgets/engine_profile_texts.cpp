// SPDX-License-Identifier: GPL-3.0-or-later
#include <QCoreApplication>

#include "ui/widgets/engine_texts.h"

namespace pitwall::ui {

std::span<const char* const> profile_texts() {
  static constexpr const char* kTexts[] = {
      // Settings: their groups, what each is, and its unit.
      QT_TRANSLATE_NOOP("engine", "Model"),
      QT_TRANSLATE_NOOP("engine", "Compute"),
      QT_TRANSLATE_NOOP("engine", "Memory"),
      QT_TRANSLATE_NOOP("engine", "Scheduling"),
      QT_TRANSLATE_NOOP("engine", "Server"),
      QT_TRANSLATE_NOOP("engine",
                        "Model to serve: a .gguf file, a folder with config.json and "
                        "safetensors, or the name of a fetched model."),
      QT_TRANSLATE_NOOP("engine",
                        "Name by which clients ask for the model; when empty, the file's name "
                        "without .gguf, or the folder's."),
      QT_TRANSLATE_NOOP("engine",
                        "Longest sequence, prompt and reply together, in tokens; auto takes "
                        "the model's context length, less where memory does not hold it."),
      QT_TRANSLATE_NOOP("engine", "Where the model runs: the processor, or an NVIDIA GPU."),
      QT_TRANSLATE_NOOP("engine",
                        "Arithmetic of the model. CPU: float32 gives the same bits whatever "
                        "else runs in the batch, every other choice is the fast mode. GPU: "
                        "float16 rounds eight times finer than bfloat16, holds and counts what "
                        "is beyond 65504, and refuses checkpoints with larger weights; auto is "
                        "float16, or bfloat16 for those checkpoints; float32 is not there."),
      QT_TRANSLATE_NOOP("engine",
                        "Rotary frequencies: exact, or rounded to bfloat16 as a PyTorch module "
                        "cast to bfloat16 holds them; auto rounds only with dtype float32 on a "
                        "checkpoint whose config.json says bfloat16 or quantised linears, to "
                        "compare with such a module."),
      QT_TRANSLATE_NOOP("engine", "CPU threads that compute; auto takes every core this process may use."),
      QT_TRANSLATE_NOOP("engine",
                        "Number format of the KV cache; 16-bit formats hold twice the tokens "
                        "of float32 in the same bytes, fp8_e4m3 (scales of the checkpoint) and "
                        "int8 (a scale for each token and head) about four times."),
      QT_TRANSLATE_NOOP("engine",
                        "Bytes for the KV cache, such as 512MiB; auto takes what max-num-seqs "
                        "sequences need, within the memory limit."),
      QT_TRANSLATE_NOOP("engine",
                        "Bytes that weights, KV cache and working memory may take together, "
                        "such as 4GiB; auto leaves the bound to the device."),
      QT_TRANSLATE_NOOP("engine",
                        "Tokens in one KV block; smaller blocks waste less at a sequence's "
                        "end, larger ones need shorter block tables."),
      QT_TRANSLATE_NOOP("engine",
                        "Keep the KV of prompts and replies while memory allows, so that a "
                        "prompt that begins the same is not computed again."),
      QT_TRANSLATE_NOOP("engine",
                        "Share of the KV blocks, from 0 to 0.9, that new requests leave to "
                        "cached prefixes; running ones may take it."),
      QT_TRANSLATE_NOOP("engine",
                        "Host memory to which preempted requests' KV may be moved instead of "
                        "being computed again, such as 2GiB; auto takes none."),
      QT_TRANSLATE_NOOP("engine",
                        "Sequences that run at once; more raise throughput and the time "
                        "between tokens of each. While serving it can be lowered, and raised "
                        "again up to the value at the start."),
      QT_TRANSLATE_NOOP("engine",
                        "Tokens computed in one step; fewer keep replies smooth while long "
                        "prompts come in, more finish prompts sooner. While serving, up to the "
                        "value at the start."),
      QT_TRANSLATE_NOOP("engine",
                        "Who goes first: in order of arrival; by the request's priority, lower "
                        "first; equal shares of computed tokens for each user; or prompts of "
                        "similar length together."),
      QT_TRANSLATE_NOOP("engine",
                        "Continuous lets requests join and leave at each step; static starts "
                        "and ends a batch together, padded to its longest, to measure what "
                        "that costs."),
      QT_TRANSLATE_NOOP("engine",
                        "What happens to the KV of a request that gives way: computed again "
                        "later, moved to the swap space, or whichever is estimated to cost "
                        "less."),
      QT_TRANSLATE_NOOP("engine",
                        "Prompts above this many tokens are long and get at most so many "
                        "tokens of a step; 0 is off."),
      QT_TRANSLATE_NOOP("engine", "Long prompts that are read at the same time; 0 is any number."),
      QT_TRANSLATE_NOOP("engine",
                        "Share of a step's tokens, above 0 to 1, that long prompts may take "
                        "together."),
      QT_TRANSLATE_NOOP("engine",
                        "Share of the KV blocks, above 0 to 1, that requests with long prompts "
                        "may hold together."),
      QT_TRANSLATE_NOOP("engine",
                        "Time between tokens to hold: prompts are read in pieces so small that "
                        "a step, as measured, stays within; 0 is off."),
      QT_TRANSLATE_NOOP("engine",
                        "Whoever waits longer goes before every policy, the oldest first, so "
                        "that nobody waits for ever."),
      QT_TRANSLATE_NOOP("engine",
                        "Address to listen on; 127.0.0.1 is reached from this machine alone, "
                        "0.0.0.0 from the network."),
      QT_TRANSLATE_NOOP("engine", "TCP port to listen on; 0 takes any free one."),
      QT_TRANSLATE_NOOP("engine",
                        "Host names, separated by commas, under which requests are answered "
                        "beside this machine's loopback names."),
      QT_TRANSLATE_NOOP("engine",
                        "Origins of web pages, separated by commas, that may send requests, "
                        "such as https://chat.example.org."),
      QT_TRANSLATE_NOOP("engine",
                        "Keys, separated by commas, of which clients must send one as "
                        "Authorization: Bearer KEY; /health and /ping answer without."),
      QT_TRANSLATE_NOOP("engine",
                        "File with one key a line, KEY or NAME:KEY; the name stands in records "
                        "and metrics and is who shares under the fair policy."),
      QT_TRANSLATE_NOOP("engine",
                        "Listen beyond this machine although there is no API key: whoever "
                        "reaches the port may use the model and change live settings."),
      QT_TRANSLATE_NOOP("engine",
                        "PEM file with the certificate and its chain: the server then speaks "
                        "HTTPS, TLS 1.2 or newer."),
      QT_TRANSLATE_NOOP("engine",
                        "PEM file with the certificate's private key; when empty, it is in "
                        "ssl-certfile."),
      QT_TRANSLATE_NOOP("engine",
                        "Requests that may wait for a place; more are refused with 429 and the "
                        "time after which to try again; 0 is any number."),
      QT_TRANSLATE_NOOP("engine", "Connections that are open at once; more are turned away with 503."),
      QT_TRANSLATE_NOOP("engine",
                        "Longest body of a request, such as 8MiB; a longer one is refused "
                        "before it is read."),
      QT_TRANSLATE_NOOP("engine", "Longest header of a request, such as 16KiB."),
      QT_TRANSLATE_NOOP("engine", "Messages that one chat request may hold."),
      QT_TRANSLATE_NOOP("engine", "Levels to which the JSON of a request may be nested."),
      QT_TRANSLATE_NOOP("engine",
                        "Seconds that running requests get to end after SIGTERM or SIGINT; "
                        "what still runs then is cut off with an error."),
      QT_TRANSLATE_NOOP("engine", "tokens"),
      QT_TRANSLATE_NOOP("engine", "threads"),
      QT_TRANSLATE_NOOP("engine", "bytes"),
      QT_TRANSLATE_NOOP("engine", "sequences"),
      QT_TRANSLATE_NOOP("engine", "prompts"),
      QT_TRANSLATE_NOOP("engine", "requests"),
      QT_TRANSLATE_NOOP("engine", "connections"),
      QT_TRANSLATE_NOOP("engine", "messages"),
      QT_TRANSLATE_NOOP("engine", "levels"),
      // Templates of checklists.
      QT_TRANSLATE_NOOP("engine", "The article's four steps"),
      QT_TRANSLATE_NOOP("engine", "throughput first"),
      QT_TRANSLATE_NOOP("engine",
                        "The source article, sections 3.2 to 3.6: eight A100 of 80 GB, vLLM "
                        "0.5.4, Qwen2.5-72B-Instruct with AWQ 4-bit weights, 64 requests that "
                        "share 2K tokens; one variable at a time, in the order framework, "
                        "memory, repeated work, batch"),
      QT_TRANSLATE_NOOP("engine",
                        "9 → 276 tok/s of the article is against batches of one; it gives no "
                        "throughput after its third step. A batch of one has nothing to "
                        "schedule: the first step is two variables here, and mixed. Compare "
                        "ratios, not rates (profiles/recipes/article.json)."),
      QT_TRANSLATE_NOOP("engine", "Framework first"),
      QT_TRANSLATE_NOOP("engine",
                        "Several requests share each read of the weights, and one that ends "
                        "makes room for the next at once."),
      QT_TRANSLATE_NOOP("engine", "three times the tok/s, TTFT may rise (article 3.2: 9 → 28 tok/s)"),
      QT_TRANSLATE_NOOP("engine", "Save memory"),
      QT_TRANSLATE_NOOP("engine",
                        "KV of 8 bits takes half the bytes: as many requests again fit, which "
                        "a later item uses."),
      QT_TRANSLATE_NOOP("engine", "half the KV, throughput about the same (article 3.3)"),
      QT_TRANSLATE_NOOP("engine", "Remove repeated work"),
      QT_TRANSLATE_NOOP("engine", "All requests carry the same 2,048 tokens: they are computed once."),
      QT_TRANSLATE_NOOP("engine", "TTFT less than half (article 3.4: 2.1 → 0.9 s)"),
      QT_TRANSLATE_NOOP("engine", "Batch last"),
      QT_TRANSLATE_NOOP("engine",
                        "A step mostly waits for the weights: more sequences share each read "
                        "until bandwidth or KV is full."),
      QT_TRANSLATE_NOOP("engine", "most of the gain, TPOT grows little (article 3.5: 276 tok/s at 24)"),
      QT_TRANSLATE_NOOP("engine", "Latency first"),
      QT_TRANSLATE_NOOP("engine", "latency first"),
      QT_TRANSLATE_NOOP("engine",
                        "The source article, section 1.1 (internal tools and copilots: latency "
                        "before throughput) and section 4.2 (gaps of 300 ms when a long "
                        "request comes in: limit its share of a batch, group by length); the "
                        "values to try are ours"),
      QT_TRANSLATE_NOOP("engine",
                        "Each item may cost throughput or TTFT of the long requests; both "
                        "stand beside the gaps."),
      QT_TRANSLATE_NOOP("engine", "Smaller steps"),
      QT_TRANSLATE_NOOP("engine",
                        "A step with fewer prompt tokens ends sooner, and so does the gap of "
                        "everybody in it."),
      QT_TRANSLATE_NOOP("engine", "shorter gaps, TTFT of long prompts rises"),
      QT_TRANSLATE_NOOP("engine", "A target for gaps"),
      QT_TRANSLATE_NOOP("engine",
                        "The scheduler fits prompt tokens to the time that is left of the "
                        "target."),
      QT_TRANSLATE_NOOP("engine", "p99 near the target"),
      QT_TRANSLATE_NOOP("engine", "Long prompts in small pieces"),
      QT_TRANSLATE_NOOP("engine",
                        "A bound on each prompt's part of a step leaves the rest of it to the "
                        "others."),
      QT_TRANSLATE_NOOP("engine", "shorter gaps while long prompts come in"),
      QT_TRANSLATE_NOOP("engine", "Group by length"),
      QT_TRANSLATE_NOOP("engine",
                        "Requests of like length share their batch: short ones do not wait for "
                        "long ones."),
      QT_TRANSLATE_NOOP("engine", "lower TTFT for short requests"),
      QT_TRANSLATE_NOOP("engine", "Memory first"),
      QT_TRANSLATE_NOOP("engine", "memory first"),
      QT_TRANSLATE_NOOP("engine",
                        "The source article, section 3.3 (FP8 KV is the safest saving) and "
                        "section 4.1 (against OOM: fewer requests at once, KV of fewer bits, a "
                        "shorter longest sequence); the values to try are ours"),
      QT_TRANSLATE_NOOP("engine",
                        "The measure is the most KV that requests held. Weights do not change "
                        "here: their format is another checkpoint."),
      QT_TRANSLATE_NOOP("engine", "Keep shared prompts once"),
      QT_TRANSLATE_NOOP("engine", "Requests behind the same 2,048 tokens can point at the same blocks."),
      QT_TRANSLATE_NOOP("engine", "less KV, and TTFT falls"),
      QT_TRANSLATE_NOOP("engine", "KV of fewer bits"),
      QT_TRANSLATE_NOOP("engine", "8 bits instead of 16 halve each token; check quality beside it."),
      QT_TRANSLATE_NOOP("engine", "half the KV"),
      QT_TRANSLATE_NOOP("engine", "Fewer at once"),
      QT_TRANSLATE_NOOP("engine", "KV grows with the requests that run; TTFT pays for it in the queue."),
      QT_TRANSLATE_NOOP("engine", "less KV, less throughput"),
      QT_TRANSLATE_NOOP("engine", "Throughput first"),
      QT_TRANSLATE_NOOP("engine",
                        "The source article, section 1.1 (open services: throughput first, "
                        "latency within a limit), section 3.2 (max_num_seqs and "
                        "max_num_batched_tokens are set cautiously) and section 3.5; the "
                        "values to try are ours"),
      QT_TRANSLATE_NOOP("engine",
                        "Requests of equal length, all at once. The limit on TPOT keeps "
                        "throughput from being bought with gaps: an item that breaks it is "
                        "reverted."),
      QT_TRANSLATE_NOOP("engine", "More at once"),
      QT_TRANSLATE_NOOP("engine",
                        "A decode step reads all weights whatever the batch: more sequences "
                        "share each read."),
      QT_TRANSLATE_NOOP("engine", "tok/s rises until KV or bandwidth is full, TPOT rises with it"),
      QT_TRANSLATE_NOOP("engine", "Half the KV bytes"),
      QT_TRANSLATE_NOOP("engine",
                        "Attention over long batches reads KV: half the bytes, half the time "
                        "of that part."),
      QT_TRANSLATE_NOOP("engine", "more tok/s where KV is what a step reads"),
      QT_TRANSLATE_NOOP("engine", "Larger steps"),
      QT_TRANSLATE_NOOP("engine", "More prompt tokens a step use the matrix units better."),
      QT_TRANSLATE_NOOP("engine", "more tok/s while prompts are computed, longer gaps meanwhile"),
      // Workloads, deployments, tuning recipes and models.
      QT_TRANSLATE_NOOP("engine", "The article's example: 40 layers, 32 heads of 128"),
      QT_TRANSLATE_NOOP("engine", "64 requests behind a system prompt of 2K tokens"),
      QT_TRANSLATE_NOOP("engine",
                        "The source article, section 3: 64 requests that all begin with a "
                        "system prompt of 2K tokens. It states neither what follows the prompt "
                        "nor how long replies are; 128 tokens of their own and 256 out are ours"),
      QT_TRANSLATE_NOOP("engine", "Short chats"),
      QT_TRANSLATE_NOOP("engine",
                        "Mean lengths of ShareGPT conversations: 161 tokens in, 338 out (Kwon "
                        "et al. 2023, Efficient Memory Management for LLM Serving with "
                        "PagedAttention, figure 11); the log-normal spread is ours"),
      QT_TRANSLATE_NOOP("engine", "Conversations of several turns, each with all that was said before"),
      QT_TRANSLATE_NOOP("engine",
                        "LMSYS-Chat-1M: 2.0 turns a conversation, 69.5 tokens a prompt, 214.5 "
                        "a reply on average (Zheng et al. 2024, table 1); the spread, 5 s to "
                        "read and write, and the end at 8K tokens are ours"),
      QT_TRANSLATE_NOOP("engine", "Short chats with rare long prompts"),
      QT_TRANSLATE_NOOP("engine",
                        "The source article, section 4.2: TPOT is fine on average and leaps "
                        "now and then, when a long request comes in; prompts of 6K tokens, one "
                        "in fifty, among short chats"),
      QT_TRANSLATE_NOOP("engine", "Equal requests, 1024 tokens in and 256 out, all at once"),
      QT_TRANSLATE_NOOP("engine",
                        "The work on which decode and prefill of engines are compared on one "
                        "H200: equal lengths, so that a batch starts and ends together"),
      QT_TRANSLATE_NOOP("engine", "Four applications, each with a system prompt of its own"),
      QT_TRANSLATE_NOOP("engine",
                        "Several applications behind one server, with system prompts of 512 to "
                        "4,096 tokens: what one prefix cache must hold at once; questions and "
                        "replies as in the chat workload. The lengths and shares are ours, "
                        "chosen to spread over a factor of eight"),
      QT_TRANSLATE_NOOP("engine", "A system prompt of 2K tokens in every request"),
      QT_TRANSLATE_NOOP("engine",
                        "The source article, section 3.4: each request carries a system prompt "
                        "of 2K tokens; 64 tokens of its own and 64 out, as the project's "
                        "prefix-cache mark is measured"),
      QT_TRANSLATE_NOOP("engine", "Qwen2.5-72B on 8 × A100"),
      QT_TRANSLATE_NOOP("engine", "Chat with an 8B model on one H200"),
      QT_TRANSLATE_NOOP("engine", "Chat with long documents"),
      QT_TRANSLATE_NOOP("engine", "Four steps from batches of one to full ones"),
      QT_TRANSLATE_NOOP("engine",
                        "The source article, section 3: eight A100 of 80 GB, vLLM 0.5.4, "
                        "Qwen2.5-72B-Instruct, AWQ 4-bit weights, tensor parallel by 8; "
                        "figures are those of its text, its tables were pictures"),
      QT_TRANSLATE_NOOP("engine", "Batches of one"),
      QT_TRANSLATE_NOOP("engine", "Continuous batching"),
      QT_TRANSLATE_NOOP("engine", "FP8 KV"),
      QT_TRANSLATE_NOOP("engine", "Prefix cache"),
      QT_TRANSLATE_NOOP("engine", "16 sequences"),
      QT_TRANSLATE_NOOP("engine", "24 sequences"),
      QT_TRANSLATE_NOOP("engine", "32 sequences"),
      QT_TRANSLATE_NOOP("engine",
                        "Absolute rates differ by an order of magnitude: the article's 9 "
                        "tokens/s are an eleventh of what eight A100 give a batch of one here. "
                        "Prompts of 2 s, an engine of that year without captured graphs and "
                        "its 4-bit kernel explain part of it, the length of its replies, which "
                        "it does not state, another. Compare ratios, not rates."),
      QT_TRANSLATE_NOOP("engine",
                        "30 times is against batches of one. Here 24 sequences come to 18 "
                        "times, 32 to 24: a batch of one already runs nearer to what the "
                        "memory allows."),
      QT_TRANSLATE_NOOP("engine",
                        "Step by step: 4.0 times for continuous batching (article 3.1), 1.4 "
                        "for 12 sequences (1.8), TTFT down to a quarter with the prefix cache "
                        "(to 0.43), and 1.8 from 12 to 24 sequences."),
      QT_TRANSLATE_NOOP("engine",
                        "Step times are those of vLLM on an H200, carried over to these GPUs. "
                        "Our own engine unpacks 4-bit weights for more than 16 sequences, and "
                        "would gain less from the last step."),
      QT_TRANSLATE_NOOP("engine",
                        "TTFT here is the prompt's own computation and a wait for those ahead "
                        "of it in the same step: clients send as many requests at once as the "
                        "server runs, so there is no queue. The article's 2.1 s contain "
                        "queueing, of which its prefix cache saves a smaller share."),
      QT_TRANSLATE_NOOP("engine",
                        "Memory never limits the number of sequences here: the weights take 5 "
                        "GB of each GPU, six requests of this length 0.6 GB of KV. The "
                        "article's 73 and 62 GB are reservations, which FP8 by itself does not "
                        "change; it halves what each request needs, and that is what shows "
                        "here: twice the sequences in the same bytes."),
      QT_TRANSLATE_NOOP("engine",
                        "The article changes KV format and number of sequences in one step. "
                        "The gain in throughput comes from the sequences."),
  };
  return kTexts;
}

}  // namespace pitwall::ui
