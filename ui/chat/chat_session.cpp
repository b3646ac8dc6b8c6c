// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/chat_session.h"

#include <QElapsedTimer>
#include <algorithm>
#include <atomic>
#include <utility>

#include "engine/base/clock.h"
#include "ui/chat/reply_stream.h"
#include "ui/chat/turn.h"
#include "ui/shell/engine_controller.h"

namespace pitwall::ui {

namespace {

constexpr int kFlushMs = 100;     // the window shows new text at most ten times a second
constexpr qint64 kSaveMs = 1000;  // and the store has it a second later
constexpr qsizetype kTitleLength = 60;
constexpr int kMostHits = 200;

QString title_of(const QString& text, const std::vector<Attachment>& files) {
  QString line = text.trimmed().section(QLatin1Char('\n'), 0, 0).simplified();
  if (line.isEmpty() && !files.empty()) line = QString::fromStdString(files.front().name);
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

bool same(const std::vector<ShownMessage>& a, const std::vector<ShownMessage>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const ShownMessage& x, const ShownMessage& y) {
    return x.id == y.id && x.content == y.content && x.state == y.state && x.version == y.version &&
           x.versions == y.versions;
  });
}

}  // namespace

/// A reply being written. `message.id` is known once `written`.
struct LiveReply {
  ChatMessage message;
  qint64 chat = 0;
  std::shared_ptr<ReplyStream> stream = std::make_shared<ReplyStream>();
  std::shared_ptr<std::atomic<bool>> stop = std::make_shared<std::atomic<bool>>(false);
  std::optional<Asked> asked;
  bool written = false;
  QElapsedTimer since_save;
};

template <class Job>
void ChatSession::post(Job job) {
  worker_.post(std::move(job));
}

template <class Call>
void ChatSession::write(Call call) {
  ++written_;
  post([this, call = std::move(call)] {
    auto result = call(store_);
    if (!result) tell([this, error = result.error()] { Q_EMIT failed(error); });
  });
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
    cancel(*reply);
    reply->message.content += reply->stream->take().text;
    reply->message.state = kStopped;
    if (reply->written) save(*reply);
  }
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
  write([chat, name = name.toStdString()](Store& store) { return store.rename_chat(chat, name); });
  refresh_chats();
}

void ChatSession::delete_chat(qint64 chat) {
  for (const auto& reply : replies_)
    if (reply->chat == chat) cancel(*reply);
  write([chat](Store& store) { return store.remove_chat(chat); });
  if (chat == chat_) new_chat();
  refresh_chats();
}

void ChatSession::restore_chat(qint64 chat) {
  write([chat](Store& store) { return store.restore_chat(chat); });
  refresh_chats();
  open_chat(chat);
}

void ChatSession::restore_last_chat() {
  post([this] {
    auto removed = store_.removed_chats();
    if (removed && !removed->empty()) tell([this, chat = removed->front().id] { restore_chat(chat); });
  });
}

void ChatSession::search(const QString& text) {
  const std::uint64_t searching = ++searching_;
  post([this, text, searching] {
    auto hits = store_.search_chats(text.toStdString(), kMostHits);
    tell([this, text, searching, hits = std::move(hits)] {
      if (searching != searching_) return;
      if (!hits) {
        Q_EMIT failed(hits.error());
        return;
      }
      Q_EMIT searched(text, *hits);
    });
  });
}

void ChatSession::new_chat() {
  ++opening_;
  title_.clear();
  set_conversation(0, {});
  set_live(nullptr);
  Q_EMIT conversation_changed();
}

void ChatSession::set_conversation(qint64 chat, std::vector<ChatMessage> messages) {
  chat_ = chat;
  const auto system =
      std::find_if(messages.begin(), messages.end(), [](const ChatMessage& m) { return m.role == "system"; });
  system_prompt_ = system == messages.end() ? ChatMessage() : *system;
  tree_ = ConversationTree(std::move(messages));
  messages_ = tree_.branch();
}

void ChatSession::open_chat(qint64 chat, qint64 message) {
  const std::uint64_t opening = ++opening_;
  post([this, chat, message, opening] {
    if (message != 0) (void)store_.choose_message(message);  // one that is gone: the chat as it was left
    auto messages = store_.messages(chat);
    tell([this, chat, opening, messages = std::move(messages)]() mutable {
      if (opening != opening_) return;
      if (!messages) {
        Q_EMIT failed(messages.error());
        return;
      }
      const auto item =
          std::find_if(chats_.begin(), chats_.end(), [&](const auto& i) { return i.id == chat; });
      title_ = item == chats_.end() ? QString() : QString::fromStdString(item->title);
      set_conversation(chat, std::move(*messages));
      const auto live = std::find_if(replies_.begin(), replies_.end(), [&](const auto& reply) {
        return reply->chat == chat && reply->written && !messages_.empty() &&
               reply->message.id == messages_.back().id;
      });
      if (live != replies_.end()) tree_.update((*live)->message);
      tree_.update(last_ended_);  // a reply that ended between the reading and now
      messages_ = tree_.branch();
      set_live(live == replies_.end() ? nullptr : *live);
      Q_EMIT conversation_changed();
    });
  });
}

