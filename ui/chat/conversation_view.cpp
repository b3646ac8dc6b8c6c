// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/conversation_view.h"

#include <QPushButton>
#include <QScrollBar>
#include <QTimer>
#include <QVBoxLayout>

#include "ui/chat/example_prompts.h"
#include "ui/chat/markdown_view.h"
#include "ui/chat/message_view.h"
#include "ui/shell/theme.h"
#include "ui/widgets/card.h"

namespace pitwall::ui {

namespace {

constexpr std::size_t kShownAtFirst = 40;  // messages

}  // namespace

ConversationView::ConversationView(QWidget* parent) : QScrollArea(parent) {
  setObjectName(QStringLiteral("chat.view"));
  setAccessibleName(tr("Conversation"));
  setProperty("bare", true);
  setFrameShape(NoFrame);
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  viewport()->setAutoFillBackground(false);
  auto* content = new QWidget;
  content->setAutoFillBackground(false);
  layout_ = new QVBoxLayout(content);
  layout_->setContentsMargins(units(1), units(2), units(2), units(2));
  layout_->setSpacing(units(2));
  setWidget(content);
  content->setAutoFillBackground(false);  // setWidget turns it on
  connect(verticalScrollBar(), &QScrollBar::rangeChanged, this, [this] { follow_end(follows_); });
  connect(verticalScrollBar(), &QScrollBar::valueChanged, this, [this] { follows_ = at_end(); });
}

void ConversationView::clear() {
  while (QLayoutItem* item = layout_->takeAt(0)) {
    if (item->widget()) {
      item->widget()->hide();
      item->widget()->deleteLater();
    }
    delete item;
  }
  views_.clear();
}

void ConversationView::set_messages(const std::vector<ChatMessage>& messages, bool live) {
  messages_ = messages;
  live_ = live;
  found_in_ = 0;
  build(messages.size() > kShownAtFirst ? messages.size() - kShownAtFirst : 0);
}

void ConversationView::build(std::size_t first) {
  clear();
  first_ = first;
  if (messages_.empty()) {
    layout_->addWidget(make_offers(), 1);
    return;
  }
  if (first_ > 0) {
    auto* earlier = new QPushButton(tr("Show %1 earlier messages").arg(first_));
    earlier->setProperty("compact", true);
    layout_->addWidget(earlier, 0, Qt::AlignHCenter);
    connect(earlier, &QPushButton::clicked, this, [this] { build(0); });
  }
  for (std::size_t i = first_; i < messages_.size(); ++i) add_message(i);
  layout_->addStretch(1);
  follows_ = true;
  follow_end(true);
}

void ConversationView::add_message(std::size_t index) {
  const bool last = index + 1 == messages_.size();
  auto* view = new MessageView(messages_[index], last, last && live_);
  connect(view, &MessageView::edit_requested, this, [this, index] { Q_EMIT edit_requested(index); });
  connect(view, &MessageView::regenerate_requested, this, &ConversationView::regenerate_requested);
  connect(view, &MessageView::serve_requested, this, &ConversationView::serve_requested);
  connect(view, &MessageView::link_activated, this, &ConversationView::link_activated);
  layout_->addWidget(view);
  views_.push_back(view);
}

QWidget* ConversationView::make_offers() {
  auto* offers = new QWidget;
  offers->setObjectName(QStringLiteral("chat.empty"));
  auto* layout = new QVBoxLayout(offers);
  layout->setSpacing(units(2));
  layout->addStretch(2);
  layout->addWidget(new Label(tr("Ask something, or test the engine"), FontRole::title), 0, Qt::AlignHCenter);
  layout->addSpacing(units(2));
  for (const ExamplePrompt& example : example_prompts()) {
    auto* button = new QPushButton(example.name);
    button->setToolTip(example.purpose);
    button->setAccessibleName(example.name);
    button->setAccessibleDescription(example.purpose);
    button->setMinimumWidth(units(70));
    layout->addWidget(button, 0, Qt::AlignHCenter);
    layout->addWidget(new Label(example.purpose, FontRole::small, Colour::muted), 0, Qt::AlignHCenter);
    layout->addSpacing(units(1));
    connect(button, &QPushButton::clicked, this, [this, text = example.text] { Q_EMIT prompt_chosen(text); });
  }
  layout->addStretch(3);
  return offers;
}

void ConversationView::grow_last(const QString& text) {
  if (views_.empty()) return;
  messages_.back().content += text.toStdString();
  views_.back()->grow(text);
}

void ConversationView::update_last(const ChatMessage& message, bool live) {
  if (views_.empty()) return;
  live_ = live;
  messages_.back() = message;
  views_.back()->show_message(message, live);
}

bool ConversationView::at_end() const {
  return verticalScrollBar()->value() >= verticalScrollBar()->maximum() - units(4);
}

void ConversationView::follow_end(bool follow) {
  if (follow) verticalScrollBar()->setValue(verticalScrollBar()->maximum());
}

bool ConversationView::find(const QString& text, bool backward) {
  if (first_ > 0) build(0);  // hits may be anywhere
  if (text.isEmpty() || views_.empty()) return false;
  const std::size_t count = views_.size();
  // The view of the last hit, then the others in order, then that view again from its other end.
  for (std::size_t step = 0; step <= count; ++step) {
    const std::size_t index =
        backward ? (found_in_ + count - step % count) % count : (found_in_ + step) % count;
    MarkdownView* view = views_[index]->text_view();
    if (step > 0) view->moveCursor(backward ? QTextCursor::End : QTextCursor::Start);
    if (!view->find_text(text, backward)) continue;
    if (index != found_in_ && found_in_ < count) {
      QTextCursor cursor = views_[found_in_]->text_view()->textCursor();
      cursor.clearSelection();
      views_[found_in_]->text_view()->setTextCursor(cursor);
    }
    found_in_ = index;
    const QPoint hit = view->mapTo(widget(), view->cursorRect().center());
    ensureVisible(hit.x(), hit.y(), units(4), units(20));
    return true;
  }
  return false;
}

}  // namespace pitwall::ui
