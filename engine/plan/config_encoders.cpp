// SPDX-License-Identifier: GPL-3.0-or-later
// Encoders, which keep nothing, and decoders that attend to what an encoder left: K and V of its tokens stay
// for the whole reply, whatever its length.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/plan/amounts.h"
#include "engine/plan/config_family.h"

namespace pitwall {

using nlohmann::json;

namespace {

using Kind = LayerState::Kind;

struct Side {
  AttentionShape attention;
  std::int64_t intermediate = 0;
};

Side side_of(const ConfigReader& reader, ConfigReader::Names heads, ConfigReader::Names width) {
  Side side;
  AttentionShape& shape = side.attention;
  shape.hidden = reader.out.hidden;
  shape.heads = shape.kv_heads = reader.size(heads);
  const int fallback = static_cast<int>(shape.hidden / shape.heads);
  shape.key_dim = shape.value_dim = reader.size({"d_kv"}, fallback);
  side.intermediate = reader.size(width);
  return side;
}

}  // namespace

void read_encoder_decoder(const ConfigReader& reader) {
  read_common(reader);
  DecoderTraits traits = reader.family.traits;
  const std::string feed_forward = reader.keys.text("feed_forward_proj", "");
  if (!feed_forward.empty()) traits.gated = feed_forward.starts_with("gated");
  const Side encoder = side_of(reader, {"encoder_attention_heads", "num_heads"}, {"encoder_ffn_dim", "d_ff"});
  const Side decoder = side_of(reader, {"decoder_attention_heads", "num_heads"}, {"decoder_ffn_dim", "d_ff"});
  const int encoder_layers = reader.layers({"encoder_layers", "num_layers"});
  const int decoder_layers = reader.layers({"decoder_layers", "num_decoder_layers", "num_layers"});
  reader.out.heads = static_cast<int>(decoder.attention.heads);
  reader.out.head_dim = static_cast<int>(decoder.attention.key_dim);
  reader.out.intermediate = static_cast<int>(decoder.intermediate);
  // Whisper's encoder halves its audio frames; the others read up to their own positions.
  const int source = reader.size({"max_source_positions", "max_position_embeddings", "n_positions"}, 512);
  const std::int64_t hidden = reader.out.hidden;
  if (traits.extra_positions >= 0)  // the encoder's own, beside the decoder's
    reader.out.other_parameters += capped_product(hidden, std::int64_t{source} + traits.extra_positions);
  else  // T5: a table of distances in the first layer of each side
    reader.out.other_parameters += capped_product(reader.size({"relative_attention_num_buckets"}, 32),
                                                  encoder.attention.heads + decoder.attention.heads);
  if (reader.has({"num_mel_bins"}))  // Whisper: two convolutions of three frames
    reader.out.other_parameters +=
        capped_product(3, hidden, hidden + reader.size({"num_mel_bins"})) + 2 * hidden;
  for (int i = 0; i < encoder_layers; ++i) {
    LayerState state;
    state.kind = Kind::none;
    LayerWeightCounts counts = attention_counts(encoder.attention, traits);
    counts.mlp = mlp_counts(encoder.attention.hidden, encoder.intermediate, traits.gated, traits.mlp_bias);
    add_layer(reader.out, state, counts);
  }
  for (int i = 0; i < decoder_layers; ++i) {
    LayerState state = attention_state(decoder.attention);
    LayerWeightCounts counts = attention_counts(decoder.attention, traits);
    LayerWeightCounts cross_counts = counts;
    counts.mlp = mlp_counts(decoder.attention.hidden, decoder.intermediate, traits.gated, traits.mlp_bias);
    add_layer(reader.out, state, counts);
    state.kind = Kind::cross;
    state.window = source;
    cross_counts.replicated -= norm_counts(reader.out.hidden, traits) / 2;  // one norm, not two
    add_layer(reader.out, state, cross_counts);
  }
  reader.out.remarks.push_back(fmt::format(
      "Cross-attention is counted for the longest input, {} encoder tokens", format_count(source)));
}

void read_mllama(const ConfigReader& reader) {
  read_decoder(reader);
  const std::vector<int> cross = reader.keys.counts("cross_attention_layers");
  if (cross.empty()) return reader.keys.missing("cross_attention_layers");
  // 4 tiles of (560 / 14)² + 1 patches: meta-llama/Llama-3.2-11B-Vision's vision_config.
  constexpr int kPatches = 4 * (40 * 40 + 1);
  for (const int layer : cross) {
    if (layer >= std::ssize(reader.out.layers)) {
      reader.keys.wrong("cross_attention_layers", "layers that exist");
      return;
    }
    LayerState& state = reader.out.layers[static_cast<std::size_t>(layer)];
    state.kind = Kind::cross;
    state.window = kPatches;
    // Norms of queries and keys, and gates of attention and MLP.
    reader.out.layer_parameters[static_cast<std::size_t>(layer)].replicated += 2 * state.key_dim + 2;
  }
  constexpr int kImageTokens = 8;  // rows of the embedding beyond the vocabulary
  reader.out.embedding_parameters += kImageTokens * std::int64_t{reader.out.hidden};
  reader.out.remarks.push_back(
      fmt::format("Cross-attention is counted for one image of {} patches", format_count(kPatches)));
}

void read_encoder(const ConfigReader& reader) {
  read_decoder(reader);
  for (LayerState& state : reader.out.layers) state.kind = Kind::none;
  const std::int64_t hidden = reader.out.hidden;
  const json* labels = reader.keys.object("id2label");
  // A pooler, a classifier's first layer and what stands before the vocabulary are equally large.
  std::int64_t head = capped_product(hidden, hidden) + hidden;
  if (reader.family.architecture.ends_with("ForMaskedLM"))
    head += 2 * hidden + reader.out.vocabulary;
  else if (reader.family.architecture.ends_with("ForSequenceClassification"))
    head += capped_product(labels != nullptr ? static_cast<std::int64_t>(labels->size()) : 2, hidden + 1);
  reader.out.other_parameters = capped_sum(
      reader.out.other_parameters, head + capped_product(reader.size({"type_vocab_size"}, 2), hidden));
}

}  // namespace pitwall
