// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tune/item_dialog.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "engine/bench/checklist.h"
#include "ui/tune/setting_box.h"
#include "ui/tune/tune_words.h"
#include "ui/widgets/card.h"
#include "ui/widgets/engine_words.h"

namespace pitwall::ui {

namespace {

QString qs(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QLineEdit* field(const char* id, const QString& name, const QString& hint, const QString& text,
                 QWidget* parent) {
  auto* edit = new QLineEdit(text, parent);
  edit->setObjectName(QLatin1String(id));
  edit->setAccessibleName(name);
  edit->setAccessibleDescription(hint);
  edit->setPlaceholderText(hint);
  edit->setMaxLength(2000);
  edit->setCursorPosition(0);  // long ones are read from their start
  return edit;
}

}  // namespace

ItemDialog::ItemDialog(const Checklist& checklist, const Settings& base, const Item* edited, QWidget* parent)
    : QDialog(parent), checklist_(checklist), base_(base), start_(edited != nullptr ? *edited : Item()) {
  setObjectName(QStringLiteral("tune.itemDialog"));
  setWindowTitle(edited != nullptr ? tr("Edit item") : tr("Add item"));
  name_ = field("tune.item.name", tr("Name"), tr("More at once"), engine_words(start_.name), this);
  hypothesis_ = field("tune.item.hypothesis", tr("Hypothesis"), tr("Why should it help?"),
                      engine_words(start_.hypothesis), this);
  expected_ = field("tune.item.expected", tr("Expected effect"), tr("Twice the tok/s"),
                    engine_words(start_.expected), this);
  also_ = field("tune.item.also", tr("Also try"), tr("further values, such as 16,32"), qs(start_.also), this);
  measure_ = new QComboBox(this);
  measure_->setObjectName(QStringLiteral("tune.item.measure"));
  measure_->setAccessibleName(tr("Measure"));
  measure_->addItem(tr("%1, as the checklist").arg(figure_title(checklist.measure)), QString());
  for (const auto& [figure, more] : sweep_objectives())
    if (figure != "goodput") measure_->addItem(figure_title(figure), qs(figure));
  measure_->setCurrentIndex(std::max(0, measure_->findData(qs(start_.measure))));
  trouble_ = new Label({}, FontRole::small, Colour::bad, this);
  trouble_->setObjectName(QStringLiteral("tune.item.trouble"));
  trouble_->setWordWrap(true);
  trouble_->hide();

  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(units(3));
  grid->setVerticalSpacing(units(2));
  int line = 0;
  const auto row = [&](const QString& text, QWidget* widget) {
    auto* label = new Label(text, FontRole::body, Colour::muted, this);
    label->setBuddy(widget);
    grid->addWidget(label, line, 0);
    grid->addWidget(widget, line++, 1);
  };
  rows_ = new QVBoxLayout;
  rows_->setSpacing(units(1));
  auto* second = new QPushButton(tr("Another variable…"), this);
  second->setObjectName(QStringLiteral("tune.item.second"));
  row(tr("&Name"), name_);
  row(tr("H&ypothesis"), hypothesis_);
  row(tr("E&xpected effect"), expected_);
  row(tr("&Measure"), measure_);
  row(tr("Al&so try"), also_);
  split_ = new QPushButton(tr("Split into two items"), this);
  split_->setObjectName(QStringLiteral("tune.item.split"));
  allow_ = new QPushButton(tr("Allow, and mark as mixed"), this);
  allow_->setObjectName(QStringLiteral("tune.item.allow"));
  split_->hide();
  allow_->hide();
  save_ = new QPushButton(edited != nullptr ? tr("Save") : tr("Add item"), this);
  save_->setObjectName(QStringLiteral("tune.item.save"));
  save_->setProperty("primary", true);
  save_->setDefault(true);
  auto* cancel = new QPushButton(tr("Cancel"), this);
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(units(2));
  buttons->addWidget(second);
  buttons->addStretch(1);
  for (QPushButton* one : {split_, allow_, cancel, save_}) buttons->addWidget(one);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(units(4), units(4), units(4), units(4));
  column->setSpacing(units(2));
  column->addWidget(new Label(tr("One item changes one variable: what its effect comes from is known then."),
                              FontRole::small, Colour::muted, this));
  column->addLayout(rows_);
  column->addLayout(grid);
  column->addWidget(trouble_);
  column->addStretch(1);
  column->addLayout(buttons);
  if (start_.changes.empty()) {
    add_variable({"max-num-seqs", base_.display("max-num-seqs"), ""});
  } else {
    for (const ItemChange& change : start_.changes) add_variable(change);
  }
  resize(units(150), sizeHint().height());
  connect(second, &QPushButton::clicked, this, [this] {
    add_variable({"", "", ""});
    variables_.back().setting->setFocus();
  });
  connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
  connect(save_, &QPushButton::clicked, this, [this] { accept_if_sound(start_.mixed()); });
  connect(allow_, &QPushButton::clicked, this, [this] { accept_if_sound(true); });
  connect(split_, &QPushButton::clicked, this, &ItemDialog::split);
  variables_.front().to->setFocus();
}

void ItemDialog::add_variable(const ItemChange& change) {
  const QString number = QString::number(variables_.size());
  Variable variable{make_setting_box(QStringLiteral("tune.item.setting.") + number, checklist_.target, this),
                    nullptr, nullptr};
  variable.setting->setCurrentIndex(std::max(0, variable.setting->findText(qs(change.setting))));
  variable.from = field("", tr("From"), tr("from"), qs(change.from), this);
  variable.from->setObjectName(QStringLiteral("tune.item.from.") + number);
  variable.to = field("", tr("To"), tr("to"), qs(change.to), this);
  variable.to->setObjectName(QStringLiteral("tune.item.to.") + number);
  auto* row = new QHBoxLayout;
  row->setSpacing(units(2));
  row->addWidget(variable.setting, 2);
  row->addWidget(variable.from, 1);
  row->addWidget(new Label(QStringLiteral("→"), FontRole::body, Colour::text, this));
  row->addWidget(variable.to, 1);
  rows_->addLayout(row);
  variables_.push_back(variable);
  connect(variable.setting, &QComboBox::currentIndexChanged, this,
          [this, variable] { follow_setting(variable); });
  if (change.from.empty()) follow_setting(variable);
}

/// From is what holds before the item, To the other value where there are only two.
void ItemDialog::follow_setting(const Variable& variable) {
  const std::string name = variable.setting->currentText().toStdString();
  const SettingInfo* info = find_setting(name);
  if (info == nullptr) return;
  const std::string from = base_.display(name);
  variable.from->setText(qs(from));
  variable.to->setText(info->type == SettingType::flag ? (from == "true" ? qs("false") : qs("true"))
                                                       : QString());
  variable.to->setPlaceholderText(
      info->choices.empty() ? tr("to") : qs(info->choices).replace(QLatin1Char('|'), QLatin1String(", ")));
}

std::vector<ItemChange> ItemDialog::changes() const {
  std::vector<ItemChange> changes;
  for (const Variable& variable : variables_)
    if (!variable.to->text().trimmed().isEmpty() || variables_.size() == 1)
      changes.push_back({variable.setting->currentText().toStdString(),
                         variable.from->text().trimmed().toStdString(),
                         variable.to->text().trimmed().toStdString()});
  return changes;
}

/// Where what is wrong can be mended.
void ItemDialog::focus_value_of(const std::string& setting) {
  for (const Variable& variable : variables_)
    if (variable.setting->currentText().toStdString() == setting) return variable.to->setFocus();
}

Item ItemDialog::described() const {
  Item item = start_;
  item.name = name_->text().trimmed().toStdString();
  item.hypothesis = hypothesis_->text().trimmed().toStdString();
  item.expected = expected_->text().trimmed().toStdString();
  item.also = also_->text().trimmed().toStdString();
  item.measure = measure_->currentData().toString().toStdString();
  item.changes.clear();
  return item;
}

void ItemDialog::accept_if_sound(bool allow_mixed) {
  Item item = described();
  for (const ItemChange& change : changes()) {
    const auto added = add_change(item, change, checklist_.target, allow_mixed);
    if (added) continue;
    trouble_->setText(QString::fromStdString(added.error().text()));
    trouble_->show();
    focus_value_of(change.setting);
    const bool second = added.error().param == "item" && !item.changes.empty();
    split_->setVisible(second);
    allow_->setVisible(second);
    return;
  }
  if (item.name.empty() && !item.changes.empty()) item.name = item.changes.front().setting;
  items_ = {std::move(item)};
  accept();
}

void ItemDialog::split() {
  std::vector<Item> split;
  for (const ItemChange& change : changes()) {
    Item item = described();
    if (!split.empty()) {
      item.id = 0;
      item.name = change.setting;
      item.also.clear();
    }
    if (const auto added = add_change(item, change, checklist_.target); !added) {
      trouble_->setText(QString::fromStdString(added.error().text()));
      return;
    }
    if (item.name.empty()) item.name = change.setting;
    split.push_back(std::move(item));
  }
  items_ = std::move(split);
  accept();
}

}  // namespace pitwall::ui
