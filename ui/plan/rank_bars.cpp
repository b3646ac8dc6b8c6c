// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plan/rank_bars.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QPainter>
#include <QSvgGenerator>
#include <algorithm>
#include <cmath>

#include "ui/plan/part_legend.h"
#include "ui/plan/rank_bars_view.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

constexpr double kNotableShare = 0.02;  // of the device

/// What the two bars have in common: KV as a whole, since its inner split has no plan.
std::vector<MemoryPart> comparable(std::vector<MemoryPart> parts) {
  std::vector<MemoryPart> joined;
  for (MemoryPart& part : parts) {
    const bool kv = part.colour == Colour::kv_used || part.colour == Colour::kv_cached ||
                    part.colour == Colour::kv_quarantined || part.colour == Colour::kv_free;
    if (kv && part.colour != Colour::kv_used) {
      const auto pool = std::find_if(joined.begin(), joined.end(),
                                     [](const MemoryPart& one) { return one.colour == Colour::kv_used; });
      pool->bytes += part.bytes;
      continue;
    }
    if (kv) part.name = RankBars::tr("KV pool");
    joined.push_back(std::move(part));
  }
  return joined;
}

Bytes bytes_of(const std::vector<MemoryPart>& parts, Colour colour) {
  for (const MemoryPart& part : parts)
    if (part.colour == colour) return part.bytes;
  return 0;
}

bool is_notable(Bytes difference, const RankPlan& rank) {
  return std::abs(static_cast<double>(difference)) > kNotableShare * static_cast<double>(rank.device_total);
}

}  // namespace

std::vector<MemoryPart> planned_parts(const RankPlan& rank) {
  const Bytes kv = rank.of(Category::kv), needed = std::min(rank.kv_needed, kv);
  const Bytes workspace = rank.of(Category::attention_workspace) + rank.of(Category::logits) +
                          rank.of(Category::library_workspace) + rank.of(Category::swap);
  return {
      {RankBars::tr("Weights"), Colour::weights, FillPattern::solid, rank.of(Category::weights)},
      {RankBars::tr("KV needed"), Colour::kv_used, FillPattern::solid, needed},
      {RankBars::tr("KV free"), Colour::kv_free, FillPattern::dashed_frame, kv - needed},
      {RankBars::tr("Activations"), Colour::activations, FillPattern::solid, rank.of(Category::activations)},
      {RankBars::tr("Workspace"), Colour::workspace, FillPattern::bars, workspace},
      {RankBars::tr("Graphs"), Colour::graphs, FillPattern::solid, rank.of(Category::graphs)},
      {RankBars::tr("Communicator"), Colour::communicator, FillPattern::solid,
       rank.of(Category::communicator)},
      {RankBars::tr("Context"), Colour::context, FillPattern::solid, rank.of(Category::context)},
      {RankBars::tr("Other processes"), Colour::other_processes, FillPattern::dots, rank.other_processes},
  };
}

QString shortage_text(const DeploymentPlan& plan) {
  const RankPlan& rank = plan.worst_rank();
  const int requests = demanded_requests(plan);
  if (rank.over() > 0)
    return RankBars::tr("Over the limit by %1: it does not start").arg(gib_number(rank.over()));
  if (waits_for_slots(plan))
    return RankBars::tr("%1 of %2 requests wait: max-num-seqs is %3")
        .arg(count_text(requests - requests_at_once(plan)), count_text(requests),
             count_text(plan.asked.max_num_seqs));
  if (rank.kv_short() > 0)
    return RankBars::tr("KV short by %1: %2 of %3 requests at p95")
        .arg(gib_number(rank.kv_short()), count_text(requests_at_once(plan)), count_text(requests));
  if (plan.verdict == Verdict::fails) return RankBars::tr("Fails: not one request of full length fits");
  return {};
}

QString difference_text(const DeploymentPlan& plan, const MeasuredMemory& measured) {
  const RankPlan& rank = plan.worst_rank();
  const auto planned = comparable(planned_parts(rank));
  QStringList words;
  for (const MemoryPart& part : comparable(memory_parts(measured.ledger)))
    if (const Bytes more = part.bytes - bytes_of(planned, part.colour); is_notable(more, rank))
      words << QStringLiteral("△ %1 %2").arg(part.name, signed_gib_number(more));
  return listed(words);
}

RankBars::RankBars(QWidget* parent)
    : ChartCard(
          {QStringLiteral("plan.rankBars"), tr("Memory per rank"), tr("GiB, predicted"), tr("Does it fit?")},
          parent),
      view_(new RankBarsView(this)) {
  view_->setObjectName(QStringLiteral("plan.rankBars.view"));
  view_->setAccessibleName(tr("Memory per rank"));
  set_drawing(view_);
  std::vector<MemoryPart> parts = planned_parts({});
  parts.pop_back();  // other processes: named where there are any
  set_legend_widget(new PartLegend(std::move(parts), this));
  connect(view_, &RankBarsView::chosen, this, &RankBars::chosen);
}

