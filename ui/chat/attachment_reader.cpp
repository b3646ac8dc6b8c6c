// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/attachment_reader.h"

#include <QObject>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/base/threads.h"
#include "ui/chat/attachment.h"

namespace pitwall::ui {

struct AttachmentReader::Mailbox {
  std::mutex mutex;
  std::optional<QObject> receiver;  // gone with the reader, and with it what is on its way
  Done done;
};

AttachmentReader::AttachmentReader(Done done) : mailbox_(std::make_shared<Mailbox>()) {
  mailbox_->receiver.emplace();
  mailbox_->done = std::move(done);
}

AttachmentReader::~AttachmentReader() {
  const std::lock_guard lock(mailbox_->mutex);
  mailbox_->receiver.reset();
}

void AttachmentReader::read(const QString& path) {
  std::thread([mailbox = mailbox_, path] {
    set_thread_name("attachment");
    const Result<Attachment> file = read_text_file(path);
    const std::lock_guard lock(mailbox->mutex);
    if (!mailbox->receiver) return;
    QMetaObject::invokeMethod(
        &*mailbox->receiver, [box = mailbox.get(), path, file] { box->done(path, file); },
        Qt::QueuedConnection);
  }).detach();
}

}  // namespace pitwall::ui
