// SPDX-License-Identifier: GPL-3.0-or-later
// Which model is served: the box in the top bar, the list, Open…, and the card with what the chosen one's
// header says. All of them show the same choice.
#pragma once
#include <QObject>
#include <QString>

#include "ui/shell/errands.h"

class QComboBox;
class QWidget;

namespace pitwall::ui {

class ModelCard;
class ModelList;
class Preferences;

/// UI thread only. Folders and headers are read as errands: their disk may be a slow or a dead one.
class ModelChooser : public QObject {
  Q_OBJECT

 public:
  ModelChooser(Preferences& preferences, QWidget* page);

  QComboBox* box() const { return box_; }
  ModelList* list() const { return list_; }
  ModelCard* card() const { return card_; }

  const QString& model() const { return model_; }  ///< path; empty: none is chosen
  void choose(const QString& path);
  void scan();       ///< folders and recent ones
  void open_file();  ///< asks for one

 Q_SIGNALS:
  void chosen();  ///< another model than before

 private:
  void fill_box();
  void read_facts();

  Preferences& preferences_;
  QWidget* page_;
  QComboBox* box_;
  ModelList* list_;
  ModelCard* card_;
  QString model_;
  bool was_there_ = false;   ///< its file, when its header was read
  std::uint64_t asked_ = 0;  ///< answers for an earlier choice are dropped
  std::uint64_t scans_ = 0;  ///< and those of an earlier scan
  Errands errands_;
};

}  // namespace pitwall::ui
