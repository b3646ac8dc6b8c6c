// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/reports/planned_card.h"

#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "engine/report/run_kind.h"
#include "engine/settings/settings.h"
#include "ui/serve/planned_memory.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/memory_bar.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

namespace {

constexpr int kTableRows = 14;
constexpr double kTolerance = 0.02;  // of the device, between planned and measured

QString category_title(Category category) {
  switch (category) {
    case Category::weights:
      return PlannedCard::tr("Weights");
    case Category::kv:
      return PlannedCard::tr("KV pool");
    case Category::activations:
      return PlannedCard::tr("Activations");
    case Category::attention_workspace:
      return PlannedCard::tr("Attention workspace");
    case Category::logits:
      return PlannedCard::tr("Logits");
    case Category::library_workspace:
      return PlannedCard::tr("Library workspace");
    case Category::graphs:
      return PlannedCard::tr("Graphs");
    case Category::communicator:
      return PlannedCard::tr("Communicator");
    case Category::context:
      return PlannedCard::tr("Context");
    case Category::swap:
      return PlannedCard::tr("Swap space");
  }
  return {};
}

TableCell mib_cell(Bytes bytes, bool strong) {
  return {bytes_text(bytes), static_cast<double>(bytes), bytes == 0 ? Colour::muted : Colour::text, strong};
}

class Rows {
 public:
  explicit Rows(Bytes device) : device_(device) {}
  void add(const QString& name, std::optional<Bytes> planned, Bytes measured, bool strong = false) {
    TableCell difference{no_value(), std::nan("")}, plan{no_value(), std::nan("")};
    if (planned) {
      const Bytes by = measured - *planned;
      const bool far = std::abs(static_cast<double>(by)) > kTolerance * static_cast<double>(device_);
      plan = mib_cell(*planned, strong);
      difference = {far ? QStringLiteral("△ ") + signed_bytes_text(by) : signed_bytes_text(by),
                    static_cast<double>(by), far ? Colour::warn : Colour::text, strong};
    }
    rows_.push_back({static_cast<qint64>(rows_.size()),
                     {{name, 0, Colour::text, strong}, plan, mib_cell(measured, strong), difference}});
  }
  std::vector<TableRow> take() { return std::move(rows_); }

 private:
  Bytes device_;
  std::vector<TableRow> rows_;
};

std::vector<TableColumn> columns(bool simulated) {
  return {{PlannedCard::tr("Category")},
          {PlannedCard::tr("Planned"), true},
          {simulated ? PlannedCard::tr("Simulated") : PlannedCard::tr("Measured"), true},
          {PlannedCard::tr("Diff"), true}};
}

LedgerSnapshot as_ledger(const PlannedBytes& planned, const LedgerSnapshot& measured) {
  LedgerSnapshot ledger;
  ledger.bytes = planned;
  ledger.kv_free = ledger.of(Category::kv);
  ledger.measured = ledger.accounted();
  ledger.limit = measured.limit;
  ledger.device_total = measured.device_total;
  return ledger;
}

}  // namespace

Result<PlannedBytes> planned_bytes(const Run& run) {
  const auto unplanned = [](const QString& why) {
    return Error{Error::Kind::unsupported, why.toStdString(), "", "", ""};
  };
  if (run.header.device != "cpu")
    return unplanned(
        PlannedCard::tr("Plans are made here for runs of the CPU; the Plan page makes the others."));
  std::error_code unknown;
  if (run.header.model_path.empty() || !std::filesystem::exists(run.header.model_path, unknown))
    return unplanned(PlannedCard::tr("No plan: the model's file is not there any more."));
  Settings settings;
  for (const ConfigEntry& entry : run.header.config)
    if (entry.changed)
      (void)settings.set(entry.name, entry.value);  // of an older version: left at its default
  const auto plan = planned_memory(run.header.model_path, settings, run.summary.ledger);
  if (!plan) return plan.error();
  return plan->bytes;
}

PlannedCard::PlannedCard(const QString& id, QWidget* parent)
    : Card(tr("Memory, planned and measured"), {}, {}, parent),
      planned_bar_(new MemoryBar),
      measured_bar_(new MemoryBar),
      planned_title_(new Label(tr("Planned"), FontRole::small, Colour::muted)),
      measured_title_(new Label(tr("Measured"), FontRole::small, Colour::muted)),
      note_(new Label({}, FontRole::caption, Colour::muted)),
      table_(new DataTable(tr("Memory by category"), columns(false))) {
  setObjectName(id);
  table_->setObjectName(id + QStringLiteral(".table"));
  table_->set_stretch_column(0);
  table_->fit_height(kTableRows);
  note_->setWordWrap(true);
  for (QWidget* row : {static_cast<QWidget*>(planned_title_), static_cast<QWidget*>(planned_bar_),
                       static_cast<QWidget*>(measured_title_), static_cast<QWidget*>(measured_bar_),
                       static_cast<QWidget*>(table_), static_cast<QWidget*>(note_)})
    body()->addWidget(row);
  body()->addStretch(1);
}

void PlannedCard::show_run(const Run& run, const Result<PlannedBytes>& planned) {
  const LedgerSnapshot& ledger = run.summary.ledger;
  const bool simulated = is_simulated(run.header);
  set_title(simulated      ? tr("Memory, simulated")
            : planned.ok() ? tr("Memory, planned and measured")
                           : tr("Memory, measured"));
  table_->table()->set_columns(columns(simulated));
  table_->set_stretch_column(0);
  for (const int column : {1, 3}) table_->setColumnHidden(column, !planned.ok());
  const bool recorded = ledger.accounted() > 0 || ledger.measured > 0;
  for (QWidget* part : {static_cast<QWidget*>(measured_bar_), static_cast<QWidget*>(table_)})
    part->setVisible(recorded);
  // One bar alone is what the card's title says.
  for (QWidget* part : {static_cast<QWidget*>(planned_title_), static_cast<QWidget*>(planned_bar_),
                        static_cast<QWidget*>(measured_title_)})
    part->setVisible(recorded && planned.ok());
  note_->setText(!recorded ? tr("This run has no ledger of its memory.")
                 : planned.ok()
                     ? tr("The plan is made now, from the run's settings and the model's header.")
                     : QString::fromStdString(planned.error().cause.empty() ? planned.error().what
                                                                            : planned.error().text()));
  set_unit(ledger.limit > 0 ? tr("limit %1").arg(bytes_text(ledger.limit)) : QString());
  if (!recorded) return;
  Rows rows(ledger.device_total);
  Bytes total = 0;
  for (int i = 0; i < kCategoryCount; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const std::optional<Bytes> plan = planned.ok() ? std::optional((*planned)[at]) : std::nullopt;
    total += plan.value_or(0);
    if (ledger.bytes[at] == 0 && plan.value_or(0) == 0) continue;
    rows.add(category_title(static_cast<Category>(i)), plan, ledger.bytes[at]);
  }
  rows.add(tr("Accounted"), planned.ok() ? std::optional(total) : std::nullopt, ledger.accounted(), true);
  if (!simulated) rows.add(tr("Unaccounted"), std::nullopt, ledger.unaccounted());
  table_->set_rows(rows.take());
  const Bytes full = std::max({total, ledger.accounted(), ledger.measured});
  for (MemoryBar* bar : {planned_bar_, measured_bar_}) bar->set_full(full);
  measured_bar_->set_ledger(ledger);
  if (planned.ok()) planned_bar_->set_ledger(as_ledger(*planned, ledger));
}

}  // namespace pitwall::ui
