// SPDX-License-Identifier: GPL-3.0-or-later
// Automata of patterns against PCRE2, and of numbers against exact arithmetic on their digits, on random
// input. PITWALL_FUZZ_SEED sets the seed.
#include <QtTest>
#include <nlohmann/json.hpp>
#include <random>

#include "engine/grammar/json_numbers.h"
#include "engine/grammar/pattern_automaton.h"
#include "engine/text/regex.h"
#include "tests/support/json_schema_check.h"
#include "tests/support/test_support.h"

using namespace pitwall;
using Json = nlohmann::ordered_json;

namespace {

unsigned seed() {
  const char* given = std::getenv("PITWALL_FUZZ_SEED");
  static const unsigned kSeed =
      given == nullptr ? std::random_device{}() : static_cast<unsigned>(std::atoll(given));
  return kSeed;
}

class Draw {
 public:
  std::size_t below(std::size_t count) { return random_() % count; }
  template <class T>
  const T& one_of(const std::vector<T>& list) {
    return list[below(list.size())];
  }

  /// A pattern over a, b, é, 😀, quotes and line ends, which ECMA-262 and PCRE2 read alike.
  std::string pattern(int depth, bool repeated = false) {
    static const std::vector<std::string> kAtoms = {"a",     "b",        "é",    "😀",     "\"",  "\\\\",
                                                    ".",     "[ab]",     "[^a]", "[a-é]", "\\d", "[^\\d\"]",
                                                    "\\x61", "[\\n\\t]", "\\.",  "[b-b😀]"};
    static const std::vector<std::string> kCounts = {"", "", "", "*", "+", "?", "{2}", "{1,3}", "{2,}", "*?"};
    static const std::vector<std::string> kSmallCounts = {"", "", "{2}"};
    // Inside repeats nothing is endless or empty: PCRE2 would run into its limits there.
    const std::string& count = one_of(repeated ? kSmallCounts : kCounts);
    const bool inside = repeated || !count.empty();
    std::string out;
    switch (depth == 0 ? 0 : below(6)) {
      case 3:
        out.append("(?:")
            .append(pattern(depth - 1, inside))
            .append("|")
            .append(pattern(depth - 1, inside))
            .append(")");
        break;
      case 4:
        out.append("(").append(pattern(depth - 1, inside)).append(")");
        break;
      case 5:
        return out.append(pattern(depth - 1, repeated)).append(pattern(depth - 1, repeated));
      default:
        out = one_of(kAtoms);
    }
    return out.append(count);
  }
  std::string anchored(int depth) {
    static const std::vector<std::string> kBegins = {"", "", "^", "^", "(?:^|a)"},
                                          kEnds = {"", "", "$", "$", "(?:b|$)"};
    return one_of(kBegins) + pattern(depth) + one_of(kEnds);
  }
  std::string text() {
    static const std::vector<std::string> kCharacters = {"a",  "a",  "b", "b",  "é", "😀",
                                                         "\"", "\\", "1", "\n", "."};
    std::string out;
    for (std::size_t i = below(7); i > 0; --i) out += one_of(kCharacters);
    return out;
  }
  /// A number of few digits, as JSON writes it.
  std::string number(bool integer) {
    std::string out = below(3) == 0 ? "-" : "";
    out += std::to_string(below(below(2) == 0 ? 12 : 1300));
    if (!integer && below(3) != 0) {
      out.append(".").append(std::to_string(below(100)));
      if (below(4) == 0) out += "0";
    }
    return out;
  }

 private:
  std::mt19937 random_{seed()};
};

/// PCRE2's $ also matches in front of a last line end, which ECMA-262's does not.
std::string for_pcre(std::string pattern) {
  for (std::size_t at = 0; (at = pattern.find('$', at)) != std::string::npos; at += 2)
    pattern.replace(at, 1, "\\z");
  return pattern;
}

}  // namespace

class GrammarAutomataTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { qInfo("seed %u", seed()); }
  void patterns_match_what_pcre_matches();
  void numbers_obey_their_rules();
};

