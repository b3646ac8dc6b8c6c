// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/conversation_view.h"

#include <QApplication>
#include <QPushButton>
#include <QScrollBar>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/chat/example_prompts.h"
#include "ui/chat/markdown_view.h"
#include "ui/chat/message_view.h"
#include "ui/shell/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/number_format.h"

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
  // Another theme lays all texts out anew, and the marks go with the old ones: once that is done.
  connect(&Theme::current(), &Theme::changed, this, &ConversationView::find_hits, Qt::QueuedConnection);
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

void ConversationView::set_messages(const std::vector<ShownMessage>& messages, bool live) {
  messages_ = messages;
  live_ = live;
  current_hit_ = -1;
  build(messages.size() > kShownAtFirst ? messages.size() - kShownAtFirst : 0);
}

void ConversationView::build(std::size_t first) {
  clear();
  first_ = first;
  if (messages_.empty()) {
    layout_->addWidget(make_offers(), 1);
    find_hits();
    return;
  }
  if (first_ > 0) {
    auto* earlier =
        new QPushButton(tr("Show earlier messages: %1").arg(count_text(static_cast<qint64>(first_))));
    earlier->setAccessibleName(earlier->text());
    earlier->setProperty("compact", true);
    layout_->addWidget(earlier, 0, Qt::AlignHCenter);
    connect(earlier, &QPushButton::clicked, this, [this] { build(0); });
  }
  for (std::size_t i = first_; i < messages_.size(); ++i) add_message(i);
  layout_->addStretch(1);
  follows_ = true;
  follow_end(true);
  find_hits();
}

void ConversationView::add_message(std::size_t index) {
  auto* view = new MessageView(messages_[index], index + 1 == messages_.size() && live_);
  view->set_busy(live_);
  connect(view, &MessageView::version_requested, this,
          [this, index](int step) { Q_EMIT version_requested(index, step); });
  connect(view, &MessageView::edit_requested, this, [this, index] { Q_EMIT edit_requested(index); });
  connect(view, &MessageView::regenerate_requested, this,
          [this, index] { Q_EMIT regenerate_requested(index); });
  connect(view, &MessageView::shorten_requested, this, [this, index] { Q_EMIT shorten_requested(index); });
  connect(view, &MessageView::delete_requested, this, [this, index] { Q_EMIT delete_requested(index); });
  connect(view, &MessageView::serve_requested, this, &ConversationView::serve_requested);
  connect(view, &MessageView::steps_requested, this, &ConversationView::steps_requested);
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
  if (!search_.isEmpty()) find_hits();
}

void ConversationView::time_last(const ReplyTimings& timings) {
  if (!views_.empty()) views_.back()->show_timings(timings);
}

void ConversationView::update_last(const ShownMessage& message, bool live) {
  if (views_.empty()) return;
  live_ = live;
  messages_.back() = message;
  views_.back()->show_message(message, live);
  for (MessageView* view : views_) view->set_busy(live);
  find_hits();
}

void ConversationView::reveal(std::size_t message) {
  if (message >= messages_.size()) return;
  if (message < first_) build(0);
  follows_ = message + 1 == messages_.size();
  // The new messages get their places first.
  QTimer::singleShot(0, views_[message - first_], [this, view = views_[message - first_]] {
    verticalScrollBar()->setValue(view->y() - units(2));
  });
}

std::optional<std::size_t> ConversationView::focused() const {
  for (std::size_t i = 0; i < views_.size(); ++i)
    if (views_[i]->isAncestorOf(QApplication::focusWidget())) return first_ + i;
  return std::nullopt;
}

bool ConversationView::at_end() const {
  return verticalScrollBar()->value() >= verticalScrollBar()->maximum() - units(4);
}

void ConversationView::follow_end(bool follow) {
  const QScrollBar* bar = verticalScrollBar();
  if (follow) verticalScrollBar()->setValue(views_.empty() ? bar->minimum() : bar->maximum());
}

void ConversationView::set_search(const QString& text) {
  search_ = text;
  current_hit_ = -1;
  if (!search_.isEmpty() && first_ > 0) {
    build(0);  // hits may be anywhere
  } else {
    find_hits();
  }
}

/// The hit that was shown stays the one shown, by its number.
void ConversationView::find_hits() {
  hits_.clear();
  for (std::size_t i = 0; i < views_.size(); ++i) {
    if (!search_.isEmpty()) views_[i]->unfold();
    for (const QTextCursor& cursor : views_[i]->text_view()->find_all(search_)) hits_.push_back({i, cursor});
  }
  current_hit_ = std::min(current_hit_, static_cast<int>(hits_.size()) - 1);
  show_hits();
}

void ConversationView::show_hits() {
  for (std::size_t i = 0; i < views_.size(); ++i) {
    std::vector<QTextCursor> own;
    int current = -1;
    for (std::size_t hit = 0; hit < hits_.size(); ++hit) {
      if (hits_[hit].view != i) continue;
      if (static_cast<int>(hit) == current_hit_) current = static_cast<int>(own.size());
      own.push_back(hits_[hit].cursor);
    }
    views_[i]->text_view()->mark(own, current);
  }
  Q_EMIT hits_changed(current_hit_ + 1, static_cast<int>(hits_.size()));
}

void ConversationView::step_hit(bool backward) {
  const int count = static_cast<int>(hits_.size());
  if (count == 0) return;
  const int before = current_hit_ < 0 ? (backward ? count : -1) : current_hit_;
  current_hit_ = (before + (backward ? -1 : 1) + count) % count;
  show_hits();
  const Hit& hit = hits_[static_cast<std::size_t>(current_hit_)];
  const MarkdownView* view = views_[hit.view]->text_view();
  const QPoint place = view->mapTo(widget(), view->place_of(hit.cursor).center());
  ensureVisible(place.x(), place.y(), units(4), units(20));
}

}  // namespace pitwall::ui
