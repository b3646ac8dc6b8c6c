// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/gguf_model.h"

#include <fmt/format.h>

#include "engine/model/first_error.h"
#include "engine/model/gguf_chat_template.h"
#include "engine/model/gguf_config.h"
#include "engine/model/gguf_set.h"
#include "engine/model/gguf_vocabulary.h"
#include "engine/model/header_digest.h"
#include "engine/model/weight_binding.h"

namespace pitwall {

namespace {

Result<void> check_vocabulary(const VocabularyData& vocabulary, const ModelSpec& spec) {
  if (vocabulary.tokens.size() <= static_cast<std::size_t>(spec.vocabulary)) return {};
  return Error{Error::Kind::invalid_input,
               fmt::format("The tokenizer has {} tokens, but the embedding has {} rows",
                           vocabulary.tokens.size(), spec.vocabulary),
               "The tokenizer belongs to another model", "Fetch or convert the model again",
               "tokenizer.ggml.tokens"};
}

class GgufModel final : public Model {
 public:
  explicit GgufModel(GgufSet file) : file_(std::move(file)) {}

  Result<void> read() {
    path_ = file_.path();
    format_ = fmt::format("GGUF v{}", file_.version());
    const auto family = find_gguf_family_of(file_.metadata());
    if (!family.ok()) return in_file(family.error());
    auto views = file_.tensor_views();
    if (!views.ok()) return views.error();
    WeightBinder binder(std::move(*views));

    FirstError first;
    spec_ = first.take(read_gguf_spec(file_.metadata(), **family, file_.name(), binder));
    vocabulary_ = first.take(read_gguf_vocabulary(file_.metadata()));
    chat_templates_ = first.take(read_gguf_chat_templates(file_.metadata()));
    if (!first.error()) first.check(check_vocabulary(vocabulary_, spec_));
    if (first.error()) return in_file(*first.error());

    weights_ = bind_weights(spec_, gguf_tensor_names(**family), binder);
    auto totals = binder.finish();
    if (!totals.ok()) return in_file(totals.error());
    weight_bytes_ = totals->bytes;
    parameters_ = totals->parameters;
    type_counts_ = std::move(totals->types);
    header_sha256_ = sha256_hex(file_.headers());
    return {};
  }

 private:
  Error in_file(Error error) const {
    error.what = fmt::format("{}: {}", path_.string(), error.what);
    return error;
  }
  GgufSet file_;  // the weights' views point into its maps
};

}  // namespace

Result<std::shared_ptr<const Model>> open_gguf(const std::filesystem::path& path) {
  auto file = GgufSet::open(path);
  if (!file.ok()) return file.error();
  auto model = std::make_shared<GgufModel>(std::move(*file));
  if (auto read = model->read(); !read.ok()) return read.error();
  return std::shared_ptr<const Model>(std::move(model));
}

}  // namespace pitwall
