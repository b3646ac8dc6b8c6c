// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/events_card.h"

#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/widgets/data_table.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

namespace {

QIcon icon_of(ServeEvent::Kind kind) {
  switch (kind) {
    case ServeEvent::Kind::spike:
      return icon(QStringLiteral("warning"), Colour::bad);
    case ServeEvent::Kind::lap:
      return icon(QStringLiteral("flag"), Colour::text);
    case ServeEvent::Kind::load:
      return icon(QStringLiteral("play"), Colour::text);
    case ServeEvent::Kind::state:
      break;
  }
  return icon(QStringLiteral("serve"), Colour::muted);
}

}  // namespace

EventsCard::EventsCard(QWidget* parent) : Card(tr("Events"), {}, {}, parent) {
  setObjectName(QStringLiteral("serve.events"));
  table_ = new DataTable(tr("Events"), {{tr("What")}, {tr("When")}}, this);
  table_->setObjectName(QStringLiteral("serve.eventTable"));
  table_->set_stretch_column(0);
  table_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Ignored);
  table_->setMinimumHeight(units(24));
  body()->addWidget(table_, 1);
  const auto choose = [this](qint64 key) {
    if (key < 0 || key >= std::ssize(events_)) return;
    at_ = key;
    Q_EMIT chosen(events_[static_cast<std::size_t>(key)]);
  };
  connect(table_, &DataTable::opened, this, choose);
  connect(table_, &QTableView::clicked, this, [this, choose] { choose(table_->current_key()); });
}

bool EventsCard::show_events(const std::vector<ServeEvent>& events) {
  if (std::equal(events.begin(), events.end(), events_.begin(), events_.end(),
                 [](const ServeEvent& a, const ServeEvent& b) { return a.at == b.at && a.title == b.title; }))
    return false;
  events_ = events;
  std::vector<TableRow> rows;
  for (std::size_t i = events_.size(); i-- > 0;) {
    const ServeEvent& event = events_[i];
    const QString text =
        event.detail.isEmpty() ? event.title : event.title + QStringLiteral(": ") + event.detail;
    const bool spike = event.kind == ServeEvent::Kind::spike;
    rows.push_back({static_cast<qint64>(i),
                    {{text, 0, spike ? Colour::bad : Colour::text, false, icon_of(event.kind)},
                     {time_text(std::llround(event.at * 1e9)), event.at, Colour::muted}}});
  }
  table_->set_rows(std::move(rows));
  return true;
}

void EventsCard::go(ServeEvent::Kind kind, int by) {
  const qint64 count = std::ssize(events_);
  for (qint64 i = at_ < 0 ? (by > 0 ? 0 : count - 1) : at_ + by; i >= 0 && i < count; i += by) {
    if (events_[static_cast<std::size_t>(i)].kind != kind) continue;
    at_ = i;
    table_->select_key(i);
    return Q_EMIT chosen(events_[static_cast<std::size_t>(i)]);
  }
}

}  // namespace pitwall::ui
