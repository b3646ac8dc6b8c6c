// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/sampling_panel.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRandomGenerator>
#include <QRegularExpressionValidator>
#include <QVBoxLayout>

#include "ui/chat/preset_box.h"
#include "ui/chat/request_card.h"
#include "ui/shell/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/number_format.h"

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
  make_fields();
  presets_ = new PresetBox;
  auto* sampling = new Card(tr("Sampling"));
  sampling->add_header_widget(presets_->choice());
  sampling->body()->addLayout(lay_out_fields());
  sampling->body()->addWidget(presets_);
  request_ = new RequestCard;

  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(units(2));
  layout->addWidget(sampling);
  layout->addWidget(make_system_card(), 1);
  layout->addWidget(request_);
  set_choice({});
  connect_fields();
}

void SamplingPanel::make_fields() {
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
  stop_ = new QLineEdit;
  stop_->setAlignment(Qt::AlignRight);
  stop_->setPlaceholderText(tr("none"));
}

QGridLayout* SamplingPanel::lay_out_fields() {
  auto* grid = new QGridLayout;
  grid->setVerticalSpacing(units(1));
  grid->setColumnStretch(0, 1);
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
  add_field(grid, tr("Stop st&rings"),
            tr("The reply ends before any of these; put | between them, and \\n for a line end"), stop_,
            "chat.stop");
  return grid;
}

QWidget* SamplingPanel::make_system_card() {
  system_card_ = new Card(tr("System prompt"));
  system_prompt_ = new QPlainTextEdit;
  system_prompt_->setObjectName(QStringLiteral("chat.systemPrompt"));
  system_prompt_->setAccessibleName(tr("System prompt"));
  system_prompt_->setAccessibleDescription(tr("Comes before the conversation; kept with each chat"));
  system_prompt_->setPlaceholderText(tr("How the model should answer in this chat"));
  system_prompt_->setTabChangesFocus(true);
  system_prompt_->document()->setDocumentMargin(units(1.5));
  system_prompt_->setMinimumHeight(units(18));
  system_card_->body()->addWidget(system_prompt_, 1);
  return system_card_;
}

void SamplingPanel::connect_fields() {
  for (QDoubleSpinBox* box : {temperature_, top_p_, min_p_})
    connect(box, &QDoubleSpinBox::valueChanged, this, &SamplingPanel::changed);
  for (QSpinBox* box : {top_k_, max_tokens_})
    connect(box, &QSpinBox::valueChanged, this, &SamplingPanel::changed);
  for (QLineEdit* field : {seed_, stop_})
    connect(field, &QLineEdit::textChanged, this, &SamplingPanel::changed);
  connect(system_prompt_, &QPlainTextEdit::textChanged, this, &SamplingPanel::changed);
  connect(this, &SamplingPanel::changed, presets_,
          [this] { presets_->show_fields(choice(), system_prompt()); });
  connect(presets_, &PresetBox::chosen, this, [this](const ChatPreset& preset) {
    set_choice(preset.sampling);
    if (!preset.system_prompt.isEmpty()) set_system_prompt(preset.system_prompt);
    presets_->show_fields(choice(), system_prompt());  // also where nothing changed
  });
}

SamplingChoice SamplingPanel::choice() const {
  return {temperature_->value(), top_p_->value(), min_p_->value(), top_k_->value(),
          max_tokens_->value(),  seed_->text(),   stop_->text()};
}

void SamplingPanel::set_choice(const SamplingChoice& choice) {
  temperature_->setValue(choice.temperature);
  top_p_->setValue(choice.top_p);
  min_p_->setValue(choice.min_p);
  top_k_->setValue(choice.top_k);
  max_tokens_->setValue(choice.max_tokens);
  seed_->setText(choice.seed);
  stop_->setText(choice.stop);
}

QString SamplingPanel::system_prompt() const {
  return system_prompt_->toPlainText().trimmed();
}

void SamplingPanel::set_system_prompt(const QString& text) {
  if (text != system_prompt()) system_prompt_->setPlainText(text);
}

void SamplingPanel::set_prompt_tokens(qint64 tokens) {
  system_card_->set_unit(tokens > 0 ? tr("%1 tokens").arg(count_text(tokens)) : QString());
}

std::vector<std::string> stop_strings(const QString& typed) {
  std::vector<std::string> strings;
  for (QString one : typed.split(QLatin1Char('|'), Qt::SkipEmptyParts)) {
    one.replace(QLatin1String("\\n"), QLatin1String("\n"));
    strings.push_back(one.toStdString());
  }
  return strings;
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
  params.stop = stop_strings(choice.stop);
  return params;
}

}  // namespace pitwall::ui
