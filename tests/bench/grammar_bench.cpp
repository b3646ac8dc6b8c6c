// SPDX-License-Identifier: GPL-3.0-or-later
// What guiding costs on a vocabulary of 150 thousand tokens: the table of a tokenizer, compiling, the first
// mask of each new state along random replies, and a mask that is remembered, each against its bound.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/grammar/free_text.h"
#include "tests/support/guided_walk.h"
#include "tests/support/test_support.h"

using namespace pitwall;
using Json = nlohmann::ordered_json;

namespace {

constexpr double kTableSeconds = 1, kCompileMs = 50, kFirstMaskMs = 5, kRememberedUs = 20;

/// Of this thread's own time: neighbours on the machine do not count.
class Timer {
 public:
  double seconds() const { return now() - began_; }

 private:
  static double now() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }
  double began_ = now();
};

/// An object of `fields` members of all kinds, strictly as OpenAI asks for it.
Json fields(int count) {
  static const Json kKinds = Json::parse(R"([
    {"type": "string"}, {"type": "integer"}, {"type": "boolean"}, {"type": ["string", "null"]},
    {"type": "array", "items": {"type": "number"}}, {"enum": ["red", "green", "blue"]},
    {"type": "string", "format": "date-time"}, {"type": "integer", "minimum": 1, "maximum": 9999},
    {"type": "string", "maxLength": 200}, {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{4}$"}])");
  Json schema = {{"type", "object"}, {"additionalProperties", false}};
  for (int i = 0; i < count; ++i) {
    const std::string name = "field_" + std::to_string(i);
    schema["properties"][name] = kKinds[static_cast<std::size_t>(i) % kKinds.size()];
    schema["required"].push_back(name);
  }
  return schema;
}

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

using MadeGrammar = Result<std::shared_ptr<const Grammar>>;

void measure(const char* name, const std::shared_ptr<const TokenTable>& table, MadeGrammar (*make)()) {
  double compile = 1e9;
  for (int i = 0; i < 5; ++i) {
    const Timer timer;
    if (!make().ok()) return fmt::print("{}: {}\n", name, make().error().text()), void();
    compile = std::min(compile, timer.seconds() * 1e3);
  }
  std::vector<double> first_ms, remembered_us, accept_us;
  for (unsigned seed = 1; seed <= 8; ++seed) {
    const auto source = make_grammar_guide(make().value(), table).value();
    const auto guide = source->begin();
    test::GuidedWalk walk(*table, seed);
    std::set<const TokenMask*> known;
    for (int step = 0; step < 600; ++step) {
      const Timer first;
      const auto mask = guide->mask();
      const double seconds = first.seconds();
      if (known.insert(mask.get()).second) first_ms.push_back(seconds * 1e3);
      const Timer again;
      guide->mask();
      remembered_us.push_back(again.seconds() * 1e6);
      const TokenId token = walk.choose(*mask, step);
      const Timer accept;
      guide->accept(token);
      accept_us.push_back(accept.seconds() * 1e6);
      if (table->tokenizer().is_special(token)) break;
    }
  }
  fmt::print("{:<30}{:>10.2f} ms{:>9.3f} ms{:>9.2f} ms{:>9.2f} ms{:>9.2f} µs{:>9.2f} µs{:>9}\n", name,
             compile, quantile(first_ms, 0.5), quantile(first_ms, 0.99), quantile(first_ms, 1),
             quantile(remembered_us, 0.99), quantile(accept_us, 0.5), first_ms.size());
}

}  // namespace

int main() {
  const auto tokenizer =
      open_tokenizer(std::filesystem::path(PITWALL_UNPACKED_DATA) / "text/qwen3/tokenizer.json");
  if (!tokenizer.ok()) return fmt::print("{}\n", tokenizer.error().text()), 1;
  const Timer timer;
  const auto table = std::make_shared<const TokenTable>(*tokenizer, 151'936);
  fmt::print("table of {} tokens: {:.3f} s (bound {})\n", (*tokenizer)->size(), timer.seconds(),
             kTableSeconds);
  fmt::print("bounds: compile {} ms, first mask {} ms, remembered {} µs\n", kCompileMs, kFirstMaskMs,
             kRememberedUs);
  fmt::print("{:<30}{:>13}{:>12}{:>12}{:>12}{:>12}{:>12}{:>9}\n", "", "compile", "first p50", "p99", "max",
             "again p99", "accept p50", "masks");
  measure("object of 50 fields", table, [] { return test::schema_grammar(fields(50)); });
  measure("any JSON object", table, [] { return test::object_grammar(); });
  measure("50 optional fields", table, [] {
    Json schema = fields(50);
    schema.erase("required");
    return test::schema_grammar(schema);
  });
  measure("enum of 10,000 strings", table, [] {
    Json schema;
    for (int i = 0; i < 10'000; ++i) schema["enum"].push_back("value " + std::to_string(i * 7919));
    return test::schema_grammar(schema);
  });
  measure("pattern .*", table, [] { return test::pattern_grammar(".*"); });
  measure("pattern [a-z ]{1,200}", table, [] { return test::pattern_grammar("[a-z ]{1,200}"); });
  measure("tree by $ref", table, [] {
    return test::schema_grammar(Json::parse(R"({"$ref": "#/$defs/node", "$defs": {"node": {"type": "object",
      "properties": {"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
      "required": ["name", "children"], "additionalProperties": false}}})"));
  });
  return 0;
}
