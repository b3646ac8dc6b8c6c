// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plan/fix_list.h"

#include <QAbstractButton>
#include <QGridLayout>
#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/plan/plan_rows.h"
#include "ui/widgets/engine_words.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

/// The change, then what it does and costs, in as many lines as they need.
class FixButton : public QAbstractButton {
 public:
  FixButton(const QString& change, const QString& effect, bool enough, QWidget* parent)
      : QAbstractButton(parent), effect_(effect), enough_(enough) {
    setText(change);
    setAccessibleName(change);
    setAccessibleDescription(effect);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    setCursor(Qt::PointingHandCursor);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
  }
  QSize sizeHint() const override { return {units(52), heightForWidth(units(52))}; }
  QSize minimumSizeHint() const override { return {units(30), units(8)}; }
  int heightForWidth(int width) const override {
    return change_height(width) + text_height(effect_, plain_face(), width) + units(2);
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
    const QRect inside = rect().adjusted(units(1), units(1), -units(1), -units(1));
    painter.setFont(strong_face());
    painter.setPen(ink(enough_ ? Colour::accent : Colour::text));
    painter.drawText(inside, kWrapped, text());
    painter.setFont(plain_face());
    painter.setPen(ink(Colour::muted));
    painter.drawText(inside.adjusted(0, change_height(width()), 0, 0), kWrapped, effect_);
    if (!hasFocus()) return;
    painter.setPen(QPen(ink(Colour::accent), 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), units(1), units(1));
  }

 private:
  static constexpr int kWrapped = Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap;
  static QFont plain_face() { return Theme::current().font(FontRole::small); }
  static QFont strong_face() {
    QFont font = plain_face();
    font.setWeight(QFont::DemiBold);
    return font;
  }
  static int text_height(const QString& text, const QFont& font, int width) {
    constexpr int kAnyHeight = 1 << 16;
    return QFontMetrics(font)
        .boundingRect(QRect(0, 0, std::max(1, width - units(2)), kAnyHeight), kWrapped, text)
        .height();
  }
  int change_height(int width) const { return text_height(text(), strong_face(), width); }

  QString effect_;
  bool enough_;
};

namespace {

constexpr std::size_t kMostShown = 5;
constexpr int kMostColumns = 5;

QString effect_text(const Fix& fix) {
  QStringList words;
  if (fix.frees != 0) words << FixList::tr("frees %1").arg(bytes_text(fix.frees));
  if (!fix.cost.empty()) words << engine_words(fix.cost);
  if (fix.max_model_len)
    words << FixList::tr("at most %1 tokens each, as now").arg(count_text(*fix.max_model_len));
  if (!fix.fits) words << FixList::tr("not enough alone");
  return words.join(QStringLiteral(" · "));
}

/// Both costs: neither is "not enough alone" any more.
QString pair_effect_text(const std::vector<Fix>& pair) {
  return FixList::tr("enough together: %1 · %2")
      .arg(engine_words(pair.front().cost), engine_words(pair.back().cost));
}

}  // namespace

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

void FixList::clear() {
  for (FixButton* button : buttons_) delete button;
  buttons_.clear();
}

void FixList::show_none(const QString& sentence) {
  clear();
  set_title(tr("What would make it fit"));
  set_unit({});
  sentence_->setText(sentence);
  sentence_->show();
}

void FixList::show_fixes(qint64 alternative, const QString& title, const std::vector<Fix>& fixes,
                         const std::vector<Fix>& pair) {
  clear();
  set_title(tr("What would make %1 fit").arg(title));
  set_unit(pair.empty() ? tr("one change each, predicted") : tr("predicted"));
  const bool enough = !pair.empty() || (!fixes.empty() && fixes.front().fits);
  sentence_->setText(pair.empty() ? tr("No single change is enough, and no two together. Take a larger GPU, "
                                       "a smaller model or a shorter length.")
                                  : tr("No single change is enough; the first two are together."));
  sentence_->setVisible(!enough || !pair.empty());
  if (!pair.empty()) add(alternative, pair);
  for (const Fix& fix : fixes)
    if (buttons_.size() < kMostShown) add(alternative, {fix});
  columns_ = 0;
  arrange();
}

void FixList::add(qint64 alternative, const std::vector<Fix>& changes) {
  const Fix &first = changes.front(), &last = changes.back();
  const bool pair = changes.size() > 1;
  auto* button = new FixButton(pair ? tr("%1 and %2").arg(fix_text(first), fix_text(last)) : fix_text(first),
                               pair ? pair_effect_text(changes) : effect_text(first), last.fits, this);
  button->setObjectName(QStringLiteral("plan.fix.%1")
                            .arg(pair ? QStringLiteral("pair") : QString::fromStdString(first.setting)));
  connect(button, &QAbstractButton::clicked, this,
          [this, alternative, changes] { Q_EMIT chosen(alternative, changes); });
  button->show();
  buttons_.push_back(button);
}

void FixList::arrange() {
  const int columns = std::clamp(width() / units(48), 1, kMostColumns);
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
