// SPDX-License-Identifier: GPL-3.0-or-later
// Grammars by example: schemas with documents that they take and refuse, what is refused and by which name,
// hostile input, tool calls, and guides over a small vocabulary whose tokens cross every border.
#include <QtTest>
#include <nlohmann/json.hpp>
#include <thread>

#include "engine/base/file.h"
#include "engine/grammar/free_text.h"
#include "engine/grammar/json_schema.h"
#include "engine/grammar/tool_calls.h"
#include "tests/support/guided_walk.h"
#include "tests/support/json_schema_check.h"
#include "tests/support/test_support.h"

using namespace pitwall;
using namespace pitwall::test;
using Json = nlohmann::ordered_json;

namespace {

/// Tokens of one byte each (ids 0 … 255), then longer ones, then specials: <s> and the end token.
class SmallTokenizer final : public Tokenizer {
 public:
  explicit SmallTokenizer(const std::vector<std::string>& longer, const std::string& without = "") {
    for (int byte = 0; byte < 256; ++byte) texts_.emplace_back(1, static_cast<char>(byte));
    for (const char byte : without) texts_[static_cast<std::uint8_t>(byte)].clear();
    texts_.insert(texts_.end(), longer.begin(), longer.end());
    first_special_ = static_cast<TokenId>(texts_.size());
    texts_.insert(texts_.end(), {"<s>", "</s>"});
    ends_ = {first_special_ + 1};
  }
  std::vector<TokenId> encode(std::string_view, bool, bool) const override { return {}; }
  std::string_view bytes_of(TokenId id) const override { return texts_[static_cast<std::size_t>(id)]; }
  bool is_special(TokenId id) const override { return id >= first_special_; }
  int size() const override { return static_cast<int>(texts_.size()); }
  std::optional<TokenId> bos() const override { return first_special_; }
  std::optional<TokenId> eos() const override { return ends_[0]; }
  const std::vector<TokenId>& end_tokens() const override { return ends_; }
  TokenId id_of(const std::string& text) const {
    return static_cast<TokenId>(std::find(texts_.begin(), texts_.end(), text) - texts_.begin());
  }

 private:
  std::vector<std::string> texts_;
  TokenId first_special_ = 0;
  std::vector<TokenId> ends_;
};

/// A guide over a small vocabulary; tokens are named by their texts.
struct Reply {
  Reply(const std::shared_ptr<const Grammar>& grammar, const std::vector<std::string>& longer,
        GuideOptions options = {})
      : tokenizer(std::make_shared<const SmallTokenizer>(longer)),
        table(std::make_shared<const TokenTable>(tokenizer, tokenizer->size() + 40)),
        source(make_grammar_guide(grammar, table, std::move(options)).value()),
        guide(source->begin()) {}
  bool allows(const std::string& text) { return guide->mask()->allows(tokenizer->id_of(text)); }
  bool take(const std::string& text) { return guide->accept(tokenizer->id_of(text)); }
  bool may_end() { return allows("</s>"); }
  int allowed() { return static_cast<int>(allowed_tokens(*guide->mask(), table->vocabulary()).size()); }

  std::shared_ptr<const SmallTokenizer> tokenizer;
  std::shared_ptr<const TokenTable> table;
  std::shared_ptr<const GuideSource> source;
  std::unique_ptr<TokenGuide> guide;
};

std::shared_ptr<const Grammar> grammar_of(const char* schema) {
  return schema_grammar(Json::parse(schema)).value();
}

Result<std::shared_ptr<const Grammar>> tool_grammar(const ToolCallForm& form) {
  GrammarBuilder builder;
  const auto arguments = add_json_schema(
      builder,
      Json::parse(R"({"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]})"));
  if (!arguments.ok()) return arguments.error();
  const PartId call = builder.choice(
      {builder.sequence({builder.text("a("), *arguments, builder.text(")")}), builder.text("b()")});
  const PartId root = add_tool_calls(builder, form, call);
  auto grammar = std::move(builder).finish(root);
  if (!grammar.ok()) return grammar.error();
  return std::shared_ptr<const Grammar>(std::make_shared<const Grammar>(*std::move(grammar)));
}

