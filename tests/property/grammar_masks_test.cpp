// SPDX-License-Identifier: GPL-3.0-or-later
// Along random replies of every grammar, on vocabularies of every family: each mask bit is what a slow
// reading of that token's bytes says, no mask is empty, and the reply is JSON that obeys the schema.
// PITWALL_FUZZ_SEED sets the seed.
#include <QtTest>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/grammar/free_text.h"
#include "engine/grammar/json_schema.h"
#include "engine/grammar/tool_calls.h"
#include "tests/support/guided_walk.h"
#include "tests/support/json_schema_check.h"
#include "tests/support/slow_reader.h"
#include "tests/support/test_support.h"

using namespace pitwall;
using namespace pitwall::test;
using Json = nlohmann::ordered_json;

namespace {

constexpr int kCheckedMasks = 3;  ///< of each reply, whole vocabulary
constexpr std::size_t kMostReadings = 64;
constexpr int kReplies = 12;  ///< of each schema that must end in valid JSON

unsigned seed() {
  const char* given = std::getenv("PITWALL_FUZZ_SEED");
  static const unsigned kSeed =
      given == nullptr ? std::random_device{}() : static_cast<unsigned>(std::atoll(given));
  return kSeed;
}

std::shared_ptr<const TokenTable> table_of(const std::filesystem::path& tokenizer) {
  const auto opened = open_tokenizer(tokenizer);
  if (!opened.ok()) qFatal("%s", opened.error().text().c_str());
  return std::make_shared<const TokenTable>(*opened, (*opened)->size() + 70);
}

const std::vector<std::pair<std::string, std::shared_ptr<const TokenTable>>>& tables() {
  static const std::vector<std::pair<std::string, std::shared_ptr<const TokenTable>>> kTables = {
      {"byte BPE, SmolLM2", table_of(data("text/smollm2/tokenizer.json"))},
      {"SentencePiece, Mistral", table_of(data("text/mistral-v3/tokenizer.json"))},
      {"byte BPE, Qwen3",
       table_of(std::filesystem::path(PITWALL_UNPACKED_DATA) / "text/qwen3/tokenizer.json")}};
  return kTables;
}

const Json& schemas() {
  static const Json kSchemas = Json::parse(read_file(data("grammar/schemas.json")).value());
  return kSchemas;
}

using Part = Result<PartId> (*)(GrammarBuilder&);

/// Grammars that are no JSON schema.
const std::vector<std::pair<std::string, Part>>& other_grammars() {
  static const std::vector<std::pair<std::string, Part>> kGrammars = {
      {"any object", [](GrammarBuilder& builder) -> Result<PartId> { return add_json_object(builder); }},
      {"pattern",
       [](GrammarBuilder& builder) { return add_pattern(builder, "(?:[a-zé]{2,5} ?|\\d+[.,])+!?"); }},
      {"any text", [](GrammarBuilder& builder) { return add_pattern(builder, ".*"); }},
      {"a choice",
       [](GrammarBuilder& builder) -> Result<PartId> {
         return builder.one_of({"yes", "yes, but", "no", "não", "日本", "日曜"});
       }},
      {"tool calls after text",
       [](GrammarBuilder& builder) -> Result<PartId> {
         const auto arguments = add_json_schema(
             builder, Json::parse(R"({"type": "object", "properties": {"city": {"type": "string"}}})"));
         if (!arguments.ok()) return arguments;
         const PartId call = builder.sequence(
             {builder.text("{\"name\": \"weather\", \"arguments\": "), *arguments, builder.text("}")});
         return add_tool_calls(builder, {.trigger = "<tool_call>\n", .end = "\n</tool_call>"}, call);
       }},
  };
  return kGrammars;
}

Result<std::shared_ptr<const Grammar>> other_grammar(Part part) {
  GrammarBuilder builder;
  const auto root = part(builder);
  if (!root.ok()) return root.error();
  auto grammar = std::move(builder).finish(*root);
  if (!grammar.ok()) return grammar.error();
  return std::shared_ptr<const Grammar>(std::make_shared<const Grammar>(*std::move(grammar)));
}

/// The first token whose bit is wrong, in words; empty when the mask is exact.
QString wrong_bit(const TokenMask& mask, const SlowReader& reader, const TokenTable& table) {
  const auto& ends = table.tokenizer().end_tokens();
  bool any = false;
  for (TokenId token = 0; token < table.vocabulary(); ++token) {
    const bool is_end = std::ranges::find(ends, token) != ends.end();
    const bool is_text = token < table.tokenizer().size() && !table.tokenizer().is_special(token);
    const std::string_view text = is_text ? table.tokenizer().bytes_of(token) : std::string_view{};
    const bool expected = is_end ? reader.may_end() : !text.empty() && reader.may_read(text);
    any = any || expected;
    if (mask.allows(token) != expected) {
      return QString("token %1 “%2” should be %3")
          .arg(token)
          .arg(QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())))
          .arg(expected ? "allowed" : "forbidden");
    }
  }
  return any ? QString() : QString("nothing is allowed");
}

