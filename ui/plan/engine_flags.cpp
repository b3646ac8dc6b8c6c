// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plan/engine_flags.h"

#include <QCoreApplication>
#include <algorithm>

#include "engine/library/model_profile.h"
#include "engine/plan/command_line.h"
#include "engine/plan/engine_profile.h"
#include "engine/plan/flag_writer.h"
#include "engine/plan/manifest.h"
#include "ui/plan/alternatives.h"
#include "ui/widgets/engine_words.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

enum class FlagsForm { command, compose, kubernetes };

QString qs(const std::string& text) {
  return QString::fromStdString(text);
}

bool looks_like_a_file(const std::string& text) {
  constexpr const char* kBlanks = " \t\r\n";
  std::size_t first = text.find_first_not_of(kBlanks);
  while (first != std::string::npos && text[first] == '#')  // lines of comment
    first = text.find_first_not_of(kBlanks, std::min(text.find('\n', first), text.size()));
  if (first == std::string::npos) return false;
  if (text[first] == '{' || text.compare(first, 3, "---") == 0) return true;
  const std::string line = text.substr(first, text.find('\n', first) - first);
  const std::size_t colon = line.find(':');
  return colon != std::string::npos && line.find("--") == std::string::npos &&
         (colon + 1 == line.size() || line[colon + 1] == ' ') && line.find(' ') >= colon;
}

/// The error says why the engine has none of that form.
Result<FlagsText> flags_text(const DeploymentPlan& plan, const EngineProfile& engine, FlagsForm form) {
  const WrittenFlags written = write_flags(engine, plan);
  FlagsText flags;
  std::vector<std::string> notes = written.notes;
  if (form == FlagsForm::command) {
    flags.text = qs(command_text(written));
  } else {
    ManifestOptions options;
    options.replicas = plan.replicas;
    options.weights = plan.model.weight_bytes();
    const auto manifest =
        form == FlagsForm::compose ? compose_file(written, options) : kubernetes_manifest(written, options);
    if (!manifest) return manifest.error();
    flags.text = qs(manifest->text);
    notes.insert(notes.end(), manifest->notes.begin(), manifest->notes.end());
  }
  if (!written.config.empty())
    flags.text += QStringLiteral("\n# %1:\n%2").arg(qs(written.config_name), qs(written.config));
  for (const std::string& note : notes) flags.notes << engine_words(note);
  return flags;
}

}  // namespace

void show_engine_flags(const DeploymentPlan& plan, QWidget* parent) {
  FlagsChoice engines{QStringLiteral("engine"), tr("Engine"), {}, QStringLiteral("vllm")};
  for (const EngineProfile& engine : engine_profiles())
    engines.items.emplace_back(qs(engine.title), qs(engine.name));
  const FlagsChoice forms{QStringLiteral("form"),
                          tr("Form"),
                          {{tr("Command"), QStringLiteral("0")},
                           {tr("Docker compose"), QStringLiteral("1")},
                           {tr("Kubernetes"), QStringLiteral("2")}},
                          {}};
  const auto write = [&plan](const QStringList& chosen) -> Result<FlagsText> {
    const auto engine = find_engine(chosen[0].toStdString());
    if (!engine) return engine.error();
    return flags_text(plan, **engine, static_cast<FlagsForm>(chosen[1].toInt()));
  };
  FlagsDialog(QStringLiteral("plan.flags"), tr("Flags for other engines"), {engines, forms}, write, parent)
      .exec();
}

Result<EngineReading> read_pasted(const std::string& text, const EngineProfile* engine) {
  const auto command = looks_like_a_file(text) ? read_config(text, engine) : read_command(text, engine);
  if (!command) return command.error();
  return read_engine_settings(*command);
}

std::optional<MemoryTerms> terms_of(const EngineReading& reading, const ModelOutline& model,
                                    const GpuProfile& gpu) {
  const auto plan = plan_settings(reading.settings, *reading.engine, model, gpu, reading.gpus);
  return plan ? std::optional(memory_terms_of(*plan)) : std::nullopt;
}

Deployment deployment_from(const EngineReading& reading, const Deployment& now,
                           const std::optional<MemoryTerms>& terms) {
  Deployment read = deployment_of(reading.settings, *reading.engine, terms);
  copy_demand(now, read);
  read.name = now.name;
  read.gpu = now.gpu;
  read.gpus = std::max({read.gpus, reading.gpus, read.tensor_parallel * read.pipeline_parallel});
  read.told_model = read.model.empty() ? now.told_model : read.model;
  read.model = read.model.empty() ? now.model : local_model_name(read.model);
  return read;
}

}  // namespace pitwall::ui
