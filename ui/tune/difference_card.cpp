// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tune/difference_card.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/report/recommended_flags.h"
#include "engine/report/run_difference.h"
#include "ui/tune/tune_session.h"
#include "ui/tune/tune_words.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/engine_words.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

constexpr int kMostKeys = 6;

QString qs(const std::string& text) {
  return QString::fromStdString(text);
}

bool is_own(const Item& item, const std::string& setting) {
  return std::any_of(item.changes.begin(), item.changes.end(),
                     [&](const ItemChange& change) { return change.setting == setting; });
}

/// One flag a line; pasted into a shell, still one command.
QString flag_lines(QString command) {
  return command.replace(QStringLiteral(" --"), QStringLiteral(" \\\n  --"));
}

QStringList names_of(const std::vector<DifferingKey>& keys) {
  QStringList names;
  for (const DifferingKey& key : keys)
    names << QStringLiteral("%1 (%2 → %3)")
                 .arg(qs(key.name), key.before.empty() ? no_value() : qs(key.before),
                      key.after.empty() ? no_value() : qs(key.after));
  return names;
}

}  // namespace

DifferenceCard::DifferenceCard(QWidget* parent) : Card(tr("What changed between the runs"), {}, {}, parent) {
  setObjectName(QStringLiteral("tune.diff"));
  keys_ = new DataTable(tr("What changed"), {{tr("Key")}, {tr("Before")}, {tr("After")}}, this);
  keys_->setObjectName(QStringLiteral("tune.diff.keys"));
  keys_->set_stretch_column(0);
  keys_->fit_height(kMostKeys);
  environment_ = new Label({}, FontRole::small, Colour::text, this);
  environment_->setObjectName(QStringLiteral("tune.diff.environment"));
  variables_ = new Label({}, FontRole::small, Colour::text, this);
  variables_->setObjectName(QStringLiteral("tune.diff.variables"));
  auto* title = new Label(tr("Recommended settings"), FontRole::section, Colour::text, this);
  recommended_ = new Label({}, FontRole::code, Colour::text, this);
  recommended_->setObjectName(QStringLiteral("tune.recommended"));
  notes_ = new ElidedLabel({}, FontRole::small, Colour::warn, this);
  notes_->setObjectName(QStringLiteral("tune.recommended.notes"));
  outdated_ = new Label({}, FontRole::small, Colour::warn, this);
  outdated_->setObjectName(QStringLiteral("tune.outdated"));
  for (Label* label : {environment_, variables_, recommended_, outdated_}) {
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  }
  copy_ = new QPushButton(icon(QStringLiteral("copy")), tr("Copy"), this);
  copy_->setObjectName(QStringLiteral("tune.copy"));
  flags_ = new QPushButton(tr("Flags for other engines…"), this);
  flags_->setObjectName(QStringLiteral("tune.flags"));
  auto* title_row = new QHBoxLayout;
  title_row->setSpacing(units(2));
  title_row->addWidget(title);
  title_row->addWidget(notes_, 1);
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(units(2));
  buttons->addWidget(copy_);
  buttons->addWidget(flags_);
  buttons->addStretch(1);
  body()->addWidget(keys_);
  body()->addWidget(environment_);
  body()->addWidget(variables_);
  body()->addSpacing(units(1));
  body()->addLayout(title_row);
  body()->addWidget(recommended_);
  body()->addWidget(outdated_);
  body()->addLayout(buttons);
  body()->addStretch(1);
  connect(copy_, &QPushButton::clicked, this,
          [this] { QApplication::clipboard()->setText(recommended_->text()); });
  connect(flags_, &QPushButton::clicked, this, &DifferenceCard::flags_requested);
}

void DifferenceCard::show_item(const TuneSession& session, int item) {
  const bool any = is_any_judged(*session.checklist(), session.results());
  copy_->setVisible(any);
  flags_->setVisible(any);
  QStringList notes;
  if (any) {
    const auto flags = recommended_flags(*session.checklist(), session.results(), "pitwall");
    recommended_->setText(flags ? flag_lines(qs(flags->text)) : qs(flags.error().text()));
    recommended_->set_colour(flags ? Colour::text : Colour::bad);
    if (flags)
      for (const std::string& note : flags->notes) notes << engine_words(note);
  } else {
    recommended_->setText(tr("Nothing is measured yet."));
    recommended_->set_colour(Colour::muted);
  }
  recommended_->setMinimumHeight(recommended_->heightForWidth(QWIDGETSIZE_MAX));  // its lines, none broken
  notes_->setText(notes.join(QStringLiteral(" · ")));
  notes_->setToolTip(notes_->text());  // which a resize alone would bring
  outdated_->setText(outdated_text(*session.checklist(), session.results()));
  outdated_->setVisible(!outdated_->text().isEmpty());
  show_difference(session, item);
}

void DifferenceCard::show_difference(const TuneSession& session, int index) {
  const Checklist& checklist = *session.checklist();
  const bool known = index >= 0 && index < static_cast<int>(checklist.items.size());
  const ItemResult none;
  const ItemResult& result = known ? session.result(static_cast<std::size_t>(index)) : none;
  const RunHeader* before = result.before.runs.empty() ? nullptr : session.header(result.before.runs.front());
  const RunHeader* after = result.after.runs.empty() ? nullptr : session.header(result.after.runs.front());
  keys_->setVisible(before != nullptr && after != nullptr);
  variables_->setVisible(before != nullptr && after != nullptr);
  if (before == nullptr || after == nullptr) {
    set_unit({});
    environment_->setText(tr("Needs a run before and a run after."));
    environment_->set_colour(Colour::muted);
    return;
  }
  const Item& item = checklist.items[static_cast<std::size_t>(index)];
  set_unit(QStringLiteral("%1 → %2").arg(run_name(result.before.runs.front()),
                                         run_name(result.after.runs.front())));
  const RunDifference difference = run_difference(*before, *after);
  std::vector<TableRow> rows;
  const auto add = [&](const DifferingKey& key, bool own) {
    const QString after_text = key.after.empty() ? no_value() : qs(key.after);
    rows.push_back({static_cast<qint64>(rows.size()),
                    {{qs(key.name)},
                     {key.before.empty() ? no_value() : qs(key.before), 0, Colour::muted},
                     {own ? after_text : tr("%1 (follows)").arg(after_text), 0, Colour::text, own}}});
  };
  for (const DifferingKey& key : difference.settings) add(key, is_own(item, key.name));
  for (const DifferingKey& key : difference.load) add(key, false);
  keys_->set_rows(std::move(rows));
  environment_->setText(
      difference.environment.empty()
          ? tr("✓ Environment equal: device, model, version, build.")
          : tr("△ The environment differs too: %1.").arg(listed(names_of(difference.environment))));
  environment_->set_colour(difference.environment.empty() ? Colour::text : Colour::warn);
  variables_->setText(item.mixed() ? tr("△ Mixed: %1 variables changed.").arg(item.changes.size())
                                   : tr("✓ One variable changed."));
  variables_->set_colour(item.mixed() ? Colour::warn : Colour::text);
}

}  // namespace pitwall::ui
