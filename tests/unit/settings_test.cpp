// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/settings/settings.h"
#include "tests/support/test_support.h"

using namespace pitwall;

namespace {

bool says(const Error& error, std::string_view part) {
  return error.text().find(part) != std::string::npos;
}

}  // namespace

class SettingsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void every_row_is_sound();
  void defaults_are_in_force();
  void values_are_parsed();
  void bad_values_are_refused_and_change_nothing_data();
  void bad_values_are_refused_and_change_nothing();
  void aliases_and_unknown_names();
  void change_marks_and_origins();
  void display_reads_back();
  void json_round_trip();
  void bad_json_changes_nothing();
};

void SettingsTest::every_row_is_sound() {
  std::set<std::string_view> names;
  for (const SettingInfo& info : setting_table()) {
    const std::string name(info.name);
    QVERIFY2(names.insert(info.name).second, name.c_str());
    QVERIFY2(!info.help.empty() && info.help.back() == '.', name.c_str());
    QVERIFY2(!info.group.empty(), name.c_str());
    QVERIFY2(info.minimum <= info.maximum, name.c_str());
    QVERIFY2((info.type == SettingType::choice) <= !info.choices.empty(), name.c_str());
    QVERIFY2(info.automatic || info.default_text != "auto" || info.type == SettingType::choice, name.c_str());
    Settings settings;
    const auto set = settings.set(info.name, info.default_text);
    QVERIFY2(set.ok(), set.ok() ? "" : set.error().text().c_str());
    QVERIFY2(!settings.changed(info.name), name.c_str());
    QCOMPARE(find_setting(info.name), &info);
  }
}

void SettingsTest::defaults_are_in_force() {
  const Settings settings;
  QCOMPARE(settings.integer("max-num-seqs"), 32);
  QCOMPARE(settings.integer("max-num-batched-tokens"), 2048);
  QCOMPARE(settings.integer("block-size"), 32);
  QCOMPARE(settings.text("host"), "127.0.0.1");
  QCOMPARE(settings.integer("port"), 8080);
  QVERIFY(settings.is_auto("max-model-len"));
  QVERIFY(settings.is_auto("kv-cache-memory-bytes"));
  QVERIFY(settings.is_auto("dtype"));
  QVERIFY(!settings.is_auto("device"));
  QCOMPARE(settings.integer("max-model-len"), 0);
}

void SettingsTest::values_are_parsed() {
  Settings settings;
  PW_VERIFY(settings.set("kv-cache-memory-bytes", "1.5 GiB"));
  QCOMPARE(settings.integer("kv-cache-memory-bytes"), std::int64_t{1610612736});
  QVERIFY(!settings.is_auto("kv-cache-memory-bytes"));
  PW_VERIFY(settings.set("kv-cache-memory-bytes", "auto"));
  QVERIFY(settings.is_auto("kv-cache-memory-bytes"));
  PW_VERIFY(settings.set("block-size", "64"));
  QCOMPARE(settings.integer("block-size"), 64);
  PW_VERIFY(settings.set("dtype", "float32"));
  QCOMPARE(settings.text("dtype"), "float32");
  PW_VERIFY(settings.set("model", "/models/中文.gguf"));
  QCOMPARE(settings.text("model"), "/models/中文.gguf");
}

void SettingsTest::bad_values_are_refused_and_change_nothing_data() {
  QTest::addColumn<QByteArray>("name");
  QTest::addColumn<QByteArray>("value");
  QTest::addColumn<QByteArray>("said");
  const auto row = [](const char* name, const char* value, const char* said) {
    QTest::addRow("%s %s", name, value) << QByteArray(name) << QByteArray(value) << QByteArray(said);
  };
  row("max-num-seqs", "0", "from 1 to 4,096");
  row("max-num-seqs", "4097", "from 1 to 4,096");
  row("max-num-seqs", "-3", "\"-3\"");
  row("max-num-seqs", "many", "a whole number of sequences");
  row("max-num-seqs", "3.5", "a whole number");
  row("max-num-seqs", "", "a whole number");
  row("max-num-seqs", "99999999999999999999", "from 1 to 4,096");
  row("max-num-seqs", "auto", "a whole number");
  row("max-model-len", "0", "or auto");
  row("block-size", "33", "one of 16, 32, 64");
  row("dtype", "float64", "one of auto, float32, bfloat16, float16");
  row("device", "Cuda", "one of cpu, cuda");
  row("kv-cache-memory-bytes", "512", "512MiB");
  row("kv-cache-memory-bytes", "4GB", "GiB");
  row("kv-cache-memory-bytes", "100 KiB", "from 1 MiB");
  row("memory-limit", "-1", "negative");
  row("port", "65536", "from 0 to 65,535");
  row("model", "bad\xFFname", "UTF-8");
}

