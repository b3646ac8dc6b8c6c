// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/request_card.h"

#include <QGridLayout>
#include <cmath>

#include "ui/widgets/number_format.h"
#include "ui/widgets/share_bar.h"

namespace pitwall::ui {

QString miss_text(const RequestRecord& record) {
  switch (record.miss) {
    case MissReason::none:
      return RequestCard::tr("none: the last block is always computed");
    case MissReason::disabled:
      return RequestCard::tr("the prefix cache is off");
    case MissReason::below_one_block:
      return RequestCard::tr("shorter than one block");
    case MissReason::cold:
      return record.miss_token > 0
                 ? RequestCard::tr("new text after token %1").arg(count_text(record.miss_token))
                 : RequestCard::tr("first seen");
    case MissReason::diverged:
      return RequestCard::tr("other text after token %1").arg(count_text(record.miss_token));
    case MissReason::evicted:
      return RequestCard::tr("evicted after token %1").arg(count_text(record.miss_token));
    case MissReason::different_salt:
      return RequestCard::tr("cached under another salt");
    case MissReason::not_yet_computed:
      return RequestCard::tr("another request was computing it");
  }
  return no_value();
}

RequestCard::RequestCard(QWidget* parent) : Card(tr("Last request"), {}, tr("Computed again?"), parent) {
  setObjectName(QStringLiteral("chat.prefix"));
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Minimum);  // a long reason takes two lines
  bar_ = new ShareBar(tr("Share of prompt tokens"), this);
  facts_ = new QWidget(this);
  auto* grid = new QGridLayout(facts_);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setVerticalSpacing(units(1));
  grid->setColumnStretch(1, 1);
  prompt_ = add_row(0, tr("Prompt"));
  computed_ = add_row(1, tr("Computed"));
  miss_ = add_row(2, tr("Miss reason"));
  kv_ = add_row(3, tr("KV blocks"));
  nothing_ = new Label(tr("No reply in this chat yet."), FontRole::small, Colour::muted, this);
  for (QWidget* part : std::initializer_list<QWidget*>{bar_, facts_, nothing_}) body()->addWidget(part);
  show_nothing();
}

Label* RequestCard::add_row(int row, const QString& name) {
  auto* grid = static_cast<QGridLayout*>(facts_->layout());
  grid->addWidget(new Label(name, FontRole::small, Colour::muted), row, 0, Qt::AlignTop);
  auto* value = new Label({}, FontRole::small);
  value->setAlignment(Qt::AlignRight);
  value->setWordWrap(true);
  grid->addWidget(value, row, 1);
  return value;
}

void RequestCard::show_nothing() {
  bar_->hide();
  facts_->hide();
  nothing_->show();
}

void RequestCard::show_request(const RequestRecord& record, const Snapshot* snapshot) {
  const int computed = record.prompt_tokens - record.cached_tokens;
  bar_->set_shares({{tr("cached"), Colour::kv_cached, FillPattern::slashes, double(record.cached_tokens)},
                    {tr("computed"), Colour::ttft, FillPattern::solid, double(computed)}});
  prompt_->setText(tr("%1 tokens").arg(count_text(record.prompt_tokens)));
  computed_->setText(std::isnan(record.prefill_ms())
                         ? tr("%1 tokens").arg(count_text(computed))
                         : tr("%1 tokens in %2").arg(count_text(computed), ms_text(record.prefill_ms())));
  miss_->setText(miss_text(record));
  miss_->setToolTip(QString::fromStdString(record.miss_part));
  kv_->setText(no_value());
  if (snapshot != nullptr && snapshot->block_size > 0 && snapshot->kv_blocks > 0) {
    const int tokens = record.prompt_tokens + record.output_tokens;
    const int blocks = (tokens + snapshot->block_size - 1) / snapshot->block_size;
    const Bytes block = snapshot->ledger.of(Category::kv) / snapshot->kv_blocks;
    kv_->setText(tr("%1 = %2").arg(count_text(blocks), bytes_text(blocks * block)));
  }
  bar_->show();
  facts_->show();
  nothing_->hide();
}

}  // namespace pitwall::ui
