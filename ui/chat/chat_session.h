// SPDX-License-Identifier: GPL-3.0-or-later
// ChatSession: the open conversation and the replies being written, in this chat or in others. Everything is
// in the store before it is asked of the engine. Store, template and tokenizer work on one thread of its own,
// in order.
#pragma once
#include <QObject>
#include <QString>
#include <QTimer>
#include <functional>
#include <memory>
#include <vector>

#include "engine/base/threads.h"
#include "engine/serve/engine.h"
#include "engine/step/sampling_params.h"
#include "engine/store/store.h"
#include "ui/chat/conversation_tree.h"
#include "ui/chat/message_state.h"
#include "ui/chat/reply_timings.h"

namespace pitwall::ui {

class EngineController;
struct Asked;
struct EngineLease;
struct LiveReply;
struct Turn;

/// What the reply is asked with.
struct ReplyOptions {
  SamplingParams sampling;
  std::string system_prompt;
  bool shorten = false;  ///< leave out what does not fit into the context
};

/// UI thread only. Both references outlive it.
class ChatSession : public QObject {
  Q_OBJECT

 public:
  ChatSession(EngineController& engine, Store& store, QObject* parent = nullptr);
  ~ChatSession() override;  ///< stops the replies and stores what they have

  // The chats, last changed first.
  const std::vector<ChatListItem>& chats() const { return chats_; }
  void refresh_chats();
  void rename_chat(qint64 chat, const QString& title);
  void delete_chat(qint64 chat);  ///< kept for kKeepRemoved
  void restore_chat(qint64 chat);
  void restore_last_chat();          ///< the last deleted one, of earlier starts too
  void search(const QString& text);  ///< searched() brings the answer, the last one asked for alone

  // The open conversation; without the system prompt.
  qint64 chat() const { return chat_; }  ///< 0: new, not in the store until the first message
  const QString& title() const { return title_; }
  const std::vector<ShownMessage>& messages() const { return messages_; }   ///< the branch that is shown
  const std::vector<ChatMessage>& versions() const { return tree_.all(); }  ///< all that are stored
  const std::string& system_prompt() const { return system_prompt_.content; }
  bool generating() const { return live_ != nullptr; }  ///< a reply is being written here
  void open_chat(qint64 chat, qint64 message = 0);      ///< the branch with this message; 0: as it was left
  void new_chat();
  void refresh_conversation();  ///< shows what another window has written in the open chat meanwhile

  // Each writes first, then asks the engine. They do nothing while a reply is being written here.
  void send(const QString& text, std::vector<Attachment> files, const ReplyOptions& options);
  /// A new version of a message of the user, with a reply of its own.
  void edit(std::size_t message, const QString& text, std::vector<Attachment> files,
            const ReplyOptions& options);
  /// A new version of a reply; one that has no text is begun again. Or the reply that a message lacks.
  void regenerate(std::size_t message, const ReplyOptions& options);
  void show_version(std::size_t message, int step);  ///< the one before or after it
  void delete_message(std::size_t message);          ///< with all that follow it; kept for kKeepRemoved
  void restore_message(qint64 chat, qint64 message);
  void stop();

  /// `done` gets how many tokens the text has; it is not called without an engine.
  void count_tokens(const std::string& text, std::function<void(qint64 tokens)> done);

 Q_SIGNALS:
  void chats_changed();
  void searched(const QString& text, const std::vector<pitwall::ChatHit>& hits);
  void chat_begun(qint64 chat);          ///< the open chat, which was new, is in the store
  void conversation_changed();           ///< another chat or branch, or messages added or removed
  void reply_grew(const QString& text);  ///< the last message got more text
  void reply_timed(const pitwall::ui::ReplyTimings& timings);  ///< of the last message, so far
  void reply_ended();  ///< the last message has its final text, timings and state
  void generating_changed(bool generating);
  void message_written();  ///< what was sent last is in the store
  /// The store refused: the text of the message, to be kept; empty where only a reply was asked for.
  void not_written(qint64 chat, const QString& text, const pitwall::Error& error);
  void failed(const pitwall::Error& error);

 private:
  void start_turn(std::shared_ptr<Turn> turn, const ReplyOptions& options);
  void written(const std::shared_ptr<Turn>& turn, const std::shared_ptr<LiveReply>& reply);
  void refused(const std::shared_ptr<Turn>& turn, const std::shared_ptr<LiveReply>& reply,
               const Error& error);
  void submitted(const std::shared_ptr<LiveReply>& reply, const Asked& asked);
  void cancel(LiveReply& reply);
  void flush();
  void show_live_timings();
  void finish(const std::shared_ptr<LiveReply>& reply, const OutputEvent& end);
  void save(LiveReply& reply);
  void set_live(std::shared_ptr<LiveReply> reply);
  void set_conversation(qint64 chat, std::vector<ChatMessage> messages);
  void show_branch();
  std::string served_model() const;
  template <class Job>
  void post(Job job);  // on the worker
  template <class Call>
  void write(Call call);  // on the worker; a failure is told
  template <class News>
  void tell(News news);  // from the worker, on the UI thread

  EngineController& engine_;
  Store& store_;
  std::vector<ChatListItem> chats_;

  qint64 chat_ = 0;
  QString title_;
  ChatMessage system_prompt_;
  ConversationTree tree_;
  std::vector<ShownMessage> messages_;
  std::uint64_t opening_ = 0;        // of the last open_chat or new_chat: older answers are dropped
  std::uint64_t searching_ = 0;      // the same for search
  std::uint64_t written_ = 0;        // of what was sent to the store: answers read before are old
  std::shared_ptr<LiveReply> live_;  // the one of the open conversation
  std::vector<std::shared_ptr<LiveReply>> replies_;
  ChatMessage last_ended_;
  QTimer flush_timer_;
  std::shared_ptr<EngineLease> lease_;
  WorkerPool worker_;  // last: joins before the rest goes
};

}  // namespace pitwall::ui
