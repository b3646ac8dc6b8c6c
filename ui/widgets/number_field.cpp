// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/number_field.h"

#include <QKeyEvent>
#include <QLocale>
#include <QStyle>
#include <algorithm>
#include <cmath>

#include "ui/widgets/number_format.h"

namespace pitwall::ui {

std::optional<double> parse_number(const QString& text) {
  QString digits = text.trimmed();
  digits.remove(QLocale().groupSeparator())
      .remove(QLatin1Char(' '))
      .remove(QChar(0xA0))
      .replace(QChar(0x2212), QLatin1Char('-'));
  bool number = false;
  double value = QLocale().toDouble(digits, &number);
  if (!number) value = QLocale::c().toDouble(digits, &number);
  return number && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

NumberField::NumberField(const Spec& spec, QWidget* parent) : QLineEdit(parent), spec_(spec) {
  setObjectName(spec.id);
  setAccessibleName(spec.name);
  setProperty("compact", true);
  setAlignment(Qt::AlignRight);
  setPlaceholderText(spec.none);
  setMaxLength(24);
  mark({});
  connect(this, &QLineEdit::editingFinished, this, &NumberField::read);
  show_value();
}

void NumberField::set_value(double value) {
  value_ = value;
  wrong_ = false;
  mark({});
  show_value();
}

void NumberField::show_value() {
  setText(value_ == 0 && !spec_.none.isEmpty() ? QString() : real_text(value_, spec_.decimals));
}

void NumberField::set_trouble(const QString& reason) {
  if (!wrong_) mark(reason);
}

void NumberField::mark(const QString& reason) {
  trouble_ = reason;
  const QString said = reason.isEmpty() ? spec_.effect : reason;
  setToolTip(said);
  setAccessibleDescription(spec_.unit.isEmpty() || !reason.isEmpty() ? said
                                                                     : tr("%1. %2").arg(spec_.unit, said));
  if (property("wrong").toBool() == !reason.isEmpty()) return;
  setProperty("wrong", !reason.isEmpty());
  update();
}

void NumberField::read() {
  if (text().isEmpty() && !spec_.none.isEmpty()) {
    const bool same = value_ == 0 && !wrong_;
    set_value(0);
    if (!same) Q_EMIT changed(0);
    return;
  }
  const auto number = parse_number(text());
  const auto bound = [this](double value) { return real_text(value, spec_.decimals); };
  if (!number || *number < spec_.minimum || *number > spec_.maximum) {
    wrong_ = true;
    mark(number ? tr("%1 is not between %2 and %3.").arg(text(), bound(spec_.minimum), bound(spec_.maximum))
                : tr("“%1” is not a number.").arg(text()));
    Q_EMIT refused();
    return;
  }
  const double scale = std::pow(10, spec_.decimals);
  const double value = std::round(*number * scale) / scale;
  if (value == value_ && !wrong_) return show_value();
  set_value(value);
  Q_EMIT changed(value);
}

void NumberField::step(double by) {
  read();
  if (wrong_) return;
  const double value = std::clamp(value_ + by, spec_.minimum, spec_.maximum);
  if (value == value_) return;
  set_value(value);
  Q_EMIT changed(value);
}

void NumberField::keyPressEvent(QKeyEvent* event) {
  const bool plain = event->modifiers() == Qt::NoModifier || event->modifiers() == Qt::KeypadModifier;
  if (plain && (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down))
    return step((event->key() == Qt::Key_Up ? 1 : -1) * std::pow(10, -spec_.decimals));
  QLineEdit::keyPressEvent(event);
}

}  // namespace pitwall::ui
