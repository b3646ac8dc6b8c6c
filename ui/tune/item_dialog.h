// SPDX-License-Identifier: GPL-3.0-or-later
// "Add item…": one setting from one value to another, and why. A second variable is refused, with the way
// out.
#pragma once
#include <QDialog>
#include <vector>

#include "engine/settings/settings.h"
#include "engine/telemetry/checklist.h"

class QComboBox;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace pitwall::ui {

class Label;

class ItemDialog : public QDialog {
  Q_OBJECT

 public:
  /// `base`: the settings that the item starts from; `edited`: null adds a new one.
  ItemDialog(const Checklist& checklist, const Settings& base, const Item* edited, QWidget* parent = nullptr);

  /// After Accepted: one item, or one for each variable where they were split. Ids are 0 for new ones.
  const std::vector<Item>& items() const { return items_; }

 private:
  struct Variable {
    QComboBox* setting;
    QLineEdit *from, *to;
  };
  void add_variable(const ItemChange& change);
  void follow_setting(const Variable& variable);
  std::vector<ItemChange> changes() const;
  void accept_if_sound(bool allow_mixed);
  void focus_value_of(const std::string& setting);
  void split();
  Item described() const;

  const Checklist& checklist_;
  const Settings& base_;
  Item start_;
  std::vector<Variable> variables_;
  std::vector<Item> items_;
  QVBoxLayout* rows_;
  QLineEdit *name_, *hypothesis_, *expected_, *also_;
  QComboBox* measure_;
  Label* trouble_;
  QPushButton *split_, *allow_, *save_;
};

}  // namespace pitwall::ui
