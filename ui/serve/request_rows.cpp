// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/request_rows.h"

#include <algorithm>
#include <cmath>

#include "ui/widgets/number_format.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

TableCell state_cell(const RequestRecord& request) {
  switch (request.finish) {
    case FinishReason::stop:
      return {tr("stop")};
    case FinishReason::length:
      return {tr("length")};
    case FinishReason::cancelled:
      return {tr("cancelled"), 0, Colour::warn};
    case FinishReason::error:
      return {tr("error"), 0, Colour::bad, true};
    case FinishReason::none:
      break;
  }
  if (request.scheduled == 0) return {tr("waiting"), 0, Colour::muted};
  return {request.first_token == 0 ? tr("prompt") : tr("running"), 0, Colour::accent};
}

TableCell count_cell(std::int64_t count) {
  return {count_text(count), static_cast<double>(count)};
}
TableCell ms_cell(double ms) {
  return {ms_number(ms), ms};
}
TableCell none_cell() {
  return {no_value(), std::nan("")};
}
TableCell preempted_cell(std::int32_t times) {
  TableCell cell = count_cell(times);
  if (times > 0) cell.colour = Colour::warn;
  return cell;
}

}  // namespace

std::vector<TableColumn> request_columns() {
  return {
      {tr("Request"), true, tr("In order of arrival since the engine started.")},
      {tr("State"), false, tr("What it does, or why it ended.")},
      {tr("Arrived"), false, {}},
      {tr("Prompt"), true, tr("Tokens in.")},
      {tr("Cached"), true, tr("Prompt tokens found in the prefix cache.")},
      {tr("Out"), true, tr("Tokens out.")},
      {tr("Queue ms"), true, tr("Arrival to first step.")},
      {tr("TTFT ms"), true, tr("Arrival to first token.")},
      {tr("TPOT ms"), true, tr("Per token after the first.")},
      {tr("Worst ITL ms"), true, tr("Longest gap between two tokens.")},
      {tr("Preempted"), true, tr("Times it gave its KV blocks back.")},
  };
}

std::vector<TableRow> request_rows(const Snapshot& snapshot, std::size_t most) {
  std::vector<TableRow> rows;
  rows.reserve(std::min(most, snapshot.requests.size()));
  for (const RequestRecord& request : snapshot.requests) {
    if (rows.size() == most) break;
    TableRow row{static_cast<qint64>(request.id.value), {}};
    row.cells = {count_cell(static_cast<std::int64_t>(request.id.value)),
                 state_cell(request),
                 {time_text(request.arrival_utc)},
                 count_cell(request.prompt_tokens),
                 request.scheduled > 0 ? count_cell(request.cached_tokens) : none_cell(),
                 count_cell(request.output_tokens),
                 ms_cell(request.queue_ms()),
                 ms_cell(request.ttft_ms()),
                 ms_cell(request.tpot_ms()),
                 ms_cell(request.max_itl_ms()),
                 preempted_cell(request.preemptions)};
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace pitwall::ui
