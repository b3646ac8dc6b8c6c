// SPDX-License-Identifier: GPL-3.0-or-later
// What a checkpoint's header says, before anything is loaded.
#pragma once
#include <QString>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "ui/widgets/card.h"

class QGridLayout;

namespace pitwall::ui {

using Fact = std::pair<QString, QString>;  ///< name, value

/// Opens the file, reads its header and closes it. Milliseconds to a second; any thread.
Result<std::vector<Fact>> read_model_facts(const QString& path);

class ModelCard : public Card {
  Q_OBJECT

 public:
  explicit ModelCard(QWidget* parent = nullptr);
  void show_hint();  ///< no model chosen
  void show_reading(const QString& path);
  void show_facts(const QString& path, const std::vector<Fact>& facts);
  void show_error(const QString& path, const QString& text);

 private:
  void set_rows(const QString& path, const std::vector<Fact>& rows);
  QGridLayout* grid_;
  Label* message_;
};

}  // namespace pitwall::ui
