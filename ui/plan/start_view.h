// SPDX-License-Identifier: GPL-3.0-or-later
// What the plan page shows before anything is planned: a model to plan, and deployments to start from.
#pragma once
#include <vector>

#include "engine/plan/deployment.h"
#include "ui/plan/model_choices.h"
#include "ui/widgets/card.h"

class QComboBox;
class QGridLayout;

namespace pitwall::ui {

class EngineChoice;
class NumberField;

class StartView : public QWidget {
  Q_OBJECT

 public:
  explicit StartView(QWidget* parent = nullptr);
  void set_models(const std::vector<ModelChoice>& models);
  void set_gpus(const QStringList& names);
  void set_deployments(const std::vector<Deployment>& deployments);
  Deployment deployment() const;  ///< as chosen here: model, GPU, engine and demand

 Q_SIGNALS:
  void chosen(const pitwall::Deployment& deployment);
  void open_requested();
  void read_command_requested();
  void recipe_requested();

 private:
  void build_choices(QGridLayout& grid);
  QComboBox* add_choice(QGridLayout& grid, const char* id, const QString& name);
  void add_field(QGridLayout& grid, const QString& name, QWidget* field);
  void build_ways_in(Card& card);

  QComboBox *model_, *gpu_;
  QString proposed_;  // model that stood there before anybody chose
  EngineChoice* engine_;
  NumberField *requests_, *length_;
  Card* deployments_;
  QWidget* rows_ = nullptr;
};

/// "Qwen2.5-72B-Instruct-AWQ on 1 × H200 · 48 requests of up to 8,192 tokens"
QString deployment_text(const Deployment& deployment);

}  // namespace pitwall::ui
