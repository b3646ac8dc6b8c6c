// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plan/fix_list.h"

#include <QAbstractButton>
#include <QGridLayout>
#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/plan/engine_memory.h"
#include "ui/plan/plan_rows.h"
#include "ui/widgets/engine_words.h"
#include "ui/widgets/line_height.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

/// The change, then what it does and costs in as many lines as its row has.
class FixButton : public QAbstractButton {
 public:
  FixButton(const QString& change, const QString& effect, bool enough, QWidget* parent)
      : QAbstractButton(parent), effect_(effect), enough_(enough) {
    setText(change);
    setAccessibleName(change);
    setAccessibleDescription(effect);
    setToolTip(change + QLatin1Char('\n') + effect);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    setCursor(Qt::PointingHandCursor);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  }
  QSize sizeHint() const override {
    return {units(52), (1 + lines_) * line_height(Theme::current().font(FontRole::small)) + units(2)};
  }
  QSize minimumSizeHint() const override { return {units(30), sizeHint().height()}; }

  /// That the effect takes in a column so wide; three at most.
  int lines_in(int width) const {
    const QFontMetrics metrics(Theme::current().font(FontRole::small));
    const QRect room(0, 0, width - units(2), metrics.height() * 99);
    return std::clamp(metrics.boundingRect(room, Qt::TextWordWrap, effect_).height() / metrics.height(), 1,
                      3);
  }
  void set_lines(int lines) {
    lines_ = lines;
    updateGeometry();
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (underMouse() || isDown()) {
      painter.setPen(Qt::NoPen);
      painter.setBrush(ink(isDown() ? Colour::selection : Colour::alt));
      painter.drawRoundedRect(rect(), units(1), units(1));
    }
    QFont font = Theme::current().font(FontRole::small);
    const int line = line_height(font);
    const QRect first(units(1), units(1), width() - units(2), line);
    font.setWeight(QFont::DemiBold);
    painter.setFont(font);
    painter.setPen(ink(enough_ ? Colour::accent : Colour::text));
    painter.drawText(first, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(text(), Qt::ElideRight, first.width()));
    painter.setFont(Theme::current().font(FontRole::small));
    painter.setPen(ink(Colour::muted));
    painter.drawText(QRect(first.left(), first.bottom() + 1, first.width(), lines_ * line),
                     Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, effect_);
    if (!hasFocus()) return;
    painter.setPen(QPen(ink(Colour::accent), 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), units(1), units(1));
  }

 private:
  QString effect_;
  bool enough_;
  int lines_ = 1;
};

namespace {

constexpr std::size_t kMostShown = 8;
constexpr int kMostColumns = 5;

template <class Number>
bool read_number(const std::string& text, Number& into) {
  bool number = false;
  const qint64 value = QString::fromStdString(text).remove(QLatin1Char(',')).toLongLong(&number);
  if (number) into = static_cast<Number>(value);
  return number;
}

QString effect_text(const Fix& fix) {
  QStringList words;
  if (fix.frees != 0) words << FixList::tr("frees %1").arg(bytes_text(fix.frees));
  if (!fix.cost.empty()) words << engine_words(fix.cost);
  if (fix.max_model_len)
    words << FixList::tr("at most %1 tokens each, as now").arg(count_text(*fix.max_model_len));
  if (!fix.fits) words << FixList::tr("not enough alone");
  return words.join(QStringLiteral(" · "));
}

}  // namespace

