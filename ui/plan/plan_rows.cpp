// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plan/plan_rows.h"

#include <cmath>
#include <map>
#include <string_view>

#include "ui/widgets/engine_words.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

QString setting_words(const std::string& setting) {
  static const std::map<std::string_view, const char*> words{
      {"requests", QT_TRANSLATE_NOOP("pitwall::ui", "requests")},
      {"max-model-len", QT_TRANSLATE_NOOP("pitwall::ui", "length")},
      {"max-num-batched-tokens", QT_TRANSLATE_NOOP("pitwall::ui", "step tokens")},
      {"tensor-parallel-size", QT_TRANSLATE_NOOP("pitwall::ui", "tensor parallel")},
      {"pipeline-parallel-size", QT_TRANSLATE_NOOP("pitwall::ui", "stages")},
      {"kv-cache-dtype", QT_TRANSLATE_NOOP("pitwall::ui", "KV")},
      {"quantization", QT_TRANSLATE_NOOP("pitwall::ui", "weights")},
      {"cuda-graphs", QT_TRANSLATE_NOOP("pitwall::ui", "graphs")},
  };
  const auto found = words.find(setting);
  return found != words.end() ? tr(found->second) : QString::fromStdString(setting);
}

/// The column is narrow: what it is now stands in the row already.
TableCell change_cell(const Alternative& one) {
  const std::optional<std::vector<Fix>>& fixes = one.fixes;
  if (!fixes) return {QStringLiteral("…")};
  if (!one.fix_pair.empty()) return {tr("two together")};
  if (fixes->empty() || !fixes->front().fits) return {no_value()};
  return {
      QStringLiteral("%1 → %2").arg(setting_words(fixes->front().setting), engine_words(fixes->front().to))};
}

TableCell verdict_cell(const Alternative& one) {
  if (one.error) return {tr("no answer"), 0, Colour::bad, false, icon(QStringLiteral("error"), Colour::bad)};
  switch (one.plan->verdict) {
    case Verdict::fits:
      return {tr("fits"), 0, Colour::good, false, icon(QStringLiteral("check"), Colour::good)};
    case Verdict::fits_with_less:
      return {tr("fits with less"), 0, Colour::warn, false, icon(QStringLiteral("warning"), Colour::warn)};
    case Verdict::fails:
      break;
  }
  return {tr("fails"), 0, Colour::bad, false, icon(QStringLiteral("error"), Colour::bad)};
}

TableCell time_cell(double ms, double limit_ms, double unit_ms) {
  if (!(ms > 0)) return {no_value(), std::nan("")};
  const bool over = limit_ms > 0 && ms > limit_ms;
  const QString text = three_digits(ms / unit_ms);
  return {over ? text + QStringLiteral(" △") : text, ms / unit_ms, over ? Colour::bad : Colour::text};
}

TableCell rate_cell(double rate, bool strong) {
  if (!(rate > 0)) return {no_value(), std::nan("")};
  return {rate_number(rate), rate, Colour::text, strong};
}

TableRow row_of(const Alternative& one) {
  TableRow row{one.key, {}};
  TableCell name{one.title, 0, Colour::text, true};
  if (one.pinned) name.icon = icon(QStringLiteral("pin"), Colour::accent);
  row.cells.push_back(name);
  if (one.plan == nullptr) {
    row.cells.push_back(one.error ? verdict_cell(one) : TableCell{tr("reading…"), 0, Colour::muted});
    row.cells.resize(alternative_columns().size(), TableCell{no_value(), std::nan("")});
    return row;
  }
  const DeploymentPlan& plan = *one.plan;
  const RankPlan& rank = plan.worst_rank();
  const int asked = requests_asked(one.deployment);
  const std::int64_t possible = requests_at_once(plan);
  const bool fewer = possible < asked;
  const OperatingPoint& point = plan.predicted.asked;
  const double rate = point.tokens_per_s;
  row.cells.push_back(verdict_cell(one));
  row.cells.push_back({QStringLiteral("%1 / %2").arg(gib_number(rank.total()), gib_number(rank.limit)),
                       static_cast<double>(rank.total()), rank.over() > 0 ? Colour::bad : Colour::text});
  row.cells.push_back(
      {QStringLiteral("%1 / %2").arg(count_text(plan.most_at_p95), count_text(plan.most_at_max)),
       static_cast<double>(plan.most_at_p95)});
  row.cells.push_back(
      {fewer ? QStringLiteral("%1 → %2").arg(count_text(asked), count_text(possible)) : count_text(asked),
       static_cast<double>(possible), fewer ? Colour::warn : Colour::text});
  row.cells.push_back(time_cell(point.ttft_ms, one.deployment.ttft_limit_ms, 1000));
  row.cells.push_back(time_cell(point.tpot_ms, one.deployment.tpot_limit_ms, 1));
  row.cells.push_back(rate_cell(rate, true));
  row.cells.push_back(rate_cell(rate / one.deployment.gpus, false));
  row.cells.push_back(change_cell(one));
  return row;
}

}  // namespace

int requests_asked(const Deployment& deployment) {
  return deployment.requests > 0 ? deployment.requests : deployment.max_num_seqs;
}

QString fix_text(const Fix& fix) {
  return QStringLiteral("%1 %2 → %3")
      .arg(setting_words(fix.setting), engine_words(fix.from), engine_words(fix.to));
}

std::vector<TableColumn> alternative_columns() {
  return {{tr("Alternative")},
          {tr("Memory verdict")},
          {tr("Total / limit GiB"), true, tr("Of the rank with the least room")},
          {tr("Most at p95 / max"), true, tr("Requests of p95 length that fit at once / of max length")},
          {tr("Requests"), true, tr("Asked for, and possible where that is less")},
          {tr("TTFT s"), true, tr("Mean time to the first token, no queue; △ above the limit")},
          {tr("TPOT ms"), true, tr("Mean time between a request's tokens; △ above the limit")},
          {tr("tok/s"), true, tr("Output tokens of all replicas")},
          {tr("per GPU"), true, tr("Output tokens per second and GPU")},
          {tr("Least change"), false, tr("The least single change that fits")}};
}

std::vector<TableRow> alternative_rows(const Alternatives& alternatives) {
  std::vector<TableRow> rows;
  for (const Alternative& one : alternatives.all()) rows.push_back(row_of(one));
  return rows;
}

}  // namespace pitwall::ui
