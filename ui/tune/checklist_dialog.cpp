// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tune/checklist_dialog.h"

#include <QComboBox>
#include <QCompleter>
#include <QFileDialog>
#include <QFileInfo>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/bench/checklist.h"
#include "engine/bench/checklist_template.h"
#include "engine/bench/workload.h"
#include "engine/library/model_profile.h"
#include "engine/plan/gpu_profile.h"
#include "ui/tune/model_check.h"
#include "ui/widgets/card.h"
#include "ui/widgets/engine_words.h"
#include "ui/widgets/form_grid.h"
#include "ui/widgets/number_field.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

QString qs(const std::string& text) {
  return QString::fromStdString(text);
}

QComboBox* box(const char* id, const QString& name, QWidget* parent) {
  auto* one = new QComboBox(parent);
  one->setObjectName(QLatin1String(id));
  one->setAccessibleName(name);
  return one;
}

/// Like a template, without its items and what they are for.
Checklist empty_checklist() {
  Checklist checklist = checklist_templates().front();
  const Checklist plain;
  checklist.name = ChecklistDialog::tr("My checklist").toStdString();
  checklist.goal = checklist.origin = checklist.source = checklist.note = checklist.limits = {};
  checklist.settings = plain.settings;
  checklist.max_concurrency = plain.max_concurrency;
  checklist.items.clear();
  return checklist;
}

}  // namespace

ChecklistDialog::ChecklistDialog(const std::string& origin, const QString& model, QWidget* parent)
    : QDialog(parent), model_of_window_(model) {
  setWindowTitle(tr("New checklist"));
  template_ = box("tune.new.template", tr("Template"), this);
  for (const Checklist& one : checklist_templates())
    template_->addItem(engine_words(one.name), qs(one.origin));
  template_->addItem(tr("None: items of my own"), QString::fromLatin1(kNoTemplate));
  template_->setCurrentIndex(std::max(0, template_->findData(qs(origin))));
  build();
  connect(template_, &QComboBox::currentIndexChanged, this, &ChecklistDialog::follow_template);
  follow_template();
}

ChecklistDialog::ChecklistDialog(const Checklist& existing, const QString& model, QWidget* parent)
    : QDialog(parent), model_of_window_(model), checklist_(existing) {
  setWindowTitle(tr("Edit the checklist"));
  build();
  fill();
}

