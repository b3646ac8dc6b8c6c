// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/sampling_panel.h"

#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRandomGenerator>
#include <QRegularExpressionValidator>
#include <QVBoxLayout>

#include "ui/shell/theme.h"
#include "ui/widgets/card.h"

namespace pitwall::ui {

namespace {

/// One labelled field; the label's text names it and the tip says what it does.
void add_field(QGridLayout* grid, const QString& name, const QString& tip, QWidget* field, const char* id) {
  auto* label = new Label(name, FontRole::body);
  label->setBuddy(field);
  label->setToolTip(tip);
  field->setObjectName(QLatin1String(id));
  field->setToolTip(tip);
  field->setAccessibleName(QString(name).remove(QLatin1Char('&')));
  field->setAccessibleDescription(tip);
  field->setProperty("compact", true);
  field->setFixedWidth(units(20));
  const int row = grid->rowCount();
  grid->addWidget(label, row, 0);
  grid->addWidget(field, row, 1, Qt::AlignRight);
}

template <class Box, class Number>
Box* number_box(Number least, Number most) {
  auto* box = new Box;
  box->setRange(least, most);
  box->setButtonSymbols(QAbstractSpinBox::NoButtons);
  box->setAlignment(Qt::AlignRight);
  box->setGroupSeparatorShown(true);
  return box;
}

QDoubleSpinBox* share_box(double most) {
  auto* box = number_box<QDoubleSpinBox>(0.0, most);
  box->setDecimals(2);
  box->setSingleStep(0.05);
  return box;
}

}  // namespace

SamplingPanel::SamplingPanel(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("chat.sampling"));
  auto* sampling = new Card(tr("Sampling"));
  auto* grid = new QGridLayout;
  grid->setVerticalSpacing(units(1));
  grid->setColumnStretch(0, 1);
  temperature_ = share_box(2);
  top_p_ = share_box(1);
  top_p_->setMinimum(0.01);
  min_p_ = share_box(0.99);
  top_k_ = number_box<QSpinBox>(0, 1'000'000);
  top_k_->setSpecialValueText(tr("off"));
  max_tokens_ = number_box<QSpinBox>(0, 10'000'000);
  max_tokens_->setSpecialValueText(tr("no limit"));
  seed_ = new QLineEdit;
  seed_->setAlignment(Qt::AlignRight);
  seed_->setPlaceholderText(tr("random"));
  seed_->setValidator(
      new QRegularExpressionValidator(QRegularExpression(QStringLiteral("[0-9]{0,19}")), seed_));
  add_field(grid, tr("&Temperature"), tr("0 always takes the likeliest token; higher is more varied"),
            temperature_, "chat.temperature");
  add_field(grid, tr("Top-&p"),
            tr("Only the likeliest tokens that together have this probability; 1 keeps all"), top_p_,
            "chat.topP");
  add_field(grid, tr("Top-&k"), tr("Only this many of the likeliest tokens; 0 keeps all"), top_k_,
            "chat.topK");
  add_field(grid, tr("&Min-p"),
            tr("Only tokens with at least this share of the likeliest one's probability; 0 keeps all"),
            min_p_, "chat.minP");
  add_field(grid, tr("&Seed"), tr("The same seed gives the same reply; empty takes another one each time"),
            seed_, "chat.seed");
  add_field(grid, tr("Most tokens &out"),
            tr("The reply ends here at the latest; 0 lets it run to the end of the context"), max_tokens_,
            "chat.maxTokens");
  sampling->body()->addLayout(grid);
  auto* reset = new QPushButton(tr("Reset"));
  reset->setObjectName(QStringLiteral("chat.resetSampling"));
  reset->setProperty("compact", true);
  reset->setAccessibleName(tr("Reset sampling"));
  sampling->body()->addWidget(reset, 0, Qt::AlignLeft);

  auto* system = new Card(tr("System prompt"));
  system_prompt_ = new QPlainTextEdit;
  system_prompt_->setObjectName(QStringLiteral("chat.systemPrompt"));
  system_prompt_->setAccessibleName(tr("System prompt"));
  system_prompt_->setAccessibleDescription(tr("Comes before the conversation; kept with each chat"));
  system_prompt_->setPlaceholderText(tr("How the model should answer in this chat"));
  system_prompt_->setTabChangesFocus(true);
  system_prompt_->document()->setDocumentMargin(units(1.5));
  system->body()->addWidget(system_prompt_, 1);

  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(units(2));
  layout->addWidget(sampling);
  layout->addWidget(system, 1);

  set_choice({});
  connect(reset, &QPushButton::clicked, this, [this] { set_choice({}); });
  for (QDoubleSpinBox* box : {temperature_, top_p_, min_p_})
    connect(box, &QDoubleSpinBox::valueChanged, this, &SamplingPanel::changed);
  for (QSpinBox* box : {top_k_, max_tokens_})
    connect(box, &QSpinBox::valueChanged, this, &SamplingPanel::changed);
  connect(seed_, &QLineEdit::textChanged, this, &SamplingPanel::changed);
  connect(system_prompt_, &QPlainTextEdit::textChanged, this, &SamplingPanel::changed);
}

SamplingChoice SamplingPanel::choice() const {
  return {temperature_->value(), top_p_->value(),      min_p_->value(),
          top_k_->value(),       max_tokens_->value(), seed_->text()};
}

void SamplingPanel::set_choice(const SamplingChoice& choice) {
  temperature_->setValue(choice.temperature);
  top_p_->setValue(choice.top_p);
  min_p_->setValue(choice.min_p);
  top_k_->setValue(choice.top_k);
  max_tokens_->setValue(choice.max_tokens);
  seed_->setText(choice.seed);
}

QString SamplingPanel::system_prompt() const {
  return system_prompt_->toPlainText().trimmed();
}

void SamplingPanel::set_system_prompt(const QString& text) {
  if (text != system_prompt()) system_prompt_->setPlainText(text);
}

SamplingParams sampling_params(const SamplingChoice& choice) {
  SamplingParams params;
  params.choice.temperature = static_cast<float>(choice.temperature);
  params.choice.top_p = static_cast<float>(choice.top_p);
  params.choice.min_p = static_cast<float>(choice.min_p);
  params.choice.top_k = choice.top_k;
  params.choice.seed =
      choice.seed.isEmpty() ? QRandomGenerator::global()->generate64() : choice.seed.toULongLong();
  params.max_tokens = choice.max_tokens;
  return params;
}

}  // namespace pitwall::ui
