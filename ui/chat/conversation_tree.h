// SPDX-License-Identifier: GPL-3.0-or-later
// ConversationTree: all versions of a chat's messages, and the branch of them that is shown.
#pragma once
#include <cstddef>
#include <vector>

#include "engine/store/store.h"

namespace pitwall::ui {

/// A message of the branch that is shown.
struct ShownMessage : ChatMessage {
  ShownMessage(ChatMessage message, std::size_t own_version = 1, std::size_t all_versions = 1)
      : ChatMessage(std::move(message)), version(own_version), versions(all_versions) {}
  std::size_t version, versions;  ///< "2 of 3"
};

class ConversationTree {
 public:
  ConversationTree() = default;
  explicit ConversationTree(std::vector<ChatMessage> messages);  ///< as the store gives them

  /// From the first message on, of each message's answers the chosen one, else the newest.
  std::vector<ShownMessage> branch() const;
  std::size_t versions(std::int64_t parent) const;  ///< messages with this parent
  /// The version `step` away from a message; 0 where there is none.
  std::int64_t version_beside(std::int64_t message, int step) const;

  void put(const ChatMessage& message);     ///< new or known, it becomes the chosen one of its versions
  void update(const ChatMessage& message);  ///< ids that are not there do nothing
  void choose(std::int64_t message);
  void remove(std::int64_t message);  ///< with all that follow it
  const std::vector<ChatMessage>& all() const { return messages_; }

 private:
  ChatMessage* find(std::int64_t message);
  std::vector<const ChatMessage*> answers(std::int64_t parent) const;
  std::vector<ChatMessage> messages_;
};

}  // namespace pitwall::ui
