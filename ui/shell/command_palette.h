// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl+K: type a few letters of any action, page, setting, run, chat, checklist or model; Enter does it.
// It is a part of the window, not a window of its own: a busy desktop gives those the focus late, and what
// is typed until then would act on the page.
#pragma once
#include <QPointer>
#include <QStringList>
#include <QWidget>
#include <vector>

#include "ui/shell/palette_entry.h"

class QLineEdit;

namespace pitwall::ui {

class Card;
class DataTable;
class Label;

class CommandPalette : public QWidget {
  Q_OBJECT

 public:
  /// `recent`: full ids, newest first; they lead while nothing is typed. Deletes itself when it closes.
  CommandPalette(std::vector<PaletteEntry> entries, const QStringList& recent, QWidget* window);
  void open();                         ///< over the window, and all keys are its own
  const PaletteEntry* chosen() const;  ///< null: nothing matches

 Q_SIGNALS:
  void accepted(const pitwall::ui::PaletteEntry& entry);  ///< it has closed, the focus is where it was

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;  ///< beside it: it closes

 private:
  void show_matches(const QString& typed);
  bool take_key(QKeyEvent& event);
  void cover_window();
  void accept();
  void leave();
  std::vector<PaletteEntry> entries_;
  Card* card_;
  QLineEdit* field_;
  Label* nothing_;
  DataTable* table_;
  QPointer<QWidget> focus_before_;
};

/// Unique among all entries: "setting:max-num-seqs".
QString full_id(const PaletteEntry& entry);

/// Indices of what matches, the best first; all of them while nothing is typed.
std::vector<std::size_t> matches(const std::vector<PaletteEntry>& entries, const QString& typed);

}  // namespace pitwall::ui
