// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plan/command_dialog.h"

#include <QComboBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "engine/plan/engine_profile.h"
#include "ui/plan/engine_flags.h"
#include "ui/shell/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/engine_words.h"

namespace pitwall::ui {

namespace {

QString qs(const std::string& text) {
  return QString::fromStdString(text);
}

std::vector<TableRow> rows_of(const EngineReading& reading) {
  std::vector<TableRow> rows;
  const auto add = [&](const QString& flag, const QString& setting, const QString& value, Colour colour) {
    rows.push_back({static_cast<qint64>(rows.size()),
                    {{flag, 0, Colour::text}, {setting, 0, colour}, {value, 0, colour, true}}});
  };
  for (const UnderstoodFlag& flag : reading.understood)
    add(qs(flag.written), qs(flag.setting), qs(flag.value), Colour::text);
  for (const UnmatchedFlag& flag : reading.unmatched) {
    QStringList words;
    for (const std::string& word : flag.words) words << qs(word);
    const QString why = flag.known             ? CommandDialog::tr("no counterpart here")
                        : flag.nearest.empty() ? CommandDialog::tr("not known")
                                               : CommandDialog::tr("not known; %1?").arg(qs(flag.nearest));
    add(words.join(QLatin1Char(' ')), why, {}, Colour::warn);
  }
  return rows;
}

}  // namespace

CommandDialog::CommandDialog(const Deployment& now, TermsOf terms_of, QWidget* parent)
    : QDialog(parent), now_(now), terms_of_(std::move(terms_of)) {
  setObjectName(QStringLiteral("plan.commandDialog"));
  setWindowTitle(tr("Read a command line"));
  engine_ = new QComboBox(this);
  engine_->setObjectName(QStringLiteral("plan.command.engine"));
  engine_->setAccessibleName(tr("Engine"));
  engine_->addItem(tr("Found out from the command"));
  for (const EngineProfile& engine : engine_profiles()) engine_->addItem(qs(engine.title), qs(engine.name));
  text_ = new QPlainTextEdit(this);
  text_->setObjectName(QStringLiteral("plan.command.text"));
  text_->setAccessibleName(tr("Command or configuration"));
  text_->setPlaceholderText(
      tr("Paste a command, a docker run line, an engine's YAML, a compose file or a Kubernetes manifest."));
  text_->setFont(Theme::current().font(FontRole::code));
  text_->setTabChangesFocus(true);
  said_ = new Label({}, FontRole::small, Colour::muted, this);
  said_->setObjectName(QStringLiteral("plan.command.said"));
  said_->setWordWrap(true);
  said_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  flags_ = new DataTable(tr("Flags"), {{tr("Flag")}, {tr("Means here")}, {tr("Value")}}, this);
  flags_->setObjectName(QStringLiteral("plan.command.flags"));
  flags_->set_stretch_column(1);
  fill_ = new QPushButton(tr("Fill the form"), this);
  fill_->setObjectName(QStringLiteral("plan.command.fill"));
  fill_->setProperty("primary", true);
  fill_->setEnabled(false);
  auto* cancel = new QPushButton(tr("Cancel"), this);
  auto* engine_label = new Label(tr("Engine"), FontRole::body, Colour::muted, this);
  engine_label->setBuddy(engine_);
  auto* top = new QHBoxLayout;
  top->addWidget(engine_label);
  top->addWidget(engine_);
  top->addStretch(1);
  auto* buttons = new QHBoxLayout;
  buttons->addStretch(1);
  buttons->addWidget(cancel);
  buttons->addWidget(fill_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(units(3), units(3), units(3), units(3));
  column->setSpacing(units(2));
  column->addLayout(top);
  column->addWidget(text_, 2);
  column->addWidget(flags_, 3);
  column->addWidget(said_);
  column->addLayout(buttons);
  resize(units(190), units(130));
  text_->setFocus();
  connect(text_, &QPlainTextEdit::textChanged, this, &CommandDialog::read);
  connect(engine_, &QComboBox::currentIndexChanged, this, &CommandDialog::read);
  connect(fill_, &QPushButton::clicked, this, &QDialog::accept);
  connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
}

void CommandDialog::read() {
  read_.reset();
  flags_->set_rows({});
  said_->setText({});
  fill_->setEnabled(false);
  const std::string text = text_->toPlainText().toStdString();
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return;
  const EngineProfile* engine = nullptr;
  if (const QString name = engine_->currentData().toString(); !name.isEmpty())
    if (const auto found = find_engine(name.toStdString())) engine = *found;
  const auto reading = read_pasted(text, engine);
  said_->set_colour(reading ? Colour::text : Colour::bad);
  if (!reading) {
    said_->setText(qs(reading.error().text()));
    return;
  }
  const auto terms = terms_of_(*reading);
  read_ = deployment_from(*reading, now_, terms);
  flags_->set_rows(rows_of(*reading));
  QStringList lines{tr("%1.").arg(qs(reading->engine->title))};
  for (const std::string& note : memory_notes(*reading, terms)) lines << engine_words(note);
  for (const std::string& note : reading->notes) lines << engine_words(note);
  said_->setText(lines.join(QLatin1Char('\n')));
  fill_->setEnabled(true);
}

}  // namespace pitwall::ui
