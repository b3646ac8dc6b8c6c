// SPDX-License-Identifier: GPL-3.0-or-later
// The form: which deployment, for which demand, within which limits. It holds one Deployment and says when
// the user changed it; what the answer means for a field is told to it.
#pragma once
#include <functional>
#include <utility>
#include <vector>

#include "engine/plan/deployment_plan.h"
#include "ui/plan/model_choices.h"
#include "ui/widgets/card.h"

class QComboBox;
class QPushButton;
class QScrollArea;
class QSlider;

namespace pitwall::ui {

class EngineChoice;
class FormGrid;
class MoreFields;
class NumberField;

class PlanForm : public Card {
  Q_OBJECT

 public:
  explicit PlanForm(QWidget* parent = nullptr);

  const Deployment& deployment() const { return deployment_; }
  void set_deployment(const Deployment& deployment);  ///< quiet; marks go
  bool has_wrong_field() const;                       ///< a field holds what is no number in range

  void set_models(const std::vector<ModelChoice>& models);
  void set_gpus(const QStringList& names);
  void show_reading(const QString& text);
  void show_no_model();  ///< what stood there was of another one
  void show_outline(const ModelOutline& model);
  void show_plan(const DeploymentPlan& plan);  ///< formula and limit in bytes; marks go
  void show_error(const Error& error);         ///< marks the field that it names
  void set_can_serve(bool can, const QString& why_not);
  void set_can_save(bool can);
  bool is_sliding() const;  ///< a slider is held

 Q_SIGNALS:
  void edited();   ///< deployment() is new
  void refused();  ///< a field holds nonsense
  void open_requested();
  void serve_requested();
  void save_requested();

 private:
  void build_deployment();
  void build_demand();
  void build_limits();
  void build_more();
  void build_formula();
  void build_buttons();
  QComboBox* make_choice(const char* id, const QString& name, const QString& effect);
  NumberField* make_tokens(const char* id, const QString& name, const QString& effect, double minimum,
                           const QString& none, std::function<void(Deployment&, std::int64_t)> set);
  QSlider* make_slider(const char* id, const QString& name);
  void take(const std::function<void(Deployment&)>& change);
  void take_gpus(int gpus);
  static void take_max_length(Deployment& d, std::optional<std::int64_t> tokens);
  void take_meaning(MemoryBudget::Meaning meaning);
  void take_limit(double value);
  void show_values();
  void show_parallel();
  void show_budget();
  void place_sliders();
  void clear_marks();

  Deployment deployment_;
  std::vector<int> legal_{1};
  std::int64_t context_ = 0;  ///< the model's; 0 = unknown
  QScrollArea* scroll_;
  FormGrid* grid_;
  MoreFields* more_;
  EngineChoice* engine_;
  QComboBox *model_, *gpu_, *parallel_, *kv_, *meaning_;
  NumberField *gpus_, *requests_, *max_length_, *p50_, *p95_, *prefix_, *sequences_, *step_tokens_, *ttft_,
      *tpot_, *limit_;
  QWidget* limit_field_;
  QSlider *requests_slider_, *length_slider_;
  Label *facts_, *limit_unit_, *limit_note_, *terms_, *result_, *formula_note_, *trouble_;
  QPushButton *serve_, *save_;
};

}  // namespace pitwall::ui
