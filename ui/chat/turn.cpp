// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/turn.h"

#include <QCoreApplication>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/serve/chat_prompt.h"
#include "ui/chat/reply_stream.h"

namespace pitwall::ui {

namespace {

struct Turns {
  Q_DECLARE_TR_FUNCTIONS(Turns)
};

constexpr std::int64_t kRoomForReply = 1024;  // tokens that a shortened prompt leaves, at most a quarter
constexpr int kMostCuts = 8;

Error stopped_early() {
  return {Error::Kind::cancelled, "Stopped before it began", {}, {}, {}};
}

/// A fence that the text does not close.
std::string fence_around(const std::string& text) {
  std::size_t longest = 2;
  for (std::size_t at = text.find('`'); at != std::string::npos;) {
    const std::size_t end = std::min(text.find_first_not_of('`', at), text.size());
    longest = std::max(longest, end - at);
    at = text.find('`', end);
  }
  return std::string(longest + 1, '`');
}

/// Replies without text are left out, and messages of one role in a row become one: many templates insist on
/// taking turns.
std::string conversation_json(const std::vector<ChatMessage>& conversation) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ChatMessage& message : conversation) {
    const std::string text = text_for_model(message);
    if (text.empty()) continue;
    if (!list.empty() && list.back()["role"] == message.role) {
      list.back()["content"] = list.back()["content"].get<std::string>() + "\n\n" + text;
    } else {
      list.push_back({{"role", message.role}, {"content", text}});
    }
  }
  return list.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::size_t character_start(const std::string& text, std::size_t at) {
  while (at > 0 && at < text.size() && (text[at] & 0xC0) == 0x80) --at;
  return at;
}

/// Its files become part of the text, whose middle goes. Returns how many characters went.
std::int64_t cut_middle(ChatMessage& message, double keep) {
  const std::string text = text_for_model(message);
  const auto kept = static_cast<std::size_t>(keep * static_cast<double>(text.size()));
  const std::size_t head = character_start(text, kept / 2);
  const std::size_t tail = character_start(text, text.size() - kept / 2);
  message.content = text.substr(0, head) + "\n[…]\n" + text.substr(tail);
  message.attachments.clear();
  return std::count_if(text.begin() + static_cast<std::ptrdiff_t>(head),
                       text.begin() + static_cast<std::ptrdiff_t>(tail),
                       [](char c) { return (c & 0xC0) != 0x80; });
}

/// Leaves out the oldest messages, then the middle of the last one, until the prompt and some of a reply fit.
Result<ChatPrompt> fitting_prompt(const Engine& engine, std::vector<ChatMessage> conversation, Asked& asked) {
  const std::int64_t context = engine.max_model_len();
  const std::int64_t limit = context - std::min(kRoomForReply, context / 4);
  const auto tokens_of = [&](const ChatMessage& message) {
    return std::ssize(engine.tokenizer()->encode(text_for_model(message), false, false));
  };
  auto prompt = chat_prompt_json(engine, conversation_json(conversation));
  if (!prompt) return prompt;
  std::int64_t excess = std::ssize(prompt->tokens) - limit;
  auto oldest = conversation.begin();
  while (oldest != conversation.end() && oldest->role == "system") ++oldest;
  while (excess > 0 && std::distance(oldest, conversation.end()) > 1) {
    // A conversation begins with the user: a reply goes with what it answers.
    do {
      excess -= tokens_of(*oldest);
      oldest = conversation.erase(oldest);
      ++asked.left_out_messages;
    } while (std::distance(oldest, conversation.end()) > 1 && oldest->role == "assistant");
  }
  prompt = chat_prompt_json(engine, conversation_json(conversation));
  for (int cut = 0; prompt && cut < kMostCuts && std::ssize(prompt->tokens) > limit; ++cut) {
    const double keep = 0.95 * static_cast<double>(limit) / static_cast<double>(prompt->tokens.size());
    asked.left_out_characters += cut_middle(conversation.back(), keep);
    prompt = chat_prompt_json(engine, conversation_json(conversation));
  }
  return prompt;
}

}  // namespace

std::string text_for_model(const ChatMessage& message) {
  std::string text = message.content;
  for (const Attachment& file : message.attachments) {
    const std::string fence = fence_around(file.content);
    if (!text.empty()) text += "\n\n";
    text += file.name + ":\n" + fence + "\n" + file.content;
    if (!file.content.ends_with('\n')) text += '\n';
    text += fence;
  }
  return text;
}

void count_files(EngineLease& lease, ChatMessage& message) {
  const std::lock_guard lock(lease.mutex);
  if (lease.engine == nullptr || !lease.engine->tokenizer()) return;
  for (Attachment& file : message.attachments)
    if (file.tokens == 0)
      file.tokens = std::ssize(lease.engine->tokenizer()->encode(file.content, false, false));
}

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
  } else if (auto restored = store.restore_chat(turn.chat);
             !restored) {  // another window may have deleted it
    return restored.error();
  }
  if (turn.user) {
    if (auto result = put(*turn.user); !result) return result;
    turn.reply.parent = turn.user->id;
  }
  if (turn.system_changed) {
    if (auto result = put(turn.system); !result) return result;
  }
  return put(turn.reply);
}

Error no_engine() {
  return {Error::Kind::unsupported,
          Turns::tr("No model is serving").toStdString(),
          {},
          Turns::tr("Start one on Serve, then try again. The message is kept").toStdString(),
          {}};
}

Result<Asked> ask(EngineLease& lease, const Turn& turn) {
  const std::lock_guard lock(lease.mutex);
  if (lease.engine == nullptr) return no_engine();
  Asked asked;
  auto prompt = turn.shorten ? fitting_prompt(*lease.engine, turn.conversation, asked)
                             : chat_prompt_json(*lease.engine, conversation_json(turn.conversation));
  if (!prompt) return prompt.error();
  if (*turn.stop) return stopped_early();
  GenerationRequest request;
  request.prompt = std::move(prompt->tokens);
  request.parts = std::move(prompt->parts);
  request.sampling = turn.sampling;
  request.label = "chat-" + std::to_string(turn.reply.id);
  auto id = lease.engine->submit(std::move(request), [stream = turn.stream](OutputEvent&& event) {
    stream->push(std::move(event), RealClock().now());
  });
  if (!id) return id.error();
  asked.request = *id;
  return asked;
}

}  // namespace pitwall::ui
