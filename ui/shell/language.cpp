// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/language.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>

#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

Language now = Language::english;

/// People who read traditional characters get English rather than a script that they did not ask for.
Language of_the_system() {
  const QLocale system = QLocale::system();
  const bool simplified =
      system.language() == QLocale::Chinese && system.script() == QLocale::SimplifiedHanScript;
  return simplified ? Language::chinese : Language::english;
}

/// The application keeps one of each, so that another language leaves nothing of the one before.
QTranslator& translator(int which) {
  static QTranslator* const all[] = {new QTranslator(qApp), new QTranslator(qApp)};
  return *all[which];
}

void load(QTranslator& translator, const QString& name, const QString& folder) {
  QCoreApplication::removeTranslator(&translator);
  if (translator.load(name, folder)) QCoreApplication::installTranslator(&translator);
}

}  // namespace

QString language_code(Language language) {
  switch (language) {
    case Language::automatic:
      return QStringLiteral("auto");
    case Language::english:
      return QStringLiteral("en");
    case Language::chinese:
      break;
  }
  return QStringLiteral("zh_CN");
}

std::optional<Language> language_of(const QString& code) {
  for (const Language language : kLanguages)
    if (language_code(language) == code) return language;
  return std::nullopt;
}

QString language_name(Language language) {
  switch (language) {
    case Language::automatic:
      return tr("As the system", "language");
    case Language::english:
      return QStringLiteral("English");
    case Language::chinese:
      break;
  }
  return QStringLiteral("简体中文");
}

void speak(Language language) {
  now = language == Language::automatic ? of_the_system() : language;
  QLocale::setDefault(language == Language::automatic ? QLocale::system() : QLocale(language_code(language)));
  // English is what the sources say, but for its plural forms.
  load(translator(0), QStringLiteral("pitwall_") + language_code(now), QStringLiteral(":/translations"));
  load(translator(1), QStringLiteral("qtbase_") + language_code(now),
       QLibraryInfo::path(QLibraryInfo::TranslationsPath));
}

Language spoken() {
  return now;
}

}  // namespace pitwall::ui
