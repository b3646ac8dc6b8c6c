// SPDX-License-Identifier: GPL-3.0-or-later
// The rail at the left: one button a page, settings at the foot.
#pragma once
#include <QAbstractButton>
#include <QWidget>

class QVBoxLayout;

namespace pitwall::ui {

class Rail : public QWidget {
  Q_OBJECT

 public:
  explicit Rail(QWidget* parent = nullptr);
  /// `icon`: name in resources/icons. A button at the foot stands apart from the others.
  void add_page(const QString& id, const QString& title, const QString& icon, const QString& shortcut,
                bool foot);
  void set_current(const QString& id);
  void focus_current();

 Q_SIGNALS:
  void page_chosen(const QString& id);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QVBoxLayout *pages_, *foot_;
  QList<QAbstractButton*> buttons_;
};

}  // namespace pitwall::ui
