// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/conversation_tree.h"

#include <algorithm>
#include <set>

namespace pitwall::ui {

ConversationTree::ConversationTree(std::vector<ChatMessage> messages) : messages_(std::move(messages)) {
  std::erase_if(messages_, [](const ChatMessage& message) { return message.role == "system"; });
}

ChatMessage* ConversationTree::find(std::int64_t message) {
  const auto found = std::find_if(messages_.begin(), messages_.end(),
                                  [message](const ChatMessage& one) { return one.id == message; });
  return found == messages_.end() ? nullptr : &*found;
}

std::vector<const ChatMessage*> ConversationTree::answers(std::int64_t parent) const {
  std::vector<const ChatMessage*> found;
  for (const ChatMessage& message : messages_)
    if (message.parent == parent) found.push_back(&message);
  return found;
}

std::vector<ShownMessage> ConversationTree::branch() const {
  std::vector<ShownMessage> shown;
  for (std::int64_t parent = 0;;) {
    const auto versions = answers(parent);
    if (versions.empty()) return shown;
    auto chosen =
        std::find_if(versions.begin(), versions.end(), [](const ChatMessage* one) { return one->chosen; });
    if (chosen == versions.end()) --chosen;
    shown.emplace_back(**chosen, static_cast<std::size_t>(chosen - versions.begin()) + 1, versions.size());
    parent = (*chosen)->id;
  }
}

std::size_t ConversationTree::versions(std::int64_t parent) const {
  return answers(parent).size();
}

std::int64_t ConversationTree::version_beside(std::int64_t message, int step) const {
  for (const ChatMessage& one : messages_) {
    if (one.id != message) continue;
    const auto versions = answers(one.parent);
    const auto beside = std::find(versions.begin(), versions.end(), &one) - versions.begin() + step;
    const bool exists = beside >= 0 && beside < static_cast<std::ptrdiff_t>(versions.size());
    return exists ? versions[static_cast<std::size_t>(beside)]->id : 0;
  }
  return 0;
}

void ConversationTree::put(const ChatMessage& message) {
  if (find(message.id) != nullptr) {
    update(message);
  } else {
    messages_.push_back(message);
  }
  choose(message.id);
}

void ConversationTree::update(const ChatMessage& message) {
  ChatMessage* own = find(message.id);
  if (own == nullptr) return;
  const bool chosen = own->chosen;
  *own = message;
  own->chosen = chosen;
}

void ConversationTree::choose(std::int64_t message) {
  const ChatMessage* own = find(message);
  if (own == nullptr) return;
  for (ChatMessage& one : messages_)
    if (one.parent == own->parent) one.chosen = one.id == message;
}

void ConversationTree::remove(std::int64_t message) {
  std::set<std::int64_t> gone{message};
  for (const ChatMessage& one : messages_)  // by id: an answer comes after what it answers
    if (gone.contains(one.parent)) gone.insert(one.id);
  std::erase_if(messages_, [&gone](const ChatMessage& one) { return gone.contains(one.id); });
}

}  // namespace pitwall::ui
