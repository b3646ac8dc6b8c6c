// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/model_fetcher.h"

#include "ui/widgets/engine_words.h"

namespace pitwall::ui {

ModelFetcher::ModelFetcher(QObject* parent) : QObject(parent) {}

ModelFetcher::~ModelFetcher() {
  cancel();
}

void ModelFetcher::start(Job job) {
  if (running()) return;
  cancel_ = std::make_shared<std::atomic<bool>>(false);
  thread_.post([this, job = std::move(job), cancel = cancel_] {
    const auto on_ui_thread = [this](auto&& tell) {
      QMetaObject::invokeMethod(this, std::forward<decltype(tell)>(tell), Qt::QueuedConnection);
    };
    FetchOptions options;
    options.cancel = cancel.get();
    options.on_progress = [&](const FetchProgress& progress) {
      on_ui_thread([this, progress] { Q_EMIT progressed(progress); });
    };
    options.on_note = [&](std::string_view note) {
      on_ui_thread([this, text = engine_words(note)] { Q_EMIT noted(text); });
    };
    auto fetched = job(options);
    on_ui_thread([this, fetched = std::move(fetched)] {
      cancel_.reset();
      Q_EMIT finished(fetched);
    });
  });
}

void ModelFetcher::cancel() {
  if (cancel_) *cancel_ = true;
}

}  // namespace pitwall::ui
