// SPDX-License-Identifier: GPL-3.0-or-later
// The Chinese texts against the sources: all there, none left over, placeholders and mnemonics kept, and
// written as the house writes Chinese. What the engine says for people is among them.
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>
#include <algorithm>

#include "engine/bench/checklist_template.h"
#include "engine/bench/tuning_recipe.h"
#include "engine/bench/workload.h"
#include "engine/plan/deployment.h"
#include "engine/settings/settings.h"
#include "ui/shell/language.h"
#include "ui/widgets/engine_words.h"
#include "ui/widgets/words.h"

using namespace pitwall;

namespace {

struct Message {
  QString context, source, note, state;  ///< state: "", "unfinished", "vanished" or "obsolete"
  QStringList translations;              ///< several where a number decides
  bool plural = false;

  QString key() const { return context + QLatin1Char('|') + source + QLatin1Char('|') + note; }
};

QString u8(const char* text) {
  return QString::fromUtf8(text);
}

QDir sources() {
  return QDir(QStringLiteral(PITWALL_SOURCE_DIR));
}

std::vector<Message> messages_of(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) qFatal("%s cannot be read", qPrintable(path));
  QXmlStreamReader xml(&file);
  std::vector<Message> all;
  QString context;
  while (!xml.atEnd()) {
    if (xml.readNext() != QXmlStreamReader::StartElement) continue;
    if (xml.name() == u8("name")) context = xml.readElementText();
    if (xml.name() == u8("message")) {
      Message message;
      message.context = context;
      message.plural = xml.attributes().value(u8("numerus")) == u8("yes");
      while (xml.readNextStartElement()) {
        if (xml.name() == u8("source")) {
          message.source = xml.readElementText();
        } else if (xml.name() == u8("comment")) {
          message.note = xml.readElementText();
        } else if (xml.name() == u8("translation") && message.plural) {
          message.state = xml.attributes().value(u8("type")).toString();
          while (xml.readNextStartElement()) message.translations << xml.readElementText();
        } else if (xml.name() == u8("translation")) {
          message.state = xml.attributes().value(u8("type")).toString();
          message.translations << xml.readElementText();
        } else {
          xml.skipCurrentElement();
        }
      }
      all.push_back(message);
    }
  }
  return all;
}

const std::vector<Message>& chinese() {
  static const std::vector<Message> all =
      messages_of(sources().filePath(u8("resources/translations/pitwall_zh_CN.ts")));
  return all;
}

QStringList keys_of(const std::vector<Message>& messages) {
  QStringList keys;
  for (const Message& message : messages) keys << message.key();
  keys.sort();
  return keys;
}

QStringList matches(const QString& text, const char* pattern) {
  QStringList found;
  auto each = QRegularExpression(u8(pattern)).globalMatch(text);
  while (each.hasNext()) found << each.next().captured();
  found.sort();
  return found;
}

/// What lupdate finds, in a file of its own; `said` is what it complains of.
std::vector<Message> extracted(const QStringList& options, QString* said) {
  QTemporaryDir folder;
  const QString file = folder.filePath(u8("found.ts"));
  QProcess lupdate;
  lupdate.setWorkingDirectory(sources().path());
  lupdate.start(QStringLiteral(PITWALL_LUPDATE),
                QStringList{u8("-silent"), u8("-I"), u8("."), u8("-locations"), u8("none"),
                            u8("-source-language"), u8("en")} +
                    options + QStringList{u8("ui"), u8("app/pitwall"), u8("-ts"), file});
  if (!lupdate.waitForFinished(120'000) || lupdate.exitCode() != 0)
    qFatal("lupdate did not end well: %s", qPrintable(lupdate.errorString()));
  if (said) *said = QString::fromUtf8(lupdate.readAllStandardError());
  return messages_of(file);
}

void compare_with_sources(const std::vector<Message>& ours, const std::vector<Message>& found) {
  const QStringList have = keys_of(ours), need = keys_of(found);
  for (const QString& key : need) QVERIFY2(have.contains(key), qPrintable(u8("not translated: ") + key));
  for (const QString& key : have) QVERIFY2(need.contains(key), qPrintable(u8("no longer said: ") + key));
  for (const Message& message : ours) {
    QVERIFY2(message.state.isEmpty(), qPrintable(message.state + u8(": ") + message.key()));
    for (const QString& text : message.translations) QVERIFY2(!text.isEmpty(), qPrintable(message.key()));
  }
}

}  // namespace

class TranslationTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void every_text_has_its_translation();
  void english_has_its_plurals();
  void texts_are_asked_for_as_they_are_filed();
  void one_tr_for_all_free_functions();
  void placeholders_are_kept();
  void mnemonics_are_kept();
  void chinese_is_written_as_chinese();
  void engine_texts_are_those_of_the_engine();
  void engine_tables_speak_chinese();
  void filled_in_texts_are_found_again();
  void languages_are_loaded();
};

