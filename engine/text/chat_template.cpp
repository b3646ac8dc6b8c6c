// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/chat_template.h"

#include <fmt/format.h>

#include <new>
#include <nlohmann/json.hpp>

#include "engine/base/text_escape.h"
#include "engine/text/template_context.h"
#include "engine/text/template_evaluator.h"
#include "engine/text/template_parser.h"

namespace pitwall {

struct ChatTemplate::Program {
  jinja::ProgramTree tree;
  TemplateLimits limits;
};

namespace {

Error error_of(const jinja::TemplateFailure& failure, const char* cause) {
  Error error{failure.kind, failure.message, "", "", "chat_template"};
  if (failure.verbatim) return error;
  error.what = fmt::format("line {}: {}", failure.line, failure.message);
  error.cause =
      failure.kind == Error::Kind::out_of_memory ? "The template does more than one prompt can need" : cause;
  return error;
}

Error out_of_memory() {
  return {Error::Kind::out_of_memory, "There is not enough memory for the chat template", "",
          "Close other programs or shorten the messages", "chat_template"};
}

}  // namespace

ChatTemplate::ChatTemplate(std::shared_ptr<const Program> program) : program_(std::move(program)) {}
ChatTemplate::~ChatTemplate() = default;
ChatTemplate::ChatTemplate(ChatTemplate&&) noexcept = default;
ChatTemplate& ChatTemplate::operator=(ChatTemplate&&) noexcept = default;

Result<ChatTemplate> ChatTemplate::compile(std::string_view source, const TemplateLimits& limits) {
  if (!is_valid_utf8(source)) {
    return Error{Error::Kind::invalid_input, "The chat template is not valid UTF-8", "The file is damaged",
                 "Fetch the model again or give another template", "chat_template"};
  }
  try {
    return ChatTemplate(
        std::make_shared<const Program>(Program{jinja::parse_template(source, limits), limits}));
  } catch (const jinja::TemplateFailure& failure) {
    return error_of(failure,
                    "The template is not written in the Jinja language, or uses a part of it that chat "
                    "templates cannot use");
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

Result<std::string> ChatTemplate::render(const nlohmann::ordered_json& variables,
                                         std::optional<Nanos> now_utc) const {
  try {
    jinja::Context context(program_->limits, now_utc);
    return jinja::Evaluator(program_->tree, context).run(variables);
  } catch (const jinja::TemplateFailure& failure) {
    return error_of(
        failure,
        "The template and what it is given do not fit together, or it uses what is not supported here");
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

}  // namespace pitwall