void RankBars::set_entries(std::vector<RankBarEntry> entries) {
  entries_ = std::move(entries);
  view_->set_entries(&entries_);
  view_->setAccessibleDescription(summary());
  std::vector<TableColumn> columns{{tr("Category")}};
  QStringList names;
  for (const RankBarEntry& entry : entries_) {
    columns.push_back({tr("%1 GiB").arg(entry.title), true});
    if (entry.measured) {
      columns.push_back({tr("Measured GiB"), true, entry.measured->source});
      columns.push_back({tr("Diff"), true, tr("Measured less planned; amber above 2 % of the device")});
    }
  }
  for (const TableColumn& column : columns) names << column.title;
  if (names != shown_columns_) {
    shown_columns_ = names;
    set_columns(std::move(columns));
  }
  refresh_table();
}

QString RankBars::summary() const {
  QStringList sentences;
  for (const RankBarEntry& entry : entries_) {
    const RankPlan& rank = entry.plan->worst_rank();
    const QString shortage = shortage_text(*entry.plan);
    sentences << tr("%1: total %2 of limit %3 GiB, %4.")
                     .arg(entry.title, gib_number(rank.total()), gib_number(rank.limit),
                          shortage.isEmpty() ? tr("fits") : shortage);
  }
  return told(sentences);
}

std::vector<TableRow> RankBars::table_rows() const {
  std::vector<TableRow> rows;
  const auto add = [&](const QString& name, const auto& planned, const auto& measured) {
    TableRow row{static_cast<qint64>(rows.size()), {{name}}};
    for (const RankBarEntry& entry : entries_) {
      const std::optional<Bytes> plan = planned(entry);
      row.cells.push_back(
          plan ? TableCell{gib_number(*plan), static_cast<double>(*plan) / static_cast<double>(kGiB)}
               : TableCell{no_value(), std::nan("")});
      if (!entry.measured) continue;
      const std::optional<Bytes> real = measured(entry);
      if (!real) {
        row.cells.insert(row.cells.end(), 2, TableCell{no_value(), std::nan("")});
        continue;
      }
      row.cells.push_back(
          {gib_number(*real), static_cast<double>(*real) / static_cast<double>(kGiB), Colour::text, true});
      if (!plan) {
        row.cells.push_back({no_value(), std::nan("")});
        continue;
      }
      const Bytes more = *real - *plan;
      const bool notable = is_notable(more, entry.plan->worst_rank());
      row.cells.push_back({(notable ? QStringLiteral("△ ") : QString()) + signed_gib_number(more),
                           static_cast<double>(more) / static_cast<double>(kGiB),
                           notable ? Colour::warn : Colour::muted});
    }
    rows.push_back(std::move(row));
  };
  using Figure = std::optional<Bytes>;
  const auto none = [](const RankBarEntry&) -> Figure { return std::nullopt; };
  add(
      tr("KV needed"), [](const RankBarEntry& entry) -> Figure { return entry.plan->worst_rank().kv_needed; },
      none);
  const bool measured = std::any_of(entries_.begin(), entries_.end(),
                                    [](const auto& entry) { return entry.measured.has_value(); });
  for (const MemoryPart& part : comparable(planned_parts({})))
    add(
        part.name,
        [&](const RankBarEntry& entry) -> Figure {
          return bytes_of(comparable(planned_parts(entry.plan->worst_rank())), part.colour);
        },
        [&](const RankBarEntry& entry) -> Figure {
          return bytes_of(comparable(memory_parts(entry.measured->ledger)), part.colour);
        });
  if (measured)
    add(tr("Unaccounted"), none,
        [](const RankBarEntry& entry) -> Figure { return entry.measured->ledger.unaccounted(); });
  add(
      tr("Total"), [](const RankBarEntry& entry) -> Figure { return entry.plan->worst_rank().total(); },
      [](const RankBarEntry& entry) -> Figure { return entry.measured->ledger.accounted(); });
  add(
      tr("Limit"), [](const RankBarEntry& entry) -> Figure { return entry.plan->worst_rank().limit; },
      [](const RankBarEntry& entry) -> Figure {
        return entry.measured->ledger.limit > 0 ? Figure(entry.measured->ledger.limit) : std::nullopt;
      });
  return rows;
}

QByteArray RankBars::csv() const {
  QStringList lines{
      QStringLiteral("# ") +
      QStringList{words().title, words().unit, words().question, source()}.join(QStringLiteral(" | "))};
  QStringList head;
  for (const QString& column : shown_columns_)
    head << QString(column).replace(QLatin1Char(','), QLatin1Char(' '));
  lines << head.join(QLatin1Char(','));
  for (const TableRow& row : table_rows()) {
    QStringList fields{row.cells.front().text};
    for (std::size_t i = 1; i < row.cells.size(); ++i)
      fields << (std::isfinite(row.cells[i].value) ? QString::number(row.cells[i].value, 'f', 4) : QString());
    lines << fields.join(QLatin1Char(','));
  }
  return lines.join(QLatin1Char('\n')).toUtf8() + '\n';
}

QByteArray RankBars::svg() const {
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setSize(view_->size());
  generator.setViewBox(view_->rect());
  generator.setTitle(words().title);
  generator.setDescription(summary());
  QPainter painter(&generator);
  view_->render(&painter);
  painter.end();
  return buffer.data();
}

}  // namespace pitwall::ui