void ChecklistDialog::build() {
  setObjectName(QStringLiteral("tune.checklistDialog"));
  name_ = new QLineEdit(this);
  name_->setObjectName(QStringLiteral("tune.new.name"));
  name_->setAccessibleName(tr("Name"));
  target_ = box("tune.new.target", tr("Measured on"), this);
  target_->addItems({tr("the simulator"), tr("an engine of its own"), tr("the running engine")});
  model_ = new QLineEdit(this);
  model_->setObjectName(QStringLiteral("tune.new.model"));
  model_->setAccessibleName(tr("Model"));
  model_->setAccessibleDescription(tr("A model that is known by name, or a file"));
  open_ = new QPushButton(tr("Open…"), this);
  open_->setObjectName(QStringLiteral("tune.new.open"));
  open_->setAccessibleName(tr("Open a model's file"));
  open_->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred);
  open_->setAutoDefault(false);
  gpu_ = box("tune.new.gpu", tr("GPU"), this);
  for (const GpuProfile& gpu : gpu_profiles()) gpu_->addItem(qs(gpu.name));
  gpus_ = new NumberField(
      {QStringLiteral("tune.new.gpus"), tr("GPUs"), {}, tr("GPUs that share the model"), 1, 1024}, this);
  workload_ = box("tune.new.workload", tr("Workload"), this);
  for (const Workload& workload : workloads()) {
    workload_->addItem(qs(workload.name));
    workload_->setItemData(workload_->count() - 1, qs(workload.title), Qt::ToolTipRole);
  }
  requests_ = new NumberField({QStringLiteral("tune.new.requests"),
                               tr("Requests"),
                               {},
                               tr("Requests of each measurement"),
                               1,
                               1 << 20,
                               0,
                               tr("the workload's own")},
                              this);
  repeats_ = new NumberField({QStringLiteral("tune.new.repeats"),
                              tr("Repeats"),
                              {},
                              tr("Of each measurement, with other prompts; 2 or more give an interval"),
                              1,
                              1000},
                             this);
  source_ = new Label({}, FontRole::small, Colour::muted, this);
  source_->setWordWrap(true);
  trouble_ = new Label({}, FontRole::small, Colour::bad, this);
  trouble_->setObjectName(QStringLiteral("tune.new.trouble"));
  trouble_->setWordWrap(true);
  trouble_->hide();
  form_ = new FormGrid(this);
  form_->widen_fields();
  for (NumberField* number : {gpus_, requests_, repeats_}) number->setProperty("compact", false);
  if (template_ != nullptr) form_->add_row(tr("Template"), template_, {}, {});
  form_->add_row(tr("Name"), name_, {}, {QStringLiteral("name")});
  form_->add_row(tr("Measured on"), target_, {}, {QStringLiteral("target")});
  form_->add_row(tr("Model"), side_by_side({model_, open_}, this), {}, {QStringLiteral("model")});
  form_->add_row(tr("GPU"), gpu_, {}, {QStringLiteral("gpu")});
  form_->add_row(tr("GPUs"), gpus_, {}, {QStringLiteral("tensor-parallel-size")});
  form_->add_row(tr("Workload"), workload_, {}, {QStringLiteral("workload")});
  form_->add_row(tr("Requests"), requests_, {}, {QStringLiteral("num_prompts")});
  form_->add_row(tr("Repeats"), repeats_, {}, {QStringLiteral("repeats")});
  form_->end();
  auto* create = new QPushButton(template_ != nullptr ? tr("Create") : tr("Save"), this);
  create->setObjectName(QStringLiteral("tune.new.create"));
  create->setProperty("primary", true);
  create->setDefault(true);
  auto* cancel = new QPushButton(tr("Cancel"), this);
  auto* buttons = new QHBoxLayout;
  buttons->addStretch(1);
  buttons->addWidget(cancel);
  buttons->addWidget(create);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(units(4), units(4), units(4), units(4));
  column->setSpacing(units(2));
  column->addWidget(form_);
  column->addWidget(source_);
  column->addWidget(trouble_);
  column->addStretch(1);
  column->addLayout(buttons);
  resize(units(130), units(100));
  connect(target_, &QComboBox::currentIndexChanged, this, &ChecklistDialog::follow_target);
  for (QLineEdit* field : {name_, model_, static_cast<QLineEdit*>(gpus_), static_cast<QLineEdit*>(requests_),
                           static_cast<QLineEdit*>(repeats_)})
    connect(field, &QLineEdit::textChanged, this, &ChecklistDialog::clear_trouble);
  for (QComboBox* choice : {target_, gpu_, workload_})
    connect(choice, &QComboBox::currentIndexChanged, this, &ChecklistDialog::clear_trouble);
  connect(open_, &QPushButton::clicked, this, &ChecklistDialog::open_model);
  connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
  connect(create, &QPushButton::clicked, this, &ChecklistDialog::accept_if_sound);
}

void ChecklistDialog::follow_template() {
  const auto at = static_cast<std::size_t>(template_->currentIndex());
  const std::vector<Checklist>& templates = checklist_templates();
  checklist_ = at < templates.size() ? templates[at] : empty_checklist();
  fill();
}

void ChecklistDialog::fill() {
  name_->setText(engine_words(checklist_.name));
  target_->setCurrentIndex(static_cast<int>(checklist_.target));
  if (const auto gpus = parse_gpu_count(checklist_.gpus)) {
    gpu_->setCurrentIndex(gpu_->findText(qs(gpus->name)));
    gpus_->set_value(gpus->count);
  }
  workload_->setCurrentIndex(workload_->findText(qs(checklist_.workload)));
  if (checklist_.num_prompts > 0)
    requests_->set_value(checklist_.num_prompts);
  else
    requests_->clear();
  repeats_->set_value(checklist_.repeats);
  source_->setVisible(!checklist_.source.empty());
  source_->setText(tr("Source: %1").arg(engine_words(checklist_.source)));
  follow_target();
}

