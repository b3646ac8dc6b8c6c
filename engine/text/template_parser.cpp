// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/template_parser.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/text/template_expression_parser.h"

namespace pitwall::jinja {

using Type = Token::Type;

namespace {

using EndNames = std::initializer_list<std::string_view>;

/// Statements; expressions are left to ExpressionParser.
class Parser {
 public:
  Parser(std::string_view source, const TemplateLimits& limits)
      : budget_(limits), tokens_(tokenize_template(source)), expressions_(tokens_, names_, budget_) {}

  ProgramTree run() {
    try {
      ProgramTree program;
      program.body = block({});
      program.names = names_.take();
      const auto loop = std::find(program.names.begin(), program.names.end(), "loop");
      if (loop != program.names.end()) program.loop_name = static_cast<NameId>(loop - program.names.begin());
      return program;
    } catch (TemplateFailure& failure) {
      if (failure.line == 0) failure.line = tokens_.line();
      throw;
    }
  }

 private:
  /// Statements up to a tag whose name is among `ends`, which is left to be read; without ends, the whole
  /// template.
  Block block(EndNames ends) {
    const DepthGuard guard(budget_);
    Block statements;
    for (;;) {
      const int line = tokens_.line();
      if (tokens_.is(Type::end)) {
        if (ends.size() > 0) fail_open(ends);
        return statements;
      }
      if (tokens_.is(Type::data)) {
        statements.push_back({line, TextStatement{tokens_.next().text}});
        continue;
      }
      if (tokens_.is(Type::print_begin)) {
        tokens_.next();
        statements.push_back({line, PrintStatement{expressions_.tuple(true)}});
        tokens_.expect(Type::print_end, "'}}'");
        continue;
      }
      tokens_.expect(Type::tag_begin, "'{%'");
      if (tokens_.is_any_name(ends)) return statements;
      statements.push_back(statement());
      tokens_.expect(Type::tag_end, "'%}'");
    }
  }

  [[noreturn]] void fail_open(EndNames ends) const {
    std::string names;
    for (const std::string_view end : ends) names += fmt::format("{}'{}'", names.empty() ? "" : " or ", end);
    tokens_.fail_here(fmt::format("unexpected end of template, expected the tag {}", names));
  }

  /// What follows a tag's head: "%}" (a colon before it is allowed), the statements and the name of the tag
  /// that ends them.
  Block body(EndNames ends) {
    tokens_.skip_symbol(":");
    tokens_.expect(Type::tag_end, "'%}'");
    return block(ends);
  }
  Block body_to(std::string_view end) {
    Block statements = body({end});
    tokens_.next();
    return statements;
  }

  Statement statement() {
    struct Tag {
      std::string_view name;
      Statement (Parser::*parse)(int line);
    };
    static constexpr Tag kTags[] = {{"if", &Parser::if_tag},         {"for", &Parser::for_tag},
                                    {"set", &Parser::set_tag},       {"macro", &Parser::macro_tag},
                                    {"call", &Parser::call_tag},     {"filter", &Parser::filter_tag},
                                    {"with", &Parser::with_tag},     {"generation", &Parser::generation_tag},
                                    {"break", &Parser::control_tag}, {"continue", &Parser::control_tag}};
    const Token token = tokens_.expect(Type::name, "the name of a tag");
    for (const Tag& tag : kTags) {
      if (tag.name == token.text) {
        tag_ = token.text;
        return (this->*tag.parse)(token.line);
      }
    }
    throw TemplateFailure{fmt::format("Encountered unknown tag '{}'", token.text), token.line};
  }

  Statement if_tag(int line) {
    IfStatement result;
    for (;;) {
      result.conditions.push_back(expressions_.tuple(false));
      result.blocks.push_back(body({"elif", "else", "endif"}));
      if (tokens_.skip_name("elif")) continue;
      if (tokens_.skip_name("else")) {
        result.otherwise = body_to("endif");
      } else {
        tokens_.expect_name("endif");
      }
      return {line, std::move(result)};
    }
  }

