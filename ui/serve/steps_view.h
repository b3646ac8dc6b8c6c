// SPDX-License-Identifier: GPL-3.0-or-later
// The Steps tab: the timeline from an hour to one step, and of the step that was chosen what was in it, who
// gave way and who was in it.
#pragma once
#include <QWidget>

#include "engine/telemetry/recorder.h"
#include "ui/widgets/step_chart.h"

namespace pitwall::ui {

class Card;
class DataTable;
class Label;

class StepsView : public QWidget {
  Q_OBJECT

 public:
  explicit StepsView(QWidget* parent = nullptr);
  StepChart* timeline() const { return timeline_; }
  /// What the recorder still knows of the step; null: the engine has stopped.
  void tell(std::uint64_t step, const Recorder* recorder);

 Q_SIGNALS:
  void step_chosen(quint64 step);

 private:
  StepChart* timeline_;
  Label* text_;
  Card* members_card_;
  DataTable* members_;
};

}  // namespace pitwall::ui