Result<Deployment> with_fix(Deployment d, const Fix& fix) {
  std::int64_t number = 0;
  const bool counted = read_number(fix.to, number);
  if (fix.setting == "max-num-seqs" && counted) {
    d.max_num_seqs = static_cast<int>(number);
    if (d.requests > 0) d.requests = d.max_num_seqs;
  } else if (fix.setting == "max-model-len" && counted) {
    d.max_model_len = number;
    for (std::int64_t* length : {&d.lengths.p50, &d.lengths.p95, &d.lengths.max})
      *length = std::min(*length, number);
  } else if (fix.setting == "max-num-batched-tokens" && counted) {
    d.max_num_batched_tokens = static_cast<int>(number);
  } else if (fix.setting == "tensor-parallel-size" && counted) {
    d.tensor_parallel = static_cast<int>(number);
    const int replica = d.tensor_parallel * d.pipeline_parallel;
    d.gpus = std::max(1, (d.gpus + replica - 1) / replica) * replica;
  } else if (fix.setting == "gpu-memory-utilization") {
    d.budget.meaning = MemoryBudget::Meaning::share_of_total;
    d.budget.share = QString::fromStdString(fix.to).toDouble();
  } else if (const auto budget = budget_of(fix.setting, fix.to)) {
    d.budget.meaning = budget->meaning;
    d.budget.share = budget->share;
  } else if (fix.setting == "kv-cache-dtype") {
    d.kv_cache_dtype = fix.to;
  } else if (fix.setting == "quantization") {
    d.quantization = fix.to;
  } else if (fix.setting == "cuda-graphs") {
    d.graphs = fix.to == "on";
  } else if (fix.setting == "prompt-logprobs") {
    d.prompt_logprobs = fix.to == "on";
  } else {
    return Error{Error::Kind::unsupported, "The form has no field for " + fix.setting, "", "", fix.setting};
  }
  if (fix.max_model_len) d.max_model_len = fix.max_model_len;
  return d;
}

FixList::FixList(QWidget* parent) : Card(tr("What would make it fit"), {}, {}, parent) {
  setObjectName(QStringLiteral("plan.fixes"));
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
  sentence_ = new Label({}, FontRole::small, Colour::muted, this);
  sentence_->setWordWrap(true);
  grid_ = new QGridLayout;
  grid_->setHorizontalSpacing(units(2));
  grid_->setVerticalSpacing(units(1));
  body()->addWidget(sentence_);
  body()->addLayout(grid_);
}

void FixList::show_none(const QString& sentence) {
  for (FixButton* button : buttons_) delete button;
  buttons_.clear();
  set_title(tr("What would make it fit"));
  set_unit({});
  sentence_->setText(sentence);
  sentence_->show();
}

void FixList::show_fixes(qint64 alternative, const QString& title, const std::vector<Fix>& fixes) {
  show_none({});
  set_title(tr("What would make %1 fit").arg(title));
  set_unit(tr("one change each, predicted"));
  sentence_->hide();
  for (std::size_t i = 0; i < std::min(fixes.size(), kMostShown); ++i) {
    auto* button = new FixButton(fix_text(fixes[i]), effect_text(fixes[i]), fixes[i].fits, this);
    button->setObjectName(QStringLiteral("plan.fix.%1").arg(QString::fromStdString(fixes[i].setting)));
    connect(button, &QAbstractButton::clicked, this,
            [this, alternative, fix = fixes[i]] { Q_EMIT chosen(alternative, fix); });
    button->show();
    buttons_.push_back(button);
  }
  columns_ = 0;
  arrange();
}

void FixList::arrange() {
  const int columns = std::clamp(width() / units(48), 1, kMostColumns);
  const int room = contentsRect().width() / columns - units(4);  // less the card's margin and the gap
  int lines = 1;
  for (const FixButton* button : buttons_) lines = std::max(lines, button->lines_in(room));
  for (FixButton* button : buttons_) button->set_lines(lines);
  if (columns == columns_) return;
  columns_ = columns;
  for (std::size_t i = 0; i < buttons_.size(); ++i)
    grid_->addWidget(buttons_[i], static_cast<int>(i) / columns, static_cast<int>(i) % columns);
  for (int column = 0; column < kMostColumns; ++column)
    grid_->setColumnStretch(column, column < columns ? 1 : 0);
}

void FixList::resizeEvent(QResizeEvent* event) {
  Card::resizeEvent(event);
  arrange();
}

}  // namespace pitwall::ui
