// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/chat_session.h"

#include <QElapsedTimer>
#include <algorithm>
#include <atomic>
#include <mutex>
#include <nlohmann/json.hpp>

#include "engine/base/clock.h"
#include "engine/serve/chat_prompt.h"
#include "engine/serve/engine.h"
#include "ui/chat/reply_stream.h"
#include "ui/shell/engine_controller.h"

namespace pitwall::ui {

namespace {

constexpr int kFlushMs = 100;     // the window shows new text at most ten times a second
constexpr qint64 kSaveMs = 1000;  // and the store has it a second later
constexpr qsizetype kTitleLength = 60;

QString title_of(const QString& text) {
  const QString line = text.trimmed().section(QLatin1Char('\n'), 0, 0).simplified();
  return line.size() <= kTitleLength ? line : line.left(kTitleLength - 1).trimmed() + QChar(0x2026);
}

ChatMessage message_of(const char* role, std::string content) {
  ChatMessage message;
  message.role = role;
  message.content = std::move(content);
  message.state = kComplete;
  message.created_utc = RealClock().utc_now();
  return message;
}

}  // namespace

/// The engine as the worker may use it. Taking it away waits until the worker has let go, so that nothing is
/// tokenized or submitted on an engine that is being stopped.
struct EngineLease {
  std::mutex mutex;
  Engine* engine = nullptr;
};

/// A reply being written. `message.id` is known once `written`.
struct LiveReply {
  ChatMessage message;
  qint64 chat = 0;
  std::shared_ptr<ReplyStream> stream = std::make_shared<ReplyStream>();
  std::optional<RequestId> request;
  std::atomic<bool> stop{false};  // looked at before the request is submitted
  bool written = false;
  QElapsedTimer since_save;
};

/// What has to be in the store before a reply is asked for, and the question itself. Filled on the UI thread,
/// then owned by the worker, then by the UI thread again.
struct Turn {
  qint64 chat = 0;
  std::string title;   // for chat 0
  ChatMessage system;  // id 0: added unless empty
  bool system_changed = false;
  std::optional<ChatMessage> user;  // id 0: added; else rewritten
  qint64 remove_from = 0;           // first message that no longer holds
  ChatMessage reply;                // id 0: added; else begun again
  std::string messages_json;
  SamplingParams sampling;
  std::shared_ptr<LiveReply> live;
  QString text;  // as typed, for the case that the store refuses
};

namespace {

/// Each write before the next thing that needs it: killed anywhere, the chat reads well.
Result<void> write_turn(Store& store, Turn& turn) {
  const auto put = [&](ChatMessage& message) -> Result<void> {
    if (message.id != 0) return store.update_message(message);
    auto id = store.add_message(turn.chat, message);
    if (!id) return id.error();
    message.id = *id;
    return {};
  };
  if (turn.chat == 0) {
    auto chat = store.create_chat(turn.title);
    if (!chat) return chat.error();
    turn.chat = *chat;
  }
  if (turn.user) {
    if (auto result = put(*turn.user); !result) return result;
  }
  if (turn.remove_from != 0) {
    if (auto result = store.remove_messages_from(turn.chat, turn.remove_from); !result) return result;
    if (turn.system.id >= turn.remove_from) {  // a system prompt written late went with them
      turn.system.id = 0;
      turn.system_changed = !turn.system.content.empty();
    }
  }
  if (turn.system_changed) {
    if (auto result = put(turn.system); !result) return result;
  }
  return put(turn.reply);
}

Error no_engine() {
  return {Error::Kind::unsupported,
          ChatSession::tr("No model is serving").toStdString(),
          {},
          ChatSession::tr("Start one on Serve, then try again. The message is kept").toStdString(),
          {}};
}

Error stopped_early() {
  return {Error::Kind::cancelled, "Stopped before it began", {}, {}, {}};
}

Result<RequestId> ask(EngineLease& lease, const Turn& turn) {
  const std::lock_guard lock(lease.mutex);
  if (lease.engine == nullptr) return no_engine();
  auto prompt = chat_prompt_json(*lease.engine, turn.messages_json);
  if (!prompt) return prompt.error();
  if (turn.live->stop) return stopped_early();
  GenerationRequest request;
  request.prompt = std::move(prompt->tokens);
  request.parts = std::move(prompt->parts);
  request.sampling = turn.sampling;
  request.label = "chat-" + std::to_string(turn.reply.id);
  return lease.engine->submit(std::move(request), [stream = turn.live->stream](OutputEvent&& event) {
    stream->push(std::move(event));
  });
}

}  // namespace

template <class Job>
void ChatSession::post(Job job) {
  worker_.post(std::move(job));
}

template <class News>
void ChatSession::tell(News news) {
  QMetaObject::invokeMethod(this, std::move(news), Qt::QueuedConnection);
}

ChatSession::ChatSession(EngineController& engine, Store& store, QObject* parent)
    : QObject(parent),
      engine_(engine),
      store_(store),
      lease_(std::make_shared<EngineLease>()),
      worker_(1, "chat") {
  lease_->engine = engine.engine();
  connect(&engine, &EngineController::state_changed, this, [this] {
    const std::lock_guard lock(lease_->mutex);
    lease_->engine = engine_.engine();
  });
  flush_timer_.setInterval(kFlushMs);
  connect(&flush_timer_, &QTimer::timeout, this, &ChatSession::flush);
}

ChatSession::~ChatSession() {
  flush_timer_.stop();
  for (const auto& reply : replies_) {
    reply->stop = true;
    if (reply->request && engine_.engine()) engine_.engine()->cancel(*reply->request);
    reply->message.content += reply->stream->take().text;
    reply->message.state = kStopped;
    if (reply->written) save(*reply);
  }
  remove_deleted();
}

void ChatSession::refresh_chats() {
  post([this] {
    auto chats = store_.chats();
    tell([this, chats = std::move(chats)] {
      if (!chats) {
        Q_EMIT failed(chats.error());
        return;
      }
      chats_ = *chats;
      std::erase_if(chats_, [this](const ChatListItem& item) { return deleted_ == item.id; });
      for (const ChatListItem& item : chats_)
        if (item.id == chat_) title_ = QString::fromStdString(item.title);
      Q_EMIT chats_changed();
    });
  });
}

void ChatSession::rename_chat(qint64 chat, const QString& title) {
  const QString name = title.simplified();
  if (name.isEmpty()) return;
  if (chat == chat_) title_ = name;
  post([this, chat, name = name.toStdString()] {
    auto result = store_.rename_chat(chat, name);
    if (!result) tell([this, error = result.error()] { Q_EMIT failed(error); });
  });
  refresh_chats();
}

void ChatSession::delete_chat(qint64 chat) {
  remove_deleted();
  deleted_ = chat;
  for (const auto& reply : replies_) {
    if (reply->chat != chat) continue;
    reply->stop = true;
    if (reply->request && engine_.engine()) engine_.engine()->cancel(*reply->request);
  }
  if (chat == chat_) new_chat();
  refresh_chats();
}

bool ChatSession::undo_delete() {
  if (!deleted_) return false;
  const qint64 chat = *deleted_;
  deleted_.reset();
  refresh_chats();
  open_chat(chat);
  return true;
}

void ChatSession::remove_deleted() {
  if (!deleted_) return;
  // A failure shows in the list: the chat is there again.
  post([&store = store_, chat = *deleted_] { (void)store.remove_chat(chat); });
  deleted_.reset();
}

void ChatSession::new_chat() {
  ++opening_;
  chat_ = 0;
  title_.clear();
  messages_.clear();
  system_prompt_ = {};
  set_live(nullptr);
  Q_EMIT conversation_changed();
}

void ChatSession::open_chat(qint64 chat) {
  const std::uint64_t opening = ++opening_;
  post([this, chat, opening] {
    auto messages = store_.messages(chat);
    tell([this, chat, opening, messages = std::move(messages)]() mutable {
      if (opening != opening_) return;
      if (!messages) {
        Q_EMIT failed(messages.error());
        return;
      }
      chat_ = chat;
      messages_ = std::move(*messages);
      const auto item =
          std::find_if(chats_.begin(), chats_.end(), [&](const auto& i) { return i.id == chat; });
      title_ = item == chats_.end() ? QString() : QString::fromStdString(item->title);
      const auto system = std::find_if(messages_.begin(), messages_.end(),
                                       [](const ChatMessage& m) { return m.role == "system"; });
      system_prompt_ = system == messages_.end() ? ChatMessage() : *system;
      std::erase_if(messages_, [](const ChatMessage& m) { return m.role == "system"; });
      const auto live = std::find_if(replies_.begin(), replies_.end(), [&](const auto& reply) {
        return reply->chat == chat && reply->written;
      });
      if (live != replies_.end() && !messages_.empty()) messages_.back() = (*live)->message;
      // A reply that ended between the reading and now.
      if (!messages_.empty() && messages_.back().id == last_ended_.id) messages_.back() = last_ended_;
      set_live(live == replies_.end() ? nullptr : *live);
      Q_EMIT conversation_changed();
    });
  });
}

void ChatSession::send(const QString& text, const ReplyOptions& options) {
  if (live_ || text.trimmed().isEmpty()) return;
  auto turn = std::make_shared<Turn>();
  turn->text = text;
  turn->title = title_of(text).toStdString();
  turn->user = message_of("user", text.toStdString());
  messages_.push_back(*turn->user);
  if (chat_ == 0) title_ = title_of(text);
  turn->sampling = options.sampling;
  turn->system.content = options.system_prompt;
  start_turn(std::move(turn));
}

void ChatSession::edit(std::size_t message, const QString& text, const ReplyOptions& options) {
  if (live_ || message >= messages_.size() || messages_[message].role != "user") return;
  auto turn = std::make_shared<Turn>();
  turn->text = text;
  if (message + 1 < messages_.size()) turn->remove_from = messages_[message + 1].id;
  messages_.resize(message + 1);
  messages_[message].content = text.toStdString();
  turn->user = messages_[message];
  turn->sampling = options.sampling;
  turn->system.content = options.system_prompt;
  start_turn(std::move(turn));
}

void ChatSession::regenerate(const ReplyOptions& options) {
  if (live_ || messages_.empty()) return;
  if (!messages_.back().content.empty() && messages_.back().role == "assistant" && !engine_.engine()) {
    Q_EMIT failed(no_engine());  // and the reply that is there stays
    return;
  }
  auto turn = std::make_shared<Turn>();
  if (messages_.back().role == "assistant") {
    turn->reply = messages_.back();
    messages_.pop_back();
  }
  turn->sampling = options.sampling;
  turn->system.content = options.system_prompt;
  start_turn(std::move(turn));
}

/// The rest of a turn, the same for a new message, an edited one and a reply begun again.
void ChatSession::start_turn(std::shared_ptr<Turn> turn) {
  turn->chat = chat_;
  const std::string prompt = std::move(turn->system.content);
  turn->system_changed = prompt != system_prompt_.content;
  if (system_prompt_.role.empty()) system_prompt_ = message_of("system", {});
  system_prompt_.content = prompt;
  turn->system = system_prompt_;
  turn->messages_json = conversation_json(messages_.size());

  const qint64 begun = turn->reply.id;
  turn->reply = message_of("assistant", {});
  turn->reply.id = begun;
  turn->reply.state = kStreaming;
  turn->reply.model = served_model();
  messages_.push_back(turn->reply);

  auto live = std::make_shared<LiveReply>();
  live->chat = chat_;
  live->message = turn->reply;
  turn->live = live;
  replies_.push_back(live);
  set_live(live);
  Q_EMIT conversation_changed();

  post([this, turn = std::move(turn), lease = lease_] {
    if (auto result = write_turn(store_, *turn); !result) {
      tell([this, turn, error = result.error()] { refused(turn, error); });
      return;
    }
    tell([this, turn] { written(turn); });
    auto request = ask(*lease, *turn);
    tell([this, live = turn->live, request = std::move(request)] {
      if (request) {
        submitted(live, *request);
        return;
      }
      OutputEvent end;
      end.reason =
          request.error().kind == Error::Kind::cancelled ? FinishReason::cancelled : FinishReason::error;
      end.error = request.error();
      finish(live, end);
    });
  });
}

void ChatSession::written(const std::shared_ptr<Turn>& turn) {
  LiveReply& live = *turn->live;
  live.chat = turn->chat;
  live.message.id = turn->reply.id;
  live.written = true;
  live.since_save.start();
  if (live_ == turn->live) {
    chat_ = turn->chat;
    system_prompt_.id = turn->system.id;
    messages_.back().id = turn->reply.id;
    if (turn->user && messages_.size() >= 2) messages_[messages_.size() - 2].id = turn->user->id;
  }
  refresh_chats();
}

/// Nothing was asked. The conversation goes back to what the store has, the text to the input.
void ChatSession::refused(const std::shared_ptr<Turn>& turn, const Error& error) {
  std::erase(replies_, turn->live);
  if (live_ == turn->live) {
    set_live(nullptr);
    turn->chat == 0 ? new_chat() : open_chat(turn->chat);
  }
  if (!turn->text.isEmpty()) Q_EMIT not_written(turn->text);
  Q_EMIT failed(error);
}

void ChatSession::submitted(const std::shared_ptr<LiveReply>& reply, RequestId request) {
  reply->request = request;
  if (reply->stop && engine_.engine()) engine_.engine()->cancel(request);
  flush_timer_.start();
}

void ChatSession::stop() {
  if (!live_) return;
  live_->stop = true;
  if (live_->request && engine_.engine()) engine_.engine()->cancel(*live_->request);
}

void ChatSession::flush() {
  for (const auto& reply : std::vector(replies_)) {
    ReplyStream::News news = reply->stream->take();
    if (!news.text.empty()) {
      reply->message.content += news.text;
      if (reply == live_) {
        messages_.back().content += news.text;
        Q_EMIT reply_grew(QString::fromStdString(news.text));
      }
    }
    if (news.end) {
      finish(reply, *news.end);
    } else if (reply->written && reply->since_save.elapsed() >= kSaveMs) {
      save(*reply);
    }
  }
  if (replies_.empty()) flush_timer_.stop();
}

void ChatSession::finish(const std::shared_ptr<LiveReply>& reply, const OutputEvent& end) {
  ChatMessage& message = reply->message;
  switch (end.reason) {
    case FinishReason::error:
      message.state = kErrorPrefix + end.error.text();
      break;
    case FinishReason::cancelled:
      message.state = kStopped;
      break;
    default:
      message.state = kComplete;
      break;
  }
  if (end.record.arrival_utc != 0) message.timings_json = record_to_json(end.record);
  save(*reply);
  std::erase(replies_, reply);
  last_ended_ = message;
  if (reply != live_) return;
  messages_.back() = message;
  set_live(nullptr);
  Q_EMIT reply_ended();
}

void ChatSession::save(LiveReply& reply) {
  reply.since_save.restart();
  post([this, message = reply.message] {
    auto result = store_.update_message(message);
    // Not found: the chat was deleted while its reply was written.
    if (!result && result.error().kind != Error::Kind::not_found)
      tell([this, error = result.error()] { Q_EMIT failed(error); });
  });
}

void ChatSession::set_live(std::shared_ptr<LiveReply> reply) {
  const bool changed = (live_ == nullptr) != (reply == nullptr);
  live_ = std::move(reply);
  if (changed) Q_EMIT generating_changed(live_ != nullptr);
}

std::string ChatSession::served_model() const {
  const Engine* engine = engine_.engine();
  return engine ? engine->served_name() : std::string();
}

/// Replies without text are left out, and messages of one role in a row become one: many templates insist on
/// taking turns.
std::string ChatSession::conversation_json(std::size_t count) const {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  const auto add = [&list](const ChatMessage& message) {
    if (message.content.empty()) return;
    if (!list.empty() && list.back()["role"] == message.role) {
      list.back()["content"] = list.back()["content"].get<std::string>() + "\n\n" + message.content;
      return;
    }
    list.push_back({{"role", message.role}, {"content", message.content}});
  };
  add(system_prompt_);
  for (std::size_t i = 0; i < count; ++i) add(messages_[i]);
  return list.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace pitwall::ui
