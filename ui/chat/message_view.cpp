// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/message_view.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/chat/attachment_row.h"
#include "ui/chat/markdown_view.h"
#include "ui/chat/message_state.h"
#include "ui/chat/timings_strip.h"
#include "ui/shell/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

namespace {

constexpr qsizetype kFoldedPrompt = 12'000;  // characters of a long prompt that are shown at first

}  // namespace

MessageView::MessageView(const ShownMessage& message, bool live, QWidget* parent)
    : QFrame(parent), message_(message), own_(message.role == "user") {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(units(3), units(own_ ? 1.5 : 1), units(3), units(2));
  layout->setSpacing(units(1));

  header_ = new QHBoxLayout;
  header_->setSpacing(units(2));
  layout->addLayout(header_);
  const QString model = QString::fromStdString(message.model);
  add_header(own_ ? tr("You") : model.isEmpty() ? tr("Reply") : model);
  add_actions();

  text_ = new MarkdownView(this);
  text_->setAccessibleName(own_ ? tr("Your message") : tr("Reply"));
  layout->addWidget(text_);
  connect(text_, &MarkdownView::link_activated, this, &MessageView::link_activated);

  show_all_ = new QPushButton(tr("Show all"), this);
  show_all_->setAccessibleName(show_all_->text());
  show_all_->setProperty("compact", true);
  show_all_->hide();
  layout->addWidget(show_all_, 0, Qt::AlignLeft);
  connect(show_all_, &QPushButton::clicked, this, &MessageView::unfold);

  files_ = new AttachmentRow(false, this);
  layout->addWidget(files_);
  add_trouble();
  layout->addWidget(trouble_row_);
  timings_ = new TimingsStrip(this);
  layout->addWidget(timings_);
  connect(timings_, &TimingsStrip::clicked, this, [this] {
    if (const auto timings = timings_from_json(message_.timings_json))
      Q_EMIT steps_requested(timings->record);
  });
  show_message(message, live);
  connect(&Theme::current(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

void MessageView::add_header(const QString& who) {
  auto* name = new Label(who, FontRole::section, Colour::text, this);
  header_->addWidget(name);
  add_versions();
  tag_ = new Tag(this);
  tag_->setObjectName(QStringLiteral("chat.state"));
  header_->addWidget(tag_);
  header_->addStretch(1);
}

void MessageView::add_versions() {
  versions_ = new QWidget(this);
  auto* row = new QHBoxLayout(versions_);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(units(0.5));
  const auto add_button = [&](const char* icon_name, const QString& name, const QString& tip, int step) {
    auto* button = new QToolButton;
    button->setIcon(icon(QLatin1String(icon_name)));
    button->setAutoRaise(true);
    button->setAccessibleName(name);
    button->setToolTip(tip);
    row->addWidget(button);
    connect(button, &QToolButton::clicked, this, [this, step] { Q_EMIT version_requested(step); });
    return button;
  };
  earlier_ = add_button("chevron-left", tr("Earlier version"), tr("Earlier version (Alt+Left)"), -1);
  version_ = new Label({}, FontRole::small, Colour::muted);
  version_->setObjectName(QStringLiteral("chat.version"));
  row->addWidget(version_);
  later_ = add_button("chevron-right", tr("Later version"), tr("Later version (Alt+Right)"), 1);
  earlier_->setObjectName(QStringLiteral("chat.earlierVersion"));
  later_->setObjectName(QStringLiteral("chat.laterVersion"));
  header_->addWidget(versions_);
}

void MessageView::add_actions() {
  if (own_) {
    QToolButton* edit =
        add_action(QStringLiteral("edit"), tr("Edit"), tr("Send another version of this message (E)"));
    edit->setObjectName(QStringLiteral("chat.edit"));
    connect(edit, &QToolButton::clicked, this, &MessageView::edit_requested);
    changes_ << edit;
  } else {
    QToolButton* again = add_action(QStringLiteral("regenerate"), tr("Regenerate"),
                                    tr("Write another version of this reply (Ctrl+R)"));
    again->setObjectName(QStringLiteral("chat.regenerate"));
    connect(again, &QToolButton::clicked, this, &MessageView::regenerate_requested);
    changes_ << again;
  }
  QToolButton* copy = add_action(QStringLiteral("copy"), tr("Copy"),
                                 own_ ? tr("Copy this message") : tr("Copy this reply as Markdown"));
  copy->setObjectName(QStringLiteral("chat.copy"));
  connect(copy, &QToolButton::clicked, this,
          [this] { QApplication::clipboard()->setText(QString::fromStdString(message_.content)); });
  QToolButton* remove = add_action(QStringLiteral("trash"), tr("Delete"),
                                   tr("Delete this and what follows it; Ctrl+Z brings it back"));
  remove->setObjectName(QStringLiteral("chat.delete"));
  connect(remove, &QToolButton::clicked, this, &MessageView::delete_requested);
  changes_ << remove;
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

void MessageView::add_trouble() {
  trouble_row_ = new QWidget(this);
  auto* column = new QVBoxLayout(trouble_row_);
  column->setContentsMargins(0, 0, 0, units(1));
  column->setSpacing(units(1.5));
  trouble_ = new Label({}, FontRole::body, Colour::bad, trouble_row_);
  trouble_->setObjectName(QStringLiteral("chat.trouble"));
  trouble_->setWordWrap(true);
  trouble_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  column->addWidget(trouble_);
  auto* row = new QHBoxLayout;
  row->setSpacing(units(2));
  column->addLayout(row);
  retry_ = new QPushButton(tr("Try again"), trouble_row_);
  retry_->setObjectName(QStringLiteral("chat.tryAgain"));
  shorten_ = new QPushButton(tr("Shorten to fit"), trouble_row_);
  shorten_->setObjectName(QStringLiteral("chat.shorten"));
  shorten_->setToolTip(
      tr("Asks without the oldest messages, and without the middle of a message that is too "
         "long. The chat itself stays as it is."));
  auto* serve = new QPushButton(tr("Go to Serve"), trouble_row_);
  auto* details = new QPushButton(tr("Copy details"), trouble_row_);
  for (QPushButton* button : {retry_, shorten_, serve, details}) {
    button->setProperty("compact", true);
    button->setAccessibleName(button->text());
    row->addWidget(button);
  }
  row->addStretch(1);
  connect(retry_, &QPushButton::clicked, this, &MessageView::regenerate_requested);
  connect(shorten_, &QPushButton::clicked, this, &MessageView::shorten_requested);
  connect(serve, &QPushButton::clicked, this, &MessageView::serve_requested);
  connect(details, &QPushButton::clicked, this,
          [this] { QApplication::clipboard()->setText(trouble_->text()); });
}

void MessageView::show_message(const ShownMessage& message, bool live) {
  message_ = message;
  if (own_) {
    show_prompt(false);
  } else {
    text_->set_markdown(message.content);
  }
  text_->setVisible(live || !message.content.empty());
  files_->set_files(message.attachments);
  version_->setText(tr("%1 of %2")
                        .arg(count_text(static_cast<qint64>(message.version)),
                             count_text(static_cast<qint64>(message.versions))));
  versions_->setVisible(message.versions > 1);
  const auto timings = timings_from_json(message.timings_json);
  timings_->set_cells(timings ? timing_cells(*timings) : std::vector<TimingCell>());
  show_state(live);
  set_busy(busy_);
}

void MessageView::show_prompt(bool whole) {
  const QString text = QString::fromStdString(message_.content);
  const bool folded = !whole && text.size() > kFoldedPrompt;
  text_->set_plain(folded ? text.left(kFoldedPrompt) + QChar(0x2026) : text);
  show_all_->setText(tr("Show all %1 characters").arg(count_text(text.size())));
  show_all_->setVisible(folded);
}

void MessageView::unfold() {
  if (show_all_->isVisibleTo(this)) show_prompt(true);
}

void MessageView::show_timings(const ReplyTimings& timings) {
  timings_->set_cells(timing_cells(timings));
}

void MessageView::show_state(bool live) {
  const std::string& state = message_.state;
  const auto failure = failure_of(state);
  trouble_row_->setVisible(failure.has_value());
  trouble_->setText(QString::fromStdString(failure.value_or(std::string())));
  shorten_->setVisible(state.starts_with(kTooLongPrefix));
  tag_->setVisible(live || (!own_ && state != kComplete));
  tag_->setToolTip({});
  if (live) {
    tag_->set(Tag::Kind::accent, tr("writing"));
  } else if (failure) {
    tag_->set(Tag::Kind::bad, tr("✕ failed"));
  } else if (state == kStopped) {
    tag_->set(Tag::Kind::warn, tr("△ incomplete: stopped"));
  } else if (state == kStreaming) {
    tag_->set(Tag::Kind::warn, tr("△ incomplete: cut off"));
    tag_->setToolTip(tr("The program ended while this reply was written. What had come by then was kept."));
  }
}

void MessageView::set_busy(bool busy) {
  busy_ = busy;
  for (QToolButton* button : changes_) button->setDisabled(busy);
  earlier_->setDisabled(busy || message_.version <= 1);
  later_->setDisabled(busy || message_.version >= message_.versions);
  retry_->setDisabled(busy);
  shorten_->setDisabled(busy);
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