/// A chat that the other window has deleted stays in sight: what is sent in it brings it back.
void ChatSession::refresh_conversation() {
  if (chat_ == 0 || live_) return;
  post([this, chat = chat_, opening = opening_, written = written_] {
    auto messages = store_.messages(chat);
    tell([this, chat, opening, written, messages = std::move(messages)]() mutable {
      const bool old = live_ || chat != chat_ || opening != opening_ || written != written_;
      if (old || !messages || messages->empty()) return;
      if (same(ConversationTree(*messages).branch(), messages_)) return;
      set_conversation(chat, std::move(*messages));
      Q_EMIT conversation_changed();
    });
  });
}

void ChatSession::send(const QString& text, std::vector<Attachment> files, const ReplyOptions& options) {
  if (live_ || (text.trimmed().isEmpty() && files.empty())) return;
  auto turn = std::make_shared<Turn>();
  turn->title = title_of(text, files).toStdString();
  if (chat_ == 0) title_ = QString::fromStdString(turn->title);
  turn->user = message_of("user", text.toStdString());
  turn->user->parent = messages_.empty() ? 0 : messages_.back().id;
  turn->user->attachments = std::move(files);
  start_turn(std::move(turn), options);
}

void ChatSession::edit(std::size_t message, const QString& text, std::vector<Attachment> files,
                       const ReplyOptions& options) {
  if (live_ || message >= messages_.size() || messages_[message].role != "user") return;
  auto turn = std::make_shared<Turn>();
  turn->user = message_of("user", text.toStdString());
  turn->user->parent = messages_[message].parent;
  turn->user->attachments = std::move(files);
  messages_.erase(messages_.begin() + static_cast<std::ptrdiff_t>(message), messages_.end());
  start_turn(std::move(turn), options);
}

void ChatSession::regenerate(std::size_t message, const ReplyOptions& options) {
  if (live_ || message >= messages_.size()) return;
  const ChatMessage& last = messages_[message];
  const bool is_reply = last.role == "assistant";
  if (is_reply && !last.content.empty() && !engine_.engine()) {
    Q_EMIT failed(no_engine());  // and the reply that is there stays the one shown
    return;
  }
  auto turn = std::make_shared<Turn>();
  turn->reply.parent = is_reply ? last.parent : last.id;
  if (is_reply && last.content.empty()) turn->reply.id = last.id;
  const auto kept = static_cast<std::ptrdiff_t>(is_reply ? message : message + 1);
  messages_.erase(messages_.begin() + kept, messages_.end());
  start_turn(std::move(turn), options);
}

/// The rest of a turn, the same for a new message, an edited one and a reply begun again. `messages_` end
/// where it goes on.
void ChatSession::start_turn(std::shared_ptr<Turn> turn, const ReplyOptions& options) {
  turn->chat = chat_;
  turn->sampling = options.sampling;
  turn->shorten = options.shorten;
  turn->system_changed = options.system_prompt != system_prompt_.content;
  if (system_prompt_.role.empty()) system_prompt_ = message_of("system", {});
  system_prompt_.content = options.system_prompt;
  turn->system = system_prompt_;
  if (turn->user) {
    const std::size_t version = tree_.versions(turn->user->parent) + 1;
    messages_.emplace_back(*turn->user, version, version);
  }
  turn->conversation.push_back(system_prompt_);
  turn->conversation.insert(turn->conversation.end(), messages_.begin(), messages_.end());

  const ChatMessage begun = std::move(turn->reply);
  if (begun.id == last_ended_.id) last_ended_ = {};
  turn->reply = message_of("assistant", {});
  turn->reply.id = begun.id;
  turn->reply.parent = begun.parent;
  turn->reply.state = kStreaming;
  turn->reply.model = served_model();
  const std::size_t others = turn->user ? 0 : tree_.versions(begun.parent);
  const std::size_t version = begun.id != 0 ? others : others + 1;
  messages_.emplace_back(turn->reply, version, version);

  auto live = std::make_shared<LiveReply>();
  live->chat = chat_;
  live->message = turn->reply;
  turn->stream = live->stream;
  turn->stop = live->stop;
  replies_.push_back(live);
  set_live(live);
  Q_EMIT conversation_changed();

  post([this, turn = std::move(turn), live, lease = lease_] {
    if (turn->user) count_files(*lease, *turn->user);
    if (auto result = write_turn(store_, *turn); !result) {
      tell([this, turn, live, error = result.error()] { refused(turn, live, error); });
      return;
    }
    tell([this, turn, live] { written(turn, live); });
    auto asked = ask(*lease, *turn);
    tell([this, live, asked = std::move(asked)] {
      if (asked) {
        submitted(live, *asked);
        return;
      }
      OutputEvent end;
      end.reason =
          asked.error().kind == Error::Kind::cancelled ? FinishReason::cancelled : FinishReason::error;
      end.error = asked.error();
      finish(live, end);
    });
  });
}

