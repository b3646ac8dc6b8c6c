// SPDX-License-Identifier: GPL-3.0-or-later
// Every setting of every engine, there and back: ours → theirs → ours, and theirs → ours → theirs.
#include <QTest>

#include "engine/plan/command_line.h"
#include "engine/plan/engine_profile.h"
#include "engine/plan/flag_reader.h"
#include "engine/plan/flag_value.h"
#include "engine/plan/flag_writer.h"

using namespace pitwall;

namespace {

/// What no engine refuses beside its other defaults: a step holds all sequences and what is computed at a
/// time, of nano-vLLM whole sequences too.
std::vector<int> legal_numbers(std::string_view name) {
  if (name == "max-num-batched-tokens") return {8192, 32768};
  if (name == "max-num-seqs" || name == "micro-batch-tokens") return {2, 64, 1024};
  return {2, 64, 8192};
}

/// Values worth trying, in our words.
std::vector<std::string> samples(const EngineSettingInfo& info, const EngineFlag& flag) {
  std::vector<std::string> out;
  for (const auto& [ours, theirs] : flag.values) out.push_back(ours);
  if (!flag.values.empty() && !flag_takes(info, flag, "no such word")) return out;
  switch (info.type) {
    case EngineValue::text:
      out.push_back(info.name == "model" ? "org/model-7b" : "word");
      break;
    case EngineValue::integer:
      for (const int number : legal_numbers(info.name)) {
        if (theirs_of(info, flag, std::to_string(number))) out.push_back(std::to_string(number));
      }
      break;
    case EngineValue::real:
      out.push_back("0.25");
      break;
    case EngineValue::share:
      for (const char* share : {"0.85", "1", "0.9"}) out.push_back(share);
      break;
    case EngineValue::size:  // whole in every unit: 2^30 and 10^9 and ranks
      out.push_back(flag.unit == "GB" ? "4000000000" : "4294967296");
      break;
    case EngineValue::boolean:
      for (const char* value : {"true", "false"}) out.push_back(value);
      break;
    case EngineValue::integers:
      out.push_back("1,2,4,8");
      break;
  }
  return out;
}

/// What is written, read again as a person would paste it, the configuration file beside it.
EngineReading read_back(const WrittenFlags& written) {
  auto command = read_command(command_text(written), written.engine);
  if (!command.ok()) qFatal("%s: %s", command_text(written).c_str(), command.error().text().c_str());
  if (!written.config.empty()) {
    const auto config = read_config(written.config, written.engine);
    if (!config.ok()) qFatal("%s", config.error().text().c_str());
    command->config = config->config;
  }
  auto reading = read_engine_settings(*command);
  if (!reading.ok()) qFatal("%s: %s", command_text(written).c_str(), reading.error().text().c_str());
  return std::move(*reading);
}

EngineSettings with(const std::string& name, const std::string& value) {
  EngineSettings settings;
  settings.values = {{"model", "org/model-7b"}, {name, value}};
  // They mean something beside others alone.
  if (name == "attention-data-parallel") settings.values["data-parallel-size"] = "2";
  if (name == "expert-parallel-size") settings.values["tensor-parallel-size"] = value;
  if (!name.starts_with("speculative-")) return settings;
  settings.values.insert(
      {{"speculative-method", "eagle3"}, {"speculative-model", "org/draft"}, {"speculative-tokens", "3"}});
  if (name.starts_with("speculative-tree-"))
    settings.values.insert({{"speculative-tree-width", "2"}, {"speculative-tree-tokens", "8"}});
  return settings;
}

/// One flag, behind what it means something beside.
EngineCommand command_of(const EngineProfile& engine, const std::string& name, const std::string& ours,
                         const Words& words) {
  EngineCommand command;
  command.engine = &engine;
  if (name.starts_with("speculative-")) {
    const WrittenFlags written = write_flags(engine, with(name, ours), std::nullopt);
    if (!written.config.empty()) command.config = read_config(written.config, &engine)->config;
    command.arguments = written.arguments;
  }
  command.arguments.insert(command.arguments.end(), words.begin(), words.end());
  return command;
}

}  // namespace

class FlagRoundTripTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void ours_theirs_ours_data();
  void ours_theirs_ours();
  void theirs_ours_theirs_data() { ours_theirs_ours_data(); }
  void theirs_ours_theirs();
  void across_engines_data();
  void across_engines();
};

void FlagRoundTripTest::ours_theirs_ours_data() {
  QTest::addColumn<QString>("engine");
  QTest::addColumn<QString>("setting");
  for (const EngineProfile& engine : engine_profiles()) {
    for (const EngineSetting& setting : engine.settings) {
      QTest::addRow("%s %s", engine.name.c_str(), setting.name.c_str())
          << QString::fromStdString(engine.name) << QString::fromStdString(setting.name);
    }
  }
}

