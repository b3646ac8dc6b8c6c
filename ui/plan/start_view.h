// SPDX-License-Identifier: GPL-3.0-or-later
// What the plan page shows before anything is planned: deployments to start from.
#pragma once
#include <vector>

#include "engine/plan/deployment.h"
#include "ui/widgets/card.h"

namespace pitwall::ui {

class StartView : public QWidget {
  Q_OBJECT

 public:
  explicit StartView(QWidget* parent = nullptr);
  void set_deployments(const std::vector<Deployment>& deployments);

 Q_SIGNALS:
  void chosen(const pitwall::Deployment& deployment);
  void read_command_requested();
  void recipe_requested();

 private:
  Card* card_;
  QWidget* rows_ = nullptr;
};

/// "Qwen2.5-72B-Instruct-AWQ on 1 × H200 · 48 requests of up to 8,192 tokens"
QString deployment_text(const Deployment& deployment);

}  // namespace pitwall::ui
