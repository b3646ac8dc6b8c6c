// SPDX-License-Identifier: GPL-3.0-or-later
// The items of a checklist as a list: each with its texts, ready to paint and to read aloud.
#pragma once
#include <QAbstractListModel>
#include <vector>

#include "ui/tune/tune_words.h"

namespace pitwall::ui {

/// One measure of an item: before → after, effect.
struct ItemLine {
  QString measure, before, after, effect;
  Colour colour = Colour::muted;  ///< of the effect
};

struct ItemRow {
  qint64 id = 0;
  QString number, name;
  std::vector<ItemChange> changes;
  QString hypothesis, note;  ///< note: mixed, further values, a failure
  bool failed = false;
  std::vector<ItemLine> lines;
  VerdictTag tag{Tag::Kind::neutral, {}};

  QString spoken() const;  ///< all of it in words
};

ItemRow item_row(const Checklist& checklist, std::size_t item, const ItemResult& result);

class ItemModel : public QAbstractListModel {
  Q_OBJECT

 public:
  using QAbstractListModel::QAbstractListModel;
  void set_rows(std::vector<ItemRow> rows);  ///< keeps the indexes of rows whose ids stay in place
  const ItemRow& row(int index) const { return rows_[static_cast<std::size_t>(index)]; }

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  std::vector<ItemRow> rows_;
};

}  // namespace pitwall::ui