void ChecklistDialog::open_model() {
  const QString file =
      QFileDialog::getOpenFileName(this, tr("Open a model"), QFileInfo(model_->text()).path(),
                                   tr("Models (*.gguf config.json);;All files (*)"));
  if (!file.isEmpty()) model_->setText(file);
}

void ChecklistDialog::follow_target() {
  const auto target = static_cast<TuneTarget>(target_->currentIndex());
  const bool simulated = target == TuneTarget::simulator;
  gpu_->setEnabled(simulated);
  gpus_->setEnabled(simulated);
  for (QWidget* field : {static_cast<QWidget*>(model_), static_cast<QWidget*>(open_)})
    field->setEnabled(target != TuneTarget::running_engine);
  QStringList known;  // an engine of its own needs the weights: files alone
  if (simulated)
    for (const ModelProfile& profile : model_profiles()) known << qs(profile.name);
  auto* completer = new QCompleter(known, model_);
  completer->setCaseSensitivity(Qt::CaseInsensitive);
  completer->setFilterMode(Qt::MatchContains);
  model_->setCompleter(completer);
  const bool same = template_ == nullptr && target == checklist_.target;
  model_->setText(simulated || same ? qs(checklist_.model) : model_of_window_);
}

Checklist ChecklistDialog::described() const {
  Checklist made = checklist_;
  made.name = name_->text().trimmed().toStdString();
  made.target = static_cast<TuneTarget>(target_->currentIndex());
  made.model = model_->text().trimmed().toStdString();
  const bool simulated = made.target == TuneTarget::simulator;
  made.gpus = !simulated ? ""
              : gpus_->value() > 1
                  ? QStringLiteral("%1x%2").arg(gpu_->currentText()).arg(gpus_->value()).toStdString()
                  : gpu_->currentText().toStdString();
  if (!simulated) made.engine.clear();
  made.workload = workload_->currentText().toStdString();
  made.num_prompts =
      requests_->text().trimmed().isEmpty() ? 0 : static_cast<std::int32_t>(requests_->value());
  made.repeats = static_cast<std::int32_t>(repeats_->value());
  return made;
}

/// It was said of what stood there.
void ChecklistDialog::clear_trouble() {
  form_->clear_marks();
  trouble_->hide();
}

void ChecklistDialog::show_trouble(const Error& error) {
  const QString text = QString::fromStdString(error.text());
  form_->clear_marks();
  QWidget* field = form_->mark(QString::fromStdString(error.param), text);
  trouble_->setText(field == nullptr ? text : QString());
  trouble_->setVisible(field == nullptr);
  if (field != nullptr) field->setFocus();
  layout()->activate();
  resize(width(), std::max(height(), layout()->totalHeightForWidth(width())));  // whole sentences
}

void ChecklistDialog::accept_if_sound() {
  Checklist made = described();
  // What the target cannot measure is left out, and said.
  QStringList left_out;
  std::erase_if(made.items, [&](const Item& item) {
    const bool sound = std::all_of(item.changes.begin(), item.changes.end(), [&](const ItemChange& change) {
      const SettingInfo* info = find_setting(change.setting);
      return info != nullptr && can_measure(*info, made.target);
    });
    if (!sound) left_out << engine_words(item.name);
    return !sound;
  });
  Error error;
  if (const auto known = check_model(made); !known)
    error = known.error();
  else if (const auto sound = check(made); !sound)
    error = sound.error();
  if (!error.what.empty()) return show_trouble(error);
  if (!left_out.isEmpty())
    made.note =
        tr("Left out, since a running engine cannot change them: %1.").arg(listed(left_out)).toStdString() +
        " " + made.note;
  checklist_ = std::move(made);
  accept();
}

}  // namespace pitwall::ui
