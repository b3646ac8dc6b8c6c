// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/hf_vocabulary.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/model/json_text.h"

namespace pitwall {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

// Ids that cannot occur (−1 and paddings beyond the vocabulary are common) mean none.
void collect_ids(const json& config, const char* key, int vocabulary_size, std::vector<TokenId>& ids) {
  const auto found = config.find(key);
  if (found == config.end()) return;
  const json list = found->is_array() ? *found : json::array({*found});
  for (const json& id : list) {
    if (!id.is_number_unsigned() || id.get<std::uint64_t>() >= static_cast<std::uint64_t>(vocabulary_size))
      continue;
    const auto token = id.get<TokenId>();
    if (std::find(ids.begin(), ids.end(), token) == ids.end()) ids.push_back(token);
  }
}

std::optional<TokenId> single_id(const json& config, const char* key, int vocabulary_size) {
  std::vector<TokenId> ids;
  collect_ids(config, key, vocabulary_size, ids);
  return ids.empty() ? std::nullopt : std::optional(ids.front());
}

}  // namespace

Result<VocabularyData> read_hf_vocabulary(const fs::path& folder, const json& config, int vocabulary_size) {
  VocabularyData vocabulary;
  vocabulary.bos = single_id(config, "bos_token_id", vocabulary_size);
  vocabulary.padding = single_id(config, "pad_token_id", vocabulary_size);
  collect_ids(config, "eos_token_id", vocabulary_size, vocabulary.ends);
  std::error_code ignored;
  if (const fs::path file = folder / "generation_config.json"; fs::exists(file, ignored)) {
    const auto generation = read_json_object(file);
    if (!generation.ok()) return generation.error();
    collect_ids(*generation, "eos_token_id", vocabulary_size, vocabulary.ends);
  }
  if (!vocabulary.ends.empty()) vocabulary.eos = vocabulary.ends.front();

  if (const fs::path file = folder / "tokenizer.json"; fs::exists(file, ignored)) {
    vocabulary.source = VocabularyData::Source::tokenizer_json;
    vocabulary.tokenizer_json = file;
    vocabulary.tokenizer_config_json = folder / "tokenizer_config.json";
  } else if (const fs::path model = folder / "tokenizer.model"; fs::exists(model, ignored)) {
    vocabulary.source = VocabularyData::Source::sentencepiece;
    vocabulary.sentencepiece = model;
    vocabulary.tokenizer_config_json = folder / "tokenizer_config.json";
  }
  return vocabulary;
}

}  // namespace pitwall
