// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/tokenizer.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "engine/model/gguf_reader.h"
#include "engine/model/gguf_vocabulary.h"
#include "engine/model/hf_vocabulary.h"
#include "engine/model/json_text.h"
#include "engine/text/pipeline_tokenizer.h"
#include "engine/text/sentencepiece_tokenizer.h"
#include "engine/text/tokenizer_json.h"
#include "engine/text/vocabulary_gguf.h"

namespace pitwall {

namespace {

namespace fs = std::filesystem;

Result<TokenizerParts> read_parts(const VocabularyData& data) {
  switch (data.source) {
    case VocabularyData::Source::gguf:
      return read_gguf_tokenizer(data);
    case VocabularyData::Source::tokenizer_json:
      return read_tokenizer_json(data);
    case VocabularyData::Source::sentencepiece:
      return read_sentencepiece_tokenizer(data);
    case VocabularyData::Source::none:
      break;
  }
  return Error{Error::Kind::not_found, "The model has no tokenizer",
               "A GGUF file without tokenizer keys, or a folder without tokenizer.json and tokenizer.model",
               "Fetch the model with its tokenizer, or send token ids", "model"};
}

/// Without the weights, which a vocabulary alone does not have.
Result<VocabularyData> read_gguf_file(const fs::path& path) {
  const auto file = GgufFile::open(path);
  if (!file.ok()) return file.error();
  auto vocabulary = read_gguf_vocabulary(file->metadata());
  if (vocabulary.ok()) return vocabulary;
  Error error = std::move(vocabulary).error();
  error.what = path.string() + ": " + error.what;
  return error;
}

Result<VocabularyData> read_folder(const fs::path& folder) {
  std::error_code ignored;
  Result<nlohmann::json> config = nlohmann::json::object();
  if (fs::exists(folder / "config.json", ignored)) config = read_json_object(folder / "config.json");
  if (!config.ok()) return std::move(config).error();
  return read_hf_vocabulary(folder, *config, std::numeric_limits<int>::max());
}

Result<VocabularyData> read_path(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return read_folder(path);
  VocabularyData vocabulary;
  vocabulary.tokenizer_config_json = path.parent_path() / "tokenizer_config.json";
  if (path.extension() == ".json") {
    vocabulary.source = VocabularyData::Source::tokenizer_json;
    vocabulary.tokenizer_json = path;
    return vocabulary;
  }
  if (path.extension() == ".model") {
    vocabulary.source = VocabularyData::Source::sentencepiece;
    vocabulary.sentencepiece = path;
    return vocabulary;
  }
  return read_gguf_file(path);
}

}  // namespace

Result<std::shared_ptr<const Tokenizer>> make_tokenizer(const VocabularyData& vocabulary) {
  auto parts = read_parts(vocabulary);
  if (!parts.ok()) return std::move(parts).error();
  return make_pipeline_tokenizer(std::move(parts).value());
}

Result<std::shared_ptr<const Tokenizer>> open_tokenizer(const fs::path& path) {
  const auto vocabulary = read_path(path);
  if (!vocabulary.ok()) return vocabulary.error();
  return make_tokenizer(*vocabulary);
}

}  // namespace pitwall
