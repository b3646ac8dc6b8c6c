// SPDX-License-Identifier: GPL-3.0-or-later
// The rail at the left: one button a page, settings at the foot.
#pragma once
#include <QList>
#include <QWidget>

class QAction;
class QVBoxLayout;

namespace pitwall::ui {

struct Badge;
class RailButton;

class Rail : public QWidget {
  Q_OBJECT

 public:
  explicit Rail(QWidget* parent = nullptr);
  /// `icon`: name in resources/icons; `jump`: the action whose key goes there. A button at the foot stands
  /// apart from the others.
  void add_page(const QString& id, const QString& title, const QString& icon, const QAction* jump, bool foot);
  void set_badge(const QString& id, const Badge& badge);
  void set_current(const QString& id);  ///< takes the focus where another entry has it
  void focus_current();

 Q_SIGNALS:
  void page_chosen(const QString& id, bool by_key);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  RailButton* button(const QString& id) const;
  QVBoxLayout *pages_, *foot_;
  QList<RailButton*> buttons_;
};

}  // namespace pitwall::ui
