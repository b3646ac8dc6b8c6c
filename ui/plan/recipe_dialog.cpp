// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plan/recipe_dialog.h"

#include <QComboBox>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/bench/recipe_comparison.h"
#include "engine/bench/workload.h"
#include "engine/library/model_profile.h"
#include "engine/plan/engine_profile.h"
#include "engine/plan/gpu_profile.h"
#include "ui/plan/recipe_rows.h"
#include "ui/shell/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/engine_words.h"

namespace pitwall::ui {

namespace {

constexpr int kMostRows = 12;

QString qs(const std::string& text) {
  return QString::fromStdString(text);
}

QString model_title(const std::string& name) {
  for (const ModelProfile& profile : model_profiles())
    if (profile.name == name) return engine_words(profile.title);
  return qs(name);
}

QString engine_title(const std::string& name) {
  const auto engine = find_engine(name);
  return engine ? qs((*engine)->title) : qs(name);
}

}  // namespace

RecipeDialog::RecipeDialog(QWidget* parent) : QDialog(parent), thread_(1, "plan: recipe") {
  setObjectName(QStringLiteral("plan.recipeDialog"));
  setWindowTitle(tr("Tuning recipe"));
  build();
  connect(recipes_, &QComboBox::currentIndexChanged, this, &RecipeDialog::choose_recipe);
  connect(gpus_, &QComboBox::currentIndexChanged, this, &RecipeDialog::run);
  connect(table_, &DataTable::current_changed, this, &RecipeDialog::show_progress);
  connect(table_, &DataTable::opened, this, &RecipeDialog::put_step);
  connect(put_, &QPushButton::clicked, this, &RecipeDialog::put_step);
  connect(run_, &QPushButton::clicked, this, [this] { stop_ ? cancel() : run(); });
  choose_recipe();
  table_->setFocus();
}

RecipeDialog::~RecipeDialog() {
  if (stop_) *stop_ = true;
}

void RecipeDialog::build() {
  recipes_ = new QComboBox(this);
  recipes_->setObjectName(QStringLiteral("plan.recipe.name"));
  recipes_->setAccessibleName(tr("Recipe"));
  for (const TuningRecipe& recipe : tuning_recipes())
    recipes_->addItem(engine_words(recipe.title), qs(recipe.name));
  gpus_ = new QComboBox(this);
  gpus_->setObjectName(QStringLiteral("plan.recipe.gpus"));
  gpus_->setAccessibleName(tr("GPUs"));
  gpus_->setAccessibleDescription(tr("Whose speed the simulation has."));
  auto* tag = new Tag(this);
  tag->set(Tag::Kind::neutral, tr("simulated"));
  auto* top = new QHBoxLayout;
  top->setSpacing(units(2));
  for (const auto& [name, box] : {std::pair{tr("Recipe"), recipes_}, std::pair{tr("GPUs"), gpus_}}) {
    auto* label = new Label(name, FontRole::body, Colour::muted, this);
    label->setBuddy(box);
    top->addWidget(label);
    top->addWidget(box);
  }
  top->addStretch(1);
  top->addWidget(tag);

  deployment_ = new Label({}, FontRole::body, Colour::text, this);
  deployment_->setObjectName(QStringLiteral("plan.recipe.deployment"));
  source_ = new Label({}, FontRole::small, Colour::muted, this);
  table_ = new DataTable(tr("Steps, published beside simulated"), recipe_columns(), this);
  table_->setObjectName(QStringLiteral("plan.recipe.steps"));
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setSortingEnabled(false);  // each step builds on the one before
  table_->set_stretch_column(1);
  table_->fit_height(kMostRows);
  summary_ = new Label({}, FontRole::body, Colour::text, this);
  summary_->setObjectName(QStringLiteral("plan.recipe.summary"));
  for (Label* label : {deployment_, source_, summary_}) {
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  }
  auto* title =
      new Label(tr("Where simulation and source differ, and why"), FontRole::section, Colour::text, this);
  notes_ = new QPlainTextEdit(this);
  notes_->setObjectName(QStringLiteral("plan.recipe.notes"));
  notes_->setAccessibleName(title->text());
  notes_->setReadOnly(true);
  notes_->setTabChangesFocus(true);
  title->setBuddy(notes_);

  progress_text_ = new Label({}, FontRole::small, Colour::muted, this);
  progress_text_->setObjectName(QStringLiteral("plan.recipe.progressText"));
  progress_ = new QProgressBar(this);
  progress_->setObjectName(QStringLiteral("plan.recipe.progress"));
  progress_->setAccessibleName(tr("Steps simulated"));
  progress_->setTextVisible(false);
  progress_->setFixedWidth(units(40));
  run_ = new QPushButton(this);
  run_->setObjectName(QStringLiteral("plan.recipe.run"));
  run_->setAutoDefault(false);
  auto* close = new QPushButton(tr("Close"), this);
  put_ = new QPushButton(tr("Add step to the plan"), this);
  put_->setObjectName(QStringLiteral("plan.recipe.put"));
  put_->setAccessibleDescription(tr("The chosen step becomes an alternative of the page."));
  put_->setProperty("primary", true);
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(units(2));
  buttons->addWidget(run_);
  buttons->addWidget(progress_);
  buttons->addWidget(progress_text_, 1);
  buttons->addWidget(close);
  buttons->addWidget(put_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(units(3), units(3), units(3), units(3));
  column->setSpacing(units(2));
  column->addLayout(top);
  column->addWidget(deployment_);
  column->addWidget(source_);
  column->addWidget(table_);
  column->addWidget(summary_);
  column->addWidget(title);
  column->addWidget(notes_, 1);
  column->addLayout(buttons);
  const int most = parentWidget() ? parentWidget()->window()->width() : units(330);
  resize(std::min(units(330), most), units(165));
  connect(close, &QPushButton::clicked, this, &QDialog::reject);
}

void RecipeDialog::choose_recipe() {
  const auto found = find_recipe(recipes_->currentData().toString().toStdString());
  if (!found) return;
  recipe_ = *found;
  source_->setText(engine_words(recipe_.source));
  QStringList notes;
  for (const std::string& note : recipe_.notes) notes << QStringLiteral("• ") + engine_words(note);
  notes_->setPlainText(notes.join(QLatin1Char('\n')));
  const QSignalBlocker quiet(gpus_);
  gpus_->clear();
  for (const std::string& gpus : recipe_.gpus)
    if (const auto count = parse_gpu_count(gpus))
      gpus_->addItem(QStringLiteral("%1 × %2").arg(count->count).arg(qs(count->name)), qs(gpus));
  run();
}

void RecipeDialog::run() {
  cancel();
  played_.clear();
  const auto gpus = parse_gpu_count(gpus_->currentData().toString().toStdString());
  if (!gpus) return take_end(qs(gpus.error().text()));
  const auto workload = find_workload(recipe_.workload);
  deployment_->setText(tr("%1 on %2, tensor parallel %3, step times of %4. Load: %5.")
                           .arg(model_title(recipe_.model), gpus_->currentText())
                           .arg(gpus->count)
                           .arg(engine_title(recipe_.engine),
                                workload ? engine_words(workload->title) : qs(recipe_.workload)));
  const auto stop = stop_ = std::make_shared<std::atomic<bool>>(false);
  thread_.post([this, stop, recipe = recipe_, count = *gpus] {
    if (*stop) return;
    // What a run says after it was stopped is of no use to anybody.
    const auto tell = [&](std::function<void()> what) {
      QMetaObject::invokeMethod(
          this,
          [this, stop, what = std::move(what)] {
            if (stop == stop_) what();
          },
          Qt::QueuedConnection);
    };
    const auto model = read_outline(recipe.model);
    const auto gpu = find_gpu(count.name);
    QString trouble;
    if (!model || !gpu) {
      trouble = qs(!model ? model.error().text() : gpu.error().text());
    } else {
      const auto played = play(recipe, {*model, *gpu, count.count}, [&](const PlayedStep& step) {
        tell([this, step] { take_step(step); });
        return !*stop;
      });
      if (!played) trouble = qs(played.error().text());
    }
    tell([this, trouble] { take_end(trouble); });
  });
  show_steps();
}

void RecipeDialog::cancel() {
  if (!stop_) return;
  *stop_ = true;
  stop_.reset();
  show_progress();
}

void RecipeDialog::take_step(const PlayedStep& step) {
  played_.push_back(step);
  show_steps();
}

void RecipeDialog::take_end(const QString& trouble) {
  stop_.reset();
  show_progress();
  if (trouble.isEmpty()) return;
  progress_text_->set_colour(Colour::bad);
  progress_text_->setText(trouble);
}

void RecipeDialog::show_steps() {
  const std::vector<ComparedStep> steps = compare(recipe_, played_);
  table_->set_rows(recipe_rows(steps));
  const QString summary = recipe_summary(steps);
  summary_->setText(summary);
  table_->setAccessibleDescription(summary);
  if (table_->current_key() < 0) table_->select_key(0);
  show_progress();
}

void RecipeDialog::show_progress() {
  const std::size_t done = played_.size(), all = recipe_.steps.size();
  progress_->setRange(0, static_cast<int>(all));
  progress_->setValue(static_cast<int>(done));
  progress_->setVisible(stop_ != nullptr);
  run_->setText(stop_ ? tr("Cancel") : tr("Simulate again"));
  progress_text_->set_colour(Colour::muted);
  progress_text_->setText(stop_ && done < all ? tr("Simulating step %1 of %2: %3")
                                                    .arg(done + 1)
                                                    .arg(all)
                                                    .arg(engine_words(recipe_.steps[done].title))
                                              : tr("%1 of %2 steps simulated").arg(done).arg(all));
  put_->setEnabled(table_->current_key() >= 0);
}

void RecipeDialog::put_step() {
  const auto gpus = parse_gpu_count(gpus_->currentData().toString().toStdString());
  if (table_->current_key() < 0 || !gpus) return;
  const auto deployment = step_deployment(recipe_, static_cast<std::size_t>(table_->current_key()), *gpus);
  progress_text_->set_colour(deployment ? Colour::muted : Colour::bad);
  progress_text_->setText(deployment ? tr("“%1” stands in the plan, pinned").arg(qs(deployment->name))
                                     : qs(deployment.error().text()));
  if (deployment) Q_EMIT step_chosen(*deployment);
}

}  // namespace pitwall::ui
