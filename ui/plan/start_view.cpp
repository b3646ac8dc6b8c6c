// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plan/start_view.h"

#include <QGridLayout>
#include <QPushButton>
#include <QVBoxLayout>

#include "engine/library/model_profile.h"
#include "engine/plan/engine_defaults.h"
#include "ui/plan/engine_choice.h"
#include "ui/plan/plan_rows.h"
#include "ui/widgets/engine_words.h"
#include "ui/widgets/number_field.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

namespace {

constexpr char kUsualModel[] = "llama-3.1-8b";
constexpr int kUsualRequests = 32, kUsualTokens = 8192;
constexpr double kMostRequests = 65536, kMostTokens = 1e8;

}  // namespace

QString deployment_text(const Deployment& d) {
  QString text = StartView::tr("%1 on %2 × %3")
                     .arg(model_title(QString::fromStdString(d.model)))
                     .arg(d.gpus)
                     .arg(QString::fromStdString(d.gpu));
  text += StartView::tr(" · %1 requests at once").arg(count_text(requests_asked(d)));
  if (d.max_model_len) text += StartView::tr(" of up to %1 tokens").arg(count_text(*d.max_model_len));
  return text;
}

StartView::StartView(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("plan.start"));
  auto* plan = new Card(tr("Plan a model"), {}, tr("What will it hold, and how fast will it be?"), this);
  auto* hint = new Label(tr("A plan needs no GPU and loads nothing: it counts bytes from the model's headers "
                            "and its configuration, and predicts times from the GPU's profile."),
                         FontRole::body, Colour::muted, this);
  hint->setWordWrap(true);
  plan->body()->addWidget(hint);
  plan->body()->addSpacing(units(1));
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(units(2));
  grid->setVerticalSpacing(units(0.75));
  plan->body()->addLayout(grid);
  build_choices(*grid);
  plan->body()->addSpacing(units(1.5));
  build_ways_in(*plan);
  deployments_ = new Card(tr("Or start from a deployment"), {}, {}, this);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(units(2.5));
  column->addWidget(plan);
  column->addWidget(deployments_);
  column->addStretch(1);
}

void StartView::build_choices(QGridLayout& grid) {
  model_ = add_choice(grid, "plan.start.model", tr("Model"));
  grid.setColumnStretch(0, 1);
  gpu_ = add_choice(grid, "plan.start.gpu", tr("GPU"));
  engine_ = new EngineChoice(QStringLiteral("plan.start.engine"), this);
  add_field(grid, tr("Engine"), engine_);
  const QString requests = tr("Requests at once"), length = tr("Max length");
  requests_ = new NumberField({QStringLiteral("plan.start.requests"),
                               requests,
                               {},
                               tr("That the deployment has to hold."),
                               1,
                               kMostRequests},
                              this);
  length_ = new NumberField(
      {QStringLiteral("plan.start.length"), length, tr("tokens"),
       tr("Longest sequence that is accepted, prompt and reply."), 1, kMostTokens, 0, tr("model's")},
      this);
  for (NumberField* field : {requests_, length_}) field->setMinimumHeight(units(7));
  requests_->set_value(kUsualRequests);
  length_->set_value(kUsualTokens);
  add_field(grid, requests, requests_);
  add_field(grid, length, length_);
  auto* go = new QPushButton(tr("Plan it"), this);
  go->setObjectName(QStringLiteral("plan.start.go"));
  go->setAccessibleDescription(tr("Answers for this model, and shows all that can be changed."));
  go->setProperty("primary", true);
  grid.addWidget(go, 1, grid.count() / 2);
  connect(go, &QPushButton::clicked, this, [this] {
    for (NumberField* field : {requests_, length_})
      if (field->is_wrong()) return field->setFocus();
    Q_EMIT chosen(deployment());
  });
}

QComboBox* StartView::add_choice(QGridLayout& grid, const char* id, const QString& name) {
  auto* box = new QComboBox(this);
  box->setObjectName(QLatin1String(id));
  box->setAccessibleName(name);
  box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box->setMinimumContentsLength(12);
  add_field(grid, name, box);
  return box;
}

