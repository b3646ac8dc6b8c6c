// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/theme.h"

#include <QApplication>
#include <QEvent>
#include <QFontDatabase>
#include <QFontInfo>
#include <QFontMetricsF>
#include <QToolTip>
#include <cmath>

#include "ui/shell/style.h"

namespace pitwall::ui {

namespace {

const QString kChineseFamily = QStringLiteral("Noto Sans CJK SC");
constexpr double kUsualPoints = 10;  // where the system states no font of its own

bool has_tabular_digits(const QFont& font) {
  const QFontMetricsF metrics(font);
  return std::abs(metrics.horizontalAdvance(u'1') - metrics.horizontalAdvance(u'8')) < 0.01;
}

/// A generic alias says nothing about the user's taste, and resolves to whatever fontconfig lists first.
bool is_generic(const QString& family) {
  static const QStringList generic{QStringLiteral("sans"),       QStringLiteral("sans serif"),
                                   QStringLiteral("sans-serif"), QStringLiteral("helvetica"),
                                   QStringLiteral("system-ui"),  QString()};
  return generic.contains(family.toLower());
}

bool system_is_dark() {
  QApplication::setPalette(QPalette());
  const QPalette system = QApplication::palette();
  return system.color(QPalette::Window).lightnessF() < system.color(QPalette::WindowText).lightnessF();
}

}  // namespace

Theme& Theme::current() {
  static Theme* theme = new Theme;  // lives as long as the program: widgets ask for it until the very end
  return *theme;
}

Theme::Theme() {
  choose_font(100);
  qApp->installEventFilter(this);
}

void Theme::set_mode(ThemeMode mode) {
  mode_ = mode;
  apply();
}

void Theme::set_text_percent(int percent) {
  choose_font(percent);
  apply();
}

void Theme::apply() {
  applying_ = true;
  if (dynamic_cast<Style*>(QApplication::style()) == nullptr) QApplication::setStyle(new Style);
  dark_ = mode_ == ThemeMode::automatic ? system_is_dark() : mode_ == ThemeMode::dark;
  QApplication::setFont(body_);
  QToolTip::setFont(font(FontRole::small));
  QApplication::setPalette(palette());
  QToolTip::setPalette(palette());
  applying_ = false;
  Q_EMIT changed();
}

bool Theme::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::ThemeChange && mode_ == ThemeMode::automatic && !applying_)
    QMetaObject::invokeMethod(
        this, [this] { apply(); }, Qt::QueuedConnection);
  return QObject::eventFilter(watched, event);
}

QColor Theme::colour(Colour token, bool dark) {
  const ColourToken& entry = kColours[static_cast<std::size_t>(token)];
  return QColor(QRgb(dark ? entry.dark : entry.light));
}

QColor Theme::colour(Colour token) const {
  return colour(token, dark_);
}

int Theme::units(double n) const {
  return static_cast<int>(std::lround(n * unit_));
}

int units(double n) {
  return Theme::current().units(n);
}

QColor ink(Colour token) {
  return Theme::current().colour(token);
}

QFont Theme::font(FontRole role) const {
  QFont font = body_;
  if (role == FontRole::code) {
    font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    font.setFamilies({QFontInfo(font).family(), kChineseFamily});  // an alias would end at the second
  }
  const auto scaled = [&](double factor, QFont::Weight weight = QFont::Normal) {
    font.setPointSizeF(body_.pointSizeF() * factor);
    font.setWeight(weight);
    return font;
  };
  switch (role) {
    case FontRole::caption:
      return scaled(0.85);
    case FontRole::small:
      return scaled(0.92);
    case FontRole::section:
      return scaled(1, QFont::DemiBold);
    case FontRole::title:
      return scaled(1.2, QFont::DemiBold);
    case FontRole::figure:
      return scaled(1.55, QFont::DemiBold);
    case FontRole::code:
      return scaled(0.92);
    case FontRole::body:
      break;
  }
  return font;
}

void Theme::choose_font(int percent) {
  body_ = QFontDatabase::systemFont(QFontDatabase::GeneralFont);
  QStringList families{body_.family()};
  const bool unset = is_generic(body_.family());
  if (unset) body_.setPointSizeF(kUsualPoints);
  if (unset || !has_tabular_digits(body_)) {
    for (const QString& family : {QStringLiteral("Noto Sans"), QStringLiteral("DejaVu Sans")})
      if (QFontDatabase::hasFamily(family)) {
        families = {family};
        break;
      }
  }
  families << kChineseFamily;
  body_.setFamilies(families);
  if (body_.pointSizeF() <= 0) body_.setPointSizeF(QFontInfo(body_).pointSizeF());
  body_.setPointSizeF(body_.pointSizeF() * percent / 100);
  unit_ = QFontMetricsF(body_).height() / 4.5;
}

QPalette Theme::palette() const {
  QPalette palette;
  const auto set = [&](QPalette::ColorRole role, Colour token) { palette.setColor(role, colour(token)); };
  set(QPalette::Window, Colour::window);
  set(QPalette::WindowText, Colour::text);
  set(QPalette::Base, Colour::panel);
  set(QPalette::AlternateBase, Colour::alt);
  set(QPalette::Text, Colour::text);
  set(QPalette::PlaceholderText, Colour::muted);
  set(QPalette::Button, Colour::panel);
  set(QPalette::ButtonText, Colour::text);
  set(QPalette::BrightText, Colour::bad);
  set(QPalette::ToolTipBase, Colour::alt);
  set(QPalette::ToolTipText, Colour::text);
  set(QPalette::Highlight, Colour::selection);
  set(QPalette::HighlightedText, Colour::text);
  set(QPalette::Link, Colour::accent);
  set(QPalette::LinkVisited, Colour::accent);
  set(QPalette::Light, Colour::panel);
  set(QPalette::Midlight, Colour::alt);
  set(QPalette::Mid, Colour::border);
  set(QPalette::Dark, Colour::strong);
  set(QPalette::Shadow, Colour::border);
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    palette.setColor(QPalette::Disabled, role, colour(Colour::muted));
  return palette;
}

}  // namespace pitwall::ui
