// SPDX-License-Identifier: GPL-3.0-or-later
// How well a few typed letters name something.
#pragma once
#include <QString>
#include <optional>

namespace pitwall::ui {

/// Higher is better; nullopt: no match. Each word of `typed` has its letters in `text`, in their order, case
/// aside: letters that are left out are those within a word, or up to the start of another word ("mns" names
/// "max-num-seqs"). The whole text, starts of words and unbroken runs count most; shorter texts win.
std::optional<double> fuzzy_score(const QString& typed, const QString& text);

}  // namespace pitwall::ui
