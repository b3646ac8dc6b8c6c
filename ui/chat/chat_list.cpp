// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/chat_list.h"

#include <QAction>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include "ui/chat/chat_list_model.h"
#include "ui/shell/theme.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

namespace {

/// Title, semibold when open, and at the right its age.
class ChatDelegate final : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
    return {units(30), units(8)};
  }

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const bool selected = option.state & QStyle::State_Selected;
    const bool focus = option.state & QStyle::State_HasFocus;
    const QRect& rect = option.rect;
    painter->save();
    if (selected) {
      painter->fillRect(rect, ink(Colour::selection));
      painter->fillRect(QRect(rect.left(), rect.top(), 2, rect.height()), ink(Colour::accent));
    }
    painter->fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), ink(Colour::grid));
    if (focus) {
      painter->setPen(QPen(ink(Colour::accent), 2));
      painter->drawRect(rect.adjusted(1, 1, -1, -1));
    }
    const QRect inner = rect.adjusted(units(2.5), 0, -units(2), 0);
    const QString age = index.data(ChatListModel::kAgeRole).toString();
    painter->setFont(Theme::current().font(FontRole::small));
    painter->setPen(ink(Colour::muted));
    painter->drawText(inner, Qt::AlignRight | Qt::AlignVCenter, age);
    const int age_width = painter->fontMetrics().horizontalAdvance(age) + units(2);
    painter->setFont(Theme::current().font(selected ? FontRole::section : FontRole::body));
    painter->setPen(ink(Colour::text));
    const QRect title = inner.adjusted(0, 0, -age_width, 0);
    painter->drawText(
        title, Qt::AlignLeft | Qt::AlignVCenter,
        painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, title.width()));
    painter->restore();
  }
};

}  // namespace

ChatList::ChatList(QWidget* parent)
    : Card(tr("Chats"), {}, {}, parent),
      model_(new ChatListModel(this)),
      shown_(new QSortFilterProxyModel(this)) {
  new_ = new QPushButton(tr("&New chat"), this);
  new_->setObjectName(QStringLiteral("chat.new"));
  new_->setIcon(icon(QStringLiteral("add")));
  new_->setAccessibleName(tr("New chat"));
  new_->setToolTip(tr("New chat (Ctrl+N)"));
  search_ = new QLineEdit(this);
  search_->setObjectName(QStringLiteral("chat.search"));
  search_->setPlaceholderText(tr("Search chats"));
  search_->setAccessibleName(tr("Search chats"));
  search_->setAccessibleDescription(tr("Shows the chats with this text in their title"));
  search_->setToolTip(tr("Search chats (Ctrl+Shift+F)"));
  search_->setClearButtonEnabled(true);
  search_->addAction(icon(QStringLiteral("search"), Colour::muted), QLineEdit::LeadingPosition);

  shown_->setSourceModel(model_);
  shown_->setFilterCaseSensitivity(Qt::CaseInsensitive);
  view_ = new QListView(this);
  view_->setObjectName(QStringLiteral("chat.list"));
  view_->setAccessibleName(tr("Chats"));
  view_->setAccessibleDescription(tr("Enter opens, F2 renames, Delete deletes; a deletion can be undone"));
  view_->setProperty("bare", true);
  view_->setFrameShape(QFrame::NoFrame);
  view_->setModel(shown_);
  view_->setItemDelegate(new ChatDelegate(view_));
  view_->setUniformItemSizes(true);
  view_->setEditTriggers(QAbstractItemView::EditKeyPressed);
  view_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  view_->setContextMenuPolicy(Qt::ActionsContextMenu);
  view_->installEventFilter(this);
  auto* rename = new QAction(tr("Rename"), view_);
  auto* remove = new QAction(icon(QStringLiteral("trash")), tr("Delete"), view_);
  view_->addActions({rename, remove});

  body()->setSpacing(units(2));
  body()->addWidget(new_);
  body()->addWidget(search_);
  body()->addWidget(view_, 1);
  setMinimumWidth(units(46));

  connect(new_, &QPushButton::clicked, this, &ChatList::new_requested);
  connect(search_, &QLineEdit::textChanged, shown_, &QSortFilterProxyModel::setFilterFixedString);
  connect(rename, &QAction::triggered, this, [this] { view_->edit(view_->currentIndex()); });
  connect(remove, &QAction::triggered, this, [this] {
    if (current() != 0) Q_EMIT delete_requested(current());
  });
  connect(view_->selectionModel(), &QItemSelectionModel::currentChanged, this, [this] {
    // Only a choice of the user opens a chat, not rows that come and go under a search.
    if (!selecting_ && view_->hasFocus() && current() != 0) Q_EMIT opened(current());
  });
  for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
    connect(shown_, signal, this, &ChatList::show_count);
  show_count();
}

void ChatList::show_count() {
  const int all = model_->rowCount(), shown = shown_->rowCount();
  set_unit(shown == all ? count_text(all) : tr("%1 of %2").arg(count_text(shown), count_text(all)));
}

void ChatList::set_current(qint64 chat) {
  selecting_ = true;
  const QModelIndex index = shown_->mapFromSource(model_->index_of(chat));
  if (index.isValid()) {
    view_->setCurrentIndex(index);
  } else {
    view_->clearSelection();
    view_->setCurrentIndex({});
  }
  selecting_ = false;
}

qint64 ChatList::current() const {
  return view_->currentIndex().data(ChatListModel::kIdRole).toLongLong();
}

void ChatList::focus_search() {
  search_->setFocus(Qt::ShortcutFocusReason);
  search_->selectAll();
}

bool ChatList::eventFilter(QObject* watched, QEvent* event) {
  if (watched == view_ && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Delete && current() != 0) {
      Q_EMIT delete_requested(current());
      return true;
    }
    if ((key == Qt::Key_Return || key == Qt::Key_Enter) && current() != 0) {
      Q_EMIT opened(current());
      return true;
    }
  }
  return Card::eventFilter(watched, event);
}

}  // namespace pitwall::ui