void SettingsTest::bad_values_are_refused_and_change_nothing() {
  QFETCH(QByteArray, name);
  QFETCH(QByteArray, value);
  QFETCH(QByteArray, said);
  Settings settings;
  const std::string before = settings.to_json();
  const auto set = settings.set(name.toStdString(), value.toStdString());
  QVERIFY(!set.ok());
  QCOMPARE(set.error().kind, Error::Kind::invalid_input);
  QCOMPARE(set.error().param, name.toStdString());
  QVERIFY2(says(set.error(), name.toStdString()), set.error().text().c_str());
  QVERIFY2(says(set.error(), said.toStdString()), set.error().text().c_str());
  QCOMPARE(settings.to_json(), before);
}

void SettingsTest::aliases_and_unknown_names() {
  Settings settings;
  PW_VERIFY(settings.set("kv-cache-memory", "64MiB"));
  QCOMPARE(settings.integer("kv-cache-memory-bytes"), 64 * kMiB);
  QCOMPARE(find_setting("kv-cache-memory"), find_setting("kv-cache-memory-bytes"));
  QCOMPARE(find_setting("no-such-setting"), nullptr);
  const auto unknown = settings.set("no-such-setting", "1");
  QVERIFY(!unknown.ok());
  QVERIFY(says(unknown.error(), "no-such-setting"));
}

void SettingsTest::change_marks_and_origins() {
  Settings settings;
  PW_VERIFY(settings.set("max-num-seqs", "16", SettingOrigin::tuner));
  QVERIFY(settings.changed("max-num-seqs"));
  for (const Settings::Entry& entry : settings.entries()) {
    QCOMPARE(entry.changed, entry.name == "max-num-seqs");
    QCOMPARE(entry.origin, entry.name == "max-num-seqs" ? "tuner" : "default");
    if (entry.changed) QCOMPARE(entry.value + " was " + entry.default_value, "16 was 32");
  }
  PW_VERIFY(settings.set("max-num-seqs", "32"));
  QVERIFY(!settings.changed("max-num-seqs"));
  PW_VERIFY(settings.set("max-num-seqs", "7"));
  settings.reset("max-num-seqs");
  QCOMPARE(settings.integer("max-num-seqs"), 32);
}

void SettingsTest::display_reads_back() {
  Settings settings;
  PW_VERIFY(settings.set("memory-limit", "1.5GiB"));
  PW_VERIFY(settings.set("kv-cache-memory-bytes", "1048577"));
  QCOMPARE(settings.display("memory-limit"), "1536 MiB");
  QCOMPARE(settings.display("kv-cache-memory-bytes"), "1048577 B");
  for (const SettingInfo& info : setting_table()) {
    Settings again;
    PW_VERIFY(again.set(info.name, settings.display(info.name)));
    QCOMPARE(again.display(info.name), settings.display(info.name));
  }
}

void SettingsTest::json_round_trip() {
  Settings settings;
  PW_VERIFY(settings.set("memory-limit", "1GiB"));
  PW_VERIFY(settings.set("max-num-seqs", "5"));
  PW_VERIFY(settings.set("model", "a \"b\" \\ c"));
  const auto json = nlohmann::json::parse(settings.to_json());
  QCOMPARE(json["memory-limit"].get<std::int64_t>(), std::int64_t{1073741824});
  QCOMPARE(json["max-num-seqs"].get<int>(), 5);
  QCOMPARE(json["kv-cache-memory-bytes"].get<std::string>(), "auto");
  Settings loaded;
  PW_VERIFY(loaded.load_json(settings.to_json()));
  QCOMPARE(loaded.to_json(), settings.to_json());
  PW_VERIFY(loaded.load_json(R"({"memory-limit": "2GiB"})"));
  QCOMPARE(loaded.integer("memory-limit"), 2 * kGiB);
  QCOMPARE(loaded.integer("max-num-seqs"), 5);
}

void SettingsTest::bad_json_changes_nothing() {
  Settings settings;
  const std::string before = settings.to_json();
  for (const char* json :
       {R"({"max-num-seqs": 5, "max-num-seq": 6})", R"({"max-num-seqs": 5, "port": [1]})",
        R"({"port": 7, "memory-limit": 18446744073709551615})", R"({"port": null})", "[1]", "", "{"}) {
    const auto loaded = settings.load_json(json);
    QVERIFY2(!loaded.ok(), json);
    QCOMPARE(settings.to_json(), before);
  }
  QVERIFY(says(settings.load_json(R"({"max-num-seq": 6})").error(), "max-num-seq"));
}

QTEST_APPLESS_MAIN(SettingsTest)
#include "settings_test.moc"
