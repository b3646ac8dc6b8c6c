// SPDX-License-Identifier: GPL-3.0-or-later
// Tooltips end with an action's usual key: "Search runs (Ctrl+F)". As they are shown, the key in force stands
// in its place.
#pragma once
#include <QObject>
#include <QString>

class QWidget;

namespace pitwall::ui {

class ActionRegistry;

class KeyTips : public QObject {
  Q_OBJECT

 public:
  explicit KeyTips(const ActionRegistry& registry, QObject* parent = nullptr);  ///< the registry outlives it
  QString tip_of(const QWidget& widget) const;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;  ///< of the application

 private:
  const ActionRegistry& registry_;
};

}  // namespace pitwall::ui
