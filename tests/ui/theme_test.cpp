// SPDX-License-Identifier: GPL-3.0-or-later
// The theme's promises, recomputed from theme.h: contrast, distance between data colours, tabular digits, and
// that no colour is spelled anywhere else.
#include <QApplication>
#include <QDirIterator>
#include <QFontMetricsF>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>

#include "tests/support/colour_science.h"
#include "tests/support/test_support.h"
#include "ui/shell/theme.h"
#include "ui/widgets/memory_parts.h"

using namespace pitwall;
using namespace pitwall::ui;
using test::Vision;

namespace {

std::uint32_t rgb(Colour token, bool dark) {
  const ColourToken& entry = kColours[static_cast<std::size_t>(token)];
  return dark ? entry.dark : entry.light;
}

struct Pair {
  Colour mark, ground;
  double light, dark;  ///< least contrast
};

/// 4.5 for text, 3 for frames and marks that carry meaning; stated figures where the design states them.
const std::vector<Pair> kPairs{
    {Colour::text, Colour::panel, 16.2, 13.6},     {Colour::text, Colour::window, 4.5, 4.5},
    {Colour::text, Colour::alt, 4.5, 4.5},         {Colour::text, Colour::selection, 4.5, 4.5},
    {Colour::muted, Colour::panel, 6.4, 7.0},      {Colour::muted, Colour::window, 4.5, 4.5},
    {Colour::muted, Colour::alt, 4.5, 4.5},        {Colour::muted, Colour::selection, 5.4, 4.5},
    {Colour::strong, Colour::panel, 3.2, 3.7},     {Colour::accent, Colour::panel, 5.8, 7.4},
    {Colour::on_accent, Colour::accent, 5.8, 7.8}, {Colour::accent, Colour::selection, 4.5, 4.5},
    {Colour::good, Colour::good_fill, 4.5, 4.5},   {Colour::good, Colour::panel, 4.5, 4.5},
    {Colour::warn, Colour::warn_fill, 4.5, 4.5},   {Colour::warn, Colour::panel, 4.5, 4.5},
    {Colour::bad, Colour::bad_fill, 4.5, 4.5},     {Colour::bad, Colour::panel, 4.5, 4.5},
    {Colour::text, Colour::bad_fill, 4.5, 4.5},    {Colour::text, Colour::warn_fill, 4.5, 4.5},
    {Colour::pale_frame, Colour::panel, 5.0, 4.7}, {Colour::ttft, Colour::panel, 6.6, 6.3},
    {Colour::tpot, Colour::panel, 8.3, 6.2},       {Colour::itl, Colour::panel, 5.8, 7.8},
    {Colour::queue, Colour::panel, 3.8, 12.1},     {Colour::good, Colour::selection, 4.5, 4.5},
    {Colour::warn, Colour::selection, 4.5, 4.5},   {Colour::bad, Colour::selection, 4.5, 4.5},
    {Colour::accent, Colour::window, 4.5, 4.5},    {Colour::accent, Colour::alt, 4.5, 4.5},
    {Colour::text, Colour::good_fill, 4.5, 4.5},   {Colour::muted, Colour::good_fill, 4.5, 4.5},
    {Colour::muted, Colour::warn_fill, 4.5, 4.5},  {Colour::muted, Colour::bad_fill, 4.5, 4.5},
    {Colour::strong, Colour::alt, 3, 3},           {Colour::pale_frame, Colour::window, 3, 3},
    {Colour::pale_frame, Colour::kv_free, 3, 3},   {Colour::bad, Colour::kv_free, 3, 3},
};

double least_distance(const std::vector<Colour>& colours, bool dark, Vision vision, bool neighbours) {
  double least = 1e9;
  for (std::size_t i = 0; i < colours.size(); ++i)
    for (std::size_t j = i + 1; j < (neighbours ? std::min(i + 2, colours.size()) : colours.size()); ++j)
      least = std::min(least, test::ciede2000(test::lab_of(rgb(colours[i], dark), vision),
                                              test::lab_of(rgb(colours[j], dark), vision)));
  return least;
}

const std::vector<Colour> kLedger{Colour::weights,        Colour::kv_used,         Colour::kv_cached,
                                  Colour::kv_quarantined, Colour::kv_free,         Colour::activations,
                                  Colour::workspace,      Colour::graphs,          Colour::communicator,
                                  Colour::context,        Colour::other_processes, Colour::unaccounted};
const std::vector<Colour> kLatency{Colour::ttft, Colour::tpot, Colour::itl, Colour::queue};

}  // namespace

class ThemeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void contrast();
  void words_on_fills_can_be_read();
  void ciede2000_matches_the_published_pairs_data();
  void ciede2000_matches_the_published_pairs();
  void data_colours_can_be_told_apart_data();
  void data_colours_can_be_told_apart();
  void digits_are_tabular();
  void modes_change_the_palette();
  void no_colour_is_spelled_elsewhere();
};

void ThemeTest::contrast() {
  // The design states ratios with one decimal.
  constexpr double kRounding = 0.05;
  for (const Pair& pair : kPairs)
    for (const bool dark : {false, true}) {
      const double ratio = test::wcag_contrast(rgb(pair.mark, dark), rgb(pair.ground, dark));
      const double least = dark ? pair.dark : pair.light;
      QVERIFY2(ratio >= least - kRounding,
               qPrintable(QStringLiteral("%1 on %2, %3: %4 < %5")
                              .arg(QLatin1String(kColours[static_cast<std::size_t>(pair.mark)].name),
                                   QLatin1String(kColours[static_cast<std::size_t>(pair.ground)].name),
                                   dark ? QStringLiteral("dark") : QStringLiteral("light"))
                              .arg(ratio)
                              .arg(least)));
    }
}

void ThemeTest::words_on_fills_can_be_read() {
  constexpr double kLeast = 4.5, kRounding = 0.05;
  for (const ThemeMode mode : {ThemeMode::light, ThemeMode::dark}) {
    Theme::current().set_mode(mode);
    for (const Colour fill : kLedger) {
      const double ratio =
          test::wcag_contrast(ink_on(fill).rgb() & RGB_MASK, rgb(fill, Theme::current().dark()));
      QVERIFY2(ratio >= kLeast - kRounding,
               qPrintable(QStringLiteral("%1: %2")
                              .arg(QLatin1String(kColours[static_cast<std::size_t>(fill)].name))
                              .arg(ratio)));
    }
  }
  Theme::current().set_mode(ThemeMode::automatic);
}

void ThemeTest::ciede2000_matches_the_published_pairs_data() {
  QTest::addColumn<QList<double>>("values");
  // Sharma, Wu and Dalal 2005, table 1.
  QTest::newRow("1") << QList<double>{50, 2.6772, -79.7751, 50, 0, -82.7485, 2.0425};
  QTest::newRow("7") << QList<double>{50, 0, 0, 50, -1, 2, 2.3669};
  QTest::newRow("17") << QList<double>{50, 2.5, 0, 73, 25, -18, 27.1492};
  QTest::newRow("18") << QList<double>{50, 2.5, 0, 61, -5, 29, 22.8977};
  QTest::newRow("25") << QList<double>{60.2574, -34.0099, 36.2677, 60.4626, -34.1751, 39.4387, 1.2644};
  QTest::newRow("34") << QList<double>{2.0776, 0.0795, -1.1350, 0.9033, -0.0636, -0.5514, 0.9082};
}

void ThemeTest::ciede2000_matches_the_published_pairs() {
  QFETCH(QList<double>, values);
  const double distance =
      test::ciede2000({values[0], values[1], values[2]}, {values[3], values[4], values[5]});
  QVERIFY2(std::abs(distance - values[6]) < 5e-5, qPrintable(QString::number(distance, 'f', 5)));
}

