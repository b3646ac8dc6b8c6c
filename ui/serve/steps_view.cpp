// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/steps_view.h"

#include <QVBoxLayout>

#include "ui/serve/step_history.h"
#include "ui/serve/step_members.h"
#include "ui/widgets/card.h"
#include "ui/widgets/data_table.h"

namespace pitwall::ui {

namespace {

constexpr double kTimelineUnits = 76;  // what happened in a step stays in view below it

}  // namespace

StepsView::StepsView(QWidget* parent) : QWidget(parent) {
  timeline_ = new StepChart(QStringLiteral("serve.steps"), tr("Steps"),
                            tr("What was in each step, and who had to give way?"), this);
  timeline_->setMaximumHeight(units(kTimelineUnits));
  text_ = new Label(tr("Arrows choose a step, + and − zoom, 0 shows all. ▼ preempted, ◇ evicted."),
                    FontRole::small, Colour::muted, this);
  text_->setObjectName(QStringLiteral("serve.stepText"));
  text_->setWordWrap(true);
  text_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  text_->setMinimumHeight(units(14));  // three lines
  members_ = new DataTable(tr("Requests in the step"), step_member_columns(), this);
  members_->setObjectName(QStringLiteral("serve.stepMembers"));
  members_->set_stretch_column(1);
  members_card_ = new Card(tr("Who was in it"), {}, {}, this);
  members_card_->body()->addWidget(members_, 1);
  auto* said = new Card({}, {}, {}, this);
  said->body()->addWidget(text_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(units(2));
  column->addWidget(timeline_, 3);
  column->addWidget(said);
  column->addWidget(members_card_, 2);
  connect(timeline_, &StepChart::step_chosen, this, &StepsView::step_chosen);
}

void StepsView::tell(std::uint64_t step, const Recorder* recorder) {
  const QString text = recorder == nullptr ? QString() : step_text(step, *recorder);
  text_->set_colour(text.isEmpty() ? Colour::muted : Colour::text);
  text_->setText(!text.isEmpty() ? text
                 : recorder == nullptr
                     ? tr("The engine has stopped: who was in a step is no longer known.")
                     : tr("This step is too long ago: the engine knows its last 8,192 steps by name."));
  const std::vector<StepMember> members =
      text.isEmpty() ? std::vector<StepMember>() : step_members(step, *recorder);
  members_card_->set_question(text.isEmpty() ? QString() : tr("step %1").arg(step));
  members_->set_rows(step_member_rows(members));
}

}  // namespace pitwall::ui
