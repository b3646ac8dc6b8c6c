// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/banner_bar.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <algorithm>

#include "ui/shell/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/icon.h"

namespace pitwall::ui {

namespace {

struct Look {
  Colour ink, fill;
  const char* icon;
};

Look look_of(Banner::Severity severity) {
  switch (severity) {
    case Banner::Severity::good:
      return {Colour::good, Colour::good_fill, "check"};
    case Banner::Severity::warn:
      return {Colour::warn, Colour::warn_fill, "warning"};
    case Banner::Severity::bad:
      break;
  }
  return {Colour::bad, Colour::bad_fill, "error"};
}

}  // namespace

BannerBar::BannerBar(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("shell.banner"));
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
  icon_ = new QLabel(this);
  text_ = new Label({}, FontRole::body, Colour::text, this);
  text_->setObjectName(QStringLiteral("shell.banner.text"));
  text_->setWordWrap(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  more_ = new Label({}, FontRole::small, Colour::muted, this);
  verb_ = new QPushButton(this);
  verb_->setObjectName(QStringLiteral("shell.banner.verb"));
  copy_ = new QPushButton(icon(QStringLiteral("copy")), tr("Copy details"), this);
  copy_->setObjectName(QStringLiteral("shell.banner.copy"));
  for (QPushButton* button : {verb_, copy_}) button->setProperty("compact", true);
  close_ = new QToolButton(this);
  close_->setIcon(icon(QStringLiteral("close")));
  close_->setAutoRaise(true);
  for (QAbstractButton* button : std::initializer_list<QAbstractButton*>{verb_, copy_, close_})
    button->setFocusPolicy(Qt::TabFocus);  // a click leaves it to the page
  close_->setToolTip(tr("Dismiss (Esc)"));
  close_->setAccessibleName(tr("Dismiss"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(units(3), units(1.5), units(2), units(1.5));
  row->setSpacing(units(2));
  row->addWidget(icon_);
  row->addWidget(text_, 1);
  for (QWidget* widget : {static_cast<QWidget*>(more_), static_cast<QWidget*>(verb_),
                          static_cast<QWidget*>(copy_), static_cast<QWidget*>(close_)})
    row->addWidget(widget);
  connect(verb_, &QPushButton::clicked, this, [this] {
    const Banner done = queue_.front().banner;
    dismiss();
    if (done.action) done.action();
  });
  connect(copy_, &QPushButton::clicked, this, [this] {
    const Banner& banner = queue_.front().banner;
    QApplication::clipboard()->setText(banner.details.isEmpty() ? banner.text : banner.details);
  });
  connect(close_, &QToolButton::clicked, this, &BannerBar::dismiss);
  connect(&Theme::current(), &Theme::changed, this, &BannerBar::show_front);
  hide();
}

void BannerBar::post(const Banner& banner, bool lasting) {
  std::erase_if(queue_, [&](const Queued& queued) { return queued.banner.text == banner.text; });
  const auto place = std::find_if(queue_.begin(), queue_.end(), [&](const Queued& queued) {
    return banner.undoes || queued.banner.severity <= banner.severity;
  });
  queue_.insert(place, {banner, lasting});
  show_front();
}

void BannerBar::dismiss() {
  if (!queue_.empty()) queue_.erase(queue_.begin());
  show_front();
}

void BannerBar::withdraw(const QString& text) {
  std::erase_if(queue_, [&text](const Queued& queued) { return queued.banner.text == text; });
  show_front();
}

void BannerBar::clear() {
  std::erase_if(queue_, [](const Queued& queued) { return !queued.lasting; });
  show_front();
}

void BannerBar::show_front() {
  setVisible(!queue_.empty());
  if (queue_.empty()) return;
  const Banner& banner = queue_.front().banner;
  const Look look = look_of(banner.severity);
  icon_->setPixmap(icon(QString::fromLatin1(look.icon), look.ink).pixmap(units(4.5)));
  text_->setText(banner.text);
  verb_->setText(banner.verb);
  verb_->setVisible(!banner.verb.isEmpty());
  more_->setText(tr("+%n more", nullptr, static_cast<int>(queue_.size()) - 1));
  more_->setVisible(queue_.size() > 1);
  setAccessibleName(banner.text);
  update();
}

void BannerBar::paintEvent(QPaintEvent*) {
  if (queue_.empty()) return;
  const Look look = look_of(queue_.front().banner.severity);
  QPainter painter(this);
  painter.fillRect(rect(), Theme::current().colour(look.fill));
  painter.fillRect(QRect(0, 0, units(0.75), height()), Theme::current().colour(look.ink));
  painter.fillRect(QRect(0, height() - 1, width(), 1), Theme::current().colour(Colour::border));
}

}  // namespace pitwall::ui
