// SPDX-License-Identifier: GPL-3.0-or-later
// Events whose text is put between kept halves equal those that the JSON library writes whole.
#include <QTest>
#include <nlohmann/json.hpp>
#include <random>

#include "engine/serve/http_wire.h"
#include "engine/serve/openai_response.h"
#include "engine/serve/text_frame.h"

using namespace pitwall;

namespace {

std::string in_quotes(std::string_view text) {
  std::string out(1, '"');
  append_json_escaped(out, text);
  out += '"';
  return out;
}

}  // namespace

class TextFrameTest : public QObject {
  Q_OBJECT

 private slots:
  void escapes_as_the_library_does() {
    for (int byte = 0; byte < 128; ++byte) {
      const std::string text = {'a', static_cast<char>(byte), 'b'};
      QCOMPARE(in_quotes(text), nlohmann::json(text).dump());
    }
    const std::string wide = "ä 中文 😊 \u2028 \"quoted\" \\ \n";
    QCOMPARE(in_quotes(wide), nlohmann::json(wide).dump());
    QCOMPARE(in_quotes(""), "\"\"");
  }

  void frames_equal_whole_chunks() {
    const std::uint32_t seed = std::random_device()();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    for (const ApiKind kind : {ApiKind::chat, ApiKind::completion}) {
      ResponseIdentity identity;
      identity.kind = kind;
      identity.id = "chatcmpl-\"odd\\";
      identity.created = 1'700'000'000;
      identity.model = "a \"b\" content:";
      identity.null_usage = kind == ApiKind::chat;
      const ChunkWriter writer(identity, 3);
      for (int i = 0; i < 200; ++i) {
        std::string text;
        for (auto length = random() % 12; length > 0; --length) text += static_cast<char>(random() % 128);
        std::string out = "before ";
        ChoiceText said;
        said.text = text;
        writer.text(out, said, 0, std::nullopt);
        QVERIFY(out.starts_with("before data: ") && out.ends_with("\n\n"));
        const std::string document = out.substr(13, out.size() - 15);
        const auto json = nlohmann::ordered_json::parse(document);
        const auto& choice = json["choices"][0];
        QCOMPARE((kind == ApiKind::chat ? choice["delta"]["content"] : choice["text"]).get<std::string>(),
                 text);
        QCOMPARE(choice["index"].get<int>(), 3);
        QCOMPARE(json.dump(), document);
      }
    }
  }

  void chunks_state_their_size_in_hex() {
    std::string out = "x";
    append_chunk(out, "0123456789abcdefg");
    QCOMPARE(out, "x11\r\n0123456789abcdefg\r\n");
  }
};

QTEST_APPLESS_MAIN(TextFrameTest)
#include "text_frame_test.moc"
