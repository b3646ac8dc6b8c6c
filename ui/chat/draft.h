// SPDX-License-Identifier: GPL-3.0-or-later
// Draft: what is being written: a new message, or another version of an earlier one. Each chat has its own,
// which outlives the window.
#pragma once
#include <QHash>
#include <QObject>
#include <QTimer>
#include <optional>

#include "engine/base/result.h"
#include "engine/store/store.h"
#include "ui/shell/errands.h"

namespace pitwall::ui {

class ChatPreferences;
class ChatSession;
class MessageBox;

class Draft : public QObject {
  Q_OBJECT

 public:
  /// All outlive it.
  Draft(MessageBox& box, ChatSession& session, ChatPreferences& preferences, QObject* parent);
  ~Draft() override;  ///< saves

  void follow_chat();  ///< the conversation changed: an edit ends, and a chat just opened brings its draft
  /// Of a message that could not be sent; what was written in its chat meanwhile stays.
  void give_back(qint64 chat, const QString& text);
  /// Reads each file, off the UI thread, and counts its tokens; refused() tells of those that cannot go. The
  /// message waits for the files that are still being read.
  void attach(const QStringList& paths);
  void count();  ///< text and files anew, as when an engine has come; counted() tells
  void begin_edit(std::size_t message);
  void end_edit();  ///< the message written before comes back
  const std::optional<std::size_t>& editing() const { return editing_; }
  struct Content {
    QString text;
    std::vector<Attachment> files;
    std::optional<std::size_t> message;  ///< that it is another version of
  };
  /// Nothing when there is nothing that can be sent. What was written before an edit comes back.
  std::optional<Content> take();

 Q_SIGNALS:
  void chat_changed();  ///< the draft is that of another chat
  void refused(const pitwall::Error& error);
  void counted(qint64 tokens);  ///< of text and files, as far as known; 0 without an engine

 private:
  void load();
  void save();
  void take_file(const QString& path, const Result<Attachment>& file);
  void count_tokens(const Attachment& file);
  void tell_tokens();
  void set(const QString& text, std::vector<Attachment> files);
  Result<void> check_room(const std::string& name) const;
  MessageBox& box_;
  ChatSession& session_;
  ChatPreferences& preferences_;
  qint64 chat_ = 0;
  std::optional<std::size_t> editing_;
  QString text_before_;
  std::vector<Attachment> files_before_;
  QHash<QString, QString> paths_;  // of files by name, to read them again after a start
  std::uint64_t loads_ = 0;        // files that are read for a draft put away are not wanted
  QTimer save_timer_, count_timer_;
  qint64 text_tokens_ = 0;
  Errands errands_;
};

}  // namespace pitwall::ui
