// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pitwallctl/engine_start.h"

#include <fmt/format.h>

#include "app/common/backend_factory.h"
#include "app/pitwallctl/console.h"
#include "engine/library/models_folder.h"

namespace pitwall::ctl {

namespace {

std::string progress_text(const LoadProgress& progress) {
  if (progress.total <= 0) return progress.phase;
  return fmt::format("{}: {} of {}", progress.phase, format_bytes(progress.done),
                     format_bytes(progress.total));
}

}  // namespace

Result<std::unique_ptr<Engine>> start_engine(EngineOptions options) {
  auto model = resolve_model(options.settings.text("model"));
  if (!model.ok()) return model.error();
  options.model = std::move(*model);
  options.make_backend = backend_factory();
  StatusLine status;
  options.on_progress = [&status, next = std::move(options.on_progress)](const LoadProgress& progress) {
    status.show([&] { return progress_text(progress); });
    if (next) next(progress);
  };
  return Engine::start(std::move(options));
}

Result<std::unique_ptr<Store>> open_store() {
  auto store = Store::open(Store::default_file());
  if (store.ok() && !(*store)->notice().empty()) print_note((*store)->notice());
  return store;
}

}  // namespace pitwall::ctl
