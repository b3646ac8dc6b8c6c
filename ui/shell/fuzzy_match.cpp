// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/fuzzy_match.h"

#include <QStringList>
#include <algorithm>
#include <limits>
#include <vector>

namespace pitwall::ui {

namespace {

constexpr double kNo = -std::numeric_limits<double>::infinity();
constexpr double kWholeText = 20, kTextStart = 10, kWordStart = 8, kInARow = 9, kLetter = 1;
constexpr double kLeftOut = 3;       // a jump within a word
constexpr double kPerLetter = 0.05;  // of the text's length

bool starts_word(const QString& text, qsizetype at) {
  const QChar here = text[at];
  if (!here.isLetterOrNumber()) return false;
  if (at == 0 || here.script() == QChar::Script_Han) return true;  // each Han character is a word
  const QChar before = text[at - 1];
  if (before == QLatin1Char('0') && here.isDigit() && starts_word(text, at - 1)) return true;  // R-0147
  return !before.isLetterOrNumber() || before.isDigit() != here.isDigit() ||
         (before.isLower() && here.isUpper());
}

/// best[j]: of the letters so far, the last one at j.
std::optional<double> score_word(const QString& word, const QString& text) {
  const auto length = static_cast<std::size_t>(text.size());
  std::vector<double> best(length, kNo);
  for (qsizetype i = 0; i < word.size(); ++i) {
    std::vector<double> next(length, kNo);
    double before = i == 0 ? 0 : kNo;  // the best end before this letter, in an earlier word or this one
    double within = i == 0 ? 0 : kNo;  // the same, in this word
    for (qsizetype j = 0; j < text.size(); ++j) {
      const auto at = static_cast<std::size_t>(j);
      const bool start = starts_word(text, j);
      if (start && i > 0) within = kNo;
      if (text[j].toCaseFolded() == word[i].toCaseFolded()) {
        double score = start ? before + (j == 0 ? kTextStart : kWordStart) : within - kLeftOut;
        if (i > 0 && j > 0) score = std::max(score, best[at - 1] + kInARow);
        next[at] = score + kLetter;
      }
      before = std::max(before, best[at]);
      within = std::max(within, best[at]);
    }
    best = std::move(next);
  }
  const double score = best.empty() ? kNo : *std::max_element(best.begin(), best.end());
  return score == kNo ? std::nullopt : std::optional(score);
}

}  // namespace

std::optional<double> fuzzy_score(const QString& typed, const QString& text) {
  double sum = typed.compare(text, Qt::CaseInsensitive) == 0 ? kWholeText : 0;
  for (const QString& word : typed.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
    const auto score = score_word(word, text);
    if (!score) return std::nullopt;
    sum += *score;
  }
  return sum - kPerLetter * static_cast<double>(text.size());
}

}  // namespace pitwall::ui
