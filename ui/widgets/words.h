// SPDX-License-Identifier: GPL-3.0-or-later
// Words of functions that belong to no class, and texts put together from several, each in the window's
// language.
#pragma once
#include <QCoreApplication>
#include <QString>
#include <QStringList>

namespace pitwall::ui {

/// lupdate files the texts of such functions under the namespace that they stand in.
inline QString tr(const char* text, const char* note = nullptr) {
  return QCoreApplication::translate("pitwall::ui", text, note);
}

QString listed(const QStringList& parts);    ///< "a, b, c", inside a sentence too
QString told(const QStringList& sentences);  ///< "A. B.": whole sentences, one after another

}  // namespace pitwall::ui