// A value that the engine cannot be told is either its default or said in a note.
void FlagRoundTripTest::ours_theirs_ours() {
  QFETCH(QString, engine);
  QFETCH(QString, setting);
  const EngineProfile& profile = **find_engine(engine.toStdString());
  const std::string name = setting.toStdString();
  if (name == "api-key") return;  // never repeated
  const EngineFlag& flag = profile.find(name)->flags.front();
  for (const std::string& value : samples(*find_engine_setting(name), flag)) {
    const WrittenFlags written = write_flags(profile, with(name, value), std::nullopt);
    const EngineReading reading = read_back(written);
    QVERIFY2(reading.unmatched.empty(), command_text(written).c_str());
    const std::string* back = reading.settings.find(name);
    if (back != nullptr) {
      QCOMPARE(*back, value);
    } else {
      const bool usual = value == flag.default_value || value == "auto" || value.empty();
      QVERIFY2(usual || !written.notes.empty(), (name + " " + value + " is lost").c_str());
    }
  }
}

// Every spelling of every flag: read, written, read: the same, and the first spelling is written.
void FlagRoundTripTest::theirs_ours_theirs() {
  QFETCH(QString, engine);
  QFETCH(QString, setting);
  const EngineProfile& profile = **find_engine(engine.toStdString());
  const std::string name = setting.toStdString();
  if (name == "api-key" || name == "model") return;
  for (const EngineFlag& flag : profile.find(name)->flags) {
    for (const std::string& spelling : flag.names) {
      for (const std::string& ours : samples(*find_engine_setting(name), flag)) {
        const auto theirs = theirs_of(*find_engine_setting(name), flag, ours);
        if (!theirs || theirs->text.empty()) continue;
        const std::string word = spelling + (flag.key.empty() ? "" : "." + flag.key);
        const auto first = read_engine_settings(
            command_of(profile, name, ours,
                       profile.keywords ? Words{word + "=" + theirs->text} : Words{word, theirs->text}));
        QVERIFY2(first.ok(), first.ok() ? "" : first.error().text().c_str());
        QVERIFY(first->unmatched.empty());
        if (!name.starts_with("speculative-")) QCOMPARE(first->settings.values.size(), std::size_t{1});
        QCOMPARE(*first->settings.find(name), ours);
        const EngineReading again = read_back(translate(*first, profile, std::nullopt));
        const std::string* back = again.settings.find(name);
        if (back != nullptr) QCOMPARE(*back, ours);
        if (back == nullptr) QCOMPARE(ours, profile.find(name)->flags.front().default_value);
      }
    }
  }
}

void FlagRoundTripTest::across_engines_data() {
  QTest::addColumn<QString>("from");
  QTest::addColumn<QString>("to");
  for (const EngineProfile& from : engine_profiles()) {
    for (const EngineProfile& to : engine_profiles())
      QTest::addRow("%s to %s", from.name.c_str(), to.name.c_str())
          << QString::fromStdString(from.name) << QString::fromStdString(to.name);
  }
}

// engine → ours → another → ours → engine, where both have the idea and the word for the value.
void FlagRoundTripTest::across_engines() {
  QFETCH(QString, from);
  QFETCH(QString, to);
  const EngineProfile& source = **find_engine(from.toStdString());
  const EngineProfile& target = **find_engine(to.toStdString());
  for (const EngineSetting& setting : source.settings) {
    const EngineSetting* theirs = target.find(setting.name);
    if (theirs == nullptr || setting.name == "api-key") continue;
    const EngineSettingInfo& info = *find_engine_setting(setting.name);
    for (const std::string& value : samples(info, setting.flags.front())) {
      const auto word = theirs_of(info, theirs->flags.front(), value);
      const bool whole = word && word->exact;
      const EngineReading here = read_back(write_flags(source, with(setting.name, value), std::nullopt));
      if (here.settings.find(setting.name) == nullptr || !whole) continue;
      const WrittenFlags there = translate(here, target, std::nullopt);
      const EngineReading again = read_back(there);
      const std::string* back = again.settings.find(setting.name);
      if (back == nullptr) {
        QVERIFY2(value == theirs->flags.front().default_value || value == "auto" || !there.notes.empty(),
                 (setting.name + " " + value + " is lost: " + command_text(there)).c_str());
        continue;
      }
      QCOMPARE(*back, value);
      const EngineReading home = read_back(translate(again, source, std::nullopt));
      const std::string* last = home.settings.find(setting.name);
      if (last != nullptr) QCOMPARE(*last, value);
    }
  }
}

QTEST_APPLESS_MAIN(FlagRoundTripTest)
#include "flag_round_trip_test.moc"
