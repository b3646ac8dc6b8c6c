// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QtGlobal>

#include "engine/plan/model_outline.h"

namespace pitwall::test {

/// Of a profile, a name or a file; ends the test where there is none.
inline ModelOutline model_of(const char* name) {
  auto outline = read_outline(name);
  if (!outline) qFatal("%s: %s", name, outline.error().text().c_str());
  return *std::move(outline);
}

}  // namespace pitwall::test
