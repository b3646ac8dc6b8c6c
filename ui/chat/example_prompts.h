// SPDX-License-Identifier: GPL-3.0-or-later
// The prompts that an empty chat offers; each makes one part of the engine work.
#pragma once
#include <QString>
#include <vector>

namespace pitwall::ui {

struct ExamplePrompt {
  QString name, purpose, text;
};
std::vector<ExamplePrompt> example_prompts();  ///< three

}  // namespace pitwall::ui
