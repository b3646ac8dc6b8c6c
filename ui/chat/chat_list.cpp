// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/chat_list.h"

#include <QAction>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "ui/chat/chat_delegates.h"
#include "ui/chat/chat_list_model.h"
#include "ui/chat/chat_search_model.h"
#include "ui/shell/theme.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/text_key.h"

namespace pitwall::ui {

ChatList::ChatList(QWidget* parent)
    : Card(tr("Chats"), {}, {}, parent), model_(new ChatListModel(this)), hits_(new ChatSearchModel(this)) {
  new_ = new QPushButton(tr("&New chat"), this);
  new_->setObjectName(QStringLiteral("chat.new"));
  new_->setIcon(icon(QStringLiteral("add")));
  new_->setAccessibleName(tr("New chat"));
  new_->setToolTip(tr("New chat (Ctrl+N)"));
  search_ = new QLineEdit(this);
  search_->setObjectName(QStringLiteral("chat.search"));
  search_->setPlaceholderText(tr("Search all chats"));
  search_->setAccessibleName(tr("Search all chats"));
  search_->setAccessibleDescription(tr("Finds words in titles and messages; Down goes to what was found"));
  search_->setToolTip(tr("Search all chats (Ctrl+Shift+F)"));
  search_->setClearButtonEnabled(true);
  search_->addAction(icon(QStringLiteral("search"), Colour::muted), QLineEdit::LeadingPosition);
  search_->installEventFilter(this);

  view_ = make_view("chat.list", tr("Chats"),
                    tr("Enter opens, F2 renames, Delete deletes; a deletion can be undone"));
  view_->setModel(model_);
  view_->setItemDelegate(new ChatDelegate(view_));
  view_->setUniformItemSizes(true);
  view_->setEditTriggers(QAbstractItemView::EditKeyPressed);
  view_->setContextMenuPolicy(Qt::ActionsContextMenu);
  auto* rename = new QAction(tr("Rename"), view_);
  auto* remove = new QAction(icon(QStringLiteral("trash")), tr("Delete"), view_);
  view_->addActions({rename, remove});
  results_ = make_view("chat.results", tr("Found in chats"), tr("Enter opens the message"));
  results_->setModel(hits_);
  results_->setItemDelegate(new HitDelegate(results_));
  nothing_ = new Label({}, FontRole::body, Colour::muted);
  nothing_->setObjectName(QStringLiteral("chat.nothingFound"));
  nothing_->setWordWrap(true);
  nothing_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  stack_ = new QStackedWidget;
  for (QWidget* page : std::initializer_list<QWidget*>{view_, results_, nothing_}) stack_->addWidget(page);
  foot_ = new Label({}, FontRole::small, Colour::muted);
  foot_->setObjectName(QStringLiteral("chat.count"));
  foot_->setWordWrap(true);

  body()->setSpacing(units(2));
  for (QWidget* part : std::initializer_list<QWidget*>{new_, search_}) body()->addWidget(part);
  body()->addWidget(stack_, 1);
  body()->addWidget(foot_);
  setMinimumWidth(units(46));

  connect(new_, &QPushButton::clicked, this, &ChatList::new_requested);
  connect(rename, &QAction::triggered, this, [this] { view_->edit(view_->currentIndex()); });
  connect(remove, &QAction::triggered, this, [this] {
    if (current() != 0) Q_EMIT delete_requested(current());
  });
  connect(view_->selectionModel(), &QItemSelectionModel::currentChanged, this, [this] {
    // Only a choice of the user opens a chat, not rows that come and go.
    if (!selecting_ && view_->hasFocus() && current() != 0) Q_EMIT opened(current());
  });
  for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
    connect(model_, signal, this, &ChatList::show_count);
  connect_search();
  show_count();
}

QListView* ChatList::make_view(const char* id, const QString& name, const QString& description) {
  auto* view = new QListView;
  view->setObjectName(QLatin1String(id));
  view->setAccessibleName(name);
  view->setAccessibleDescription(description);
  view->setProperty("bare", true);
  view->setFrameShape(QFrame::NoFrame);
  view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  view->installEventFilter(this);
  return view;
}

void ChatList::connect_search() {
  connect(search_, &QLineEdit::textChanged, this, [this](const QString& text) {
    if (text.trimmed().isEmpty()) {
      stack_->setCurrentWidget(view_);
      show_count();
    }
    Q_EMIT search_requested(text);
  });
  connect(search_, &QLineEdit::returnPressed, this, [this] {
    if (stack_->currentWidget() != results_) return;
    results_->setCurrentIndex(hits_->index(0));
    open_hit();
  });
  connect(results_, &QListView::clicked, this, [this] { open_hit(); });
}

void ChatList::show_hits(const QString& text, const std::vector<ChatHit>& hits) {
  if (text != search_->text() || text.trimmed().isEmpty()) return;
  hits_->set_hits(text, hits);
  nothing_->setText(tr("“%1” is in no chat.").arg(text.trimmed()));
  stack_->setCurrentWidget(hits.empty() ? static_cast<QWidget*>(nothing_) : results_);
  foot_->setText(hits.empty() ? QString() : tr("Hits: %1").arg(count_text(static_cast<qint64>(hits.size()))));
}

void ChatList::open_hit() {
  const QModelIndex index = results_->currentIndex();
  if (!index.isValid()) return;
  const ChatHit& hit = hits_->hit(index);
  Q_EMIT hit_opened(hit.chat, hit.message);
}

void ChatList::show_count() {
  if (stack_->currentWidget() != view_) return;
  const int days = static_cast<int>(kKeepRemoved / (24 * 3600 * kNanosPerSecond));
  foot_->setText(tr("Chats: %1 · deleted ones stay %2 days").arg(count_text(model_->rowCount())).arg(days));
}

void ChatList::show_chats(std::vector<ChatListItem> chats, qint64 current) {
  selecting_ = true;  // where the current row goes, the view moves to its neighbour
  model_->set_chats(std::move(chats));
  set_current(current);
}

void ChatList::set_current(qint64 chat) {
  selecting_ = true;
  const QModelIndex index = model_->index_of(chat);
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
  if (event->type() != QEvent::KeyPress) return Card::eventFilter(watched, event);
  if (watched != search_ && is_text(*static_cast<QKeyEvent*>(event))) {
    event->ignore();  // for the message: a list would look for a title
    return true;
  }
  const int key = static_cast<QKeyEvent*>(event)->key();
  const bool enter = key == Qt::Key_Return || key == Qt::Key_Enter;
  if (watched == view_ && current() != 0 && key == Qt::Key_Delete) {
    Q_EMIT delete_requested(current());
    return true;
  }
  if (watched == view_ && current() != 0 && enter) {
    Q_EMIT opened(current());
    return true;
  }
  if (watched == results_ && enter) {
    open_hit();
    return true;
  }
  if (watched == search_ && key == Qt::Key_Down && stack_->currentWidget() == results_) {
    results_->setFocus();
    if (!results_->currentIndex().isValid()) results_->setCurrentIndex(hits_->index(0));
    return true;
  }
  if (watched == search_ && key == Qt::Key_Escape && !search_->text().isEmpty()) {
    search_->clear();
    return true;
  }
  return Card::eventFilter(watched, event);
}

}  // namespace pitwall::ui
