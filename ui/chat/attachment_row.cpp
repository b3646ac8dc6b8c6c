// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/attachment_row.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/chat/attachment.h"
#include "ui/shell/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/icon.h"

namespace pitwall::ui {

namespace {

class Plate final : public QWidget {
 public:
  using QWidget::QWidget;

 protected:
  void paintEvent(QPaintEvent*) override {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.colour(Colour::border), 1));
    painter.setBrush(theme.colour(Colour::panel));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), theme.u() / 2, theme.u() / 2);
  }
};

}  // namespace

AttachmentRow::AttachmentRow(bool removable, QWidget* parent) : QWidget(parent), removable_(removable) {
  layout_ = new QVBoxLayout(this);
  layout_->setContentsMargins(0, 0, 0, 0);
  layout_->setSpacing(units(1));
  hide();
}

void AttachmentRow::clear() {
  for (const Chip& chip : chips_) {
    layout_->removeWidget(chip.widget);
    chip.widget->hide();
    chip.widget->deleteLater();
  }
  chips_.clear();
}

void AttachmentRow::set_files(const std::vector<Attachment>& files) {
  const bool same =
      std::equal(files.begin(), files.end(), chips_.begin(), chips_.end(),
                 [](const Attachment& file, const Chip& chip) { return file.name == chip.name; });
  if (!same) clear();
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!same) chips_.push_back(make_chip(files[i], i));
    chips_[i].text->setText(attachment_text(files[i]));
    chips_[i].widget->setAccessibleName(attachment_text(files[i]));
  }
  setVisible(!files.empty());
}

AttachmentRow::Chip AttachmentRow::make_chip(const Attachment& file, std::size_t index) {
  auto* plate = new Plate(this);
  plate->setObjectName(QStringLiteral("chat.attachment"));
  auto* row = new QHBoxLayout(plate);
  row->setContentsMargins(units(1.5), units(0.5), units(1.5), units(0.5));
  row->setSpacing(units(1));
  auto* sign = new QLabel;
  const int side = units(3.5);
  sign->setPixmap(icon(QStringLiteral("attach"), Colour::muted).pixmap(side, side));
  row->addWidget(sign);
  auto* text = new Label({}, FontRole::small, Colour::muted);
  row->addWidget(text);
  if (removable_) {
    auto* remove = new QToolButton;
    remove->setObjectName(QStringLiteral("chat.removeAttachment"));
    remove->setIcon(icon(QStringLiteral("close"), Colour::muted));
    remove->setAutoRaise(true);
    remove->setToolTip(tr("Remove this file"));
    remove->setAccessibleName(tr("Remove %1").arg(QString::fromStdString(file.name)));
    row->addWidget(remove);
    connect(remove, &QToolButton::clicked, this, [this, index] { Q_EMIT remove_requested(index); });
  }
  layout_->addWidget(plate, 0, Qt::AlignLeft);
  return {file.name, plate, text};
}

}  // namespace pitwall::ui
