// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/message_view.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/chat/chat_session.h"
#include "ui/chat/markdown_view.h"
#include "ui/chat/reply_stream.h"
#include "ui/chat/timings_strip.h"
#include "ui/shell/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

namespace {

constexpr qsizetype kFoldedPrompt = 12'000;  // characters of a long prompt that are shown at first

}  // namespace

MessageView::MessageView(const ChatMessage& message, bool last, bool live, QWidget* parent)
    : QFrame(parent), own_(message.role == "user") {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(units(3), units(own_ ? 1.5 : 1), units(3), units(2));
  layout->setSpacing(units(1));

  header_ = new QHBoxLayout;
  header_->setSpacing(units(2));
  layout->addLayout(header_);
  const QString model = QString::fromStdString(message.model);
  add_header(own_ ? tr("You") : model.isEmpty() ? tr("Reply") : model);
  if (own_) {
    QToolButton* edit =
        add_action(QStringLiteral("edit"), tr("Edit"), tr("Edit this message; later ones are removed"));
    connect(edit, &QToolButton::clicked, this, &MessageView::edit_requested);
  } else if (last) {
    QToolButton* again =
        add_action(QStringLiteral("regenerate"), tr("Regenerate"), tr("Write this reply again (Ctrl+R)"));
    again->setObjectName(QStringLiteral("chat.regenerate"));
    again->setDisabled(live);
    connect(again, &QToolButton::clicked, this, &MessageView::regenerate_requested);
  }
  QToolButton* copy = add_action(QStringLiteral("copy"), tr("Copy"),
                                 own_ ? tr("Copy this message") : tr("Copy this reply as Markdown"));
  connect(copy, &QToolButton::clicked, this,
          [this] { QApplication::clipboard()->setText(QString::fromStdString(message_.content)); });

  text_ = new MarkdownView(this);
  text_->setAccessibleName(own_ ? tr("Your message") : tr("Reply"));
  layout->addWidget(text_);
  connect(text_, &MarkdownView::link_activated, this, &MessageView::link_activated);

  show_all_ = new QPushButton(tr("Show all"), this);
  show_all_->setAccessibleName(show_all_->text());
  show_all_->setProperty("compact", true);
  show_all_->hide();
  layout->addWidget(show_all_, 0, Qt::AlignLeft);
  connect(show_all_, &QPushButton::clicked, this, [this] { show_prompt(true); });

  trouble_row_ = new QWidget(this);
  auto* row = new QHBoxLayout(trouble_row_);
  row->setContentsMargins(0, 0, 0, units(1));
  row->setSpacing(units(2));
  trouble_ = new Label({}, FontRole::body, Colour::bad, trouble_row_);
  trouble_->setObjectName(QStringLiteral("chat.trouble"));
  trouble_->setWordWrap(true);
  trouble_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  row->addWidget(trouble_, 1);
  auto* retry = new QPushButton(tr("Try again"), trouble_row_);
  retry->setObjectName(QStringLiteral("chat.tryAgain"));
  auto* serve = new QPushButton(tr("Go to Serve"), trouble_row_);
  auto* details = new QPushButton(tr("Copy details"), trouble_row_);
  for (QPushButton* button : {retry, serve, details}) {
    button->setProperty("compact", true);
    button->setAccessibleName(button->text());
    row->addWidget(button, 0, Qt::AlignTop);
  }
  layout->addWidget(trouble_row_);
  connect(retry, &QPushButton::clicked, this, &MessageView::regenerate_requested);
  connect(serve, &QPushButton::clicked, this, &MessageView::serve_requested);
  connect(details, &QPushButton::clicked, this,
          [this] { QApplication::clipboard()->setText(trouble_->text()); });
  retry->setVisible(last);

  timings_ = new TimingsStrip(this);
  layout->addWidget(timings_);
  show_message(message, live);
  connect(&Theme::current(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

void MessageView::add_header(const QString& who) {
  header_->addWidget(new Label(who, FontRole::section, Colour::text, this));
  tag_ = new Tag(this);
  tag_->setObjectName(QStringLiteral("chat.state"));
  header_->addWidget(tag_);
  header_->addStretch(1);
}

QToolButton* MessageView::add_action(const QString& icon_name, const QString& text, const QString& name) {
  auto* button = new QToolButton(this);
  button->setIcon(icon(icon_name, Colour::muted));
  button->setText(text);
  button->setFont(Theme::current().font(FontRole::small));
  button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  button->setAutoRaise(true);
  button->setToolTip(name);
  button->setAccessibleName(text);
  button->setAccessibleDescription(name);
  header_->addWidget(button);
  return button;
}

void MessageView::show_message(const ChatMessage& message, bool live) {
  message_ = message;
  if (own_) {
    show_prompt(false);
  } else {
    text_->set_markdown(message.content);
  }
  text_->setVisible(own_ || live || !message.content.empty());
  const auto record = record_from_json(message.timings_json);
  timings_->set_cells(record ? timing_cells(*record) : std::vector<TimingCell>());
  show_state(live);
}

void MessageView::show_prompt(bool whole) {
  const QString text = QString::fromStdString(message_.content);
  const bool folded = !whole && text.size() > kFoldedPrompt;
  text_->set_plain(folded ? text.left(kFoldedPrompt) + QChar(0x2026) : text);
  show_all_->setText(tr("Show all %1 characters").arg(count_text(text.size())));
  show_all_->setVisible(folded);
}

void MessageView::show_state(bool live) {
  const std::string& state = message_.state;
  const bool failed = state.starts_with(kErrorPrefix);
  trouble_row_->setVisible(failed);
  if (failed) trouble_->setText(QString::fromStdString(state.substr(std::size(kErrorPrefix) - 1)));
  tag_->setVisible(live || (!own_ && state != kComplete));
  if (live) {
    tag_->set(Tag::Kind::accent, tr("writing"));
  } else if (failed) {
    tag_->set(Tag::Kind::bad, tr("✕ failed"));
  } else if (state == kStopped) {
    tag_->set(Tag::Kind::warn, tr("△ incomplete: stopped"));
  } else if (state == kStreaming) {
    tag_->set(Tag::Kind::warn, tr("△ incomplete: cut off"));
    tag_->setToolTip(tr("The program ended while this reply was written. What had come by then was kept."));
  }
  if (auto* again = findChild<QToolButton*>(QStringLiteral("chat.regenerate"))) again->setDisabled(live);
}

void MessageView::grow(const QString& text) {
  const std::string added = text.toStdString();
  message_.content += added;
  text_->append_markdown(added);
}

void MessageView::paintEvent(QPaintEvent*) {
  if (!own_) return;
  const Theme& theme = Theme::current();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(theme.colour(Colour::border), 1));
  painter.setBrush(theme.colour(Colour::alt));
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), theme.u(), theme.u());
}

}  // namespace pitwall::ui
