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

constexpr int kSaveDelayMs = 1000, kCountDelayMs = 300;  // after the last key

}  // namespace

Draft::Draft(MessageBox& box, ChatSession& session, ChatPreferences& preferences, QObject* parent)
    : QObject(parent), box_(box), session_(session), preferences_(preferences) {
  save_timer_.setSingleShot(true);
  save_timer_.setInterval(kSaveDelayMs);
  load();
  count_timer_.setSingleShot(true);
  count_timer_.setInterval(kCountDelayMs);
  connect(&count_timer_, &QTimer::timeout, this, &Draft::count);
  connect(box_.input(), &MessageInput::textChanged, &count_timer_, qOverload<>(&QTimer::start));
  connect(&box_, &MessageBox::files_changed, this, &Draft::tell_tokens);
  connect(&save_timer_, &QTimer::timeout, this, &Draft::save);
  connect(box_.input(), &MessageInput::textChanged, &save_timer_, qOverload<>(&QTimer::start));
  connect(&box_, &MessageBox::files_changed, &save_timer_, qOverload<>(&QTimer::start));
  connect(&box_, &MessageBox::edit_cancelled, this, &Draft::end_edit);
  connect(&session_, &ChatSession::chat_begun, this, [this](qint64 chat) {
    preferences_.set_draft(0, {});
    chat_ = chat;
    save();
  });
}

Draft::~Draft() {
  save();
}

void Draft::load() {
  const ChatDraft draft = preferences_.draft(chat_);
  ++loads_;
  paths_.clear();
  set(draft.text, {});
  attach(draft.files);
}

void Draft::save() {
  const auto& files = editing_ ? files_before_ : box_.files();
  QStringList paths;
  for (const Attachment& file : files) {
    const QString path = paths_.value(QString::fromStdString(file.name));
    if (!path.isEmpty()) paths << path;
  }
  preferences_.set_draft(chat_, {editing_ ? text_before_ : box_.input()->toPlainText(), paths});
}

void Draft::follow_chat() {
  end_edit();
  if (session_.chat() == chat_) return;
  save();
  chat_ = session_.chat();
  load();
  Q_EMIT chat_changed();
}

void Draft::give_back(qint64 chat, const QString& text) {
  if (chat == chat_) {
    if (box_.input()->document()->isEmpty()) box_.input()->set_text(text);
    return;
  }
  ChatDraft draft = preferences_.draft(chat);
  if (!draft.text.isEmpty()) return;
  draft.text = text;
  preferences_.set_draft(chat, draft);
}

void Draft::set(const QString& text, std::vector<Attachment> files) {
  box_.input()->set_text(text);
  box_.set_files(std::move(files));
  text_tokens_ = 0;  // until it is counted
  tell_tokens();
}

Result<void> Draft::check_room(const std::string& name) const {
  const auto& files = box_.files();
  const auto refusal = [](const QString& what, const QString& action) {
    return Error{Error::Kind::invalid_input, what.toStdString(), {}, action.toStdString(), "attachment"};
  };
  if (files.size() >= kMostAttachments)
    return refusal(tr("A message takes up to %1 files").arg(kMostAttachments),
                   tr("Remove one, or send another message"));
  if (std::any_of(files.begin(), files.end(), [&](const Attachment& file) { return file.name == name; }))
    return refusal(tr("“%1” is attached already").arg(QString::fromStdString(name)),
                   tr("Remove it first to attach another file of this name"));
  return {};
}

void Draft::attach(const QStringList& paths) {
  for (const QString& path : paths) {
    const QString name = QFileInfo(path).fileName();
    if (auto room = check_room(name.toStdString()); !room) {
      Q_EMIT refused(room.error());
      continue;
    }
    paths_.insert(name, path);
    std::vector<Attachment> files = box_.files();
    files.push_back({name.toStdString(), {}, 0});
    box_.set_files(std::move(files));
    errands_.send([this, path, loads = loads_] {
      return [this, path, loads, file = read_text_file(path)] {
        if (loads == loads_) take_file(path, file);
      };
    });
  }
  save_timer_.start();
}

/// One that was removed meanwhile is no longer wanted.
void Draft::take_file(const QString& path, const Result<Attachment>& file) {
  const std::string name = QFileInfo(path).fileName().toStdString();
  const auto put = [&](std::vector<Attachment>& files) {
    const auto waiting = std::find_if(files.begin(), files.end(), [&](const Attachment& one) {
      return one.name == name && is_being_read(one);
    });
    if (waiting == files.end()) return false;
    if (file)
      *waiting = *file;
    else
      files.erase(waiting);
    return true;
  };
  std::vector<Attachment> files = box_.files();
  const bool here = put(files);
  if (here) box_.set_files(std::move(files));
  if (!here && !put(files_before_)) return;
  if (!file) {
    Q_EMIT refused(file.error());
  } else if (here) {
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
    tell_tokens();
  });
}

void Draft::count() {
  for (const Attachment& file : std::vector(box_.files()))
    if (file.tokens == 0 && !is_being_read(file)) count_tokens(file);
  const QString text = box_.input()->toPlainText();
  text_tokens_ = 0;
  if (!text.isEmpty())
    session_.count_tokens(text.toStdString(), [this, text](qint64 tokens) {
      if (text != box_.input()->toPlainText()) return;
      text_tokens_ = tokens;
      tell_tokens();
    });
  tell_tokens();
}

void Draft::tell_tokens() {
  qint64 tokens = text_tokens_;
  for (const Attachment& file : box_.files()) tokens += file.tokens;
  Q_EMIT counted(tokens);
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
  if (std::any_of(content.files.begin(), content.files.end(), is_being_read)) return std::nullopt;
  if (editing_) {
    end_edit();
  } else {
    set({}, {});
  }
  save();
  return content;
}

}  // namespace pitwall::ui
