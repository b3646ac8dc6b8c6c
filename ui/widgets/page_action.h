// SPDX-License-Identifier: GPL-3.0-or-later
// An action of a page: its keys work while the page is shown, those without Ctrl or Alt only while it or what
// is in it has the focus. And tooltips that name an action's key.
#pragma once
#include <QKeySequence>
#include <QList>
#include <QString>
#include <functional>

class QAction;
class QWidget;

namespace pitwall::ui {

/// `id`: its object name. Keys may be empty. The page owns it.
QAction* add_page_action(QWidget* page, const QString& id, const QString& text, QList<QKeySequence> keys,
                         std::function<void()> triggered);

/// `tip`, and the action's key in brackets for as long as it has one: keys can be changed.
void follow_key(QWidget* widget, const QAction* action, const QString& tip);

}  // namespace pitwall::ui
