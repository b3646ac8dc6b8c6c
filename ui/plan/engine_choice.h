// SPDX-License-Identifier: GPL-3.0-or-later
// The choice of an engine: whose rules and memory a plan counts with.
#pragma once
#include <QComboBox>
#include <string>

namespace pitwall::ui {

/// Engines by title, with their names as data; one that the list lacks is added when it is shown.
class EngineChoice : public QComboBox {
  Q_OBJECT

 public:
  explicit EngineChoice(const QString& id, QWidget* parent = nullptr);
  void show_engine(const std::string& engine);
  std::string engine() const;  ///< of find_engine_choice
};

}  // namespace pitwall::ui
