// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plan/plan_charts.h"

#include <QHBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>

#include "ui/plan/plan_rows.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

constexpr int kFrontierPoints = 32;
constexpr std::size_t kMostKept = 64;
constexpr double kShortestTokens = 512,
                 kBeyondMax = 4;  // times max length, where the model does not say how far it goes
constexpr std::array kHues{Colour::itl, Colour::tpot, Colour::ttft, Colour::queue};
constexpr std::array kStrokes{Stroke::solid, Stroke::long_dash, Stroke::dots, Stroke::dash_dot};

/// By its place in the list: from the fifth on hues come again with another stroke.
ChartSeries line_of(const Alternative& one, std::size_t place) {
  ChartSeries line;
  line.name = one.title;
  line.colour = kHues[place % kHues.size()];
  line.stroke = kStrokes[(place + place / kHues.size()) % kStrokes.size()];
  line.width = 1.8;
  return line;
}

struct Shown {
  const Alternative* one;
  std::size_t place;
};
std::vector<Shown> with_plans(const Alternatives& alternatives) {
  std::vector<Shown> shown;
  for (std::size_t i = 0; i < alternatives.all().size(); ++i)
    if (alternatives.all()[i].plan != nullptr) shown.push_back({&alternatives.all()[i], i});
  return shown;
}

/// Whatever max length is, up to what the model can.
double longest_drawn(const DeploymentPlan& plan) {
  const auto max = static_cast<double>(plan.max_model_len);
  const auto context = static_cast<double>(plan.model.context_length);
  return context > 0 ? std::max(context, max) : kBeyondMax * max;
}

double p95_of(const DeploymentPlan& plan) {
  if (plan.asked.lengths.p95 > 0) return static_cast<double>(plan.asked.lengths.p95);
  if (plan.asked.lengths.max > 0) return static_cast<double>(plan.asked.lengths.max);
  return static_cast<double>(plan.max_model_len);
}

}  // namespace

