// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plan/deployment_selector.h"

#include <algorithm>

#include "ui/plan/model_choices.h"
#include "ui/plan/plan_rows.h"
#include "ui/shell/theme.h"
#include "ui/widgets/engine_words.h"

namespace pitwall::ui {

namespace {

constexpr double kModelUnits = 34;  // beside it there is room to say that it is not saved

/// As the page asks it: requests for themselves, and no longest length that is max-model-len anyway.
std::string question_of(Deployment deployment) {
  deployment.requests = requests_asked(deployment);
  if (deployment.max_model_len && deployment.lengths.max == *deployment.max_model_len)
    deployment.lengths.max = 0;
  return deployment_json(deployment);
}

}  // namespace

DeploymentSelector::DeploymentSelector(QWidget* parent) : QComboBox(parent) {
  setObjectName(QStringLiteral("plan.deployment"));
  setAccessibleName(tr("Deployment"));
  setAccessibleDescription(tr("Starts from one that is shipped or saved."));
  setPlaceholderText(tr("No deployment"));
  setMinimumWidth(units(44));
  setSizeAdjustPolicy(QComboBox::AdjustToContents);
  const auto recolour = [this] {
    QPalette colours;
    colours.setColor(QPalette::PlaceholderText, ink(Colour::text));  // it says what is shown
    setPalette(colours);
  };
  recolour();
  connect(&Theme::current(), &Theme::changed, this, recolour);
  connect(this, &QComboBox::activated, this, [this](int index) {
    if (index >= 0 && static_cast<std::size_t>(index) < offered_.size())
      Q_EMIT chosen(Deployment(offered_[static_cast<std::size_t>(index)]));
  });
}

void DeploymentSelector::set_offered(std::vector<Deployment> deployments) {
  offered_ = std::move(deployments);
  clear();
  for (const Deployment& one : offered_) addItem(engine_words(one.name));
  setCurrentIndex(-1);
}

void DeploymentSelector::show_deployment(const Deployment& deployment) {
  const auto named = std::find_if(offered_.begin(), offered_.end(),
                                  [&](const Deployment& one) { return one.name == deployment.name; });
  const bool known = named != offered_.end();
  const QString model = model_title(QString::fromStdString(deployment.model));
  const QString short_model = fontMetrics().elidedText(model, Qt::ElideMiddle, units(kModelUnits));
  setPlaceholderText(known ? tr("%1, changed").arg(engine_words(deployment.name))
                           : tr("%1, not saved").arg(short_model));
  const bool same = known && question_of(*named) == question_of(deployment);
  setCurrentIndex(same ? static_cast<int>(named - offered_.begin()) : -1);
  setToolTip(same ? QString() : placeholderText());
}

}  // namespace pitwall::ui
