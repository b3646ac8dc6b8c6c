// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/draft.h"

#include <QFileInfo>
#include <algorithm>
#include <utility>

#include "ui/chat/attachment.h"
#include "ui/chat/chat_preferences.h"
#include "ui/chat/chat_session.h"
#include "ui/chat/message_box.h"
#include "ui/chat/message_input.h"

namespace pitwall::ui {

namespace {

constexpr int kSaveDelayMs = 1000;  // after the last key

}  // namespace

Draft::Draft(MessageBox& box, ChatSession& session, ChatPreferences& preferences, QObject* parent)
    : QObject(parent), box_(box), session_(session), preferences_(preferences) {
  save_timer_.setSingleShot(true);
  save_timer_.setInterval(kSaveDelayMs);
  box_.input()->set_text(preferences_.draft());
  for (const QString& path : preferences_.draft_files())
    if (QFileInfo::exists(path)) attach({path});
  connect(&save_timer_, &QTimer::timeout, this, &Draft::save);
  connect(box_.input(), &MessageInput::textChanged, &save_timer_, qOverload<>(&QTimer::start));
  connect(&box_, &MessageBox::files_changed, &save_timer_, qOverload<>(&QTimer::start));
  connect(&box_, &MessageBox::edit_cancelled, this, &Draft::end_edit);
}

Draft::~Draft() {
  save();
}

void Draft::save() {
  const auto& files = editing_ ? files_before_ : box_.files();
  QStringList paths;
  for (const Attachment& file : files) {
    const QString path = paths_.value(QString::fromStdString(file.name));
    if (!path.isEmpty()) paths << path;
  }
  preferences_.set_draft(editing_ ? text_before_ : box_.input()->toPlainText(), paths);
}

void Draft::set(const QString& text, std::vector<Attachment> files) {
  box_.input()->set_text(text);
  box_.set_files(std::move(files));
}

Result<Attachment> Draft::read(const QString& path) const {
  const auto& files = box_.files();
  const std::string name = QFileInfo(path).fileName().toStdString();
  const auto refusal = [](const QString& what, const QString& action) {
    return Error{Error::Kind::invalid_input, what.toStdString(), {}, action.toStdString(), "attachment"};
  };
  if (files.size() >= kMostAttachments)
    return refusal(tr("A message takes up to %1 files").arg(kMostAttachments),
                   tr("Remove one, or send another message"));
  if (std::any_of(files.begin(), files.end(), [&](const Attachment& file) { return file.name == name; }))
    return refusal(tr("“%1” is attached already").arg(QString::fromStdString(name)),
                   tr("Remove it first to attach another file of this name"));
  return read_text_file(path);
}

void Draft::attach(const QStringList& paths) {
  for (const QString& path : paths) {
    auto file = read(path);
    if (!file) {
      Q_EMIT refused(file.error());
      continue;
    }
    paths_.insert(QString::fromStdString(file->name), path);
    std::vector<Attachment> files = box_.files();
    files.push_back(*file);
    box_.set_files(std::move(files));
    count_tokens(*file);
  }
  save_timer_.start();
}

void Draft::count_tokens(const Attachment& file) {
  session_.count_tokens(file.content, [this, name = file.name, size = file.content.size()](qint64 tokens) {
    std::vector<Attachment> files = box_.files();
    for (Attachment& one : files)
      if (one.name == name && one.content.size() == size) one.tokens = tokens;
    box_.set_files(std::move(files));
  });
}

void Draft::begin_edit(std::size_t message) {
  if (session_.generating() || message >= session_.messages().size()) return;
  if (!editing_) {
    text_before_ = box_.input()->toPlainText();
    files_before_ = box_.files();
  }
  editing_ = message;
  const ShownMessage& edited = session_.messages()[message];
  set(QString::fromStdString(edited.content), edited.attachments);
  box_.set_editing(true);
  box_.input()->setFocus();
}

void Draft::end_edit() {
  if (!editing_) return;
  editing_.reset();
  box_.set_editing(false);
  set(text_before_, files_before_);
}

std::optional<Draft::Content> Draft::take() {
  Content content{box_.input()->toPlainText(), box_.files(), editing_};
  if (content.text.size() > MessageInput::kLongestMessage) return std::nullopt;
  if (content.text.trimmed().isEmpty() && content.files.empty()) return std::nullopt;
  if (editing_) {
    end_edit();
  } else {
    set({}, {});
  }
  save();
  return content;
}

}  // namespace pitwall::ui