void ChatSession::written(const std::shared_ptr<Turn>& turn, const std::shared_ptr<LiveReply>& reply) {
  reply->chat = turn->chat;
  reply->message.id = turn->reply.id;
  reply->message.parent = turn->reply.parent;
  reply->written = true;
  reply->since_save.start();
  Q_EMIT message_written();
  if (live_ == reply) {
    if (std::exchange(chat_, turn->chat) == 0) Q_EMIT chat_begun(chat_);
    system_prompt_.id = turn->system.id;
    if (turn->user) tree_.put(*turn->user);
    tree_.put(turn->reply);
    show_branch();
  }
  refresh_chats();
}

/// The branch of the tree, with what the live reply has beyond what is stored.
void ChatSession::show_branch() {
  if (live_) tree_.update(live_->message);
  messages_ = tree_.branch();
}

/// Nothing was asked. The conversation goes back to what the store has, the text to the input.
void ChatSession::refused(const std::shared_ptr<Turn>& turn, const std::shared_ptr<LiveReply>& reply,
                          const Error& error) {
  std::erase(replies_, reply);
  if (live_ == reply) {
    set_live(nullptr);
    turn->chat == 0 ? new_chat() : open_chat(turn->chat);
  }
  Q_EMIT not_written(turn->chat, turn->user ? QString::fromStdString(turn->user->content) : QString(), error);
}

void ChatSession::submitted(const std::shared_ptr<LiveReply>& reply, const Asked& asked) {
  reply->asked = asked;
  if (*reply->stop) cancel(*reply);
  flush_timer_.start();
}

void ChatSession::cancel(LiveReply& reply) {
  *reply.stop = true;
  if (reply.asked && engine_.engine()) engine_.engine()->cancel(reply.asked->request);
}

void ChatSession::stop() {
  if (live_) cancel(*live_);
}

void ChatSession::show_version(std::size_t message, int step) {
  if (live_ || message >= messages_.size()) return;
  const qint64 beside = tree_.version_beside(messages_[message].id, step);
  if (beside == 0) return;
  write([beside](Store& store) { return store.choose_message(beside); });
  tree_.choose(beside);
  show_branch();
  Q_EMIT conversation_changed();
}

void ChatSession::delete_message(std::size_t message) {
  if (live_ || message >= messages_.size()) return;
  const qint64 id = messages_[message].id;
  write([id](Store& store) { return store.remove_message(id); });
  tree_.remove(id);
  show_branch();
  Q_EMIT conversation_changed();
}

void ChatSession::restore_message(qint64 chat, qint64 message) {
  write([message](Store& store) { return store.restore_message(message); });
  open_chat(chat, message);
}

void ChatSession::count_tokens(const std::string& text, std::function<void(qint64)> done) {
  post([this, text, done = std::move(done), lease = lease_] {
    std::shared_ptr<const Tokenizer> tokenizer;
    {
      const std::lock_guard lock(lease->mutex);
      if (lease->engine != nullptr) tokenizer = lease->engine->tokenizer();
    }
    if (!tokenizer) return;
    tell([done, tokens = std::ssize(tokenizer->encode(text, false, false))] { done(tokens); });
  });
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
  show_live_timings();
  if (replies_.empty()) flush_timer_.stop();
}

void ChatSession::show_live_timings() {
  if (!live_ || !live_->asked || !engine_.engine()) return;
  ReplyTimings timings;
  timings.record = engine_.engine()->recorder().record_of(live_->asked->request);
  if (timings.record.first_token == 0) return;
  timings.itl_p99_ms = live_->stream->itl_p99_ms();
  Q_EMIT reply_timed(timings);
}

void ChatSession::finish(const std::shared_ptr<LiveReply>& reply, const OutputEvent& end) {
  ChatMessage& message = reply->message;
  switch (end.reason) {
    case FinishReason::error:
      message.state =
          (end.error.param == "context_length" ? kTooLongPrefix : kErrorPrefix) + end.error.text();
      break;
    case FinishReason::cancelled:
      message.state = kStopped;
      break;
    default:
      message.state = kComplete;
      break;
  }
  if (end.record.arrival_utc != 0) {
    const Asked asked = reply->asked.value_or(Asked());
    message.timings_json = timings_to_json(
        {end.record, reply->stream->itl_p99_ms(), asked.left_out_messages, asked.left_out_characters});
  }
  save(*reply);
  std::erase(replies_, reply);
  last_ended_ = message;
  if (reply != live_) return;
  show_branch();
  set_live(nullptr);
  Q_EMIT reply_ended();
}

void ChatSession::save(LiveReply& reply) {
  reply.since_save.restart();
  write([message = reply.message](Store& store) { return store.update_message(message); });
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

}  // namespace pitwall::ui
