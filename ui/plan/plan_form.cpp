// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plan/plan_form.h"

#include <QComboBox>
#include <QPushButton>
#include <QScrollArea>
#include <QSlider>
#include <QStyle>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "engine/plan/engine_defaults.h"
#include "engine/plan/kv_format.h"
#include "ui/plan/bytes_formula.h"
#include "ui/plan/engine_choice.h"
#include "ui/plan/length_slider.h"
#include "ui/plan/more_fields.h"
#include "ui/plan/plan_rows.h"
#include "ui/widgets/engine_words.h"
#include "ui/widgets/form_grid.h"
#include "ui/widgets/number_field.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

namespace {

constexpr double kMostTokens = 1e8, kMostRequests = 65536, kMostGiB = 65536, kMostGpus = 1024;
constexpr std::int64_t kUsualContext = 131072;  // where the model's is not known
constexpr int kRequestEnds[] = {64, 128, 256, 512, 1024, 4096, 16384, 65536};

using Meaning = MemoryBudget::Meaning;

QString qs(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QStringList params(std::initializer_list<const char*> names) {
  QStringList list;
  for (const char* name : names) list << QLatin1String(name);
  return list;
}

bool is_share(Meaning meaning) {
  return MemoryBudget{.meaning = meaning}.takes_share();
}

double gib_of(Bytes bytes) {
  return static_cast<double>(bytes) / static_cast<double>(kGiB);
}
Bytes bytes_of(double gib) {
  return std::llround(gib * static_cast<double>(kGiB));
}

void dress_choice(QComboBox* box) {
  box->setProperty("compact", true);
  box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box->setMinimumContentsLength(3);
}

}  // namespace

PlanForm::PlanForm(QWidget* parent) : Card(tr("Deployment"), {}, {}, parent) {
  setObjectName(QStringLiteral("plan.form"));
  setAccessibleName(tr("Deployment and demand"));
  grid_ = new FormGrid;
  grid_->setContentsMargins(0, 0, units(1), 0);  // beside a scroll bar
  grid_->setBackgroundRole(QPalette::Base);
  grid_->setAutoFillBackground(true);
  scroll_ = new QScrollArea(this);
  scroll_->setProperty("bare", true);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setWidgetResizable(true);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->setFocusPolicy(Qt::NoFocus);
  scroll_->viewport()->setBackgroundRole(QPalette::Base);
  scroll_->setWidget(grid_);
  body()->addWidget(scroll_, 1);
  trouble_ = new Label({}, FontRole::small, Colour::bad, this);
  trouble_->setObjectName(QStringLiteral("plan.trouble"));
  trouble_->setWordWrap(true);
  trouble_->hide();
  body()->addWidget(trouble_);
  build_deployment();
  build_demand();
  build_limits();
  build_more();
  build_formula();
  grid_->end();
  build_buttons();
  for (auto* field : findChildren<NumberField*>())
    connect(field, &NumberField::refused, this, &PlanForm::refused);
  scroll_->setMinimumWidth(grid_->minimumSizeHint().width() +
                           style()->pixelMetric(QStyle::PM_ScrollBarExtent));
  set_deployment({});
}

QComboBox* PlanForm::make_choice(const char* id, const QString& name, const QString& effect) {
  auto* box = new QComboBox(this);
  box->setObjectName(QLatin1String(id));
  box->setAccessibleName(name);
  box->setAccessibleDescription(effect);
  box->setToolTip(effect);
  dress_choice(box);
  return box;
}

NumberField* PlanForm::make_tokens(const char* id, const QString& name, const QString& effect, double minimum,
                                   const QString& none, std::function<void(Deployment&, std::int64_t)> set) {
  auto* field =
      new NumberField({QLatin1String(id), name, tr("tokens"), effect, minimum, kMostTokens, 0, none}, this);
  connect(field, &NumberField::changed, this, [this, set = std::move(set)](double tokens) {
    take([&](Deployment& d) { set(d, static_cast<std::int64_t>(tokens)); });
  });
  return field;
}

QSlider* PlanForm::make_slider(const char* id, const QString& name) {
  auto* slider = new QSlider(Qt::Horizontal, this);
  slider->setObjectName(QLatin1String(id));
  slider->setAccessibleName(name);
  grid_->add_widget(slider);
  return slider;
}

void PlanForm::build_deployment() {
  model_ = make_choice("plan.model", tr("Model"), tr("Whose layers and weights are counted."));
  grid_->add_wide_row(tr("Model"), model_, params({"model"}));
  facts_ = new Label({}, FontRole::small, Colour::muted, this);
  facts_->setObjectName(QStringLiteral("plan.facts"));
  facts_->setWordWrap(true);
  grid_->add_widget(facts_);
  connect(model_, &QComboBox::activated, this, [this](int index) {
    const std::string model = model_->itemData(index).toString().toStdString();
    if (!model.empty()) return take([&](Deployment& d) { d.model = model; });
    show_values();
    Q_EMIT open_requested();
  });
  gpu_ = make_choice("plan.gpu", tr("GPU"), tr("Whose memory and speed are counted with."));
  connect(gpu_, &QComboBox::textActivated, this,
          [this](const QString& name) { take([&](Deployment& d) { d.gpu = name.toStdString(); }); });
  grid_->add_row(tr("GPU"), gpu_, {}, params({"gpu"}));

  gpus_ = new NumberField({QStringLiteral("plan.gpus"),
                           tr("GPUs"),
                           {},
                           tr("All that serve this model, replicas included."),
                           1,
                           kMostGpus},
                          this);
  connect(gpus_, &NumberField::changed, this, [this](double n) { take_gpus(static_cast<int>(n)); });
  parallel_ = make_choice("plan.tensorParallel", tr("Tensor parallel"),
                          tr("GPUs that share each layer; the rest are replicas."));
  connect(parallel_, &QComboBox::activated, this, [this](int index) {
    take([&](Deployment& d) { d.tensor_parallel = parallel_->itemData(index).toInt(); });
  });
  grid_->add_row(tr("GPUs and ranks"), side_by_side({gpus_, parallel_}, this), {},
                 params({"gpus", "tensor-parallel-size"}));

  engine_ = new EngineChoice(QStringLiteral("plan.engine"), this);
  dress_choice(engine_);
  connect(engine_, &QComboBox::activated, this,
          [this] { take([this](Deployment& d) { d.engine = engine_->engine(); }); });
  grid_->add_row(tr("Engine"), engine_, {}, params({"engine"}));

  kv_ = make_choice("plan.kvDtype", tr("KV cache dtype"),
                    tr("Bytes of each number that a token leaves behind."));
  kv_->addItem(QStringLiteral("auto"));
  for (const KvFormat& format : kv_formats()) kv_->addItem(qs(format.name));
  connect(kv_, &QComboBox::textActivated, this, [this](const QString& name) {
    take([&](Deployment& d) { d.kv_cache_dtype = name.toStdString(); });
  });
  grid_->add_row(tr("KV cache dtype"), kv_, {}, params({"kv-cache-dtype"}));
}

void PlanForm::build_demand() {
  grid_->add_title(tr("Demand"));
  const QString at_once = tr("Requests at once"), max_length = tr("Max length"), tokens = tr("tokens");
  requests_ = new NumberField({QStringLiteral("plan.requests"),
                               at_once,
                               {},
                               tr("That the deployment has to hold at p95 length."),
                               1,
                               kMostRequests},
                              this);
  connect(requests_, &NumberField::changed, this,
          [this](double n) { take([n](Deployment& d) { d.requests = static_cast<int>(n); }); });
  grid_->add_row(at_once, requests_, {}, params({"requests"}));
  requests_slider_ = make_slider("plan.requestsSlider", at_once);
  connect(requests_slider_, &QSlider::valueChanged, this,
          [this](int n) { take([n](Deployment& d) { d.requests = n; }); });

  max_length_ = make_tokens(
      "plan.maxLength", max_length, tr("Longest sequence that is accepted, prompt and reply."), 1,
      tr("model's"),
      [this](Deployment& d, std::int64_t n) { take_max_length(d, n > 0 ? std::optional(n) : std::nullopt); });
  grid_->add_row(max_length, max_length_, tokens, params({"max-model-len"}));
  length_slider_ = make_slider("plan.lengthSlider", max_length);
  length_slider_->setRange(0, kLengthSliderEnd);
  connect(length_slider_, &QSlider::valueChanged, this, [this](int position) {
    take([&](Deployment& d) {
      take_max_length(d, length_at(position, context_ > 0 ? context_ : kUsualContext));
    });
  });

  const auto length = [this](const char* id, const QString& name, const QString& effect, const QString& none,
                             std::int64_t LengthMix::*which) {
    return make_tokens(id, name, effect, 1, none, [which](Deployment& d, std::int64_t n) {
      d.lengths.trace.clear();
      d.lengths.*which = n;
    });
  };
  p50_ = length("plan.lengthP50", tr("Length p50"),
                tr("Half of the requests are no longer, prompt and reply."), tr("as p95"), &LengthMix::p50);
  p95_ = length("plan.lengthP95", tr("Length p95"), tr("19 of 20 requests are no longer, prompt and reply."),
                tr("as max"), &LengthMix::p95);
  grid_->add_row(tr("Length p50, p95"), side_by_side({p50_, p95_}, this), {}, params({"lengths"}));
  prefix_ =
      make_tokens("plan.sharedPrefix", tr("Shared prefix"), tr("At the front of all requests, kept once."), 0,
                  {}, [](Deployment& d, std::int64_t n) { d.shared_prefix = n; });
  grid_->add_row(tr("Shared prefix"), prefix_, tokens, params({"shared-prefix"}));
  sequences_ = new NumberField({QStringLiteral("plan.maxSequences"),
                                tr("Sequences at most"),
                                {},
                                tr("max-num-seqs: more than these wait, whatever memory says."),
                                1,
                                kMostRequests},
                               this);
  connect(sequences_, &NumberField::changed, this,
          [this](double n) { take([n](Deployment& d) { d.max_num_seqs = static_cast<int>(n); }); });
  grid_->add_row(tr("Sequences at most"), sequences_, {}, params({"max-num-seqs"}));
  step_tokens_ = make_tokens(
      "plan.stepTokens", tr("Step tokens"), tr("max-num-batched-tokens: what one step computes at most."), 1,
      {}, [](Deployment& d, std::int64_t n) { d.max_num_batched_tokens = static_cast<int>(n); });
  grid_->add_row(tr("Step tokens"), step_tokens_, tokens, params({"max-num-batched-tokens"}));
}

void PlanForm::build_limits() {
  grid_->add_title(tr("Limits"));
  const QString none = tr("none");
  ttft_ = new NumberField(
      {QStringLiteral("plan.ttft"), tr("Mean TTFT at most"), tr("seconds"),
       tr("Mean time to the first token that is accepted; percentiles are not predicted. Empty for none."),
       0.01, 3600, 2, none},
      this);
  connect(ttft_, &NumberField::changed, this,
          [this](double s) { take([s](Deployment& d) { d.ttft_limit_ms = 1000 * s; }); });
  grid_->add_row(tr("Mean TTFT at most"), ttft_, tr("s"), params({"ttft-limit"}));
  tpot_ = new NumberField(
      {QStringLiteral("plan.tpot"), tr("Mean TPOT at most"), tr("milliseconds"),
       tr("Mean time between tokens that is accepted; percentiles are not predicted. Empty for none."), 0.1,
       60000, 1, none},
      this);
  connect(tpot_, &NumberField::changed, this,
          [this](double ms) { take([ms](Deployment& d) { d.tpot_limit_ms = ms; }); });
  grid_->add_row(tr("Mean TPOT at most"), tpot_, tr("ms"), params({"tpot-limit"}));

  meaning_ = make_choice("plan.limitMeaning", tr("Memory limit means"),
                         tr("Engines differ in what a fraction is a fraction of."));
  for (const QString& meaning :
       {tr("What the engine takes by itself"), tr("Bytes for this process"), tr("Share of the whole card"),
        tr("Share of the card for weights and KV"), tr("KV's share of what is free after load"),
        tr("KV's share of what the weights leave"), tr("Bytes for KV alone"), tr("All but a margin")})
    meaning_->addItem(meaning);
  connect(meaning_, &QComboBox::activated, this,
          [this](int index) { take_meaning(static_cast<Meaning>(index)); });
  grid_->add_wide_row(tr("Memory limit means"), meaning_, {});
  limit_ = new NumberField(
      {QStringLiteral("plan.limitValue"), tr("Memory limit"), {}, tr("Of each GPU."), 0, kMostGiB, 2}, this);
  connect(limit_, &NumberField::changed, this, [this](double value) { take_limit(value); });
  limit_unit_ = new Label({}, FontRole::small, Colour::muted, this);
  limit_field_ = side_by_side({limit_, limit_unit_}, this);
  grid_->add_row(tr("Memory limit"), limit_field_, {},
                 params({"memory-limit", "gpu-memory-utilization", "free-gpu-memory-fraction",
                         "kv-cache-memory-bytes"}));
  limit_note_ = new Label({}, FontRole::small, Colour::muted, this);
  limit_note_->setObjectName(QStringLiteral("plan.limitNote"));
  limit_note_->setWordWrap(true);
  grid_->add_widget(limit_note_);
}

void PlanForm::build_more() {
  more_ = new MoreFields([this](const MoreFields::Change& change) { take(change); }, this);
  grid_->add_widget(more_);
}

void PlanForm::build_formula() {
  grid_->add_title(tr("Bytes per token"));
  auto* box = new QWidget(this);
  box->setObjectName(QStringLiteral("plan.formula"));
  auto* column = new QVBoxLayout(box);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(units(0.5));
  terms_ = new Label({}, FontRole::code, Colour::text, this);
  result_ = new Label({}, FontRole::section, Colour::text, this);
  formula_note_ = new Label({}, FontRole::small, Colour::muted, this);
  for (Label* label : {terms_, result_, formula_note_}) {
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(label);
  }
  grid_->add_widget(box);
}

void PlanForm::build_buttons() {
  serve_ = new QPushButton(tr("Serve this"), this);
  serve_->setObjectName(QStringLiteral("plan.serveThis"));
  serve_->setAccessibleDescription(tr("Hands these settings to the Serve page."));
  serve_->setProperty("primary", true);
  save_ = new QPushButton(tr("Save as deployment…"), this);
  save_->setObjectName(QStringLiteral("plan.saveThis"));
  save_->setAccessibleDescription(tr("Keeps these settings under a name."));
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(units(2));
  buttons->addWidget(serve_);
  buttons->addWidget(save_);
  buttons->addStretch(1);
  body()->addSpacing(units(1));
  body()->addLayout(buttons);
  connect(serve_, &QPushButton::clicked, this, &PlanForm::serve_requested);
  connect(save_, &QPushButton::clicked, this, &PlanForm::save_requested);
}

void PlanForm::take(const std::function<void(Deployment&)>& change) {
  const Deployment before = deployment_;
  change(deployment_);
  follow_engine(before, deployment_);
  show_values();
  Q_EMIT edited();
}

/// Ranks that took all GPUs take all of them afterwards, where the model's heads can be divided so.
void PlanForm::take_gpus(int gpus) {
  take([&](Deployment& d) {
    const auto fits = [&](int ranks) { return gpus % (ranks * d.pipeline_parallel) == 0; };
    const bool all = d.tensor_parallel * d.pipeline_parallel == d.gpus;
    d.gpus = gpus;
    if (!all && fits(d.tensor_parallel)) return;
    for (const int ranks : legal_)
      if (fits(ranks)) d.tensor_parallel = ranks;
  });
}

/// The form has no other field for the longest length: what a deployment brought for it goes.
void PlanForm::take_max_length(Deployment& d, std::optional<std::int64_t> tokens) {
  d.max_model_len = tokens;
  d.lengths.max = 0;
}

void PlanForm::take_meaning(Meaning meaning) {
  take([&](Deployment& d) {
    if (is_share(meaning) && d.budget.share <= 0) d.budget.share = 0.9;
    if (!is_share(meaning) && meaning != Meaning::automatic && d.budget.bytes <= 0) d.budget.bytes = kGiB;
    d.budget.meaning = meaning;
  });
}

void PlanForm::take_limit(double value) {
  take([&](Deployment& d) {
    if (is_share(d.budget.meaning))
      d.budget.share = value / 100;
    else
      d.budget.bytes = bytes_of(value);
  });
}

void PlanForm::set_deployment(const Deployment& deployment) {
  deployment_ = deployment;
  for (auto* field : findChildren<NumberField*>()) field->set_value(field->value());  // nonsense goes
  clear_marks();
  trouble_->hide();
  show_values();
}

void PlanForm::show_values() {
  const Deployment& d = deployment_;
  const auto choose = [](QComboBox* box, const QString& text) {
    if (box->findText(text) < 0) box->addItem(text);
    box->setCurrentText(text);
  };
  const auto show = [](NumberField* field, double value) {
    if (!field->is_wrong()) field->set_value(value);
  };
  const QString model = QString::fromStdString(d.model);
  if (model_->findData(model) < 0 && !model.isEmpty()) model_->addItem(model_title(model), model);
  model_->setCurrentIndex(model_->findData(model));
  choose(gpu_, qs(d.gpu));
  engine_->show_engine(d.engine);
  choose(kv_, qs(d.kv_cache_dtype));
  show(gpus_, d.gpus);
  show_parallel();
  show(requests_, requests_asked(d));
  show(max_length_, static_cast<double>(d.max_model_len.value_or(0)));
  show(p50_, static_cast<double>(d.lengths.p50));
  show(p95_, static_cast<double>(d.lengths.p95));
  show(prefix_, static_cast<double>(d.shared_prefix));
  show(sequences_, d.max_num_seqs);
  show(step_tokens_, d.max_num_batched_tokens);
  show(ttft_, d.ttft_limit_ms / 1000);
  show(tpot_, d.tpot_limit_ms);
  more_->show_values(d);
  show(limit_, is_share(d.budget.meaning) ? 100 * d.budget.share : gib_of(d.budget.bytes));
  show_budget();
  place_sliders();
}

void PlanForm::show_parallel() {
  std::vector<int> shown;
  for (const int ranks : legal_)
    if (deployment_.gpus % (ranks * deployment_.pipeline_parallel) == 0) shown.push_back(ranks);
  if (std::find(shown.begin(), shown.end(), deployment_.tensor_parallel) == shown.end())
    shown.push_back(deployment_.tensor_parallel);
  parallel_->clear();
  for (const int ranks : shown) parallel_->addItem(tr("TP %1").arg(ranks), ranks);
  parallel_->setCurrentIndex(parallel_->findData(deployment_.tensor_parallel));
}

void PlanForm::show_budget() {
  const Meaning meaning = deployment_.budget.meaning;
  meaning_->setCurrentIndex(static_cast<int>(meaning));
  grid_->set_row_visible(limit_field_, meaning != Meaning::automatic);
  limit_unit_->setText(is_share(meaning) ? QStringLiteral("%") : tr("GiB"));
}

/// A slider that is dragged keeps its ends.
void PlanForm::place_sliders() {
  const QSignalBlocker quiet_requests(requests_slider_), quiet_length(length_slider_);
  const int requests = requests_asked(deployment_);
  if (!requests_slider_->isSliderDown()) {
    const int end = *std::find_if(std::begin(kRequestEnds), std::end(kRequestEnds) - 1,
                                  [&](int e) { return e >= 2 * requests; });
    const int now = requests_slider_->maximum();
    if (requests_slider_->minimum() == 0 || now < requests || now > 4 * end)
      requests_slider_->setRange(1, end);
    requests_slider_->setValue(requests);
  }
  const std::int64_t context = context_ > 0 ? context_ : kUsualContext;
  if (!length_slider_->isSliderDown())
    length_slider_->setValue(slider_position(deployment_.max_model_len.value_or(context), context));
}

bool PlanForm::has_wrong_field() const {
  return grid_->has_wrong_field();
}

void PlanForm::set_models(const std::vector<ModelChoice>& models) {
  model_->clear();
  for (const ModelChoice& one : models) model_->addItem(one.title, one.model);
  model_->insertItem(0, tr("Open a GGUF or config.json…"));
  show_values();
}

void PlanForm::set_gpus(const QStringList& names) {
  gpu_->clear();
  gpu_->addItems(names);
  show_values();
}

void PlanForm::show_reading(const QString& text) {
  facts_->setText(text);
}

void PlanForm::show_no_model() {
  for (Label* label : {facts_, limit_note_, terms_, result_}) label->clear();
  formula_note_->setText(tr("Not known without the model's layers."));
}

void PlanForm::show_outline(const ModelOutline& model) {
  facts_->setText(layers_text(model) + QLatin1Char('\n') + weights_text(model));
  QStringList remarks;
  for (const std::string& remark : model.remarks) remarks << engine_words(remark);
  facts_->setToolTip(remarks.join(QLatin1Char('\n')));
  legal_ = legal_tensor_parallel(model, deployment_.expert_parallel);
  context_ = model.context_length;
  show_parallel();
  place_sliders();
}

void PlanForm::show_plan(const DeploymentPlan& plan) {
  clear_marks();
  trouble_->hide();
  const BytesFormula formula = bytes_formula(plan);
  terms_->setText(formula.terms);
  result_->setText(formula.result);
  result_->setVisible(!formula.result.isEmpty());
  formula_note_->setText(formula.note);
  const RankPlan& rank = plan.worst_rank();
  limit_note_->setText(
      tr("Limit %1 of %2 on each GPU.").arg(bytes_text(rank.limit), bytes_text(rank.device_total)));
}

void PlanForm::show_error(const Error& error) {
  clear_marks();
  const QString text = QString::fromStdString(error.text());
  const QString param = QString::fromStdString(error.param);
  QWidget* field = grid_->mark(param, text);
  if (field == nullptr) field = more_->mark(param, text);
  trouble_->setVisible(field == nullptr);
  trouble_->setText(field == nullptr ? text : QString());
  if (field != nullptr) scroll_->ensureWidgetVisible(field);
}

void PlanForm::clear_marks() {
  grid_->clear_marks();
  more_->clear_marks();
}

void PlanForm::set_can_serve(bool can, const QString& why_not) {
  serve_->setEnabled(can);
  serve_->setToolTip(can ? tr("Ctrl+Enter") : why_not);
}

void PlanForm::set_can_save(bool can) {
  save_->setEnabled(can);
  save_->setToolTip(can ? tr("Ctrl+S") : tr("Only what can be planned is saved."));
}

bool PlanForm::is_sliding() const {
  return requests_slider_->isSliderDown() || length_slider_->isSliderDown();
}

}  // namespace pitwall::ui
