// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/stop_strings.h"

#include <QtTest>
#include <algorithm>
#include <random>

using namespace pitwall;

namespace {

struct Outcome {
  std::string text;
  bool stopped = false;
};

/// Feeds the pieces until a stop, then ends the stream.
Outcome feed(const std::vector<std::string>& stops, const std::vector<std::string>& pieces) {
  StopMatcher matcher(stops);
  Outcome outcome;
  for (const std::string& piece : pieces) {
    const auto output = matcher.push(piece);
    outcome.text += output.text;
    outcome.stopped = output.stopped;
    if (outcome.stopped) return outcome;
  }
  outcome.text += matcher.flush();
  return outcome;
}

/// What the whole text gives: everything before the match that starts first.
std::string cut_at_first_match(const std::string& text, const std::vector<std::string>& stops) {
  std::size_t first = std::string::npos;
  for (const std::string& stop : stops) {
    if (!stop.empty()) first = std::min(first, text.find(stop));
  }
  return text.substr(0, first);
}

}  // namespace

class StopStringsTest : public QObject {
  Q_OBJECT
 private slots:

  void without_stops_text_passes_at_once() {
    StopMatcher matcher({});
    QCOMPARE(matcher.push("abc").text, std::string("abc"));
    QCOMPARE(matcher.flush(), std::string());
  }

  void empty_stops_are_ignored() {
    const Outcome outcome = feed({"", ""}, {"abc", ""});
    QCOMPARE(outcome.text, std::string("abc"));
    QVERIFY(!outcome.stopped);
  }

  void a_stop_split_across_pushes_is_found() {
    const Outcome outcome = feed({"</end>"}, {"hello<", "/e", "n", "d", "> more"});
    QCOMPARE(outcome.text, std::string("hello"));
    QVERIFY(outcome.stopped);
  }

  void what_could_begin_a_stop_is_held_back() {
    StopMatcher matcher({"stop"});
    QCOMPARE(matcher.push("go st").text, std::string("go "));
    QCOMPARE(matcher.push("ay").text, std::string("stay"));
    QCOMPARE(matcher.push("s").text, std::string());
    QCOMPARE(matcher.flush(), std::string("s"));
  }

  void the_match_that_starts_first_wins() {
    QCOMPARE(feed({"world", "lo w"}, {"hello world"}).text, std::string("hel"));
    QCOMPARE(feed({"b", "abc"}, {"xabc"}).text, std::string("x"));
    QCOMPARE(feed({"b", "abc"}, {"x", "a", "b", "c"}).text, std::string("x"));
    QCOMPARE(feed({"b", "abc"}, {"x", "a", "b", "d"}).text, std::string("xa"));
    QCOMPARE(feed({"b", "abc"}, {"x", "a", "b"}).text, std::string("xa"));
  }

  void nothing_follows_a_match() {
    StopMatcher matcher({"\n\n"});
    QVERIFY(matcher.push("a\n\nb").stopped);
    const auto later = matcher.push("c");
    QVERIFY(later.stopped);
    QCOMPARE(later.text, std::string());
    QCOMPARE(matcher.flush(), std::string());
  }

  void overlapping_beginnings_are_followed() {
    QCOMPARE(feed({"aab"}, {"a", "a", "a", "b"}).text, std::string("a"));
    QCOMPARE(feed({"abab"}, {"aba", "bab"}).text, std::string());
    QCOMPARE(feed({"日本"}, {"日", "日", "本"}).text, std::string("日"));
  }

  void long_stops_take_linear_time() {
    const std::string stop(100'000, 'a');
    StopMatcher matcher({stop + "b"});
    std::string text;
    for (int i = 0; i < 3; ++i) text += matcher.push(stop).text;
    text += matcher.flush();
    QCOMPARE(text.size(), 3 * stop.size());
  }

  void random_splits_agree_with_a_search_in_the_whole_text() {
    const auto seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    const auto number = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
    const auto word = [&](int longest) {
      std::string text;
      for (int i = number(longest); i > 0; --i) text += static_cast<char>('a' + number(1));
      return text;
    };
    for (int round = 0; round < 20'000; ++round) {
      std::vector<std::string> stops;
      for (int i = number(3); i >= 0; --i) stops.push_back(word(5));
      std::vector<std::string> pieces;
      std::string whole;
      for (int i = number(12); i >= 0; --i) {
        pieces.push_back(word(4));
        whole += pieces.back();
      }
      QCOMPARE(feed(stops, pieces).text, cut_at_first_match(whole, stops));
    }
  }
};

QTEST_APPLESS_MAIN(StopStringsTest)
#include "stop_strings_test.moc"
