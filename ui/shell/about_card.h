// SPDX-License-Identifier: GPL-3.0-or-later
// What this program is made of: versions and licences, to be read and copied.
#pragma once
#include "ui/widgets/card.h"

namespace pitwall::ui {

class AboutCard : public Card {
  Q_OBJECT

 public:
  explicit AboutCard(QWidget* parent = nullptr);
};

/// Versions, machine and licences as lines, for a report of a fault.
QString about_text();

}  // namespace pitwall::ui
