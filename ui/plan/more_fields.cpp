// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plan/more_fields.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QToolButton>
#include <algorithm>
#include <cmath>

#include "engine/plan/weight_format.h"
#include "ui/widgets/card.h"
#include "ui/widgets/form_grid.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/number_field.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

constexpr double kMostStages = 1024, kMostBlock = 1 << 16, kMostTokens = 1e8, kMostGiB = 65536;
constexpr int kGraphEnds[] = {8, 32, 128, 512};

QString qs(const std::string& text) {
  return QString::fromStdString(text);
}

QStringList as_text(const std::vector<int>& sizes) {
  QStringList words;
  for (const int size : sizes) words << QString::number(size);
  return words;
}

/// 1, 2, 4 … up to `end`.
std::vector<int> doubling(int end) {
  std::vector<int> sizes;
  for (int size = 1; size <= end; size *= 2) sizes.push_back(size);
  return sizes;
}

QString graphs_name(const std::vector<int>& sizes) {
  if (sizes.empty()) return MoreFields::tr("the engine's sizes");
  for (const int end : kGraphEnds)
    if (sizes == doubling(end)) return MoreFields::tr("1, 2, 4 … %1").arg(end);
  return as_text(sizes).join(QStringLiteral(", "));
}

}  // namespace

QString unusual_text(const Deployment& d) {
  const Deployment usual;
  QStringList words;
  if (!d.quantization.empty()) words << MoreFields::tr("%1 weights").arg(qs(d.quantization));
  if (d.pipeline_parallel > 1) words << MoreFields::tr("%1 stages").arg(d.pipeline_parallel);
  if (d.block_size != usual.block_size) words << MoreFields::tr("blocks of %1").arg(d.block_size);
  if (!d.graphs) words << MoreFields::tr("no graphs");
  if (d.graphs && !d.graph_sizes.empty())
    words << MoreFields::tr("graphs %1").arg(graphs_name(d.graph_sizes));
  if (d.prompt_tokens > 0 || d.output_tokens > 0)
    words << MoreFields::tr("%1 + %2 tokens")
                 .arg(d.prompt_tokens > 0 ? count_text(d.prompt_tokens) : no_value(),
                      d.output_tokens > 0 ? count_text(d.output_tokens) : no_value());
  if (d.budget.other_processes > 0)
    words << MoreFields::tr("others hold %1").arg(bytes_text(d.budget.other_processes));
  if (!d.prefix_caching) words << MoreFields::tr("no prefix cache");
  if (d.prompt_logprobs) words << MoreFields::tr("prompt logprobs");
  if (d.draft_layers) words << MoreFields::tr("draft layers");
  if (d.expert_parallel) words << MoreFields::tr("expert parallel");
  return listed(words);
}

MoreFields::MoreFields(std::function<void(const Change&)> take, QWidget* parent)
    : QWidget(parent), take_(std::move(take)) {
  head_ = new QToolButton(this);
  head_->setObjectName(QStringLiteral("plan.more"));
  head_->setText(tr("More"));
  head_->setAccessibleDescription(tr("Shows what is seldom changed."));
  head_->setCheckable(true);
  head_->setProperty("folds", true);
  head_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  unusual_ = new ElidedLabel({}, FontRole::small, Colour::muted, this);
  unusual_->setObjectName(QStringLiteral("plan.more.unusual"));
  grid_ = new FormGrid(this);
  build_choices();
  build_numbers();
  build_others();
  build_switches();
  auto* line = new QHBoxLayout;
  line->setSpacing(units(1.5));
  line->addWidget(head_);
  line->addWidget(unusual_, 1);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, units(1.5), 0, 0);
  column->setSpacing(units(0.75));
  column->addLayout(line);
  column->addWidget(grid_);
  connect(head_, &QToolButton::toggled, this, &MoreFields::set_open);
  set_open(false);
}

QComboBox* MoreFields::add_choice(const char* id, const QString& name, const QString& effect,
                                  const QStringList& params) {
  auto* box = new QComboBox(this);
  box->setObjectName(QLatin1String(id));
  box->setAccessibleName(name);
  box->setAccessibleDescription(effect);
  box->setToolTip(effect);
  box->setProperty("compact", true);
  box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box->setMinimumContentsLength(3);
  grid_->add_row(name, box, {}, params);
  return box;
}

