// SPDX-License-Identifier: GPL-3.0-or-later
// ChatSession: the open conversation and the replies being written, in this chat or in others. Everything is
// in the store before it is asked of the engine. Store, template and tokenizer work on one thread of its own,
// in order.
#pragma once
#include <QObject>
#include <QString>
#include <QTimer>
#include <memory>
#include <optional>
#include <vector>

#include "engine/base/threads.h"
#include "engine/serve/engine.h"
#include "engine/step/sampling_params.h"
#include "engine/store/store.h"

namespace pitwall::ui {

class EngineController;
struct LiveReply;
struct EngineLease;
struct Turn;

/// What the reply is asked with.
struct ReplyOptions {
  SamplingParams sampling;
  std::string system_prompt;
};

// States of a message in the store.
inline constexpr char kComplete[] = "complete";
inline constexpr char kStreaming[] = "streaming";
inline constexpr char kStopped[] = "stopped";
inline constexpr char kErrorPrefix[] = "error: ";

/// UI thread only. Both references outlive it.
class ChatSession : public QObject {
  Q_OBJECT

 public:
  ChatSession(EngineController& engine, Store& store, QObject* parent = nullptr);
  ~ChatSession() override;  ///< stops the replies and stores what they have

  // The chats, last changed first. A deleted one stays in the store until the next is deleted or the session
  // ends.
  const std::vector<ChatListItem>& chats() const { return chats_; }
  void refresh_chats();
  void rename_chat(qint64 chat, const QString& title);
  void delete_chat(qint64 chat);
  bool undo_delete();  ///< false when nothing is left to undo

  // The open conversation; without the system prompt.
  qint64 chat() const { return chat_; }  ///< 0: new, not in the store until the first message
  const QString& title() const { return title_; }
  const std::vector<ChatMessage>& messages() const { return messages_; }
  const std::string& system_prompt() const { return system_prompt_.content; }
  bool generating() const { return live_ != nullptr; }  ///< a reply is being written here
  void open_chat(qint64 chat);
  void new_chat();

  // Each writes first, then asks the engine. They do nothing while a reply is being written here.
  void send(const QString& text, const ReplyOptions& options);
  void edit(std::size_t message, const QString& text,
            const ReplyOptions& options);        ///< removes what follows it
  void regenerate(const ReplyOptions& options);  ///< the last reply
  void stop();

 Q_SIGNALS:
  void chats_changed();
  void conversation_changed();           ///< another chat, or messages added or removed
  void reply_grew(const QString& text);  ///< the last message got more text
  void reply_ended();                    ///< the last message has its final text, timings and state
  void generating_changed(bool generating);
  void not_written(const QString& text);  ///< the store refused: the text of the message, to be kept
  void failed(const pitwall::Error& error);

 private:
  void start_turn(std::shared_ptr<Turn> turn);
  void written(const std::shared_ptr<Turn>& turn);
  void refused(const std::shared_ptr<Turn>& turn, const Error& error);
  void submitted(const std::shared_ptr<LiveReply>& reply, RequestId request);
  void flush();
  void finish(const std::shared_ptr<LiveReply>& reply, const OutputEvent& end);
  void save(LiveReply& reply);
  void set_live(std::shared_ptr<LiveReply> reply);
  void remove_deleted();
  std::string conversation_json(std::size_t count) const;
  std::string served_model() const;
  template <class Job>
  void post(Job job);  // on the worker
  template <class News>
  void tell(News news);  // from the worker, on the UI thread

  EngineController& engine_;
  Store& store_;
  std::vector<ChatListItem> chats_;
  std::optional<qint64> deleted_;

  qint64 chat_ = 0;
  QString title_;
  ChatMessage system_prompt_;
  std::vector<ChatMessage> messages_;
  std::uint64_t opening_ = 0;        // of the last open_chat or new_chat: older answers are dropped
  std::shared_ptr<LiveReply> live_;  // the one of the open conversation
  std::vector<std::shared_ptr<LiveReply>> replies_;
  ChatMessage last_ended_;
  QTimer flush_timer_;
  std::shared_ptr<EngineLease> lease_;
  WorkerPool worker_;  // last: joins before the rest goes
};

}  // namespace pitwall::ui
