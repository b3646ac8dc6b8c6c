// SPDX-License-Identifier: GPL-3.0-or-later
// RequestCard: what of the last prompt was computed again, and why.
#pragma once
#include "engine/telemetry/snapshot.h"
#include "ui/widgets/card.h"

namespace pitwall::ui {

class ShareBar;

/// Why the first token that was not cached was not: "new text after token 1,696".
QString miss_text(const RequestRecord& record);

class RequestCard : public Card {
  Q_OBJECT

 public:
  explicit RequestCard(QWidget* parent = nullptr);
  /// `snapshot`: of the engine that serves, for the size of its blocks; null: not said.
  void show_request(const RequestRecord& record, const Snapshot* snapshot);
  void show_nothing();

 private:
  Label* add_row(int row, const QString& name);
  ShareBar* bar_;
  QWidget* facts_;
  Label *prompt_, *computed_, *miss_, *kv_, *nothing_;
};

}  // namespace pitwall::ui