void MoreFields::build_choices() {
  weights_ = add_choice("plan.quantization", tr("Weights"),
                        tr("Number format of the weights; another than the checkpoint's is computed, and "
                           "needs another checkpoint."),
                        {QStringLiteral("quantization")});
  weights_->addItem(tr("as the model"), QString());
  for (const std::string& name : weight_format_names()) weights_->addItem(qs(name), qs(name));
  connect(weights_, &QComboBox::activated, this, [this](int index) {
    take_([name = weights_->itemData(index).toString().toStdString()](Deployment& d) {
      d.quantization = name;
    });
  });
  graphs_ = add_choice("plan.graphs", tr("Graphs"),
                       tr("Batch sizes whose steps are captured; each holds memory, none costs time."),
                       {QStringLiteral("graph-sizes"), QStringLiteral("cuda-graphs")});
  connect(graphs_, &QComboBox::activated, this, [this](int index) {
    take_([sizes = graphs_->itemData(index).toString()](Deployment& d) {
      d.graphs = sizes != QLatin1String("off");
      d.graph_sizes.clear();
      if (!d.graphs) return;
      for (const QString& size : sizes.split(QLatin1Char(','), Qt::SkipEmptyParts))
        d.graph_sizes.push_back(size.toInt());
    });
  });
}

NumberField* MoreFields::add_number(const char* id, const QString& name, const QString& unit,
                                    const QString& effect, const QString& param,
                                    std::function<void(Deployment&, int)> set) {
  const bool tokens = param.endsWith(QLatin1String("-tokens"));
  auto* field = new NumberField({QLatin1String(id), name, unit, effect, 1,
                                 tokens                                 ? kMostTokens
                                 : param == QLatin1String("block-size") ? kMostBlock
                                                                        : kMostStages,
                                 0, tokens ? tr("by p50") : QString()},
                                this);
  connect(field, &NumberField::changed, this, [this, set = std::move(set)](double value) {
    take_([&](Deployment& d) { set(d, static_cast<int>(value)); });
  });
  return field;
}

void MoreFields::build_numbers() {
  const QString tokens = tr("tokens");
  stages_ =
      add_number("plan.pipelineParallel", tr("Pipeline stages"), {},
                 tr("Parts of the layers, each on its own GPUs: tensor parallel × stages make a replica."),
                 QStringLiteral("pipeline-parallel-size"), [](Deployment& d, int n) {
                   d.pipeline_parallel = n;
                   const int replica = n * d.tensor_parallel;
                   d.gpus = (std::max(d.gpus, replica) + replica - 1) / replica * replica;
                 });
  grid_->add_row(tr("Pipeline stages"), stages_, {}, {QStringLiteral("pipeline-parallel-size")});
  block_ =
      add_number("plan.blockSize", tr("Block size"), tokens,
                 tr("Tokens of KV that are handed out together; the last block of a sequence is half empty."),
                 QStringLiteral("block-size"), [](Deployment& d, int n) { d.block_size = n; });
  grid_->add_row(tr("Block size"), block_, tokens, {QStringLiteral("block-size")});
  prompt_ = add_number("plan.promptTokens", tr("Prompt"), tokens,
                       tr("Of a typical request, for times; empty: three quarters of p50."),
                       QStringLiteral("prompt-tokens"), [](Deployment& d, int n) { d.prompt_tokens = n; });
  reply_ = add_number("plan.replyTokens", tr("Reply"), tokens,
                      tr("Of a typical request, for times; empty: a quarter of p50."),
                      QStringLiteral("output-tokens"), [](Deployment& d, int n) { d.output_tokens = n; });
  grid_->add_row(tr("Prompt, reply"), side_by_side({prompt_, reply_}, this), {},
                 {QStringLiteral("prompt-tokens"), QStringLiteral("output-tokens")});
}

