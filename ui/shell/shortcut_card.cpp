// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/shortcut_card.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/shell/action_registry.h"
#include "ui/shell/key_field.h"
#include "ui/widgets/data_table.h"

namespace pitwall::ui {

namespace {

constexpr double kTableUnits = 60, kKeyUnits = 36;

QPushButton* button(const char* id, const QString& text, QWidget* parent) {
  auto* made = new QPushButton(text, parent);
  made->setObjectName(QLatin1String(id));
  return made;
}

}  // namespace

ShortcutCard::ShortcutCard(ActionRegistry& registry, QWidget* parent)
    : Card(tr("Shortcuts"), {}, tr("Which key does what?"), parent), registry_(registry) {
  setObjectName(QStringLiteral("settings.shortcuts"));
  build();
  connect(search_, &QLineEdit::textChanged, table_, [this](const QString& text) {
    table_->set_filter(text.trimmed());
    table_->selectRow(0);
    show_chosen();
  });
  connect(table_, &DataTable::current_changed, this, &ShortcutCard::show_chosen);
  connect(table_, &DataTable::opened, field_, [this] { field_->setFocus(); });
  connect(field_, &KeyField::pressed, this, &ShortcutCard::take);
  connect(none_, &QPushButton::clicked, this, [this] { registry_.set_key(chosen(), {}); });
  connect(reset_, &QPushButton::clicked, this, [this] { registry_.reset(chosen()); });
  connect(reset_all_, &QPushButton::clicked, &registry_, &ActionRegistry::reset_all);
  connect(take_, &QPushButton::clicked, this, [this] { registry_.take_key(chosen(), wanted_); });
  connect(leave_, &QPushButton::clicked, this, &ShortcutCard::show_chosen);
  connect(&registry_, &ActionRegistry::changed, this, &ShortcutCard::show_actions);
  show_actions();
  table_->selectRow(0);
}

void ShortcutCard::build() {
  search_ = new QLineEdit(this);
  search_->setObjectName(QStringLiteral("settings.shortcuts.search"));
  search_->setAccessibleName(tr("Search actions and keys"));
  search_->setPlaceholderText(tr("Search actions and keys"));
  search_->setClearButtonEnabled(true);
  table_ =
      new DataTable(tr("Shortcuts"), {{tr("Does")}, {tr("Where")}, {tr("Key")}, {tr("Usual key")}}, this);
  table_->setObjectName(QStringLiteral("settings.shortcuts.table"));
  table_->setAccessibleDescription(tr("Enter goes to the key of the chosen action"));
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->set_stretch_column(0);
  table_->setFixedHeight(units(kTableUnits));
  name_ = new Label({}, FontRole::body, Colour::text, this);
  field_ = new KeyField(this);
  field_->setObjectName(QStringLiteral("settings.shortcuts.key"));
  field_->setMinimumWidth(units(kKeyUnits));
  none_ = button("settings.shortcuts.none", tr("No key"), this);
  reset_ = button("settings.shortcuts.reset", tr("Reset"), this);
  reset_all_ = button("settings.shortcuts.resetAll", tr("Reset all"), this);
  conflict_ = new Label({}, FontRole::body, Colour::warn, this);
  conflict_->setObjectName(QStringLiteral("settings.shortcuts.conflict"));
  conflict_->setWordWrap(true);
  take_ = button("settings.shortcuts.take", tr("Take the key"), this);
  leave_ = button("settings.shortcuts.leave", tr("Leave it"), this);

  auto* keys = new QHBoxLayout;
  keys->setSpacing(units(2));
  keys->addWidget(name_, 1);
  for (QWidget* widget : {static_cast<QWidget*>(field_), static_cast<QWidget*>(none_),
                          static_cast<QWidget*>(reset_), static_cast<QWidget*>(reset_all_)})
    keys->addWidget(widget);
  auto* question = new QHBoxLayout;
  question->setSpacing(units(2));
  question->addWidget(conflict_, 1);
  question->addWidget(take_);
  question->addWidget(leave_);
  body()->setSpacing(units(2));
  body()->addWidget(search_);
  body()->addWidget(table_);
  body()->addLayout(keys);
  body()->addLayout(question);
}

QString ShortcutCard::chosen() const {
  const qint64 at = table_->current_key();
  return at < 0 ? QString() : registry_.actions()[static_cast<std::size_t>(at)].id();
}

void ShortcutCard::show_actions() {
  std::vector<TableRow> rows;
  bool any = false;
  for (const RegisteredAction& one : registry_.actions()) {
    const bool changed = registry_.is_changed(one.id());
    any = any || changed;
    const QString usual = QKeySequence::listToString(one.usual, QKeySequence::NativeText);
    rows.push_back({static_cast<qint64>(rows.size()),
                    {{one.action->text()},
                     {one.where, 0, Colour::muted},
                     {keys_text(*one.action), 0, changed ? Colour::accent : Colour::text, changed},
                     {usual, 0, Colour::muted}}});
  }
  table_->set_rows(std::move(rows));
  reset_all_->setEnabled(any);
  show_chosen();
}

void ShortcutCard::show_chosen() {
  const RegisteredAction* one = registry_.find(chosen());
  show_conflict(nullptr);
  field_->setEnabled(one != nullptr);
  none_->setEnabled(one != nullptr && !one->action->shortcut().isEmpty());
  reset_->setEnabled(one != nullptr && registry_.is_changed(one->id()));
  name_->setText(one ? one->action->text() : tr("No action is chosen"));
  field_->set_key(one ? one->action->shortcut() : QKeySequence());
  field_->setAccessibleName(one ? tr("Key of %1").arg(one->action->text()) : tr("Key"));
}

void ShortcutCard::take(const QKeySequence& key) {
  wanted_ = key;
  if (const RegisteredAction* holder = registry_.holder(key, chosen()))
    show_conflict(holder);
  else
    registry_.set_key(chosen(), key);
}

void ShortcutCard::show_conflict(const RegisteredAction* holder) {
  const bool any = holder != nullptr;
  for (QWidget* widget :
       {static_cast<QWidget*>(conflict_), static_cast<QWidget*>(take_), static_cast<QWidget*>(leave_)})
    widget->setVisible(any);
  if (!any) return;
  const QString key = wanted_.toString(QKeySequence::NativeText);
  conflict_->setText(
      holder->page.isEmpty()
          ? tr("△ %1 is the key of “%2”.").arg(key, holder->action->text())
          : tr("△ %1 is the key of “%2” on %3.").arg(key, holder->action->text(), holder->where));
}

}  // namespace pitwall::ui
