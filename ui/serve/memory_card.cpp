// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/memory_card.h"

#include <QVBoxLayout>
#include <numeric>
#include <utility>

#include "ui/widgets/memory_bar.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/text_line.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

constexpr std::size_t kTrendSeconds = 30;  // what the pool did lately, it is taken to go on with
constexpr double kLongestForecast = 3600;  // s: beyond it a trend says nothing

/// Bytes/s by which the free part of the pool shrank lately; 0 = it did not, or too little is known.
double free_lost_per_second(const std::vector<SecondRecord>& history) {
  if (history.size() < 5) return 0;
  const SecondRecord& now = history.back();
  const SecondRecord& then = history[history.size() - std::min(history.size(), kTrendSeconds)];
  const double seconds = static_cast<double>(now.utc - then.utc) / static_cast<double>(kNanosPerSecond);
  return seconds > 0 ? std::max(0.0, static_cast<double>(then.kv_free - now.kv_free) / seconds) : 0;
}

QString until_text(double seconds) {
  return seconds < 90 ? tr("%1 s").arg(three_digits(seconds)) : tr("%1 min").arg(three_digits(seconds / 60));
}

/// What happens to the KV pool.
QString pool_note(const Snapshot& snapshot) {
  const LedgerSnapshot& ledger = snapshot.ledger;
  if (ledger.kv_free == 0)
    return ledger.kv_cached > 0
               ? tr("No KV block is free: new ones take the oldest cached blocks. Not an out-of-memory "
                    "risk.")
           : snapshot.waiting > 0
               ? tr("No KV block is free: waiting requests start when running ones end.")
               : tr("No KV block is free: running requests that grow preempt the newest one.");
  const double lost = free_lost_per_second(snapshot.history);
  const double left = static_cast<double>(ledger.kv_free) / lost;
  if (lost > 0 && left < kLongestForecast)
    return tr("Free KV blocks last about %1 at %2/s; then the oldest cached blocks are reused. Not an "
              "out-of-memory risk.")
        .arg(until_text(left), bytes_text(static_cast<Bytes>(lost)));
  return tr("The KV pool has a fixed size: serving more does not grow it.");
}

}  // namespace

QString memory_note(const Snapshot& snapshot) {
  const LedgerSnapshot& ledger = snapshot.ledger;
  QStringList notes{pool_note(snapshot)};
  const Bytes missing = ledger.accounted() - ledger.measured;
  if (missing > 0 && !ledger.swap_apart)
    notes << tr("%1 of what is booked was not touched yet: the system gives pages at first use.")
                 .arg(bytes_text(missing));
  if (missing < 0 && !ledger.swap_apart)
    notes
        << tr("%1 are not booked: this program itself, its window and libraries.").arg(bytes_text(-missing));
  return told(notes);
}

MemoryCard::MemoryCard(QWidget* parent) : Card(tr("Memory"), {}, tr("Where is the memory?"), parent) {
  setObjectName(QStringLiteral("serve.memoryCard"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  ended_ = new Label({}, FontRole::small, Colour::warn, this);
  total_ = new TextLine(this);
  add_header_widget(ended_);
  add_header_widget(total_);
  bar_ = new MemoryBar(this);
  bar_->setObjectName(QStringLiteral("serve.memoryBar"));
  table_ = new MemoryTable(this);
  table_->setObjectName(QStringLiteral("serve.memoryTable"));
  note_ = new Label({}, FontRole::small, Colour::muted, this);
  note_->setObjectName(QStringLiteral("serve.memoryNote"));
  note_->setWordWrap(true);
  for (QWidget* part :
       {static_cast<QWidget*>(bar_), static_cast<QWidget*>(table_), static_cast<QWidget*>(note_)})
    body()->addWidget(part);
}

void MemoryCard::show_ended(const QString& text) {
  ended_->setText(text);
  ended_->setVisible(!text.isEmpty());
}

void MemoryCard::show_planned(const std::optional<std::array<Bytes, kCategoryCount>>& planned) {
  planned_ = planned;
  table_->set_planned(planned);
}

void MemoryCard::show_snapshot(const Snapshot& snapshot) {
  const LedgerSnapshot& ledger = snapshot.ledger;
  QString total =
      tr("Booked %1 · system says %2").arg(bytes_text(ledger.accounted()), bytes_text(ledger.measured));
  if (planned_)
    total = tr("Planned %1 · %2")
                .arg(bytes_text(std::accumulate(planned_->begin(), planned_->end(), Bytes{0})), total);
  if (ledger.limit > 0) {
    const Bytes headroom = ledger.limit - std::max(ledger.accounted(), ledger.measured);
    total += tr(" · headroom %1").arg(bytes_text(headroom));
  }
  total_->set({{total}});
  bar_->set_ledger(ledger);
  table_->set_ledger(ledger);
  const Nanos newest = snapshot.history.empty() ? 0 : snapshot.history.back().utc;
  if (newest != std::exchange(noted_, newest) || note_->text().isEmpty())
    note_->setText(memory_note(snapshot));
}

}  // namespace pitwall::ui