void MoreFields::build_others() {
  others_ = new NumberField({QStringLiteral("plan.others"), tr("Other processes"), tr("GiB"),
                             tr("Memory that others hold on each GPU."), 0, kMostGiB, 2},
                            this);
  connect(others_, &NumberField::changed, this, [this](double gib) {
    take_([gib](Deployment& d) { d.budget.other_processes = std::llround(gib * static_cast<double>(kGiB)); });
  });
  grid_->add_row(tr("Other processes"), others_, tr("GiB"), {QStringLiteral("other-processes")});
}

void MoreFields::add_switch(const char* id, const QString& name, const QString& effect,
                            bool Deployment::*which) {
  auto* box = new QCheckBox(name, this);
  box->setObjectName(QLatin1String(id));
  box->setAccessibleDescription(effect);
  box->setToolTip(effect);
  connect(box, &QCheckBox::clicked, this,
          [this, which](bool on) { take_([which, on](Deployment& d) { d.*which = on; }); });
  grid_->add_widget(box);
  switches_.push_back({box, which});
}

void MoreFields::build_switches() {
  add_switch("plan.prefixCaching", tr("Prefix cache"),
             tr("What all requests share is computed and kept once."), &Deployment::prefix_caching);
  add_switch("plan.promptLogprobs", tr("Prompt logprobs"),
             tr("Requests may ask for them, which takes logits of whole steps."),
             &Deployment::prompt_logprobs);
  add_switch("plan.draftLayers", tr("Draft layers (MTP)"), tr("The model's own draft layers are loaded."),
             &Deployment::draft_layers);
  add_switch("plan.expertParallel", tr("Expert parallel"),
             tr("Replicas share the experts of a layer, and each has a copy of the rest."),
             &Deployment::expert_parallel);
}

void MoreFields::show_values(const Deployment& d) {
  const QString weights = qs(d.quantization);
  if (weights_->findData(weights) < 0) weights_->addItem(weights, weights);
  weights_->setCurrentIndex(weights_->findData(weights));
  show_graphs(d);
  const auto show = [](NumberField* field, std::int64_t value) {
    if (!field->is_wrong()) field->set_value(static_cast<double>(value));
  };
  show(stages_, d.pipeline_parallel);
  show(block_, d.block_size);
  show(prompt_, d.prompt_tokens);
  show(reply_, d.output_tokens);
  if (!others_->is_wrong())
    others_->set_value(static_cast<double>(d.budget.other_processes) / static_cast<double>(kGiB));
  for (const Switch& one : switches_) one.box->setChecked(d.*one.which);
  const QString unusual = unusual_text(d);
  unusual_->setText(unusual);
  head_->setAccessibleName(unusual.isEmpty() ? tr("More") : tr("More: %1").arg(unusual));
}

/// Lists that a command or a saved deployment brings stand among the usual ones.
void MoreFields::show_graphs(const Deployment& d) {
  graphs_->clear();
  graphs_->addItem(graphs_name({}), QString());
  graphs_->addItem(tr("off"), QStringLiteral("off"));
  std::vector<std::vector<int>> lists;
  for (const int end : kGraphEnds) lists.push_back(doubling(end));
  if (!d.graph_sizes.empty() && std::find(lists.begin(), lists.end(), d.graph_sizes) == lists.end())
    lists.push_back(d.graph_sizes);
  for (const std::vector<int>& sizes : lists)
    graphs_->addItem(graphs_name(sizes), as_text(sizes).join(QLatin1Char(',')));
  graphs_->setCurrentIndex(
      graphs_->findData(d.graphs ? as_text(d.graph_sizes).join(QLatin1Char(',')) : QStringLiteral("off")));
}

QWidget* MoreFields::mark(const QString& param, const QString& reason) {
  QWidget* field = grid_->mark(param, reason);
  if (field != nullptr) head_->setChecked(true);
  return field;
}

void MoreFields::clear_marks() {
  grid_->clear_marks();
}

void MoreFields::set_open(bool open) {
  head_->setChecked(open);
  head_->setIcon(icon(open ? QStringLiteral("chevron-down") : QStringLiteral("chevron-right")));
  grid_->setVisible(open);
}

}  // namespace pitwall::ui
