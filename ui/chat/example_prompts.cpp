// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/example_prompts.h"

#include <QCoreApplication>

namespace pitwall::ui {

namespace {

struct ExamplePrompts {
  Q_DECLARE_TR_FUNCTIONS(ExamplePrompts)
};

/// About 1,500 tokens, all of them prefill.
QString long_log() {
  QString log;
  for (int line = 0; line < 60; ++line) {
    const bool odd = line == 41;
    log += QStringLiteral("14:32:%1 step %2 batch 32 tokens %3 took %4 ms\n")
               .arg(line, 2, 10, QLatin1Char('0'))
               .arg(24'230 + line)
               .arg(odd ? 6'175 : 32)
               .arg(odd ? QStringLiteral("318.0") : QStringLiteral("5.2"));
  }
  return log;
}

}  // namespace

std::vector<ExamplePrompt> example_prompts() {
  return {
      {ExamplePrompts::tr("Count to one hundred"),
       ExamplePrompts::tr("Steady decoding: watch TPOT and the worst ITL"),
       ExamplePrompts::tr("Count from one to one hundred in words, one number a line.")},
      {ExamplePrompts::tr("Find the slow step in a log"),
       ExamplePrompts::tr("A long prompt: watch TTFT, and ITL of what runs beside it"),
       ExamplePrompts::tr("Which line of this log is unlike the others, and why?") + QStringLiteral("\n\n") +
           long_log()},
      {ExamplePrompts::tr("Explain TTFT, TPOT and ITL"),
       ExamplePrompts::tr("Markdown: a table, a list and a code block in one reply"),
       ExamplePrompts::tr(
           "Explain TTFT, TPOT and ITL of a language model server: a table with one row each, then a list "
           "of what makes each of them worse, then a code block with a curl command that asks for a chat "
           "completion.")},
  };
}

}  // namespace pitwall::ui
