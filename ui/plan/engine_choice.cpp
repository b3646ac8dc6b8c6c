// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plan/engine_choice.h"

#include "engine/plan/engine_profile.h"
#include "ui/plan/alternatives.h"

namespace pitwall::ui {

EngineChoice::EngineChoice(const QString& id, QWidget* parent) : QComboBox(parent) {
  setObjectName(id);
  setAccessibleName(tr("Engine"));
  setAccessibleDescription(
      tr("Whose rules lay out KV, whose share of memory is taken and whose memory is counted; step times too "
         "where they are known. By the model: this engine where it runs the model."));
  setToolTip(accessibleDescription());
  for (const char* engine : {"auto", "pitwall"}) show_engine(engine);
  for (const EngineProfile& engine : engine_profiles())
    if (engine.name != kOwnEngine && !engine.study) show_engine(engine.name);
  for (const char* engine : {"needed", "full"}) show_engine(engine);
  setCurrentIndex(0);
}

void EngineChoice::show_engine(const std::string& engine) {
  const QString name = QString::fromStdString(engine);
  if (findData(name) < 0) addItem(engine_text(engine), name);
  setCurrentIndex(findData(name));
}

std::string EngineChoice::engine() const {
  return currentData().toString().toStdString();
}

}  // namespace pitwall::ui
