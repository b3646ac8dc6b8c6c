// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/prefix_card.h"

#include <QVBoxLayout>

#include "ui/widgets/number_format.h"
#include "ui/widgets/share_bar.h"
#include "ui/widgets/text_line.h"

namespace pitwall::ui {

namespace {

struct Reason {
  MissReason reason;
  const char* name;
  Colour colour;
  FillPattern pattern;
};
constexpr Reason kReasons[] = {
    {MissReason::cold, QT_TRANSLATE_NOOP("pitwall::ui::PrefixCard", "first seen"), Colour::kv_cached,
     FillPattern::slashes},
    {MissReason::diverged, QT_TRANSLATE_NOOP("pitwall::ui::PrefixCard", "diverged at a token"),
     Colour::kv_quarantined, FillPattern::crosses},
    {MissReason::below_one_block, QT_TRANSLATE_NOOP("pitwall::ui::PrefixCard", "shorter than one block"),
     Colour::workspace, FillPattern::bars},
    {MissReason::evicted, QT_TRANSLATE_NOOP("pitwall::ui::PrefixCard", "evicted"), Colour::graphs,
     FillPattern::solid},
    {MissReason::not_yet_computed, QT_TRANSLATE_NOOP("pitwall::ui::PrefixCard", "being computed"),
     Colour::activations, FillPattern::solid},
    {MissReason::different_salt, QT_TRANSLATE_NOOP("pitwall::ui::PrefixCard", "other salt"), Colour::context,
     FillPattern::solid},
    {MissReason::none, QT_TRANSLATE_NOOP("pitwall::ui::PrefixCard", "last block, always computed"),
     Colour::kv_free, FillPattern::dashed_frame},
};

}  // namespace

PrefixTokens prefix_tokens(const std::vector<RequestRecord>& requests) {
  PrefixTokens tokens;
  for (const RequestRecord& request : requests) {
    if (request.scheduled == 0 || request.miss == MissReason::disabled) continue;
    ++tokens.requests;
    tokens.prompt += request.prompt_tokens;
    tokens.hit += request.cached_tokens;
    tokens.missed[static_cast<std::size_t>(request.miss)] += request.prompt_tokens - request.cached_tokens;
  }
  return tokens;
}

PrefixCard::PrefixCard(QWidget* parent)
    : Card(tr("Prefix cache"), {}, tr("Why do the others miss?"), parent) {
  setObjectName(QStringLiteral("serve.prefixCache"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  base_ = new TextLine(this);
  base_->setToolTip(tr("Prompt tokens of the requests that run and of the last 200 that ended."));
  add_header_widget(base_);
  bar_ = new ShareBar(tr("Prefix cache, share of prompt tokens"), this);
  bar_->setObjectName(QStringLiteral("serve.prefixCache.bar"));
  note_ = new Label({}, FontRole::small, Colour::muted, this);
  note_->setWordWrap(true);
  body()->addWidget(bar_);
  body()->addWidget(note_);
}

void PrefixCard::show_snapshot(const Snapshot& snapshot) {
  const PrefixTokens tokens = prefix_tokens(snapshot.requests);
  base_->set({{tokens.prompt > 0 ? tr("of %1 tokens").arg(count_text(tokens.prompt)) : QString()}});
  std::vector<Share> shares{
      {tr("hit"), Colour::kv_used, FillPattern::solid, static_cast<double>(tokens.hit)}};
  for (const Reason& reason : kReasons)
    shares.push_back({tr(reason.name), reason.colour, reason.pattern,
                      static_cast<double>(tokens.missed[static_cast<std::size_t>(reason.reason)])});
  bar_->set_shares(std::move(shares));
  const bool off = snapshot.totals.misses[static_cast<std::size_t>(MissReason::disabled)] > 0;
  note_->setVisible(tokens.prompt == 0 || off);
  note_->setText(off ? tr("The prefix cache is off: enable-prefix-caching.") : tr("No request yet."));
}

}  // namespace pitwall::ui
