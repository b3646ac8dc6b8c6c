// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/undo_list.h"

#include <algorithm>
#include <utility>

namespace pitwall::ui {

void UndoList::add(const QString& text, std::function<void()> bring_back) {
  const int number = ++added_;
  entries_.push_back({number, text, std::move(bring_back)});
  Q_EMIT banner_requested(undo_banner(text, [this, number] { undo(number); }));
}

bool UndoList::undo_last() {
  if (entries_.empty()) return false;
  undo(entries_.back().number);
  return true;
}

void UndoList::undo(int number) {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [number](const Entry& entry) { return entry.number == number; });
  if (found == entries_.end()) return;
  const Entry entry = std::move(*found);
  entries_.erase(found);
  Q_EMIT banner_outdated(entry.text);
  entry.bring_back();
}

}  // namespace pitwall::ui
