// SPDX-License-Identifier: GPL-3.0-or-later
// The prefix cache card: what share of prompt tokens was found, and why the others were not.
#pragma once
#include <array>
#include <vector>

#include "engine/telemetry/snapshot.h"
#include "ui/widgets/card.h"

namespace pitwall::ui {

class ShareBar;
class TextLine;

/// Prompt tokens of some requests: found in the cache, and not found, by why the first of them was not.
struct PrefixTokens {
  std::int64_t requests = 0, prompt = 0, hit = 0;
  std::array<std::int64_t, kMissReasonCount> missed{};
};
/// Of the requests in a snapshot (those that run and the last 200 that ended) that were looked up.
PrefixTokens prefix_tokens(const std::vector<RequestRecord>& requests);

class PrefixCard : public Card {
  Q_OBJECT

 public:
  explicit PrefixCard(QWidget* parent = nullptr);
  void show_snapshot(const Snapshot& snapshot);

 private:
  TextLine* base_;
  Label* note_;
  ShareBar* bar_;
};

}  // namespace pitwall::ui