Json nested(int levels) {
  Json schema = {{"type", "integer"}};
  for (int i = 0; i < levels; ++i) schema = {{"type", "array"}, {"items", std::move(schema)}};
  return schema;
}

}  // namespace

class GrammarTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void documents_data();
  void documents();
  void refused_keywords_data();
  void refused_keywords();
  void patterns_outside_of_json();
  void refused_patterns_data();
  void refused_patterns();
  void hostile_schemas();
  void tool_calls();
  void parts_that_cannot_be();
  void tokens_across_borders();
  void parts_of_characters();
  void counted_characters();
  void end_tokens();
  void tokens_that_are_missing();
  void masks_are_remembered();
  void little_memory_changes_nothing();
  void many_threads();
};

void GrammarTest::documents_data() {
  QTest::addColumn<std::string>("entry");
  for (const Json& entry : Json::parse(read_file(data("grammar/schemas.json")).value()))
    QTest::newRow(entry["name"].get<std::string>().c_str()) << entry.dump();
}

void GrammarTest::documents() {
  QFETCH(std::string, entry);
  const Json example = Json::parse(entry);
  const auto grammar = schema_grammar(example["schema"]);
  PW_VERIFY(grammar);
  for (const Json& document : example["accepts"]) {
    const auto text = document.get<std::string>();
    QVERIFY2(matches(*grammar, text), text.c_str());
    const std::string broken = broken_keyword(Json::parse(text), example["schema"], example["schema"]);
    QVERIFY2(broken.empty(), (text + " breaks " + broken).c_str());
  }
  for (const Json& document : example["rejects"]) {
    const auto text = document.get<std::string>();
    QVERIFY2(!matches(*grammar, text), text.c_str());
  }
}

