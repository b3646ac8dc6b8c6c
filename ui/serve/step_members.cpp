// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/step_members.h"

#include <QCoreApplication>
#include <algorithm>
#include <map>

#include "ui/serve/step_history.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

constexpr std::size_t kRequests = 4096;  // as many ended ones as a recorder keeps

bool gives_way(StepEvent::Kind kind) {
  return kind == StepEvent::Kind::preempted || kind == StepEvent::Kind::swapped_out;
}

TableCell count_cell(std::int64_t count) {
  return {count_text(count), static_cast<double>(count)};
}

}  // namespace

QString event_text(const StepEvent& event) {
  const QString tokens = count_text(event.tokens);
  switch (event.kind) {
    case StepEvent::Kind::joined:
      return event.tokens > 0 ? tr("joined, %1 tokens cached").arg(tokens) : tr("joined");
    case StepEvent::Kind::resumed:
      return tr("came back");
    case StepEvent::Kind::left:
      return tr("left");
    case StepEvent::Kind::preempted:
      return tr("was preempted, %1 tokens thrown away").arg(tokens);
    case StepEvent::Kind::swapped_out:
      return tr("was swapped out, %1 tokens").arg(tokens);
  }
  return {};
}

std::vector<StepMember> step_members(std::uint64_t step, const Recorder& recorder) {
  const std::vector<StepRecord> steps = recorder.last_steps(kAllSteps);
  const auto found = std::find_if(steps.rbegin(), steps.rend(),
                                  [step](const StepRecord& each) { return each.step == step; });
  if (found == steps.rend()) return {};
  // Who had given way before it and was not back yet.
  std::map<RequestId, StepEvent::Kind> last;
  for (const StepRecord& each : steps) {
    if (each.step >= step) break;
    if (each.events == 0) continue;
    for (const StepEvent& event : recorder.events_of(each)) last[event.request] = event.kind;
  }
  std::map<RequestId, StepEvent> now;
  for (const StepEvent& event : recorder.events_of(*found)) now[event.request] = event;
  std::vector<StepMember> members;
  for (RequestRecord& request : recorder.last_requests(kRequests)) {
    const auto event = now.find(request.id);
    const auto before = last.find(request.id);
    const bool away = before != last.end() && gives_way(before->second);
    const bool ended = request.finished > 0 && request.finished < found->started;
    const bool inside = request.scheduled > 0 && request.scheduled <= found->started && !ended && !away;
    if (!inside && event == now.end()) continue;
    members.push_back({std::move(request), event == now.end() ? std::nullopt : std::optional(event->second)});
  }
  std::sort(members.begin(), members.end(),
            [](const StepMember& a, const StepMember& b) { return a.request.id < b.request.id; });
  return members;
}

std::vector<TableColumn> step_member_columns() {
  return {{tr("Request"), true, tr("In order of arrival since the engine started.")},
          {tr("In this step"), false, {}},
          {tr("Prompt"), true, tr("Tokens in.")},
          {tr("Out by now"), true, tr("Tokens out.")},
          {tr("Preempted"), true, tr("Times it gave its KV blocks back, by now.")}};
}

std::vector<TableRow> step_member_rows(const std::vector<StepMember>& members) {
  std::vector<TableRow> rows;
  for (const StepMember& member : members) {
    const bool away = member.event && gives_way(member.event->kind);
    const auto id = static_cast<std::int64_t>(member.request.id.value);
    rows.push_back({id,
                    {count_cell(id),
                     {member.event ? event_text(*member.event) : tr("went on"), 0,
                      away           ? Colour::bad
                      : member.event ? Colour::text
                                     : Colour::muted},
                     count_cell(member.request.prompt_tokens),
                     count_cell(member.request.output_tokens),
                     count_cell(member.request.preemptions)}});
  }
  return rows;
}

}  // namespace pitwall::ui