  Statement for_tag(int line) {
    Target target = expressions_.target(false);
    tokens_.expect_name("in");
    ForStatement loop{std::move(target), expressions_.tuple(false), nullptr, false, {}, {}};
    if (tokens_.skip_name("if")) loop.condition = std::make_unique<Expression>(expressions_.expression());
    loop.recursive = tokens_.skip_name("recursive");
    ++loops_;
    loop.body = body({"endfor", "else"});
    --loops_;
    if (tokens_.next().text == "else") loop.otherwise = body_to("endfor");
    return {line, std::move(loop)};
  }

  Statement set_tag(int line) {
    Target target = expressions_.target(true);
    if (tokens_.skip_symbol("=")) return {line, SetStatement{std::move(target), expressions_.tuple(true)}};
    auto filters = expressions_.filters(false);
    return {line, SetBlockStatement{std::move(target), std::move(filters), body_to("endset")}};
  }

  void signature(MacroDefinition& macro) {
    tokens_.expect_symbol("(");
    while (!tokens_.is_symbol(")")) {
      if (!macro.parameters.empty()) tokens_.expect_symbol(",");
      macro.parameters.push_back(names_.id(expressions_.assignable_name()));
      if (tokens_.skip_symbol("=")) {
        macro.defaults.push_back(expressions_.expression());
      } else if (!macro.defaults.empty()) {
        tokens_.fail_here("non-default argument follows default argument");
      }
    }
    tokens_.expect_symbol(")");
  }

  /// Loop controls do not reach out of a macro.
  void macro_body(MacroDefinition& macro, std::string_view end) {
    const MacroUses before = expressions_.uses();
    const int loops = std::exchange(loops_, 0);
    macro.body = body_to(end);
    loops_ = loops;
    const MacroUses after = expressions_.uses();
    macro.uses_varargs = after.varargs > before.varargs;
    macro.uses_kwargs = after.kwargs > before.kwargs;
    macro.uses_caller = after.caller > before.caller;
  }

  Statement macro_tag(int line) {
    MacroStatement result;
    result.macro.name = expressions_.assignable_name();
    result.name = names_.id(result.macro.name);
    signature(result.macro);
    macro_body(result.macro, "endmacro");
    return {line, std::move(result)};
  }

  Statement call_tag(int line) {
    MacroDefinition caller;
    caller.name = "caller";
    if (tokens_.is_symbol("(")) signature(caller);
    Expression call = expressions_.expression();
    const auto* postfix = std::get_if<Postfix>(&call.node);
    if (postfix == nullptr || !std::holds_alternative<CallStep>(postfix->steps.back().operation)) {
      throw TemplateFailure{"expected call", line};
    }
    macro_body(caller, "endcall");
    return {line, CallBlockStatement{std::move(caller), std::move(call)}};
  }

  Statement filter_tag(int line) {
    auto filters = expressions_.filters(true);
    return {line, FilterBlockStatement{std::move(filters), body_to("endfilter")}};
  }

  Statement with_tag(int line) {
    WithStatement with;
    while (!tokens_.is(Type::tag_end) && !tokens_.is_symbol(":")) {
      if (!with.targets.empty()) tokens_.expect_symbol(",");
      with.targets.push_back(expressions_.target(false));
      tokens_.expect_symbol("=");
      with.values.push_back(expressions_.expression());
    }
    with.body = body_to("endwith");
    return {line, std::move(with)};
  }

  Statement generation_tag(int line) { return {line, ScopeStatement{body_to("endgeneration")}}; }

  Statement control_tag(int line) {
    if (loops_ == 0) throw TemplateFailure{fmt::format("'{}' outside of a loop", tag_), line};
    return {line, LoopControlStatement{tag_ == "break"}};
  }

  TemplateBudget budget_;
  TokenStream tokens_;
  NameTable names_;
  ExpressionParser expressions_;
  std::string tag_;  ///< the tag being parsed, for those that share a function
  int loops_ = 0;    ///< open around the current place, within the same macro
};

}  // namespace

ProgramTree parse_template(std::string_view source, const TemplateLimits& limits) {
  return Parser(source, limits).run();
}

}  // namespace pitwall::jinja