void StartView::add_field(QGridLayout& grid, const QString& name, QWidget* field) {
  auto* label = new Label(name, FontRole::small, Colour::muted, this);
  label->setBuddy(field);
  const int column = grid.count() / 2;  // a name and a field each
  grid.addWidget(label, 0, column);
  grid.addWidget(field, 1, column);
}

void StartView::build_ways_in(Card& card) {
  auto* row = new QHBoxLayout;
  row->setSpacing(units(2));
  const auto add = [&](const char* id, const QString& text, const QString& effect, auto signal) {
    auto* button = new QPushButton(text, this);
    button->setObjectName(QLatin1String(id));
    button->setAccessibleDescription(effect);
    row->addWidget(button);
    connect(button, &QPushButton::clicked, this, signal);
  };
  add("plan.start.open", tr("Open a GGUF or config.json…"),
      tr("Plans another model, on the GPU and for the demand that are chosen here."),
      &StartView::open_requested);
  add("plan.start.readCommand", tr("Read a command line…"),
      tr("Starts from how another engine is run today."), &StartView::read_command_requested);
  add("plan.start.recipe", tr("Tuning recipe…"),
      tr("A published way of tuning, step by step, beside its simulation."), &StartView::recipe_requested);
  row->addStretch(1);
  card.body()->addLayout(row);
}

void StartView::set_models(const std::vector<ModelChoice>& models) {
  QString before = model_->currentData().toString();
  if (before == proposed_) before.clear();  // nobody chose it: a model of the user's own comes first
  model_->clear();
  for (const ModelChoice& one : models) model_->addItem(one.title, one.model);
  int chosen = model_->findData(before);
  if (chosen < 0 && find_model_profile(model_->itemData(0).toString().toStdString()) != nullptr)
    chosen = model_->findData(QLatin1String(kUsualModel));  // none is the user's own
  model_->setCurrentIndex(std::max(0, chosen));
  if (before.isEmpty()) proposed_ = model_->currentData().toString();
}

void StartView::set_gpus(const QStringList& names) {
  gpu_->clear();
  gpu_->addItems(names);
  gpu_->setCurrentText(QString::fromStdString(Deployment().gpu));
}

Deployment StartView::deployment() const {
  Deployment d;
  d.model = model_->currentData().toString().toStdString();
  d.gpu = gpu_->currentText().toStdString();
  d.engine = engine_->engine();
  follow_engine({}, d);
  d.requests = d.max_num_seqs = static_cast<int>(requests_->value());
  if (const double tokens = length_->value(); tokens > 0) d.max_model_len = static_cast<std::int64_t>(tokens);
  return d;
}

void StartView::set_deployments(const std::vector<Deployment>& deployments) {
  delete rows_;
  rows_ = new QWidget(this);
  auto* grid = new QGridLayout(rows_);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setHorizontalSpacing(units(3));
  grid->setVerticalSpacing(units(2));
  grid->setColumnStretch(1, 1);
  int row = 0;
  for (const Deployment& deployment : deployments) {
    const QString name = engine_words(deployment.name);
    auto* button = new QPushButton(tr("Plan this"), rows_);
    button->setObjectName(QStringLiteral("plan.start.%1").arg(row));
    button->setAccessibleName(tr("Plan %1").arg(name));
    button->setAccessibleDescription(deployment_text(deployment));
    grid->addWidget(new Label(name, FontRole::section, Colour::text, rows_), row, 0);
    grid->addWidget(new ElidedLabel(deployment_text(deployment), FontRole::body, Colour::muted, rows_), row,
                    1);
    grid->addWidget(button, row, 2);
    connect(button, &QPushButton::clicked, this, [this, deployment] { Q_EMIT chosen(deployment); });
    ++row;
  }
  deployments_->body()->addWidget(rows_);
}

}  // namespace pitwall::ui
