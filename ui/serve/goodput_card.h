// SPDX-License-Identifier: GPL-3.0-or-later
// The goodput card: what each user is promised, and how many requests kept to it.
#pragma once
#include "engine/bench/goodput.h"
#include "engine/telemetry/snapshot.h"
#include "ui/widgets/card.h"

class QLineEdit;

namespace pitwall::ui {

struct Goodput {
  std::int64_t requests = 0, good = 0;
  int lap = 1;                                                          ///< since which they are counted
  std::int64_t late_ttft = 0, late_tpot = 0, late_e2e = 0, failed = 0;  ///< why the others are not good
};
/// Of the ended requests in a snapshot (200 at most) that arrived in its last lap; cancelled ones left out.
Goodput goodput_of(const Snapshot& snapshot, const Objectives& objectives);

class GoodputCard : public Card {
  Q_OBJECT

 public:
  explicit GoodputCard(QWidget* parent = nullptr);
  void set_words(const QString& words);  ///< "ttft:200 tpot:50", as --goodput takes them
  const Objectives& objectives() const { return objectives_; }
  void show_snapshot(const Snapshot& snapshot);

 Q_SIGNALS:
  void changed(const QString& words);  ///< by the user, to what is understood

 private:
  bool read();  ///< false: marked, with the reason below
  Objectives objectives_;
  QLineEdit* field_;
  Label* said_;
};

}  // namespace pitwall::ui