void GrammarAutomataTest::patterns_match_what_pcre_matches() {
  Draw draw;
  int matched = 0, compared = 0, too_large = 0;
  for (int i = 0; i < 1500; ++i) {
    const std::string pattern = draw.anchored(3);
    const auto search = pattern_automaton(pattern, PatternUse::search);
    const auto whole = pattern_automaton(pattern, PatternUse::whole);
    if (!search.ok() || !whole.ok()) {
      QCOMPARE((search.ok() ? whole : search).error().kind, Error::Kind::out_of_memory);
      ++too_large;
      continue;
    }
    const auto in_pcre = Regex::compile(for_pcre(pattern));
    const auto whole_in_pcre = Regex::compile("\\A(?:" + for_pcre(pattern) + ")\\z");
    PW_VERIFY(in_pcre);
    PW_VERIFY(whole_in_pcre);
    ByteAutomaton plain, quoted;
    const bool none = whole->states.empty();
    const ByteState plain_start = none ? 0 : spell(*whole, Spelling::utf8, 0, plain);
    const ByteState end = quoted.add({}, true);
    const ByteState quoted_start =
        search->states.empty() ? 0 : spell(*search, Spelling::json_string, end, quoted);
    RegexSearch run;
    for (int k = 0; k < 40; ++k) {
      const std::string text = draw.text();
      const std::string what = pattern + " on " + Json(text).dump();
      const bool found = run.find(*in_pcre, text, 0, true).has_value();
      QVERIFY2(search->accepts(text) == found, what.c_str());
      const bool is_whole = run.find(*whole_in_pcre, text, 0, true).has_value();
      QVERIFY2(whole->accepts(text) == is_whole, what.c_str());
      if (!none) QVERIFY2(plain.accepts(plain_start, text) == is_whole, what.c_str());
      if (!search->states.empty())
        QVERIFY2(quoted.accepts(quoted_start, Json(text).dump()) == found, what.c_str());
      matched += is_whole;
      ++compared;
    }
  }
  QVERIFY(matched > compared / 50 && too_large < 15);
}

void GrammarAutomataTest::numbers_obey_their_rules() {
  Draw draw;
  static const std::vector<std::string> kMultiples = {"1",   "2",    "3",   "7",  "10",
                                                      "0.5", "0.25", "0.1", "12", "1.5"};
  int accepted = 0;
  for (int i = 0; i < 600; ++i) {
    NumberRules rules{.integer = draw.below(2) == 0, .low = {}, .high = {}, .multiple_of = {}};
    Json schema = {{"type", rules.integer ? "integer" : "number"}};
    const auto bound = [&](std::optional<NumberBound>& to, const char* closed, const char* open) {
      if (draw.below(3) == 0) return;
      const std::string text = draw.number(draw.below(2) == 0);
      const bool is_open = draw.below(2) == 0;
      to = NumberBound{.value = parse_decimal(text).value(), .open = is_open};
      schema[is_open ? open : closed] = Json::parse(text);
    };
    bound(rules.low, "minimum", "exclusiveMinimum");
    bound(rules.high, "maximum", "exclusiveMaximum");
    if (draw.below(3) == 0) {
      const std::string& step = draw.one_of(kMultiples);
      rules.multiple_of.push_back(parse_decimal(step).value());
      schema["multipleOf"] = Json::parse(step);
    }
    if (schema.size() == 1) continue;
    ByteAutomaton automaton;
    const auto start = add_number(rules, automaton);
    for (int k = 0; k < 300; ++k) {
      const std::string text = draw.number(rules.integer);
      const bool obeys = test::broken_keyword(Json::parse(text), schema, schema).empty();
      // Written without "-0", and with no more decimal places than multipleOf has.
      const bool read = start.ok() && automaton.accepts(*start, text);
      const std::size_t point = text.find('.');
      const std::size_t places = point == std::string::npos ? 0 : text.size() - point - 1;
      const std::size_t most = rules.multiple_of.empty() ? 18 : rules.multiple_of[0].fraction.size();
      const bool is_written = text != "-0" && places <= most &&
                              !(text.starts_with("-0.") && rules.low && !rules.low->value.negative);
      QVERIFY2(read == (obeys && is_written), (schema.dump() + " on " + text).c_str());
      accepted += read;
    }
  }
  QVERIFY(accepted > 5000);
}

QTEST_APPLESS_MAIN(GrammarAutomataTest)
#include "grammar_automata_test.moc"
