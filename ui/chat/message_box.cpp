// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/message_box.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/chat/attachment.h"
#include "ui/chat/attachment_row.h"
#include "ui/chat/message_input.h"
#include "ui/shell/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

MessageBox::MessageBox(QWidget* parent) : QWidget(parent) {
  hint_row_ = new QWidget(this);
  auto* hint_layout = new QHBoxLayout(hint_row_);
  hint_layout->setContentsMargins(0, 0, 0, 0);
  hint_layout->setSpacing(units(2));
  hint_ = new Label({}, FontRole::body, Colour::muted);
  hint_->setObjectName(QStringLiteral("chat.hint"));
  hint_->setWordWrap(true);
  serve_ = new QPushButton(tr("Go to Serve"));
  serve_->setObjectName(QStringLiteral("chat.goToServe"));
  serve_->setProperty("compact", true);
  serve_->setAccessibleName(serve_->text());
  hint_layout->addWidget(hint_, 1);
  hint_layout->addWidget(serve_);

  input_ = new MessageInput(this);
  notice_ = new Label({}, FontRole::small, Colour::warn, this);
  notice_->setObjectName(QStringLiteral("chat.notice"));
  notice_->setWordWrap(true);
  notice_->hide();

  chips_ = new AttachmentRow(true, this);
  attach_ = new QPushButton(icon(QStringLiteral("attach")), tr("&Attach text…"), this);
  attach_->setObjectName(QStringLiteral("chat.attach"));
  attach_->setAccessibleName(tr("Attach text"));
  attach_->setToolTip(tr("Send text files with the message. They can be dropped here too."));
  context_ = new Label({}, FontRole::small, Colour::muted);
  context_->setObjectName(QStringLiteral("chat.context"));
  keys_ = new Label({}, FontRole::small, Colour::muted);
  cancel_ = new QPushButton(tr("Cancel"));
  cancel_->setObjectName(QStringLiteral("chat.cancel"));
  cancel_->setAccessibleName(cancel_->text());
  send_ = new QPushButton(this);
  send_->setObjectName(QStringLiteral("chat.send"));
  send_->setProperty("primary", true);
  auto* foot = new QHBoxLayout;
  foot->setSpacing(units(2));
  foot->addWidget(attach_);
  foot->addWidget(context_);
  foot->addStretch(1);
  foot->addWidget(keys_);
  foot->addWidget(cancel_);
  foot->addWidget(send_);

  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, units(2), 0, 0);
  layout->setSpacing(units(2));
  layout->addWidget(hint_row_);
  layout->addWidget(input_);
  layout->addWidget(chips_);
  layout->addWidget(notice_);
  layout->addLayout(foot);

  connect(serve_, &QPushButton::clicked, this, &MessageBox::serve_requested);
  connect(attach_, &QPushButton::clicked, this, &MessageBox::attach_requested);
  connect(input_, &MessageInput::files_given, this, &MessageBox::files_given);
  connect(input_, &MessageInput::send_requested, this, &MessageBox::send_requested);
  connect(chips_, &AttachmentRow::remove_requested, this, [this](std::size_t file) {
    std::vector<Attachment> files = files_;
    files.erase(files.begin() + static_cast<std::ptrdiff_t>(file));
    set_files(std::move(files));
    Q_EMIT files_changed();
  });
  connect(cancel_, &QPushButton::clicked, this,
          [this] { waiting_ ? Q_EMIT wait_cancelled() : Q_EMIT edit_cancelled(); });
  connect(send_, &QPushButton::clicked, this,
          [this] { generating_ ? Q_EMIT stop_requested() : Q_EMIT send_requested(); });
  connect(input_, &MessageInput::textChanged, this, &MessageBox::refresh);
  connect(input_, &MessageInput::refused, this, &MessageBox::say);
  refresh();
}

void MessageBox::paintEvent(QPaintEvent*) {
  QPainter(this).fillRect(0, 0, width(), 1, Theme::current().colour(Colour::border));
}

void MessageBox::say(const QString& notice) {
  notice_->setText(notice);
  notice_->show();
}

void MessageBox::refresh() {
  notice_->hide();
  const qsizetype length = input_->document()->characterCount() - 1;
  if (length > MessageInput::kLongestMessage)
    say(tr("The message has %1 characters; up to %2 can be sent.")
            .arg(count_text(length), count_text(MessageInput::kLongestMessage)));
  const bool something = length > 0 || !files_.empty();
  const bool enter = send_key_ == SendKey::enter;
  send_->setText(generating_ ? tr("Stop") : editing_ ? tr("Send again") : tr("Send"));
  send_->setAccessibleName(send_->text());
  send_->setToolTip(generating_ ? tr("Stop this reply (Esc)")
                    : enter     ? tr("Send (Enter)")
                                : tr("Send (Ctrl+Enter)"));
  const bool reading = std::any_of(files_.begin(), files_.end(), is_being_read);
  send_->setEnabled(generating_ ||
                    (something && !waiting_ && !reading && length <= MessageInput::kLongestMessage));
  cancel_->setVisible(editing_ || waiting_);
  keys_->setText(generating_ ? tr("Esc stops")
                 : reading   ? tr("A file is being read")
                 : waiting_  ? tr("Sent when the model has loaded")
                 : editing_  ? tr("The message gets another version")
                 : enter     ? tr("Enter sends, Shift+Enter begins a line")
                             : tr("Ctrl+Enter sends"));
}

void MessageBox::set_generating(bool generating) {
  generating_ = generating;
  refresh();
}

void MessageBox::set_editing(bool editing) {
  editing_ = editing;
  refresh();
}

void MessageBox::set_waiting(bool waiting) {
  waiting_ = waiting;
  refresh();
}

void MessageBox::set_send_key(SendKey key) {
  send_key_ = key;
  input_->set_send_key(key);
  refresh();
}

void MessageBox::set_files(std::vector<Attachment> files) {
  files_ = std::move(files);
  chips_->set_files(files_);
  refresh();
}

void MessageBox::set_engine(EngineState state, const QString& phase) {
  hint_row_->setVisible(state != EngineState::serving);
  serve_->setVisible(state == EngineState::stopped || state == EngineState::failed);
  switch (state) {
    case EngineState::loading:
      hint_->setText(phase.isEmpty() ? tr("Loading the model…") : tr("Loading the model: %1").arg(phase));
      break;
    case EngineState::stopping:
      hint_->setText(tr("The engine is stopping."));
      break;
    case EngineState::failed:
      hint_->setText(tr("The engine did not start. What you send is saved."));
      break;
    default:
      hint_->setText(tr("No model is serving. What you send is saved."));
      break;
  }
}

void MessageBox::set_context(qint64 used, qint64 written, qint64 available) {
  const bool too_much = written > 0 && used + written > available;
  context_->set_colour(too_much ? Colour::warn : Colour::muted);
  if (written > 0 && available > 0) {
    const QString words = too_much ? tr("△ %1 tokens with this message, more than the %2 of the context")
                                   : tr("%1 of %2 tokens in context with this message");
    context_->setText(words.arg(count_text(used + written), count_text(available)));
  } else if (used <= 0) {
    context_->setText(available > 0 ? tr("%1 tokens of context").arg(count_text(available)) : QString());
  } else {
    context_->setText(available > 0
                          ? tr("%1 of %2 tokens in context").arg(count_text(used), count_text(available))
                          : tr("%1 tokens in context").arg(count_text(used)));
  }
}

}  // namespace pitwall::ui
