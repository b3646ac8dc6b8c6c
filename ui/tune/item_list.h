// SPDX-License-Identifier: GPL-3.0-or-later
// The left card: the checklist's name and base, its items, and what can be done with all of them.
#pragma once
#include "ui/widgets/card.h"

class QListView;
class QPushButton;

namespace pitwall::ui {

class ItemModel;
class TuneSession;

class ItemList : public Card {
  Q_OBJECT

 public:
  explicit ItemList(QWidget* parent = nullptr);
  void show_checklist(const TuneSession& session);
  void show_progress(const TuneSession& session);
  int current() const;  ///< index; −1 without items
  void set_current(int item);
  QListView* view() const { return view_; }
  ItemModel* model() const { return model_; }

 Q_SIGNALS:
  void chosen(int item);
  void edit_requested();  ///< of the checklist itself
  void add_requested();
  void all_requested();
  void sweep_requested();
  void cancel_requested();
  void report_requested();

 private:
  ItemModel* model_;
  QListView* view_;
  Label *base_, *figures_, *setup_, *note_, *progress_;
  QPushButton *add_, *all_, *sweep_, *cancel_, *report_;
};

}  // namespace pitwall::ui
