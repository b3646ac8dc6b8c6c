// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tune/recommended_flags_dialog.h"

#include <QCoreApplication>

#include "engine/report/recommended_flags.h"
#include "ui/tune/tune_words.h"
#include "ui/widgets/engine_words.h"
#include "ui/widgets/flags_dialog.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

void show_recommended_flags(const Checklist& checklist, const std::vector<ItemResult>& results,
                            QWidget* parent) {
  FlagsChoice engines{QStringLiteral("engine"), tr("Engine"), {}, {}};
  for (const FlagsForm& form : flags_forms())
    engines.items.emplace_back(QString::fromStdString(form.title), QString::fromStdString(form.name));
  const auto write = [&](const QStringList& chosen) -> Result<FlagsText> {
    const auto flags = recommended_flags(checklist, results, chosen[0].toStdString());
    if (!flags) return flags.error();
    FlagsText text{QString::fromStdString(flags->text), {}};
    if (const QString note = outdated_text(checklist, results); !note.isEmpty()) text.notes << note;
    for (const std::string& note : flags->notes) text.notes << engine_words(note);
    return text;
  };
  FlagsDialog(QStringLiteral("tune.flags"), tr("Recommended settings"), {engines}, write, parent).exec();
}

}  // namespace pitwall::ui
