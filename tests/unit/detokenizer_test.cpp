// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/detokenizer.h"

#include <QtTest>
#include <random>

#include "engine/base/text_escape.h"

using namespace pitwall;

namespace {

/// Token n stands for the n-th piece; the last one is special.
class PieceTokenizer final : public Tokenizer {
 public:
  explicit PieceTokenizer(std::vector<std::string> pieces) : pieces_(std::move(pieces)) {}
  std::vector<TokenId> encode(std::string_view, bool, bool) const override { return {}; }
  std::string_view bytes_of(TokenId id) const override {
    return id >= 0 && id < size() ? std::string_view(pieces_[static_cast<std::size_t>(id)])
                                  : std::string_view();
  }
  bool is_special(TokenId id) const override { return id == size() - 1; }
  int size() const override { return static_cast<int>(pieces_.size()); }
  std::optional<TokenId> bos() const override { return {}; }
  std::optional<TokenId> eos() const override { return {}; }
  const std::vector<TokenId>& end_tokens() const override { return end_tokens_; }

 private:
  std::vector<std::string> pieces_;
  std::vector<TokenId> end_tokens_;
};

/// What each of the pieces completes, and the rest.
std::vector<std::string> stream(const std::vector<std::string>& pieces) {
  std::vector<std::string> all = pieces;
  all.emplace_back("<special>");
  Detokenizer detokenizer(std::make_shared<PieceTokenizer>(all), true);
  std::vector<std::string> chunks;
  for (std::size_t i = 0; i < pieces.size(); ++i) chunks.push_back(detokenizer.push(static_cast<TokenId>(i)));
  chunks.push_back(detokenizer.flush());
  return chunks;
}

const std::string kBad = "\xEF\xBF\xBD";

}  // namespace

class DetokenizerTest : public QObject {
  Q_OBJECT
 private slots:

  void characters_wait_for_their_last_byte() {
    QCOMPARE(stream({"a\xF0\x9F", "\x98", "\x80z"}), (std::vector<std::string>{"a", "", "😀z", ""}));
  }

  void a_byte_that_starts_nothing_is_replaced_at_once() {
    QCOMPARE(stream({"\x80", "\xFF", "\xC0", "b"}), (std::vector<std::string>{kBad, kBad, kBad, "b", ""}));
  }

  void a_character_that_breaks_off_is_replaced_once() {
    QCOMPARE(stream({"\xE2\x82", "x"}), (std::vector<std::string>{"", kBad + "x", ""}));
    QCOMPARE(stream({"\xE2\x82", "\xE2\x82", "\xAC"}), (std::vector<std::string>{"", kBad, "€", ""}));
    QCOMPARE(stream({"\xED", "\xA0", "\x80"}), (std::vector<std::string>{"", kBad + kBad, kBad, ""}));
  }

  void an_unfinished_end_is_flushed_once() {
    QCOMPARE(stream({"\xF0\x9F\x98"}), (std::vector<std::string>{"", kBad}));
    QCOMPARE(stream({"done"}), (std::vector<std::string>{"done", ""}));
  }

  void special_tokens_are_left_out_on_request() {
    const auto tokenizer =
        std::make_shared<PieceTokenizer>(std::vector<std::string>{"a", "\xC3", "\xA9", "<end>"});
    QCOMPARE(decode(tokenizer, {0, 3, 1, 3, 2}, true), std::string("aé"));
    QCOMPARE(decode(tokenizer, {0, 3}, false), std::string("a<end>"));
    QCOMPARE(decode(tokenizer, {0, -1, 99, 0}, true), std::string("aa"));
  }

  void random_bytes_in_random_pieces_decode_like_the_whole() {
    const auto seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    const auto number = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
    const std::string bytes = "ab\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xED\xA0\x80\xFF\xC0\xF4\x90";
    for (int round = 0; round < 20'000; ++round) {
      std::vector<std::string> pieces(static_cast<std::size_t>(1 + number(8)));
      std::string whole;
      for (std::string& piece : pieces) {
        for (int i = number(4); i > 0; --i)
          piece += bytes[static_cast<std::size_t>(number(int(bytes.size()) - 1))];
        whole += piece;
      }
      std::string joined;
      for (const std::string& chunk : stream(pieces)) {
        QVERIFY(is_valid_utf8(chunk));
        joined += chunk;
      }
      QCOMPARE(joined, replace_invalid_utf8(whole));
    }
  }
};

QTEST_APPLESS_MAIN(DetokenizerTest)
#include "detokenizer_test.moc"
