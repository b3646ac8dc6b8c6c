// SPDX-License-Identifier: GPL-3.0-or-later
// The KV bytes of one token, spelled out with the model's own numbers.
#pragma once
#include <QString>
#include <vector>

#include "engine/plan/deployment_plan.h"

namespace pitwall::ui {

struct BytesFormula {
  QString terms;   ///< "2 × 80 layers × 8 KV heads × 128 × 1 B"; one line for each group of layers
  QString result;  ///< "= 163,840 B (160 KiB)"
  QString note;    ///< what the usual formula with attention heads would say, or why no one number exists
};
BytesFormula bytes_formula(const DeploymentPlan& plan);

/// "80 layers · 8 KV heads × 128 · INT4 g128"
QString layers_text(const ModelOutline& model);
/// "weights 38.73 GiB from tensor headers"
QString weights_text(const ModelOutline& model);

}  // namespace pitwall::ui
