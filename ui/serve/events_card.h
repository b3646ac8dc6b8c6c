// SPDX-License-Identifier: GPL-3.0-or-later
// The events card: spikes, laps and changes of state, newest first.
#pragma once
#include "ui/serve/event_log.h"
#include "ui/widgets/card.h"

namespace pitwall::ui {

class DataTable;

class EventsCard : public Card {
  Q_OBJECT

 public:
  explicit EventsCard(QWidget* parent = nullptr);
  bool show_events(const std::vector<ServeEvent>& events);  ///< false: there is none that is new
  /// The next one of that kind after the one that was chosen last, or before it; says so by chosen().
  void go(ServeEvent::Kind kind, int by);

 Q_SIGNALS:
  void chosen(const pitwall::ui::ServeEvent& event);

 private:
  std::vector<ServeEvent> events_;
  qint64 at_ = -1;  ///< index of the one chosen last
  DataTable* table_;
};

}  // namespace pitwall::ui
