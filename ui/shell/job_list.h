// SPDX-License-Identifier: GPL-3.0-or-later
// What runs for longer than a moment: its name, the share that is done, the time left.
#pragma once
#include <QObject>
#include <QString>
#include <functional>
#include <limits>
#include <vector>

#include "engine/base/clock.h"

namespace pitwall::ui {

struct Job {
  QString id;                    ///< "serve.load": news of a job bear its id
  QString name;                  ///< "Load chat"
  double share = 0;              ///< done, 0 … 1; NaN: not known
  std::function<void()> cancel;  ///< on the UI thread
};

/// UI thread only. Oldest job first.
class JobList : public QObject {
  Q_OBJECT

 public:
  explicit JobList(const Clock& clock, QObject* parent = nullptr);  ///< the clock outlives it
  void post(const Job& job);                                        ///< a new one, or news of one
  void end(const QString& id);
  bool empty() const { return jobs_.empty(); }
  int count() const { return static_cast<int>(jobs_.size()); }
  const Job& oldest() const { return jobs_.front().job; }  ///< there is one
  /// Of the oldest, by its pace until its last news, less what has gone by since; NaN where that says
  /// nothing, and once it is over.
  double seconds_left() const;

 Q_SIGNALS:
  void changed();

 private:
  struct Running {
    Job job;
    Nanos began, told;  // told: when its share last grew
    double from;        // the share that it began with: what was done before took no time of it
  };
  const Clock& clock_;
  std::vector<Running> jobs_;
};

}  // namespace pitwall::ui
