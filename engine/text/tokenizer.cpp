// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/tokenizer.h"

#include "engine/text/bpe_tokenizer.h"
#include "engine/text/tokenizer_json.h"
#include "engine/text/vocabulary_gguf.h"

namespace pitwall {

namespace {

Result<BpeVocabulary> read_vocabulary(const VocabularyData& data) {
  switch (data.source) {
    case VocabularyData::Source::gguf:
      return bpe_vocabulary_of_gguf(data);
    case VocabularyData::Source::tokenizer_json:
      return bpe_vocabulary_of_json(data.tokenizer_json, data.tokenizer_config_json);
    case VocabularyData::Source::sentencepiece:
      return Error{Error::Kind::unsupported, "A tokenizer.model alone cannot be read yet", "",
                   "Put the model's tokenizer.json beside it", data.sentencepiece.string()};
    case VocabularyData::Source::none:
      break;
  }
  return Error{Error::Kind::not_found, "The model has no tokenizer",
               "A GGUF file without tokenizer keys, or a folder without tokenizer.json",
               "Fetch the model with its tokenizer, or send token ids", "model"};
}

}  // namespace

Result<std::shared_ptr<const Tokenizer>> make_tokenizer(const VocabularyData& vocabulary) {
  auto read = read_vocabulary(vocabulary);
  if (!read.ok()) return std::move(read).error();
  return make_bpe_tokenizer(std::move(read).value());
}

Result<std::shared_ptr<const Tokenizer>> open_tokenizer(const std::filesystem::path& path) {
  if (path.extension() != ".json") {
    auto model = Model::open(path);
    if (!model.ok()) return std::move(model).error();
    return make_tokenizer((*model)->vocabulary());
  }
  VocabularyData vocabulary;
  vocabulary.source = VocabularyData::Source::tokenizer_json;
  vocabulary.tokenizer_json = path;
  vocabulary.tokenizer_config_json = path.parent_path() / "tokenizer_config.json";
  return make_tokenizer(vocabulary);
}

}  // namespace pitwall
