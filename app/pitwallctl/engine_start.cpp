// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pitwallctl/engine_start.h"

#include <fmt/format.h>

#include "app/common/backend_factory.h"
#include "app/pitwallctl/console.h"
#include "engine/base/units.h"
#include "engine/library/model_profile.h"
#include "engine/library/models_folder.h"
#include "engine/model/synthetic_model.h"

namespace pitwall::ctl {

namespace {

std::string progress_text(const LoadProgress& progress) {
  if (progress.total <= 0) return progress.phase;
  return fmt::format("{}: {} of {}", progress.phase, format_bytes(progress.done),
                     format_bytes(progress.total));
}

Result<void> open_synthetic(const SyntheticFlags& flags, EngineOptions& options) {
  const auto weights = find_synthetic_weights(flags.weights);
  auto spec = find_model_spec(flags.profile);
  if (!spec.ok()) return spec.error();
  auto model = make_synthetic_model(*spec, *weights, flags.seed);
  if (!model.ok()) return model.error();
  options.opened = std::move(*model);
  options.model = fmt::format("synthetic-{}-{}", flags.profile, flags.weights);
  return {};
}

}  // namespace

void SyntheticFlags::add_to(CLI::App& command) {
  command.get_option("--model")->required(false);
  command
      .add_option("--synthetic", profile, "Random weights in the shape of this model, in place of --model")
      ->excludes("--model")
      ->group("Model");
  command.add_option("--synthetic-weights", weights, "Their format")
      ->check(CLI::IsMember({"bf16", "awq-g128", "q4_0"}))
      ->capture_default_str()
      ->group("Model");
  command.add_option("--synthetic-seed,--seed", seed, "Of the random weights")->group("Model");
}

void SyntheticFlags::check(const CLI::App& command) const {
  if (profile.empty() && command.get_option("--model")->count() == 0)
    throw CLI::RequiredError("--model or --synthetic");
}

Result<std::unique_ptr<Engine>> start_engine(EngineOptions options, const SyntheticFlags& synthetic) {
  if (!synthetic.profile.empty()) {
    if (auto opened = open_synthetic(synthetic, options); !opened.ok()) return opened.error();
  } else {
    auto model = resolve_model(options.settings.text("model"));
    if (!model.ok()) return model.error();
    options.model = std::move(*model);
  }
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
  if (!store.ok() || !(*store)->damage()) return store;
  const StoreDamage& damage = *(*store)->damage();
  print_note(
      fmt::format("{} is damaged: it is now {}. {} rows of it can be read and are in a new store: runs {}, "
                  "checklists {}, "
                  "chats {}",
                  Store::default_file().string(), damage.moved_to.string(),
                  format_count(damage.salvaged.rows), format_count(damage.salvaged.runs),
                  format_count(damage.salvaged.checklists), format_count(damage.salvaged.chats)));
  return store;
}

}  // namespace pitwall::ctl
