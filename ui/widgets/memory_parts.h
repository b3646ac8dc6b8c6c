// SPDX-License-Identifier: GPL-3.0-or-later
// The ledger's categories as the window names, orders, colours and fills them: the same everywhere.
#pragma once
#include <QRectF>
#include <QString>
#include <vector>

#include "engine/telemetry/ledger.h"
#include "ui/shell/theme.h"

class QPainter;

namespace pitwall::ui {

enum class FillPattern : std::uint8_t { solid, slashes, crosses, dashed_frame, bars, dots, backslashes };

struct MemoryPart {
  QString name;
  Colour colour;
  FillPattern pattern;
  Bytes bytes = 0;  ///< may be negative for unaccounted
};

/// All twelve, zeros included, in the order of drawing. `unaccounted` is last; where it is negative on a host
/// it is what was booked and has not been touched yet.
std::vector<MemoryPart> memory_parts(const LedgerSnapshot& ledger);

/// Fills the rectangle in the part's colour and pattern, with its edge where the fill is pale.
void fill_part(QPainter& painter, const QRectF& rect, const MemoryPart& part);
QColor ink_on(Colour fill);  ///< light or dark, whichever can be read on the fill

}  // namespace pitwall::ui
