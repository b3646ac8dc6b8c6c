// SPDX-License-Identifier: GPL-3.0-or-later
// The rows. A setting is added here once the engine obeys it; README.md says what follows from a row.
#include <array>

#include "engine/settings/settings.h"

namespace pitwall {

namespace {

constexpr double kLargestSize = 1024.0 * 1024 * static_cast<double>(kGiB);

constexpr std::array kTable{
    SettingInfo{
        .name = "model",
        .type = SettingType::text,
        .default_text = "",
        .unit = "",
        .help = "Model to serve: a .gguf file, a folder with config.json and safetensors, or the name of a "
                "fetched model.",
        .group = "Model"},
    SettingInfo{.name = "served-model-name",
                .type = SettingType::text,
                .default_text = "",
                .unit = "",
                .help = "Name by which clients ask for the model; when empty, the file's name without .gguf, "
                        "or the folder's.",
                .group = "Model"},
    SettingInfo{
        .name = "max-model-len",
        .type = SettingType::integer,
        .default_text = "auto",
        .unit = "tokens",
        .help =
            "Longest sequence, prompt and reply together, in tokens; auto takes the model's context length, "
            "less where memory does not hold it.",
        .group = "Model",
        .minimum = 1,
        .maximum = 1 << 24,
        .automatic = true},
    SettingInfo{.name = "device",
                .type = SettingType::choice,
                .default_text = "cpu",
                .unit = "",
                .help = "Where the model runs: the processor, or an NVIDIA GPU.",
                .group = "Compute",
                .choices = "cpu|cuda"},
    SettingInfo{.name = "dtype",
                .type = SettingType::choice,
                .default_text = "auto",
                .unit = "",
                .help = "Arithmetic of the model. CPU: float32 gives the same bits whatever else runs in the "
                        "batch, every other choice is the fast mode. GPU: float16 rounds eight times "
                        "finer than bfloat16, holds and counts what is beyond 65504, and refuses checkpoints "
                        "with larger weights; auto is float16, or bfloat16 for those checkpoints; float32 is "
                        "not there.",
                .group = "Compute",
                .choices = "auto|float32|bfloat16|float16"},
    SettingInfo{.name = "rope-frequencies",
                .type = SettingType::choice,
                .default_text = "auto",
                .unit = "",
                .help =
                    "Rotary frequencies: exact, or rounded to bfloat16 as a PyTorch module cast to bfloat16 "
                    "holds them; auto rounds only with dtype float32 on a checkpoint whose config.json says "
                    "bfloat16 or quantised linears, to compare with such a module.",
                .group = "Compute",
                .choices = "auto|exact|bfloat16"},
    SettingInfo{.name = "threads",
                .type = SettingType::integer,
                .default_text = "auto",
                .unit = "threads",
                .help = "CPU threads that compute; auto takes every core this process may use.",
                .group = "Compute",
                .minimum = 1,
                .maximum = 1024,
                .automatic = true},
    SettingInfo{
        .name = "kv-cache-dtype",
        .type = SettingType::choice,
        .default_text = "auto",
        .unit = "",
        .help = "Number format of the KV cache; 16-bit formats hold twice the tokens of float32 in the same "
                "bytes, fp8_e4m3 (scales of the checkpoint) and int8 (a scale for each token and head) about "
                "four times.",
        .group = "Memory",
        .choices = "auto|float32|bfloat16|float16|fp8_e4m3|int8"},
    SettingInfo{
        .name = "kv-cache-memory-bytes",
        .type = SettingType::size,
        .default_text = "auto",
        .unit = "bytes",
        .help =
            "Bytes for the KV cache, such as 512MiB; auto takes what max-num-seqs sequences need, within the "
            "memory limit.",
        .group = "Memory",
        .minimum = static_cast<double>(kMiB),
        .maximum = kLargestSize,
        .aliases = "kv-cache-memory",
        .automatic = true},
    SettingInfo{
        .name = "memory-limit",
        .type = SettingType::size,
        .default_text = "auto",
        .unit = "bytes",
        .help =
            "Bytes that weights, KV cache and working memory may take together, such as 4GiB; auto leaves "
            "the bound to the device.",
        .group = "Memory",
        .minimum = static_cast<double>(kMiB),
        .maximum = kLargestSize,
        .automatic = true},
    SettingInfo{
        .name = "block-size",
        .type = SettingType::integer,
        .default_text = "32",
        .unit = "tokens",
        .help =
            "Tokens in one KV block; smaller blocks waste less at a sequence's end, larger ones need shorter "
            "block tables.",
        .group = "Memory",
        .choices = "16|32|64"},
    SettingInfo{.name = "enable-prefix-caching",
                .type = SettingType::flag,
                .default_text = "true",
                .unit = "",
                .help = "Keep the KV of prompts and replies while memory allows, so that a prompt that "
                        "begins the same is "
                        "not computed again.",
                .group = "Memory"},
    SettingInfo{.name = "prefix-cache-share",
                .type = SettingType::real,
                .default_text = "0",
                .unit = "",
                .help = "Share of the KV blocks, from 0 to 0.9, that new requests leave to cached prefixes; "
                        "running ones may "
                        "take it.",
                .group = "Memory",
                .minimum = 0,
                .maximum = 0.9,
                .live = true},
    SettingInfo{.name = "swap-space",
                .type = SettingType::size,
                .default_text = "auto",
                .unit = "bytes",
                .help = "Host memory to which preempted requests' KV may be moved instead of being computed "
                        "again, such as "
                        "2GiB; auto takes none.",
                .group = "Memory",
                .minimum = static_cast<double>(kMiB),
                .maximum = kLargestSize,
                .automatic = true},
    SettingInfo{
        .name = "max-num-seqs",
        .type = SettingType::integer,
        .default_text = "32",
        .unit = "sequences",
        .help =
            "Sequences that run at once; more raise throughput and the time between tokens of each. While "
            "serving it can be lowered, and raised again up to the value at the start.",
        .group = "Scheduling",
        .minimum = 1,
        .maximum = 4096,
        .live = true},
    SettingInfo{
        .name = "max-num-batched-tokens",
        .type = SettingType::integer,
        .default_text = "2048",
        .unit = "tokens",
        .help =
            "Tokens computed in one step; fewer keep replies smooth while long prompts come in, more finish "
            "prompts sooner. While serving, up to the value at the start.",
        .group = "Scheduling",
        .minimum = 1,
        .maximum = 1 << 20,
        .live = true},
    SettingInfo{.name = "scheduling-policy",
                .type = SettingType::choice,
                .default_text = "fcfs",
                .unit = "",
                .help = "Who goes first: in order of arrival; by the request's priority, lower first; equal "
                        "shares of computed "
                        "tokens for each user; or prompts of similar length together.",
                .group = "Scheduling",
                .choices = "fcfs|priority|fair|length-grouped",
                .live = true},
    SettingInfo{.name = "batching",
                .type = SettingType::choice,
                .default_text = "continuous",
                .unit = "",
                .help = "Continuous lets requests join and leave at each step; static starts and ends a "
                        "batch together, padded "
                        "to its longest, to measure what that costs.",
                .group = "Scheduling",
                .choices = "continuous|static",
                .live = true},
    SettingInfo{.name = "preemption",
                .type = SettingType::choice,
                .default_text = "auto",
                .unit = "",
                .help = "What happens to the KV of a request that gives way: computed again later, moved to "
                        "the swap space, or "
                        "whichever is estimated to cost less.",
                .group = "Scheduling",
                .choices = "auto|recompute|swap",
                .live = true},
    SettingInfo{
        .name = "long-prefill-token-threshold",
        .type = SettingType::integer,
        .default_text = "0",
        .unit = "tokens",
        .help = "Prompts above this many tokens are long and get at most so many tokens of a step; 0 is off.",
        .group = "Scheduling",
        .minimum = 0,
        .maximum = 1 << 24,
        .live = true},
    SettingInfo{.name = "max-long-partial-prefills",
                .type = SettingType::integer,
                .default_text = "0",
                .unit = "prompts",
                .help = "Long prompts that are read at the same time; 0 is any number.",
                .group = "Scheduling",
                .minimum = 0,
                .maximum = 4096,
                .live = true},
    SettingInfo{.name = "long-token-share",
                .type = SettingType::real,
                .default_text = "1",
                .unit = "",
                .help = "Share of a step's tokens, above 0 to 1, that long prompts may take together.",
                .group = "Scheduling",
                .minimum = 0.01,
                .maximum = 1,
                .live = true},
    SettingInfo{
        .name = "long-kv-share",
        .type = SettingType::real,
        .default_text = "1",
        .unit = "",
        .help = "Share of the KV blocks, above 0 to 1, that requests with long prompts may hold together.",
        .group = "Scheduling",
        .minimum = 0.01,
        .maximum = 1,
        .live = true},
    SettingInfo{.name = "target-itl-ms",
                .type = SettingType::real,
                .default_text = "0",
                .unit = "ms",
                .help = "Time between tokens to hold: prompts are read in pieces so small that a step, as "
                        "measured, stays "
                        "within; 0 is off.",
                .group = "Scheduling",
                .minimum = 0,
                .maximum = 1e6,
                .live = true},
    SettingInfo{
        .name = "max-wait-ms",
        .type = SettingType::real,
        .default_text = "30000",
        .unit = "ms",
        .help =
            "Whoever waits longer goes before every policy, the oldest first, so that nobody waits for ever.",
        .group = "Scheduling",
        .minimum = 1,
        .maximum = 1e9,
        .live = true},
    SettingInfo{
        .name = "host",
        .type = SettingType::text,
        .default_text = "127.0.0.1",
        .unit = "",
        .help =
            "Address to listen on; 127.0.0.1 is reached from this machine alone, 0.0.0.0 from the network.",
        .group = "Server"},
    SettingInfo{.name = "port",
                .type = SettingType::integer,
                .default_text = "8080",
                .unit = "",
                .help = "TCP port to listen on; 0 takes any free one.",
                .group = "Server",
                .minimum = 0,
                .maximum = 65535},
    SettingInfo{
        .name = "allowed-hosts",
        .type = SettingType::text,
        .default_text = "",
        .unit = "",
        .help = "Host names, separated by commas, under which requests are answered beside this machine's "
                "loopback names.",
        .group = "Server",
        .list = true},
    SettingInfo{.name = "allowed-origins",
                .type = SettingType::text,
                .default_text = "",
                .unit = "",
                .help = "Origins of web pages, separated by commas, that may send requests, such as "
                        "https://chat.example.org.",
                .group = "Server",
                .list = true},
    SettingInfo{.name = "api-key",
                .type = SettingType::text,
                .default_text = "",
                .unit = "",
                .help = "Keys, separated by commas, of which clients must send one as Authorization: Bearer "
                        "KEY; /health and /ping answer without.",
                .group = "Server",
                .secret = true,
                .list = true},
    SettingInfo{.name = "api-key-file",
                .type = SettingType::text,
                .default_text = "",
                .unit = "",
                .help =
                    "File with one key a line, KEY or NAME:KEY; the name stands in records and metrics and "
                    "is who shares under the fair policy.",
                .group = "Server"},
    SettingInfo{.name = "allow-unauthenticated",
                .type = SettingType::flag,
                .default_text = "false",
                .unit = "",
                .help =
                    "Listen beyond this machine although there is no API key: whoever reaches the port may "
                    "use the model and change live settings.",
                .group = "Server"},
    SettingInfo{.name = "ssl-certfile",
                .type = SettingType::text,
                .default_text = "",
                .unit = "",
                .help =
                    "PEM file with the certificate and its chain: the server then speaks HTTPS, TLS 1.2 or "
                    "newer.",
                .group = "Server"},
    SettingInfo{.name = "ssl-keyfile",
                .type = SettingType::text,
                .default_text = "",
                .unit = "",
                .help = "PEM file with the certificate's private key; when empty, it is in ssl-certfile.",
                .group = "Server"},
    SettingInfo{.name = "max-waiting",
                .type = SettingType::integer,
                .default_text = "1024",
                .unit = "requests",
                .help =
                    "Requests that may wait for a place; more are refused with 429 and the time after which "
                    "to try again; 0 is any number.",
                .group = "Server",
                .minimum = 0,
                .maximum = 1 << 20},
    SettingInfo{.name = "max-connections",
                .type = SettingType::integer,
                .default_text = "1024",
                .unit = "connections",
                .help = "Connections that are open at once; more are turned away with 503.",
                .group = "Server",
                .minimum = 1,
                .maximum = 1 << 16},
    SettingInfo{.name = "max-body-size",
                .type = SettingType::size,
                .default_text = "8MiB",
                .unit = "bytes",
                .help = "Longest body of a request, such as 8MiB; a longer one is refused before it is read.",
                .group = "Server",
                .minimum = 1024,
                .maximum = static_cast<double>(kGiB)},
    SettingInfo{.name = "max-header-size",
                .type = SettingType::size,
                .default_text = "16KiB",
                .unit = "bytes",
                .help = "Longest header of a request, such as 16KiB.",
                .group = "Server",
                .minimum = 1024,
                .maximum = static_cast<double>(kMiB)},
    SettingInfo{.name = "max-messages",
                .type = SettingType::integer,
                .default_text = "4096",
                .unit = "messages",
                .help = "Messages that one chat request may hold.",
                .group = "Server",
                .minimum = 1,
                .maximum = 1 << 20},
    SettingInfo{.name = "max-json-depth",
                .type = SettingType::integer,
                .default_text = "64",
                .unit = "levels",
                .help = "Levels to which the JSON of a request may be nested.",
                .group = "Server",
                .minimum = 4,
                .maximum = 512},
    SettingInfo{.name = "shutdown-timeout",
                .type = SettingType::integer,
                .default_text = "60",
                .unit = "s",
                .help =
                    "Seconds that running requests get to end after SIGTERM or SIGINT; what still runs then "
                    "is cut off with an error.",
                .group = "Server",
                .minimum = 0,
                .maximum = 86400},
};

}  // namespace

std::span<const SettingInfo> setting_table() {
  return kTable;
}

}  // namespace pitwall
