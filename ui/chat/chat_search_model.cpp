// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/chat_search_model.h"

#include <QRegularExpression>

#include "engine/base/clock.h"
#include "ui/chat/chat_list_model.h"

namespace pitwall::ui {

void ChatSearchModel::set_hits(const QString& text, std::vector<ChatHit> hits) {
  beginResetModel();
  text_ = text;
  hits_ = std::move(hits);
  endResetModel();
}

const ChatHit& ChatSearchModel::hit(const QModelIndex& index) const {
  return hits_[static_cast<std::size_t>(index.row())];
}

int ChatSearchModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(hits_.size());
}

QVariant ChatSearchModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const ChatHit& one = hit(index);
  const QString title = QString::fromStdString(one.title), excerpt = QString::fromStdString(one.excerpt);
  const QString age = age_text(one.utc, RealClock().utc_now());
  switch (role) {
    case Qt::DisplayRole:
      return title;
    case Qt::ToolTipRole:
      return excerpt.isEmpty() ? title : excerpt;
    case Qt::AccessibleTextRole:
      return excerpt.isEmpty() ? tr("%1, %2").arg(title, age) : tr("%1, %2: %3").arg(title, age, excerpt);
    case kExcerptRole:
      return excerpt;
    case kAgeRole:
      return age;
    default:
      return {};
  }
}

QList<QTextLayout::FormatRange> marks_in(const QString& text, const QString& wanted,
                                         const QTextCharFormat& mark) {
  static const QRegularExpression space(QStringLiteral("\\s+"));
  QStringList patterns;
  for (const QString& word : wanted.split(space, Qt::SkipEmptyParts))
    patterns << QRegularExpression::escape(word);
  QList<QTextLayout::FormatRange> marks;
  if (patterns.isEmpty()) return marks;
  const QRegularExpression any(patterns.join(QLatin1Char('|')), QRegularExpression::CaseInsensitiveOption);
  for (auto found = any.globalMatch(text); found.hasNext();) {
    const auto match = found.next();
    marks.append({static_cast<int>(match.capturedStart()), static_cast<int>(match.capturedLength()), mark});
  }
  return marks;
}

}  // namespace pitwall::ui
