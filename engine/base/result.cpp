// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/result.h"

namespace pitwall {

std::string Error::text() const {
  std::string out;
  for (const std::string* part : {&what, &cause, &action}) {
    if (part->empty()) continue;
    if (!out.empty()) out += ' ';
    out += *part;
    const char last = out.back();
    if (last != '.' && last != '?' && last != '!' && last != ':') out += '.';
  }
  return out;
}

}  // namespace pitwall
