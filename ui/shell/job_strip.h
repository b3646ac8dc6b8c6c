// SPDX-License-Identifier: GPL-3.0-or-later
// The jobs in the status bar: name, share done, time left, Cancel.
#pragma once
#include <QWidget>

#include "engine/base/clock.h"
#include "ui/shell/job_list.h"

class QPushButton;
class QTimer;

namespace pitwall::ui {

class ElidedLabel;

class JobStrip : public QWidget {
  Q_OBJECT

 public:
  explicit JobStrip(QWidget* parent = nullptr);
  JobList& jobs() { return jobs_; }

 private:
  void show_jobs();
  RealClock clock_;
  JobList jobs_;
  ElidedLabel* said_;
  QPushButton* cancel_;
  QTimer* ticks_;
};

/// "Load chat, 43 %, 2 min left, 1 more"
QString job_text(const JobList& jobs);

}  // namespace pitwall::ui
