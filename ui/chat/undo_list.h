// SPDX-License-Identifier: GPL-3.0-or-later
// UndoList: what was deleted and can come back, by the banner that told of it or by the key, once.
#pragma once
#include <QObject>
#include <QString>
#include <functional>
#include <vector>

#include "ui/shell/page.h"

namespace pitwall::ui {

class UndoList : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;
  void add(const QString& text, std::function<void()> bring_back);  ///< `text` says what was deleted
  bool undo_last();                                                 ///< false when there is nothing

 Q_SIGNALS:
  void banner_requested(const pitwall::ui::Banner& banner);
  void banner_outdated(const QString& text);

 private:
  struct Entry {
    int number;
    QString text;
    std::function<void()> bring_back;
  };
  void undo(int number);
  std::vector<Entry> entries_;
  int added_ = 0;
};

}  // namespace pitwall::ui
