// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plan/bytes_formula.h"

#include <QStringList>
#include <algorithm>

#include "ui/widgets/engine_words.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

constexpr char16_t kNoBreak = 0xA0;

bool any(const ModelOutline& model, LayerState::Kind kind) {
  return std::any_of(model.layers.begin(), model.layers.end(),
                     [kind](const LayerState& layer) { return layer.kind == kind; });
}

/// The first layer with heads of its own; null where none has.
const LayerState* layer_with_heads(const ModelOutline& model) {
  const auto found = std::find_if(model.layers.begin(), model.layers.end(),
                                  [](const LayerState& layer) { return layer.kv_heads > 0; });
  return found == model.layers.end() ? nullptr : &*found;
}

QString heads_text(const LayerState& layer) {
  const QString heads = tr("%1 KV heads").arg(layer.kv_heads);
  return layer.key_dim == layer.value_dim
             ? QStringLiteral("%1 × %2").arg(heads).arg(layer.key_dim)
             : QStringLiteral("%1 × (%2 + %3)").arg(heads).arg(layer.key_dim).arg(layer.value_dim);
}

QString note_of(const ModelOutline& model) {
  using Kind = LayerState::Kind;
  QStringList notes;
  const LayerState* layer = layer_with_heads(model);
  if (any(model, Kind::latent)) {
    notes << tr("A latent row replaces the heads: every rank keeps all of it.");
  } else if (layer != nullptr && model.heads > layer->kv_heads) {
    const double times = static_cast<double>(model.heads) / layer->kv_heads;
    notes << tr("KV heads, not the %1 attention heads: with those it would be %2 times as much.")
                 .arg(QString::number(model.heads),
                      real_text(times, model.heads % layer->kv_heads == 0 ? 0 : 1));
  } else if (layer != nullptr) {
    notes << tr("Each of the %1 attention heads has K and V of its own.").arg(model.heads);
  }
  if (any(model, Kind::sliding) || any(model, Kind::chunked))
    notes << tr("Window layers stop growing at their window: no one number of tokens fits.");
  if (any(model, Kind::recurrent))
    notes << tr("The other layers keep a state of fixed size for each request.");
  return told(notes);
}

}  // namespace

BytesFormula bytes_formula(const DeploymentPlan& plan) {
  BytesFormula formula;
  const std::vector<std::string> lines = kv_formula(plan);
  if (lines.empty()) {
    formula.note = tr("No layer keeps anything for each token.");
    return formula;
  }
  QStringList terms;
  for (const std::string& line : lines) {
    QString term = engine_words(line);
    if (lines.size() == 1) term.truncate(term.lastIndexOf(QStringLiteral(" = ")));
    term.replace(QStringLiteral(" B"), QString(QChar(kNoBreak)) + QLatin1Char('B'));
    terms << term.replace(QStringLiteral("× "), QStringLiteral("×") + QChar(kNoBreak));
  }
  formula.terms = terms.join(QLatin1Char('\n'));
  const bool shared = plan.asked.tensor_parallel > 1;
  formula.result = (shared ? tr("= %1 B in all") : tr("= %1 B")).arg(count_text(plan.kv_bytes_per_token));
  if (plan.kv_bytes_per_token >= kKiB)
    formula.result += QStringLiteral(" (%1)").arg(bytes_text(plan.kv_bytes_per_token));
  QStringList notes;
  if (shared) notes << tr("%1 B per rank.").arg(count_text(plan.worst_rank().kv_bytes_per_token));
  if (const QString note = note_of(plan.model); !note.isEmpty()) notes << note;
  formula.note = notes.join(QLatin1Char(' '));
  return formula;
}

QString layers_text(const ModelOutline& model) {
  const auto drafts = std::count_if(model.layers.begin(), model.layers.end(),
                                    [](const LayerState& layer) { return layer.draft; });
  const QString layers = count_text(std::ssize(model.layers) - drafts);
  QStringList words{drafts > 0 ? tr("%1 layers + %2 draft").arg(layers, count_text(drafts))
                               : tr("%1 layers").arg(layers)};
  if (any(model, LayerState::Kind::latent))
    words << tr("latent KV");
  else if (const LayerState* layer = layer_with_heads(model))
    words << heads_text(*layer);
  if (!model.weight_format.empty())
    words << QString::fromStdString(model.weight_format)
                 .replace(QStringLiteral(" × "), QStringLiteral("%1×%1").arg(QChar(kNoBreak)));
  return words.join(QStringLiteral(" · "));
}

QString weights_text(const ModelOutline& model) {
  return model.from_headers ? tr("weights %1 from tensor headers").arg(bytes_text(model.weight_bytes()))
                            : tr("weights %1, computed").arg(bytes_text(model.weight_bytes()));
}

}  // namespace pitwall::ui