void TranslationTest::every_text_has_its_translation() {
  compare_with_sources(chinese(), extracted({u8("-target-language"), u8("zh_CN")}, nullptr));
}

void TranslationTest::english_has_its_plurals() {
  compare_with_sources(messages_of(sources().filePath(u8("resources/translations/pitwall_en.ts"))),
                       extracted({u8("-target-language"), u8("en"), u8("-pluralonly")}, nullptr));
}

/// A context that lupdate guesses wrong is one that no tr() asks for. It grumbles about the namespace's own,
/// which ui/widgets/words.h is for.
void TranslationTest::texts_are_asked_for_as_they_are_filed() {
  QString said;
  extracted({u8("-target-language"), u8("zh_CN")}, &said);
  for (const QString& line : said.split(QLatin1Char('\n'), Qt::SkipEmptyParts))
    QVERIFY2(line.contains(u8("Class 'pitwall::ui' lacks Q_OBJECT")), qPrintable(line));
  for (const Message& message : chinese()) {
    const bool of_class = message.context.startsWith(u8("pitwall::ui"));
    const bool of_words = QRegularExpression(u8("^[A-Z]\\w+$")).match(message.context).hasMatch();
    QVERIFY2(of_class || of_words || message.context == u8("engine"), qPrintable(message.key()));
  }
}

/// Another one asks for a context of its own, under which lupdate files nothing.
void TranslationTest::one_tr_for_all_free_functions() {
  static const QRegularExpression another(u8("QString tr(_\\w+)?\\(const char|auto tr(_\\w+)? = \\["));
  const QDir root(sources().filePath(u8("ui")));
  for (const QString& folder : root.entryList(QDir::Dirs | QDir::NoDotAndDotDot))
    for (const QFileInfo& file : QDir(root.filePath(folder)).entryInfoList({u8("*.cpp"), u8("*.h")})) {
      QFile source(file.filePath());
      QVERIFY(source.open(QIODevice::ReadOnly));
      QVERIFY2(file.fileName() == u8("words.h") || !QString::fromUtf8(source.readAll()).contains(another),
               qPrintable(file.filePath() + u8(" has a tr() of its own: include ui/widgets/words.h")));
    }
}

void TranslationTest::placeholders_are_kept() {
  for (const Message& message : chinese())
    for (const QString& text : message.translations)
      QCOMPARE(matches(text, "%L?[0-9n]+"), matches(message.source, "%L?[0-9n]+"));
}

/// Qt's way for Chinese: "打开(&O)…", with the letter of the source.
void TranslationTest::mnemonics_are_kept() {
  static const QRegularExpression letter(u8("&([A-Za-z])"));
  for (const Message& message : chinese()) {
    const QRegularExpressionMatch wanted = letter.match(message.source);
    const QString text = message.translations.first();
    if (!wanted.hasMatch()) {
      QVERIFY2(!text.contains(letter), qPrintable(message.key()));
      continue;
    }
    const QString shown = u8("(&%1)").arg(wanted.captured(1).toUpper());
    QVERIFY2(text.endsWith(shown) || text.endsWith(shown + u8("…")), qPrintable(message.key() + text));
    QCOMPARE(text.count(QLatin1Char('&')), 1);
  }
}

void TranslationTest::chinese_is_written_as_chinese() {
  const char* const half_width = "[一-鿿][,;:!?]|[一-鿿]\\.(?!\\w)";
  const char* const no_space = "[一-鿿][A-Za-z0-9]|[A-Za-z0-9][一-鿿]";
  for (const Message& message : chinese()) {
    if (message.note == u8("date")) continue;
    for (QString text : message.translations) {
      text.replace(QRegularExpression(u8("%[0-9n]")), u8(" "));  // may stand for Chinese
      QVERIFY2(matches(text, half_width).isEmpty(), qPrintable(text));
      QVERIFY2(matches(text, no_space).isEmpty(), qPrintable(text));
      QVERIFY2(!text.contains(u8("！")), qPrintable(text));
    }
  }
}

