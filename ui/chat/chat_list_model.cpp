// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/chat_list_model.h"

#include <QDateTime>
#include <QLocale>
#include <algorithm>

#include "engine/base/clock.h"

namespace pitwall::ui {

QString age_text(Nanos then_utc, Nanos now_utc) {
  const Nanos minutes = (now_utc - then_utc) / (60 * kNanosPerSecond);
  if (minutes < 1) return ChatListModel::tr("now");
  if (minutes < 60) return ChatListModel::tr("%1 min").arg(minutes);
  const QDate then = QDateTime::fromMSecsSinceEpoch(then_utc / kNanosPerMs).date();
  const QDate today = QDateTime::fromMSecsSinceEpoch(now_utc / kNanosPerMs).date();
  if (then == today) return ChatListModel::tr("%1 h").arg(minutes / 60);
  if (then.addDays(1) == today) return ChatListModel::tr("yesterday");
  return QLocale().toString(then, then.year() == today.year() ? ChatListModel::tr("MMM d", "date")
                                                              : ChatListModel::tr("MMM d, yyyy", "date"));
}

/// The rows of chats that stay are moved rather than reset, so that the view keeps its selection.
void ChatListModel::set_chats(std::vector<ChatListItem> chats) {
  const auto position = [](const std::vector<ChatListItem>& list, std::int64_t id) {
    return std::find_if(list.begin(), list.end(), [id](const ChatListItem& item) { return item.id == id; });
  };
  for (int row = rowCount() - 1; row >= 0; --row) {
    if (position(chats, chats_[static_cast<std::size_t>(row)].id) != chats.end()) continue;
    beginRemoveRows({}, row, row);
    chats_.erase(chats_.begin() + row);
    endRemoveRows();
  }
  for (int row = 0; row < static_cast<int>(chats.size()); ++row) {
    const ChatListItem& wanted = chats[static_cast<std::size_t>(row)];
    const auto found = position(chats_, wanted.id);
    const int from = static_cast<int>(found - chats_.begin());
    if (found == chats_.end()) {
      beginInsertRows({}, row, row);
      chats_.insert(chats_.begin() + row, wanted);
      endInsertRows();
    } else if (from != row) {  // everything before `row` is in place, so it comes from below
      beginMoveRows({}, from, from, {}, row);
      std::rotate(chats_.begin() + row, chats_.begin() + from, chats_.begin() + from + 1);
      endMoveRows();
    }
  }
  chats_ = std::move(chats);
  if (!chats_.empty()) Q_EMIT dataChanged(index(0), index(rowCount() - 1));
}

QModelIndex ChatListModel::index_of(qint64 chat) const {
  const auto found =
      std::find_if(chats_.begin(), chats_.end(), [chat](const auto& item) { return item.id == chat; });
  return found == chats_.end() ? QModelIndex() : index(static_cast<int>(found - chats_.begin()));
}

int ChatListModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(chats_.size());
}

QVariant ChatListModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const ChatListItem& item = chats_[static_cast<std::size_t>(index.row())];
  const auto title = [&] { return QString::fromStdString(item.title); };
  const auto age = [&] { return age_text(item.updated_utc, RealClock().utc_now()); };
  switch (role) {
    case Qt::DisplayRole:
    case Qt::EditRole:
    case Qt::ToolTipRole:
      return title();
    case Qt::AccessibleTextRole:
      return tr("%1, %2").arg(title(), age());
    case kIdRole:
      return QVariant::fromValue<qint64>(item.id);
    case kAgeRole:
      return age();
    default:
      return {};
  }
}

bool ChatListModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  const QString title = value.toString().simplified();
  if (role != Qt::EditRole || !checkIndex(index, CheckIndexOption::IndexIsValid) || title.isEmpty())
    return false;
  ChatListItem& item = chats_[static_cast<std::size_t>(index.row())];
  item.title = title.toStdString();
  Q_EMIT dataChanged(index, index);
  Q_EMIT renamed(item.id, title);
  return true;
}

Qt::ItemFlags ChatListModel::flags(const QModelIndex& index) const {
  return QAbstractListModel::flags(index) | (index.isValid() ? Qt::ItemIsEditable : Qt::NoItemFlags);
}

}  // namespace pitwall::ui
