// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/goodput_card.h"

#include <QLineEdit>
#include <QVBoxLayout>

#include "ui/serve/laps.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

Goodput goodput_of(const Snapshot& snapshot, const Objectives& objectives) {
  Goodput result;
  const std::vector<ChartLap> laps = laps_of(snapshot.changes, snapshot.first_lap);
  const Nanos since = snapshot.changes.empty() ? 0 : snapshot.changes.back().utc;
  if (!laps.empty()) result.lap = laps.back().number;
  const auto over = [](const std::optional<double>& limit, double ms) { return limit && ms > *limit; };
  for (const RequestRecord& request : snapshot.requests) {
    if (request.finish == FinishReason::none || request.finish == FinishReason::cancelled ||
        request.arrival_utc < since)
      continue;
    ++result.requests;
    if (!request.ended_well()) {
      ++result.failed;
      continue;
    }
    result.late_ttft += over(objectives.ttft, request.ttft_ms());
    result.late_tpot += over(objectives.tpot, request.tpot_ms());
    result.late_e2e += over(objectives.e2el, request.e2e_ms());
    result.good += objectives.met_by(request.ttft_ms(), request.tpot_ms(), request.e2e_ms(), false);
  }
  return result;
}

GoodputCard::GoodputCard(QWidget* parent)
    : Card(tr("Goodput"), {}, tr("Who got what was promised?"), parent) {
  setObjectName(QStringLiteral("serve.goodput"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  field_ = new QLineEdit(this);
  field_->setObjectName(QStringLiteral("serve.slo"));
  field_->setProperty("compact", true);
  field_->setAccessibleName(tr("Objectives"));
  field_->setPlaceholderText(QStringLiteral("ttft:200 tpot:50"));
  const QString help = tr("Limits in ms for each request: ttft:200 tpot:50 e2el:4000, or mlperf:NAME.");
  field_->setToolTip(help);
  field_->setAccessibleDescription(help);
  said_ = new Label({}, FontRole::small, Colour::muted, this);
  said_->setWordWrap(true);
  body()->addWidget(field_);
  body()->addWidget(said_);
  connect(field_, &QLineEdit::editingFinished, this, [this] {
    if (read()) Q_EMIT changed(field_->text().simplified());
  });
}

void GoodputCard::set_words(const QString& words) {
  field_->setText(words);
  read();
}

bool GoodputCard::read() {
  std::vector<std::string> words;
  for (const QString& word : field_->text().simplified().split(QLatin1Char(' '), Qt::SkipEmptyParts))
    words.push_back(word.toStdString());
  auto parsed = parse_objectives(words);
  field_->setProperty("wrong", !parsed.ok());
  field_->update();
  said_->set_colour(parsed ? Colour::muted : Colour::bad);
  if (parsed) objectives_ = *parsed;
  said_->setText(parsed ? tr("No request has ended yet.") : QString::fromStdString(parsed.error().text()));
  return parsed.ok();
}

void GoodputCard::show_snapshot(const Snapshot& snapshot) {
  if (field_->property("wrong").toBool()) return;
  if (!objectives_.any()) return said_->setText(tr("Say what a request is promised, in ms."));
  const Goodput now = goodput_of(snapshot, objectives_);
  if (now.requests == 0) return said_->setText(tr("No request has ended in lap %1 yet.").arg(now.lap));
  QStringList words{tr("%1 of %2 requests of lap %3 were good")
                        .arg(count_text(now.good), count_text(now.requests))
                        .arg(now.lap)};
  if (now.late_ttft > 0) words << tr("%1 over TTFT").arg(count_text(now.late_ttft));
  if (now.late_tpot > 0) words << tr("%1 over TPOT").arg(count_text(now.late_tpot));
  if (now.late_e2e > 0) words << tr("%1 over E2E").arg(count_text(now.late_e2e));
  if (now.failed > 0) words << tr("%1 failed").arg(count_text(now.failed));
  said_->setText(words.join(QStringLiteral(" · ")));
}

}  // namespace pitwall::ui