/// Each stands in the engine's code or profiles as it is, so that none outlives a change there.
void TranslationTest::engine_texts_are_those_of_the_engine() {
  QString corpus;
  const auto read_all = [&](const char* folder, const char* suffix) {
    const QDir root(sources().filePath(u8(folder)));
    for (const QString& part : root.entryList(QDir::Dirs | QDir::NoDotAndDotDot))
      for (const QFileInfo& file : QDir(root.filePath(part)).entryInfoList({u8(suffix)}, QDir::Files)) {
        QFile source(file.filePath());
        QVERIFY(source.open(QIODevice::ReadOnly));
        corpus += QString::fromUtf8(source.readAll());
      }
  };
  read_all("engine", "*.cpp");
  read_all("profiles", "*.json");
  corpus.remove(QRegularExpression(u8("\"\\s*\n\\s*\"")));  // adjacent literals are one
  int checked = 0;
  for (const Message& message : chinese()) {
    if (message.context != u8("engine")) continue;
    for (const QString& part : message.source.split(QRegularExpression(u8("%[1-9]"))))
      QVERIFY2(corpus.contains(part), qPrintable(message.source + u8("\n") + part));
    ++checked;
  }
  QVERIFY(checked > 100);
}

void TranslationTest::engine_tables_speak_chinese() {
  ui::speak(ui::Language::chinese);
  const auto check = [](std::string_view text) {
    const QString said = ui::engine_words(text);
    const QString english = QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
    QVERIFY2(text.empty() || said != english || english == u8("FP8 KV"), text.data());
  };
  for (const SettingInfo& info : setting_table()) {
    check(info.help);
    check(info.group);
    if (info.unit != "ms" && info.unit != "s") check(info.unit);
  }
  for (const Checklist& one : checklist_templates()) {
    for (const std::string& text : {one.name, one.goal, one.source, one.note}) check(text);
    for (const Item& item : one.items)
      for (const std::string& text : {item.name, item.hypothesis, item.expected}) check(text);
  }
  for (const Workload& one : workloads())
    for (const std::string& text : {one.title, one.source}) check(text);
  for (const Deployment& one : shipped_deployments()) check(one.name);
  for (const TuningRecipe& one : tuning_recipes()) {
    for (const std::string& text : {one.title, one.source}) check(text);
    for (const std::string& note : one.notes) check(note);
  }
  ui::speak(ui::Language::english);
}

void TranslationTest::filled_in_texts_are_found_again() {
  QCOMPARE(ui::engine_words("12 requests wait"), u8("12 requests wait"));
  ui::speak(ui::Language::chinese);
  QCOMPARE(ui::engine_words("12 requests wait"), u8("12 个请求要等待"));
  QCOMPARE(ui::engine_words("Downloading part 2 of 3"), u8("正在下载，第 2 / 3 部分"));
  QCOMPARE(ui::engine_words("A sequence of 4,096 tokens needs 1 GiB; vllm allocates 2 GiB"),
           u8("4,096 token 的序列需要 1 GiB；vllm 分配 2 GiB"));
  QCOMPARE(ui::engine_words("my own item"), u8("my own item"));
  ui::speak(ui::Language::english);
}

void TranslationTest::languages_are_loaded() {
  for (const ui::Language language : ui::kLanguages)
    QCOMPARE(ui::language_of(ui::language_code(language)), language);
  QVERIFY(!ui::language_of(u8("de")));
  QCOMPARE(ui::spoken(), ui::Language::english);
  QCOMPARE(ui::listed({u8("a"), u8("b"), u8("c")}), u8("a, b, c"));
  QCOMPARE(ui::told({u8("A."), u8("B.")}), u8("A. B."));
  QCOMPARE(QCoreApplication::translate("pitwall::ui::LoadStrip", "%n requests", nullptr, 1), u8("1 request"));

  ui::speak(ui::Language::chinese);
  QCOMPARE(ui::spoken(), ui::Language::chinese);
  QCOMPARE(ui::listed({u8("a"), u8("b"), u8("c")}), u8("a，b，c"));
  QCOMPARE(ui::told({u8("甲。"), u8("乙。")}), u8("甲。乙。"));
  QCOMPARE(QCoreApplication::translate("pitwall::ui::LoadStrip", "%n requests", nullptr, 1), u8("1 个请求"));
  QCOMPARE(QLocale().language(), QLocale::Chinese);
  ui::speak(ui::Language::english);
  QCOMPARE(QLocale().language(), QLocale::English);
}

int main(int argc, char** argv) {
  QApplication app(argc, argv);
  ui::speak(ui::Language::english);
  TranslationTest test;
  return QTest::qExec(&test, argc, argv);
}

#include "translation_test.moc"