std::vector<ChartSeries> FrontierLines::series(const Alternatives& alternatives) {
  double longest = 0, shortest = kShortestTokens;
  const std::vector<Shown> all = with_plans(alternatives);
  for (const Shown& shown : all) {
    longest = std::max(longest, longest_drawn(*shown.one->plan));
    // Requests that are hardly longer than what they share say nothing of memory.
    shortest = std::max(shortest, 1.25 * static_cast<double>(shown.one->plan->asked.shared_prefix));
  }
  for (const Shown& shown : all) shortest = std::max(1.0, std::min(shortest, p95_of(*shown.one->plan) / 2));
  longest = std::max(longest, 2 * shortest);
  if (known_.size() > kMostKept) known_.clear();
  std::vector<ChartSeries> lines;
  for (const Shown& shown : all) {
    ChartSeries line = line_of(*shown.one, shown.place);
    for (int i = 0; i < kFrontierPoints; ++i)
      line.x.push_back(std::round(shortest * std::pow(longest / shortest, i / (kFrontierPoints - 1.0))));
    line.x.erase(std::unique(line.x.begin(), line.x.end()), line.x.end());
    Deployment question = shown.one->plan->asked;
    question.requests = 0;
    std::vector<double>& fit =
        known_[deployment_json(question) + std::to_string(shortest) + ' ' + std::to_string(longest)];
    if (fit.empty())
      for (const double tokens : line.x) {
        const std::int64_t most = tokens > longest_drawn(*shown.one->plan)
                                      ? 0
                                      : requests_that_fit(*shown.one->plan, std::llround(tokens));
        fit.push_back(most > 0 ? static_cast<double>(most) : std::nan(""));
      }
    line.y = fit;
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<ChartMark> frontier_marks(const Alternatives& alternatives) {
  const Alternative* subject = alternatives.subject();
  if (subject == nullptr || subject->plan == nullptr) return {};
  const int requests = requests_asked(subject->plan->asked);
  ChartMark mark;
  mark.x = p95_of(*subject->plan);
  mark.y = requests;
  mark.text = tr("%1 requests at p95").arg(count_text(requests));
  mark.to_axes = true;
  std::vector<ChartMark> marks{mark};
  const auto guide = [&](std::int64_t tokens, const QString& text) {
    ChartMark line;
    line.shape = ChartMark::Shape::guide;
    line.x = static_cast<double>(tokens);
    line.colour = Colour::muted;
    line.text = text.arg(count_text(tokens));
    marks.push_back(line);
  };
  const DeploymentPlan& plan = *subject->plan;
  guide(plan.max_model_len, tr("max length %1"));
  if (plan.model.context_length > plan.max_model_len) guide(plan.model.context_length, tr("the model's %1"));
  return marks;
}

std::vector<ChartSeries> throughput_series(const Alternatives& alternatives) {
  std::vector<ChartSeries> lines;
  for (const Shown& shown : with_plans(alternatives)) {
    ChartSeries line = line_of(*shown.one, shown.place);
    for (const OperatingPoint& point : shown.one->plan->predicted.curve) {
      line.x.push_back(point.requests);
      line.y.push_back(point.tokens_per_s);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<ChartMark> throughput_marks(const Alternatives& alternatives) {
  std::vector<ChartMark> marks;
  const Alternative* subject = alternatives.subject();
  for (const Shown& shown : with_plans(alternatives)) {
    const DeploymentPlan& plan = *shown.one->plan;
    const std::vector<OperatingPoint>& curve = plan.predicted.curve;
    if (curve.empty()) continue;
    const bool in_words = shown.one == subject;
    const auto mark = [&](ChartMark::Shape shape, int requests, const QString& text) {
      const auto at = std::lower_bound(curve.begin(), curve.end(), requests,
                                       [](const OperatingPoint& point, int n) { return point.requests < n; });
      if (at == curve.end()) return;
      marks.push_back({shape, static_cast<double>(at->requests), at->tokens_per_s,
                       line_of(*shown.one, shown.place).colour,
                       in_words ? text.arg(count_text(requests)) : QString()});
    };
    const int end = curve.back().requests;
    if (plan.most_at_p95 <= end) mark(ChartMark::Shape::cross, end, tr("KV full at %1"));
    if (const auto most = plan.predicted.most_under_limits; most && *most > 0 && *most < end)
      mark(ChartMark::Shape::ring, *most, tr("limit reached at %1"));
    if (plan.predicted.knee > 0) mark(ChartMark::Shape::diamond, plan.predicted.knee, tr("knee %1"));
  }
  if (subject != nullptr && subject->plan != nullptr) {
    ChartMark guide;
    guide.shape = ChartMark::Shape::guide;
    guide.x = requests_asked(subject->plan->asked);
    guide.text = tr("%1 asked").arg(count_text(requests_asked(subject->plan->asked)));
    marks.push_back(guide);
  }
  return marks;
}

PlanCharts::PlanCharts(QWidget* parent) : QWidget(parent) {
  LineChart::Spec frontier{QStringLiteral("plan.chart.frontier"), tr("Requests that fit"), tr("requests"),
                           tr("Where does KV end?"), true};
  frontier.x = XAxis::log;
  frontier.x_name = tr("tokens");
  frontier.names_at_lines = true;
  frontier_ = new LineChart(frontier, this);
  frontier_->set_unit(tr("against tokens, log"));  // of what, the title says
  LineChart::Spec throughput{QStringLiteral("plan.chart.throughput"), tr("Throughput"), tr("tok/s"),
                             tr("Where is the knee?")};
  throughput.x = XAxis::linear;
  throughput.x_name = tr("requests");
  throughput.names_at_lines = true;
  throughput_ = new LineChart(throughput, this);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(units(2.5));
  row->addWidget(frontier_, 1);
  row->addWidget(throughput_, 1);
}

/// Axes that hold several times what is drawn were made for another question: they begin anew.
void PlanCharts::show_lines(LineChart& chart, std::vector<ChartSeries> lines, const QString& none,
                            bool sliding, Extent& held) {
  constexpr double kManyTimes = 4;
  Extent now;
  bool any = false;
  for (const ChartSeries& line : lines)
    for (std::size_t i = 0; i < line.x.size(); ++i) {
      if (!std::isfinite(line.y[i])) continue;
      any = true;
      now = {std::max(now.x, line.x[i]), std::max(now.y, line.y[i])};
    }
  if (!sliding && (kManyTimes * now.x < held.x || kManyTimes * now.y < held.y)) {
    chart.forget_limits();
    held = now;
  }
  held = {std::max(held.x, now.x), std::max(held.y, now.y)};
  chart.set_series(std::move(lines));
  chart.set_note(any ? QString() : none);
}

void PlanCharts::show_alternatives(const Alternatives& alternatives, bool sliding) {
  const Alternative* subject = alternatives.subject();
  const QString source = subject ? tr("predicted, %1").arg(subject->title) : QString();
  for (LineChart* chart : {frontier_, throughput_}) chart->set_source(source);
  show_lines(*frontier_, lines_.series(alternatives), tr("Not one request fits, however short it is"),
             sliding, frontier_held_);
  frontier_->set_marks(frontier_marks(alternatives));
  show_lines(*throughput_, throughput_series(alternatives), tr("No request fits: nothing runs, so no times"),
             sliding, throughput_held_);
  throughput_->set_marks(throughput_marks(alternatives));
}

}  // namespace pitwall::ui