void GrammarTest::refused_keywords_data() {
  QTest::addColumn<std::string>("schema");
  QTest::addColumn<std::string>("said");
  QTest::addColumn<std::string>("pointer");
  const auto row = [](const char* schema, const char* said, const char* pointer) {
    QTest::newRow(schema) << std::string(schema) << std::string(said) << std::string(pointer);
  };
  row(R"({"not": {}})", "\"not\"", "#");
  row(R"({"properties": {"a": {"items": {"if": {}}}}})", "\"if\"", "#/properties/a/items");
  row(R"({"properties": {"a/b~": {"contains": {}}}})", "\"contains\"", "#/properties/a~1b~0");
  row(R"({"$defs": {"x": {"uniqueItems": true}}, "items": {"$ref": "#/$defs/x"}})", "\"uniqueItems\"",
      "#/$defs/x");
  row(R"({"anyOf": [{}, {"minProperties": 1}]})", "\"minProperties\"", "#/anyOf/1");
  row(R"({"allOf": [{"dependentRequired": {}}]})", "\"dependentRequired\"", "#/allOf/0");
  row(R"({"additionalProperties": {"unevaluatedProperties": false}})", "\"unevaluatedProperties\"",
      "#/additionalProperties");
  row(R"({"format": "iri"})", "known are date", "#");
  row(R"s({"pattern": "(?=a)"})s", "look-around", "#");
  row(R"({"multipleOf": 4321})", "multipleOf", "#");
  row(R"({"type": "integer", "minimum": 5, "maximum": 4})", "minimum, maximum", "#");
  row(R"({"type": "integer", "minimum": 1e30})", "No number", "#");
  row(R"({"$ref": "other.json"})", "other.json", "#");
  row(R"({"$ref": "#/$defs/none"})", "not there", "#");
  row(R"({"type": "text"})", "\"type\"", "#");
  row(R"({"required": "a"})", "\"required\"", "#");
  row(R"({"minLength": -1})", "\"minLength\"", "#");
  row(R"({"enum": 1})", "\"enum\"", "#");
  row(R"({"anyOf": []})", "\"anyOf\"", "#");
  row(R"({"properties": []})", "\"properties\"", "#");
  row(R"({"items": 3})", "neither an object", "#/items");
  row(R"({"patternProperties": {"a": {}, "b": {}}})", "match the same names", "#");
  row(R"({"enum": [[1]], "items": {"type": "string"}})", "lists or objects", "#");
}

void GrammarTest::refused_keywords() {
  QFETCH(std::string, schema);
  QFETCH(std::string, said);
  QFETCH(std::string, pointer);
  const auto grammar = schema_grammar(Json::parse(schema));
  QVERIFY(!grammar.ok());
  QVERIFY2(grammar.error().text().find(said) != std::string::npos, grammar.error().text().c_str());
  QCOMPARE(grammar.error().param, pointer);
}

void GrammarTest::patterns_outside_of_json() {
  const auto grammar = pattern_grammar("^(\\d{3}-)?(?<name>[^\\s@]+)@(?:a|b)\\.com$");
  PW_VERIFY(grammar);
  for (const char* text : {"x@a.com", "123-é\"\\@b.com"}) QVERIFY2(matches(*grammar, text), text);
  for (const char* text : {"@a.com", "x@c.com", "x@a.com\n", " x@a.com"})
    QVERIFY2(!matches(*grammar, text), text);
  const auto choice = choice_grammar({"a", "ab", "ab", "b\n"});
  PW_VERIFY(choice);
  for (const char* text : {"a", "ab", "b\n"}) QVERIFY2(matches(*choice, text), text);
  for (const char* text : {"", "b", "abc"}) QVERIFY2(!matches(*choice, text), text);
  QVERIFY(!choice_grammar({}).ok());
  QVERIFY(!pattern_grammar("a^b").ok());
}

void GrammarTest::refused_patterns_data() {
  QTest::addColumn<std::string>("said");
  const auto row = [](const char* pattern, const char* said) { QTest::newRow(pattern) << std::string(said); };
  row("(?=a)", "look-around");
  row("(?<!a)b", "look-around");
  row("(a)\\1", "back-reference");
  row("\\bword", "word boundary");
  row("\\p{L}", "Unicode property");
  row("(?i)a", "flags");
  row("(a", "open group");
  row("a)", "closing bracket");
  row("[a", "open bracket");
  row("[b-a]", "backwards");
  row("a**", "repeat of a repeat");
  row("*a", "repeat of nothing");
  row("a{3,2}", "largest count");
  row("\\", "lone backslash");
  row("\\u12", "hex digits");
  row("\\q", "unknown escape");
  row("(a{0,1000}){0,1000}", "grows beyond");
  row("(a|b)*a(a|b){30}", "grows beyond");
  row("(((a{50}){50}){50}){50}", "grows beyond");
  row("(){1000000}x{60000}", "grows beyond");
}

void GrammarTest::refused_patterns() {
  QFETCH(std::string, said);
  const auto grammar = pattern_grammar(QTest::currentDataTag());
  QVERIFY(!grammar.ok());
  QVERIFY2(grammar.error().text().find(said) != std::string::npos, grammar.error().text().c_str());
}

void GrammarTest::hostile_schemas() {
  const auto check = [](const Json& schema, const std::string& said) {
    const auto grammar = schema_grammar(schema);
    QVERIFY(!grammar.ok());
    QVERIFY2(grammar.error().text().find(said) != std::string::npos, grammar.error().text().c_str());
  };
  check(nested(1000), "deeper than 256");
  PW_VERIFY(schema_grammar(nested(100)));
  const std::string ring = "refers to itself", endless = "No finite text";
  check(Json::parse(R"({"$ref": "#"})"), ring);
  check(Json::parse(R"({"$ref": "#/a", "a": {"allOf": [{"$ref": "#/b"}]}, "b": {"$ref": "#/a"}})"), ring);
  check(Json::parse(R"({"properties": {"a": {"$ref": "#"}}, "required": ["a"]})"), endless);
  check(Json::parse(R"({"anyOf": [{"$ref": "#"}]})"), endless);

  Json chain = {{"$ref", "#/$defs/d0"}};
  const auto numbered = [](std::string name, int i) { return name.append(std::to_string(i)); };
  for (int i = 0; i < 1000; ++i) chain["$defs"][numbered("d", i)] = {{"$ref", numbered("#/$defs/d", i + 1)}};
  chain["$defs"]["d1000"] = {{"type", "null"}};
  check(chain, "references follow each other");

  Json product;
  for (int i = 0; i < 8; ++i) {
    Json part;
    for (int k = 0; k < 16; ++k) part["anyOf"].push_back({{"minimum", k}, {"maximum", 1000 + 16 * i + k}});
    product["allOf"].push_back(part);
  }
  check(product, "parts");

  Json values;
  for (int i = 0; i < 10'000; ++i) values["enum"].push_back("value " + std::to_string(i));
  const auto many = schema_grammar(values);
  PW_VERIFY(many);
  QVERIFY(matches(*many, "\"value 9999\""));
  QVERIFY(!matches(*many, "\"value 10000\""));

  const auto counted = schema_grammar(
      Json::parse(R"({"type": "array", "items": {"type": "null"}, "minItems": 3, "maxItems": 4000000000})"));
  PW_VERIFY(counted);
  QVERIFY(matches(*counted, "[null,null,null,null]"));
  QVERIFY(!matches(*counted, "[null,null]"));

  const auto deep = object_grammar();
  PW_VERIFY(deep);
  std::string text = "{\"a\":";
  for (int i = 0; i < 20'000; ++i) text += '[';
  text.append(20'000, ']').append("}");
  QVERIFY(matches(*deep, text));
}

void GrammarTest::tool_calls() {
  const ToolCallForm form{.trigger = "<call>", .end = "</call>"};
  const auto optional = tool_grammar(form);
  PW_VERIFY(optional);
  const char* one = "<call>a({\"x\":1})</call>";
  for (const char* text : {"", "just <cal text", "<call>b()</call>",
                           "let me see <<call>b()</call>\n<call>a({\"x\": -2})</call>", one})
    QVERIFY2(matches(*optional, text), text);
  for (const char* text : {"<call>", "<call>c()</call>", "<call>b()</call> and", "x<call>a({})</call>",
                           "<call>b()</call><call>b()</call>"})
    QVERIFY2(!matches(*optional, text), text);

  ToolCallForm strict = form;
  strict.text_first = false;
  strict.required = true;
  strict.most_calls = 2;
  const auto required = tool_grammar(strict);
  PW_VERIFY(required);
  QVERIFY(matches(*required, one));
  std::string calls = one;
  QVERIFY(matches(*required, calls.append("\n").append(one)));
  QVERIFY(!matches(*required, calls.append("\n").append(one)));
  QVERIFY(!matches(*required, ""));
  QVERIFY(!matches(*required, "x<call>b()</call>"));

  // A trigger whose beginning stands in itself.
  const auto overlapping = tool_grammar({.trigger = "aab", .end = "."});
  PW_VERIFY(overlapping);
  QVERIFY(matches(*overlapping,
                  "aaab"
                  "b()."));
  QVERIFY(matches(*overlapping, "aacaa"));
  QVERIFY(!matches(*overlapping, "xaaabx"));
}

void GrammarTest::parts_that_cannot_be() {
  GrammarBuilder builder;
  const PartId maybe = builder.optional(builder.text("a"));
  const auto endless = std::move(builder).finish(builder.repeat(maybe, 0));
  QVERIFY(!endless.ok());
  GrammarBuilder other;
  const PartId left = other.choice({other.nothing(), other.text("b"), other.repeat(other.nothing(), 0, 3)});
  const auto made = std::move(other).finish(left);
  PW_VERIFY(made);
  const auto grammar = std::make_shared<const Grammar>(*made);
  QVERIFY(matches(grammar, "b"));
  QVERIFY(matches(grammar, ""));
}

void GrammarTest::tokens_across_borders() {
  const auto grammar =
      grammar_of(R"({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "array",
    "items": {"type": "boolean"}}}, "required": ["a", "b"]})");
  Reply reply(grammar,
              {"{\"a\":", "{\"a\": \"", "{\"b", "\",\"b\":[", "\",\"c\"", "x\", \"b\": [true", "true,false]",
               "true,false]}", "]}", "]} ", "]}}", "\\\",b:[", "tru", "\n  \"", "{\n  \"a"});
  QVERIFY(reply.allows("{") && reply.allows("{\"a\":") && reply.allows("{\"a\": \"") &&
          reply.allows("{\n  \"a"));
  QVERIFY(!reply.allows("{\"b") && !reply.allows("\"") && !reply.may_end());
  QVERIFY(!reply.take("{\"b"));
  QVERIFY(reply.take("{\"a\": \""));
  QVERIFY(reply.allows("\",\"b\":[") && reply.allows("x\", \"b\": [true") && reply.allows("\\\",b:["));
  QVERIFY(!reply.allows("\",\"c\"") && !reply.allows("\n  \""));
  QVERIFY(reply.take("\\\",b:["));  // an escaped quote: still inside the string
  QVERIFY(reply.allows("]}"));
  QVERIFY(reply.take("\",\"b\":["));
  QVERIFY(reply.allows("true,false]") && reply.allows("true,false]}") && reply.allows("]}") &&
          reply.allows("tru"));
  QVERIFY(!reply.allows("]}}") && !reply.allows("]} ") && !reply.allows(","));
  QVERIFY(reply.take("tru"));
  QVERIFY(reply.allows("e") && !reply.allows("]}"));
  QCOMPARE(reply.allowed(), 1);
  QVERIFY(reply.take("e"));
  QVERIFY(reply.take("]}"));
  QVERIFY(reply.may_end());
  QCOMPARE(reply.allowed(), 1);
}

void GrammarTest::parts_of_characters() {
  const std::string smile = "😀", half = smile.substr(0, 2), rest = smile.substr(2);
  Reply reply(grammar_of(R"({"enum": ["é", "😀", "😁"]})"), {half, rest, "\"\xc3", "\xa9\"", smile});
  QVERIFY(reply.allows("\"") && reply.allows("\"\xc3"));
  QVERIFY(reply.take("\""));
  QVERIFY(reply.allows(half) && reply.allows(smile) && reply.allows("\xc3") && !reply.allows("\xa9\""));
  QVERIFY(reply.take(half));
  QVERIFY(reply.allows(rest) && reply.allows("\x98"));
  QCOMPARE(reply.allowed(), 2);
  QVERIFY(reply.take("\x98"));
  QVERIFY(reply.allows("\x80") && reply.allows("\x81"));
  QCOMPARE(reply.allowed(), 2);

  Reply text(grammar_of(R"({"type": "string"})"),
             {"\x80", half, rest, "\xed\xa0\x80", "\xc0\xaf", "\xf4\x90"});
  QVERIFY(text.take("\""));
  for (const char* bad : {"\x80", "\xed\xa0\x80", "\xf4\x90", "\n"}) QVERIFY2(!text.allows(bad), bad);
  QVERIFY(!text.allows("\xc0\xaf") && text.allows(half));
  QVERIFY(text.take(half));
  QVERIFY(text.allows(rest) && !text.allows("\"") && !text.allows("a"));
}

void GrammarTest::counted_characters() {
  Reply reply(grammar_of(R"({"type": "array", "items": {"type": "string", "minLength": 2, "maxLength": 3}})"),
              {"[\"", "a\"", "ab\"", "abc\"", "abcd\"", "ab\",\"", "\",\"", "éé", "\\n\\n\\n", "\\n\\n\\n\\n",
               "\"]"});
  QVERIFY(reply.take("[\""));
  QVERIFY(!reply.allows("a\"") && reply.allows("ab\"") && reply.allows("abc\"") && !reply.allows("abcd\""));
  QVERIFY(reply.allows("\\n\\n\\n") && !reply.allows("\\n\\n\\n\\n") && reply.allows("ab\",\""));
  QVERIFY(!reply.allows("\",\"") && !reply.allows("\""));
  QVERIFY(reply.take("éé"));
  QVERIFY(reply.allows("\",\"") && reply.allows("a\"") && !reply.allows("ab\"") && !reply.allows("éé"));
  QVERIFY(reply.take("a"));
  QVERIFY(!reply.allows("a") && !reply.allows("\\") && reply.allows("\"]"));
}

void GrammarTest::end_tokens() {
  const auto grammar = choice_grammar({"ok", "ok!"}).value();
  Reply reply(grammar, {"ok", "ok!", "!"});
  QVERIFY(!reply.may_end() && !reply.allows("<s>"));
  QVERIFY(!reply.take("</s>") && !reply.take("<s>"));
  QVERIFY(reply.take("ok"));
  QVERIFY(reply.may_end() && reply.allows("!"));
  QVERIFY(!reply.guide->accept(-1) && !reply.guide->accept(100'000));
  QVERIFY(reply.take("</s>"));
  QCOMPARE(reply.allowed(), 1);
  QVERIFY(reply.may_end() && !reply.take("!"));

  // A stop token that is text ends the reply too: allowed where it may end, whatever it would spell.
  const TokenId stop = static_cast<TokenId>('!');
  Reply stopped(grammar, {"ok", "ok!"}, {.end_tokens = {stop}});
  QVERIFY(!stopped.allows("!") && !stopped.may_end());
  QVERIFY(stopped.take("ok"));
  QVERIFY(stopped.allows("!") && !stopped.may_end());
  QVERIFY(stopped.take("!"));
  QCOMPARE(stopped.allowed(), 1);
}

void GrammarTest::tokens_that_are_missing() {
  const auto make = [](const char* schema, const std::string& without) {
    const auto tokenizer =
        std::make_shared<const SmallTokenizer>(std::vector<std::string>{"\"x", "é"}, without);
    return make_grammar_guide(grammar_of(schema),
                              std::make_shared<const TokenTable>(tokenizer, tokenizer->size()));
  };
  const char* string = R"({"type": "string"})";
  const char* integer = R"({"type": "integer"})";
  const char* letter = R"({"const": "é"})";
  PW_VERIFY(make(string, "\xf1\xf2"));  // characters that cannot be begun leave nobody stuck
  PW_VERIFY(make(integer, "\"abc"));
  QVERIFY(!make(string, "\"").ok());
  const auto refused = make(letter, "\xa9");
  QVERIFY(!refused.ok());
  QVERIFY(refused.error().text().find("byte 169") != std::string::npos);
  const auto tokenizer = std::make_shared<const SmallTokenizer>(std::vector<std::string>{});
  const auto table = std::make_shared<const TokenTable>(tokenizer, 200);  // the model knows fewer ids
  QVERIFY(!make_grammar_guide(choice_grammar({"a"}).value(), table).ok());
}

void GrammarTest::masks_are_remembered() {
  Reply reply(grammar_of(R"({"type": "array", "items": {"type": "string"}})"), {"[\"", "\",\""});
  QVERIFY(reply.take("[\""));
  const auto inside = reply.guide->mask();
  QVERIFY(reply.take("a"));
  QCOMPARE(reply.guide->mask(), inside);
  QVERIFY(reply.take("\",\""));
  const auto second = reply.guide->mask();
  QVERIFY(reply.take("b") && reply.take("\",\""));
  QCOMPARE(reply.guide->mask(), second);
  const auto other = reply.source->begin();
  QVERIFY(other->accept(reply.tokenizer->id_of("[\"")));
  QCOMPARE(other->mask(), inside);
}

void GrammarTest::little_memory_changes_nothing() {
  const auto grammar = grammar_of(R"({"type": "array", "items": {"type": "string", "maxLength": 40}})");
  Reply roomy(grammar, {"[\"", "\",\"", "ab"}), tight(grammar, {"[\"", "\",\"", "ab"}, {.most_bytes = 100});
  GuidedWalk walk(*roomy.table, 5);
  for (int round = 0; round < 5; ++round) {
    const auto a = roomy.source->begin(), b = tight.source->begin();
    for (int step = 0; step < 40; ++step) {
      const auto mask = a->mask();
      QCOMPARE(b->mask()->words, mask->words);
      const TokenId token = walk.choose(*mask, step);
      QVERIFY(a->accept(token) && b->accept(token));
    }
  }
}

void GrammarTest::many_threads() {
  const auto grammar = object_grammar().value();
  const Reply shared(grammar, {"{\"", "\":", "\"}", "\",\"", "[[", "]]"});
  std::vector<std::string> replies(4);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < replies.size(); ++i) {
    threads.emplace_back([&, i] {
      GuidedWalk walk(*shared.table, 7 + i % 2);
      for (int round = 0; round < 20; ++round)
        replies[i] += walk.reply(*shared.source->begin()).value_or("?");
    });
  }
  for (std::thread& thread : threads) thread.join();
  QCOMPARE(replies[0], replies[2]);
  QCOMPARE(replies[1], replies[3]);
  QVERIFY(replies[0] != replies[1] && replies[0].find('?') == std::string::npos);
}

QTEST_APPLESS_MAIN(GrammarTest)
#include "grammar_test.moc"
