// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/key_tips.h"

#include <QApplication>
#include <QHelpEvent>
#include <QRegularExpression>
#include <QToolTip>
#include <QWidget>

#include "ui/shell/action_registry.h"
#include "ui/shell/page.h"

namespace pitwall::ui {

namespace {

QString page_of(const QWidget& widget) {
  for (const QWidget* one = &widget; one != nullptr; one = one->parentWidget())
    if (const auto* page = qobject_cast<const Page*>(one)) return page->id();
  return {};
}

/// "Enter" is what people call either of the two keys.
QKeySequence return_for_enter(const QKeySequence& key) {
  return QKeySequence(
      key.toString(QKeySequence::PortableText).replace(QStringLiteral("Enter"), QStringLiteral("Return")));
}

bool has_key(const RegisteredAction& one, const QKeySequence& key) {
  return one.usual.contains(key) || one.usual.contains(return_for_enter(key));
}

}  // namespace

KeyTips::KeyTips(const ActionRegistry& registry, QObject* parent) : QObject(parent), registry_(registry) {
  qApp->installEventFilter(this);
}

QString KeyTips::tip_of(const QWidget& widget) const {
  static const QRegularExpression bracket(QStringLiteral("\\s*[(（]([^()（）]+)[)）]$"));
  const QString tip = widget.toolTip();
  const auto match = bracket.match(tip);
  const QKeySequence said(match.captured(1));
  if (!match.hasMatch() || said.isEmpty()) return tip;
  const QString page = page_of(widget);
  for (const RegisteredAction& one : registry_.actions()) {
    if (!has_key(one, said) || (!one.page.isEmpty() && one.page != page) || !registry_.is_changed(one.id()))
      continue;
    const QString now = one.action->shortcut().toString(QKeySequence::NativeText);
    if (now.isEmpty()) return tip.left(match.capturedStart());
    return QString(tip).replace(match.capturedStart(1), match.capturedLength(1), now);
  }
  return tip;
}

bool KeyTips::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::ToolTip || !watched->isWidgetType()) return false;
  auto* widget = static_cast<QWidget*>(watched);
  const QString tip = tip_of(*widget);
  if (tip == widget->toolTip()) return false;
  QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), tip, widget);
  return true;
}

}  // namespace pitwall::ui
