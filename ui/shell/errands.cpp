// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/errands.h"

#include <QObject>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/base/threads.h"

namespace pitwall::ui {

struct Errands::Mailbox {
  std::mutex mutex;
  std::optional<QObject> receiver;  // gone with its owner, and with it what is on its way
};

Errands::Errands() : mailbox_(std::make_shared<Mailbox>()) {
  mailbox_->receiver.emplace();
}

Errands::~Errands() {
  const std::lock_guard lock(mailbox_->mutex);
  mailbox_->receiver.reset();
}

void Errands::send(std::function<Answer()> errand) {
  std::thread([mailbox = mailbox_, errand = std::move(errand)] {
    set_thread_name("errand");
    Answer answer = errand();
    const std::lock_guard lock(mailbox->mutex);
    if (mailbox->receiver)
      QMetaObject::invokeMethod(&*mailbox->receiver, std::move(answer), Qt::QueuedConnection);
  }).detach();
}

}  // namespace pitwall::ui
