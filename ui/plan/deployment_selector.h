// SPDX-License-Identifier: GPL-3.0-or-later
// The title bar's selector: shipped and saved deployments to start from, and whether the page still shows the
// one that it names.
#pragma once
#include <QComboBox>
#include <vector>

#include "engine/plan/deployment.h"

namespace pitwall::ui {

class DeploymentSelector : public QComboBox {
  Q_OBJECT

 public:
  explicit DeploymentSelector(QWidget* parent = nullptr);
  void set_offered(std::vector<Deployment> deployments);
  const std::vector<Deployment>& offered() const { return offered_; }
  /// Chosen where it is offered as it stands, else "NAME, changed" or "MODEL, not saved".
  void show_deployment(const Deployment& deployment);

 Q_SIGNALS:
  void chosen(const pitwall::Deployment& deployment);  ///< by the user

 private:
  std::vector<Deployment> offered_;
};

}  // namespace pitwall::ui
