// SPDX-License-Identifier: GPL-3.0-or-later
// Draft: what is being written: a new message, or another version of an earlier one. It outlives the window.
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
  void refused(const pitwall::Error& error);
  void counted(qint64 tokens);  ///< of text and files, as far as known; 0 without an engine

 private:
  void save();
  void take_file(const QString& path, const Result<Attachment>& file);
  void count_tokens(const Attachment& file);
  void tell_tokens();
  void set(const QString& text, std::vector<Attachment> files);
  Result<void> check_room(const std::string& name) const;
  MessageBox& box_;
  ChatSession& session_;
  ChatPreferences& preferences_;
  std::optional<std::size_t> editing_;
  QString text_before_;
  std::vector<Attachment> files_before_;
  QHash<QString, QString> paths_;  // of files by name, to read them again after a start
  QTimer save_timer_, count_timer_;
  qint64 text_tokens_ = 0;
  Errands errands_;
};

}  // namespace pitwall::ui
