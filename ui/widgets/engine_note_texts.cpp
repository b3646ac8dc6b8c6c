// SPDX-License-Identifier: GPL-3.0-or-later
#include <QCoreApplication>

#include "ui/widgets/engine_texts.h"

namespace pitwall::ui {

std::span<const char* const> note_texts() {
  static constexpr const char* kTexts[] = {
      // Loading and fetching a model.
      QT_TRANSLATE_NOOP("engine", "Reading weights"),
      QT_TRANSLATE_NOOP("engine", "Opening the model"),
      QT_TRANSLATE_NOOP("engine", "Preparing the device"),
      QT_TRANSLATE_NOOP("engine", "Allocating the KV cache"),
      QT_TRANSLATE_NOOP("engine", "Asking"),
      QT_TRANSLATE_NOOP("engine", "Downloading"),
      QT_TRANSLATE_NOOP("engine", "Verifying"),
      QT_TRANSLATE_NOOP("engine", "Preparing"),
      QT_TRANSLATE_NOOP("engine", "Unpacking"),
      QT_TRANSLATE_NOOP("engine", "%1 needs %2 of disk space"),
      QT_TRANSLATE_NOOP("engine", "%1 needs %2 of disk space, and %3 more while it is fetched"),
      // What a plan is told beside its figures.
      QT_TRANSLATE_NOOP("engine", "%1 of %2 is %3; only %4 are free beside other processes' %5"),
      QT_TRANSLATE_NOOP("engine", "memory-limit is %1, more than the %2 that there are: those hold"),
      QT_TRANSLATE_NOOP("engine", "The model was made for %1 tokens; engines refuse longer sequences"),
      QT_TRANSLATE_NOOP("engine", "Lengths go up to %1 tokens; only %2 are served"),
      QT_TRANSLATE_NOOP("engine", "The KV cache holds sequences of %1 tokens, of the model's %2"),
      QT_TRANSLATE_NOOP("engine",
                        "The typical request, %1 tokens of prompt and %2 of reply, is longer "
                        "than the %3 that are served: times are those of a request that is "
                        "refused"),
      QT_TRANSLATE_NOOP("engine", "A sequence of %1 tokens needs %2; %3 allocates %4"),
      QT_TRANSLATE_NOOP("engine", "this engine"),
      QT_TRANSLATE_NOOP("engine",
                        "Bytes a token count %1 KV heads, not the %2 attention heads: with "
                        "those it would be %3 times as much"),
      QT_TRANSLATE_NOOP("engine",
                        "Each of the %1 heads has its own K and V. With grouped-query "
                        "attention %2 heads share one: %3 KV heads would take %4 a token "
                        "instead of %5"),
      QT_TRANSLATE_NOOP("engine",
                        "%1 ranks share %2 KV heads: from %3 ranks on each holds one, and "
                        "bytes a token no longer fall"),
      QT_TRANSLATE_NOOP("engine",
                        "The MLP's width %1 is no multiple of %2 ranks × groups of %3: "
                        "engines refuse to cut groups"),
      QT_TRANSLATE_NOOP("engine",
                        "KV in %1 changes replies a little, more where the checkpoint has no "
                        "KV scales"),
      QT_TRANSLATE_NOOP("engine", "%1 requests are asked for and max-num-seqs is %2: the others wait"),
      QT_TRANSLATE_NOOP("engine",
                        "Packed weights save time while few requests run: steps of many rows "
                        "unpack them first"),
      QT_TRANSLATE_NOOP("engine",
                        "%1 replicas with a copy of the weights each; requests are shared out "
                        "among them"),
      QT_TRANSLATE_NOOP("engine",
                        "Context, libraries, graphs and communicator are estimates from "
                        "published figures"),
      QT_TRANSLATE_NOOP("engine", "Embeddings for each layer are counted whole on every rank"),
      QT_TRANSLATE_NOOP("engine",
                        "Layers that predict further tokens are counted only where they are "
                        "asked for"),
      QT_TRANSLATE_NOOP("engine", "The audio tower's weights are not counted"),
      QT_TRANSLATE_NOOP("engine",
                        "The vision tower's weights are not counted: its configuration states "
                        "no width"),
      QT_TRANSLATE_NOOP("engine",
                        "The vision tower is estimated at %1 parameters from its width and "
                        "depth"),
      QT_TRANSLATE_NOOP("engine", "2 × %1 layers × %2 KV heads × %3"),
      QT_TRANSLATE_NOOP("engine", "%1 layers × %2 KV heads × %3"),
      QT_TRANSLATE_NOOP("engine", "%1 layers × %2"),
      // What a single change of a plan costs.
      QT_TRANSLATE_NOOP("engine", "a smaller pool; other processes keep what they hold"),
      QT_TRANSLATE_NOOP("engine", "a larger KV pool; activations and logits grow with it"),
      QT_TRANSLATE_NOOP("engine", "on"),
      QT_TRANSLATE_NOOP("engine", "off"),
      QT_TRANSLATE_NOOP("engine", "%1 requests wait"),
      QT_TRANSLATE_NOOP("engine", "longer requests are refused"),
      QT_TRANSLATE_NOOP("engine", "replies change a little; more where the checkpoint has no KV scales"),
      QT_TRANSLATE_NOOP("engine", "1 more GPU, and communication in each layer"),
      QT_TRANSLATE_NOOP("engine", "%1 more GPUs, and communication in each layer"),
      QT_TRANSLATE_NOOP("engine", "fewer replicas, and communication in each layer"),
      QT_TRANSLATE_NOOP("engine", "another checkpoint, whose quality has to be checked"),
      QT_TRANSLATE_NOOP("engine", "prompts take more steps"),
      QT_TRANSLATE_NOOP("engine", "each decode step is launched kernel by kernel"),
      QT_TRANSLATE_NOOP("engine", "requests cannot ask for logprobs of their prompts"),
      QT_TRANSLATE_NOOP("engine", "Times are those of %1's kernels: no engine is named"),
      QT_TRANSLATE_NOOP("engine", "Times are those of %1's kernels: %2's are not known"),
      // What to know of a model that serves.
      QT_TRANSLATE_NOOP("engine",
                        "The chat template has no generation prompt: add_generation_prompt "
                        "changes nothing, so the model may go on with the user's message"),
      QT_TRANSLATE_NOOP("engine",
                        "The KV cache holds sequences of %1 tokens, prompt and reply together, "
                        "of the model's %2; raise kv-cache-memory-bytes for longer ones"),
      QT_TRANSLATE_NOOP("engine",
                        "The checkpoint lacks KV scales for %1 of %2 layers: fp8_e4m3 uses 1.0 "
                        "there, cuts numbers beyond 448, and replies may get worse"),
      // What of an engine's command line is carried over to another, and what is not.
      QT_TRANSLATE_NOOP("engine", "%1 takes the largest batch to capture, not the list %2"),
      QT_TRANSLATE_NOOP("engine", "%1 loads %2 files alone, and %3 is none: take the model's"),
      QT_TRANSLATE_NOOP("engine",
                        "weights in %1 are not converted: other 4-bit ones such as Q4_K_M take their place"),
      QT_TRANSLATE_NOOP("engine",
                        "No length is stated: the %1 slots share one context, whose tokens %2 says"),
      QT_TRANSLATE_NOOP("engine", "%1 asks clients for no key: the server becomes open to all who reach it"),
      QT_TRANSLATE_NOOP(
          "engine",
          "The key of clients is not repeated: %1 takes it from the variable %2. Set that first: "
          "without it the server is open to all who reach it"),
      QT_TRANSLATE_NOOP("engine", "Prompt tokens of a step became tokens of a step: replies count too"),
      QT_TRANSLATE_NOOP("engine", "%1 keeps K and V in one format: V's %2 is not carried over"),
      QT_TRANSLATE_NOOP("engine",
                        "%1 is not carried over: give the GPU and the model, and it becomes "
                        "bytes"),
      QT_TRANSLATE_NOOP("engine", "%1 is not carried over: %2"),
      QT_TRANSLATE_NOOP("engine", "it leaves nothing for KV"),
      QT_TRANSLATE_NOOP("engine", "it cannot become bytes without the model's weights"),
      QT_TRANSLATE_NOOP("engine", "%1 has no flag that says it"),
      QT_TRANSLATE_NOOP("engine", "%1 is not written: %2 already says something else"),
      QT_TRANSLATE_NOOP("engine", "%1 cannot be told %2 by %3: its default holds"),
      QT_TRANSLATE_NOOP("engine", "%1 takes whole %2: %3 became %4"),
      QT_TRANSLATE_NOOP("engine", "%1 is for all slots together: %2 slots of %3 tokens each"),
      QT_TRANSLATE_NOOP("engine", "%1 is for all slots together: %2 of %3 tokens each"),
      QT_TRANSLATE_NOOP("engine", "%1 has no flag that turns %2 %3"),
      QT_TRANSLATE_NOOP("engine", "%1 has no counterpart of %2 (%3)"),
      QT_TRANSLATE_NOOP("engine", "%1: %2 has no word for it"),
      QT_TRANSLATE_NOOP("engine", "%1 is the default of %2"),
      QT_TRANSLATE_NOOP("engine", "Image %1: %2"),
      QT_TRANSLATE_NOOP("engine",
                        "Before `docker compose up`: put %1 and, for gated models, %2 into the "
                        "environment or a file .env"),
      QT_TRANSLATE_NOOP("engine",
                        "Before `kubectl apply`: kubectl create secret generic %1 "
                        "--from-file=api-key=FILE, and --from-file=hub-token=FILE for gated "
                        "models"),
      QT_TRANSLATE_NOOP("engine", "Keep in the environment, they mean the same to every engine: %1"),
      QT_TRANSLATE_NOOP("engine", "From general knowledge, not read at %1: %2"),
      QT_TRANSLATE_NOOP("engine", "%1 also reads %2; give that file as --config to have it read"),
      QT_TRANSLATE_NOOP("engine", "a file"),
      QT_TRANSLATE_NOOP("engine", "%1 is a flag of %2; here it is %3"),
      QT_TRANSLATE_NOOP("engine", "%1 is given more than once; the last, %2, holds"),
      QT_TRANSLATE_NOOP("engine", "Read as flags of %1"),
      QT_TRANSLATE_NOOP("engine", "Read as a configuration of %1"),
      QT_TRANSLATE_NOOP("engine", "%1 is written with a dash of print; it was read as --"),
      QT_TRANSLATE_NOOP("engine", "name for clients"),
      QT_TRANSLATE_NOOP("engine", "longest sequence"),
      QT_TRANSLATE_NOOP("engine", "longest prompt"),
      QT_TRANSLATE_NOOP("engine", "sequences at once"),
      QT_TRANSLATE_NOOP("engine", "requests that may wait"),
      QT_TRANSLATE_NOOP("engine", "tokens of a step"),
      QT_TRANSLATE_NOOP("engine", "prompt tokens of a step"),
      QT_TRANSLATE_NOOP("engine", "tokens computed at a time"),
      QT_TRANSLATE_NOOP("engine", "share of the GPU's memory for everything"),
      QT_TRANSLATE_NOOP("engine", "share of the GPU's memory for weights and KV"),
      QT_TRANSLATE_NOOP("engine", "share for KV of what is free after loading"),
      QT_TRANSLATE_NOOP("engine", "share for KV of what the weights leave"),
      QT_TRANSLATE_NOOP("engine", "GPU memory left free"),
      QT_TRANSLATE_NOOP("engine", "memory for everything"),
      QT_TRANSLATE_NOOP("engine", "memory for KV"),
      QT_TRANSLATE_NOOP("engine", "tokens of KV"),
      QT_TRANSLATE_NOOP("engine", "blocks of KV"),
      QT_TRANSLATE_NOOP("engine", "number format of KV"),
      QT_TRANSLATE_NOOP("engine", "number format of V, where it is not K's"),
      QT_TRANSLATE_NOOP("engine", "tokens of a KV block"),
      QT_TRANSLATE_NOOP("engine", "prefix cache"),
      QT_TRANSLATE_NOOP("engine", "GPUs that share each layer"),
      QT_TRANSLATE_NOOP("engine", "stages of layers"),
      QT_TRANSLATE_NOOP("engine", "replicas"),
      QT_TRANSLATE_NOOP("engine", "format of the weights"),
      QT_TRANSLATE_NOOP("engine", "arithmetic"),
      QT_TRANSLATE_NOOP("engine", "how tokens are guessed ahead"),
      QT_TRANSLATE_NOOP("engine", "model that guesses"),
      QT_TRANSLATE_NOOP("engine", "tokens guessed ahead"),
      QT_TRANSLATE_NOOP("engine", "prompts in pieces"),
      QT_TRANSLATE_NOOP("engine", "prompt tokens from which it is long"),
      QT_TRANSLATE_NOOP("engine", "prompts and replies in one step"),
      QT_TRANSLATE_NOOP("engine", "host memory for KV"),
      QT_TRANSLATE_NOOP("engine", "host memory for KV, as a multiple"),
      QT_TRANSLATE_NOOP("engine", "weights kept in host memory"),
      QT_TRANSLATE_NOOP("engine", "layers on the GPU"),
      QT_TRANSLATE_NOOP("engine", "layers whose experts stay on the CPU"),
      QT_TRANSLATE_NOOP("engine", "KV in host memory"),
      QT_TRANSLATE_NOOP("engine", "one KV buffer for all sequences"),
      QT_TRANSLATE_NOOP("engine", "who goes first"),
      QT_TRANSLATE_NOOP("engine", "whether a request may be evicted"),
      QT_TRANSLATE_NOOP("engine", "how carefully requests are admitted"),
      QT_TRANSLATE_NOOP("engine", "what leaves the prefix cache first"),
      QT_TRANSLATE_NOOP("engine", "share of KV kept free at admission"),
      QT_TRANSLATE_NOOP("engine", "waiting to running, from which prompts go first"),
      QT_TRANSLATE_NOOP("engine", "steps after which prompts go first"),
      QT_TRANSLATE_NOOP("engine", "captured steps"),
      QT_TRANSLATE_NOOP("engine", "largest batch captured"),
      QT_TRANSLATE_NOOP("engine", "batch sizes captured"),
      QT_TRANSLATE_NOOP("engine", "latency or throughput"),
      QT_TRANSLATE_NOOP("engine", "planning beside the running step"),
      QT_TRANSLATE_NOOP("engine", "memory given back on request"),
      QT_TRANSLATE_NOOP("engine", "seconds until an idle server sleeps"),
      QT_TRANSLATE_NOOP("engine", "address"),
      QT_TRANSLATE_NOOP("engine", "port"),
      QT_TRANSLATE_NOOP("engine", "key of clients"),
      // Parts of downloads, names of runs.
      QT_TRANSLATE_NOOP("engine", "%1, item %2: %3, repeat %4"),
      QT_TRANSLATE_NOOP("engine", "simulated %1 × %2"),
      QT_TRANSLATE_NOOP("engine", "%1 part %2 of %3"),
  };
  return kTexts;
}

}  // namespace pitwall::ui