QString check_walk(const std::shared_ptr<const Grammar>& grammar,
                   const std::shared_ptr<const TokenTable>& table, std::mt19937& random) {
  const auto source = make_grammar_guide(grammar, table);
  if (!source.ok()) return QString::fromStdString(source.error().text());
  const auto guide = (*source)->begin();
  SlowReader reader(grammar);
  GuidedWalk walk(*table, static_cast<unsigned>(random()));
  const auto& ends = table->tokenizer().end_tokens();
  for (int step = 0, next_check = 0, checked = 0;
       checked < kCheckedMasks && reader.readings() <= kMostReadings; ++step) {
    const auto mask = guide->mask();
    if (step == next_check) {
      const QString wrong = wrong_bit(*mask, reader, *table);
      if (!wrong.isEmpty()) return QString("step %1: %2").arg(step).arg(wrong);
      next_check = step + 1 + static_cast<int>(random() % 12);
      ++checked;
    }
    const TokenId token = walk.choose(*mask, step);
    if (!guide->accept(token)) return QString("step %1: an allowed token was refused").arg(step);
    if (std::ranges::find(ends, token) != ends.end()) {
      const auto last = guide->mask();
      for (const TokenId other : allowed_tokens(*last, table->vocabulary())) {
        if (std::ranges::find(ends, other) == ends.end()) return "text is allowed behind the end";
      }
      break;
    }
    if (!reader.read(table->tokenizer().bytes_of(token)))
      return QString("step %1: a token that cannot be read was allowed").arg(step);
  }
  return {};
}

}  // namespace

class GrammarMasksTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { qInfo("seed %u", seed()); }
  void masks_are_exact_data();
  void masks_are_exact();
  void replies_obey_data() { masks_are_exact_data(); }
  void replies_obey();
  void forbidden_tokens_change_nothing();
};

void GrammarMasksTest::masks_are_exact_data() {
  QTest::addColumn<int>("table");
  for (std::size_t i = 0; i < tables().size(); ++i)
    QTest::newRow(tables()[i].first.c_str()) << static_cast<int>(i);
}

void GrammarMasksTest::masks_are_exact() {
  QFETCH(int, table);
  std::mt19937 random(seed());
  const auto& tokens = tables()[static_cast<std::size_t>(table)].second;
  for (const Json& entry : schemas()) {
    const auto grammar = schema_grammar(entry["schema"]);
    PW_VERIFY(grammar);
    const QString wrong = check_walk(*grammar, tokens, random);
    QVERIFY2(wrong.isEmpty(),
             qPrintable(QString::fromStdString(entry["name"].get<std::string>()) + ": " + wrong));
  }
  for (const auto& [name, part] : other_grammars()) {
    const auto grammar = other_grammar(part);
    PW_VERIFY(grammar);
    const QString wrong = check_walk(*grammar, tokens, random);
    QVERIFY2(wrong.isEmpty(), qPrintable(QString::fromStdString(name) + ": " + wrong));
  }
}

void GrammarMasksTest::replies_obey() {
  QFETCH(int, table);
  const auto& tokens = tables()[static_cast<std::size_t>(table)].second;
  GuidedWalk walk(*tokens, seed());
  for (const Json& entry : schemas()) {
    const Json& schema = entry["schema"];
    const auto name = entry["name"].get<std::string>();
    const auto grammar = schema_grammar(schema);
    PW_VERIFY(grammar);
    const auto source = make_grammar_guide(*grammar, tokens);
    PW_VERIFY(source);
    for (int i = 0; i < kReplies; ++i) {
      const auto guide = (*source)->begin();
      const auto reply = walk.reply(*guide);
      QVERIFY2(reply.has_value(), (name + ": the reply did not end").c_str());
      const Json value = Json::parse(*reply, nullptr, false);
      QVERIFY2(!value.is_discarded(), (name + ": no JSON: " + *reply).c_str());
      const std::string broken = broken_keyword(value, schema, schema);
      QVERIFY2(broken.empty(), (name + ": " + broken + " is broken by " + *reply).c_str());
    }
  }
}

void GrammarMasksTest::forbidden_tokens_change_nothing() {
  std::mt19937 random(seed());
  const auto& table = tables()[0].second;
  const auto grammar = schema_grammar(schemas()[0]["schema"]);
  PW_VERIFY(grammar);
  const auto guide = make_grammar_guide(*grammar, table).value()->begin();
  GuidedWalk walk(*table, seed());
  for (int step = 0; step < 20; ++step) {
    const auto mask = guide->mask();
    for (int i = 0; i < 2000; ++i) {
      const auto token = static_cast<TokenId>(random() % static_cast<unsigned>(table->vocabulary()));
      if (!mask->allows(token)) QVERIFY(!guide->accept(token));
    }
    QCOMPARE(guide->mask()->words, mask->words);
    QVERIFY(guide->accept(walk.choose(*mask, step)));
  }
}

QTEST_APPLESS_MAIN(GrammarMasksTest)
#include "grammar_masks_test.moc"