void ThemeTest::data_colours_can_be_told_apart_data() {
  QTest::addColumn<bool>("dark");
  QTest::addColumn<int>("vision");
  QTest::addColumn<double>("any");
  QTest::addColumn<double>("neighbours");
  QTest::addColumn<double>("latency");
  // The figures that the design states.
  QTest::newRow("light, normal") << false << int(Vision::normal) << 19.1 << 19.1 << 31.0;
  QTest::newRow("light, deuteranopia") << false << int(Vision::deuteranopia) << 14.4 << 17.8 << 12.8;
  QTest::newRow("light, protanopia") << false << int(Vision::protanopia) << 14.1 << 18.0 << 18.1;
  QTest::newRow("dark, normal") << true << int(Vision::normal) << 14.5 << 20.0 << 34.2;
  QTest::newRow("dark, deuteranopia") << true << int(Vision::deuteranopia) << 12.9 << 18.0 << 14.2;
  QTest::newRow("dark, protanopia") << true << int(Vision::protanopia) << 13.1 << 18.9 << 20.9;
}

void ThemeTest::data_colours_can_be_told_apart() {
  QFETCH(bool, dark);
  QFETCH(int, vision);
  QFETCH(double, any);
  QFETCH(double, neighbours);
  QFETCH(double, latency);
  constexpr double kRounding = 0.06;
  const auto seen = static_cast<Vision>(vision);
  const double ledger_any = least_distance(kLedger, dark, seen, false);
  const double ledger_next = least_distance(kLedger, dark, seen, true);
  const double latency_any = least_distance(kLatency, dark, seen, false);
  const QString figures =
      QStringLiteral("any %1, neighbours %2, latency %3").arg(ledger_any).arg(ledger_next).arg(latency_any);
  QVERIFY2(ledger_any >= any - kRounding, qPrintable(figures));
  QVERIFY2(ledger_next >= neighbours - kRounding, qPrintable(figures));
  QVERIFY2(latency_any >= latency - kRounding, qPrintable(figures));
}

void ThemeTest::digits_are_tabular() {
  for (const FontRole role : {FontRole::caption, FontRole::small, FontRole::body, FontRole::section,
                              FontRole::title, FontRole::figure, FontRole::code}) {
    const QFontMetricsF metrics(Theme::current().font(role));
    for (const QChar digit : QStringLiteral("023456789"))
      QCOMPARE(metrics.horizontalAdvance(digit), metrics.horizontalAdvance(u'1'));
  }
  QVERIFY(Theme::current().u() > 2);
}

void ThemeTest::modes_change_the_palette() {
  Theme& theme = Theme::current();
  QSignalSpy changed(&theme, &Theme::changed);
  theme.set_mode(ThemeMode::dark);
  QVERIFY(theme.dark());
  QCOMPARE(QApplication::palette().color(QPalette::Base), Theme::colour(Colour::panel, true));
  theme.set_mode(ThemeMode::light);
  QCOMPARE(QApplication::palette().color(QPalette::Window), Theme::colour(Colour::window, false));
  theme.set_mode(ThemeMode::automatic);
  QCOMPARE(changed.count(), 3);
  QCOMPARE(QApplication::palette().color(QPalette::Text), theme.colour(Colour::text));
}

void ThemeTest::no_colour_is_spelled_elsewhere() {
  const QString root = QString::fromStdString(test::data("../..").string());
  static const QRegularExpression literal(
      QStringLiteral("\"#[0-9A-Fa-f]{3,8}\"|\\b0x[0-9A-Fa-f]{6}\\b|QColor\\(\\s*\\d|qRgba?\\(|"
                     "Qt::(white|black|red|green|blue|cyan|magenta|yellow|gray|dark\\w+|light(Gray))\\b"));
  int files = 0;
  for (const char* folder : {"/ui", "/app/pitwall"}) {
    QDirIterator walk(root + QLatin1String(folder), {QStringLiteral("*.cpp"), QStringLiteral("*.h")},
                      QDir::Files, QDirIterator::Subdirectories);
    while (walk.hasNext()) {
      QFile file(walk.next());
      if (file.fileName().endsWith(QLatin1String("theme.h"))) continue;
      QVERIFY(file.open(QIODevice::ReadOnly));
      const auto match = literal.match(QString::fromUtf8(file.readAll()));
      QVERIFY2(!match.hasMatch(), qPrintable(file.fileName() + QStringLiteral(": ") + match.captured()));
      ++files;
    }
  }
  QVERIFY(files > 20);
}

QTEST_MAIN(ThemeTest)
#include "theme_test.moc"
