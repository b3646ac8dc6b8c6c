// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl+K: type a few letters of any action, page, setting, run, chat, checklist or model; Enter does it.
#pragma once
#include <QDialog>
#include <QStringList>
#include <vector>

#include "ui/shell/palette_entry.h"

class QLineEdit;

namespace pitwall::ui {

class DataTable;
class Label;

class CommandPalette : public QDialog {
  Q_OBJECT

 public:
  /// `recent`: full ids, newest first; they lead while nothing is typed.
  CommandPalette(std::vector<PaletteEntry> entries, const QStringList& recent, QWidget* parent);
  const PaletteEntry* chosen() const;  ///< after exec() was accepted; null: nothing matches

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;  ///< arrows in the field move the choice

 private:
  void show_matches(const QString& typed);
  std::vector<PaletteEntry> entries_;
  QLineEdit* field_;
  Label* nothing_;
  DataTable* table_;
};

/// Unique among all entries: "setting:max-num-seqs".
QString full_id(const PaletteEntry& entry);

/// Indices of what matches, the best first; all of them while nothing is typed.
std::vector<std::size_t> matches(const std::vector<PaletteEntry>& entries, const QString& typed);

}  // namespace pitwall::ui
