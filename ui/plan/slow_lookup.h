// SPDX-License-Identifier: GPL-3.0-or-later
// SlowLookup: answers by name that take a while to get: asked for once, off the UI thread, and kept.
#pragma once
#include <QObject>
#include <QSet>
#include <QString>
#include <functional>
#include <map>
#include <memory>

#include "engine/base/result.h"
#include "engine/base/threads.h"

namespace pitwall::ui {

/// UI thread only. What is being asked ends with the object; `owner` outlives it.
template <class Value>
class SlowLookup {
 public:
  using Question = std::function<Result<Value>(const std::string& name)>;  ///< on its own thread
  using Answer = Result<std::shared_ptr<const Value>>;

  SlowLookup(QObject* owner, std::string thread, Question question, std::function<void()> arrived)
      : owner_(owner),
        question_(std::move(question)),
        arrived_(std::move(arrived)),
        thread_(1, std::move(thread)) {}

  /// Null while it is being asked: arrived() follows.
  const Answer* find(const QString& name) {
    if (const auto known = answers_.find(name); known != answers_.end()) return &known->second;
    if (!waiting_.contains(name)) ask(name);
    return nullptr;
  }
  bool waiting(const QString& name) const { return waiting_.contains(name); }
  void forget(const QString& name) { answers_.erase(name); }

 private:
  void ask(const QString& name) {
    waiting_.insert(name);
    thread_.post([this, name] {
      Result<Value> got = question_(name.toStdString());
      Answer answer = got ? Answer(std::make_shared<const Value>(std::move(*got))) : Answer(got.error());
      QMetaObject::invokeMethod(
          owner_,
          [this, name, answer = std::move(answer)] {
            waiting_.remove(name);
            answers_.insert_or_assign(name, answer);
            arrived_();
          },
          Qt::QueuedConnection);
    });
  }

  QObject* owner_;
  Question question_;
  std::function<void()> arrived_;
  std::map<QString, Answer> answers_;
  QSet<QString> waiting_;
  WorkerPool thread_;  // last: it joins first
};

}  // namespace pitwall::ui
