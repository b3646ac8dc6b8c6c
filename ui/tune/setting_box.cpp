// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tune/setting_box.h"

#include "engine/bench/checklist.h"
#include "ui/tune/tune_words.h"
#include "ui/widgets/engine_words.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

QComboBox* make_setting_box(const QString& id, TuneTarget target, QWidget* parent) {
  const auto text = [](std::string_view words) {
    return QString::fromUtf8(words.data(), static_cast<qsizetype>(words.size()));
  };
  auto* box = new QComboBox(parent);
  box->setObjectName(id);
  box->setAccessibleName(tr("Setting"));
  for (const SettingInfo& info : setting_table()) {
    if (!can_measure(info, target)) continue;
    box->addItem(text(info.name));
    box->setItemData(box->count() - 1, engine_words(info.help), Qt::ToolTipRole);
  }
  return box;
}

}  // namespace pitwall::ui
