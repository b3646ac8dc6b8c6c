// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/fetch_row.h"

#include <QHBoxLayout>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/shell/theme.h"
#include "ui/widgets/engine_words.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

namespace {

constexpr int kProgressSteps = 1000;
constexpr double kBarUnits = 24, kButtonUnits = 20;
constexpr double kTitleUnits = 60, kSizeUnits = 15, kLicenceUnits = 22;  // columns over all rows

Label* column(const QString& text, double width, Colour colour, QWidget* parent) {
  auto* label = new Label(text, FontRole::small, colour, parent);
  label->setMinimumWidth(units(width));
  return label;
}

QString licence_text(const ModelProfile& profile) {
  QString name = QString::fromStdString(profile.licence).remove(QStringLiteral("LicenseRef-"));
  return profile.terms.empty() ? name : FetchRow::tr("%1 terms").arg(name);
}

}  // namespace

QString fetch_text(const FetchProgress& progress) {
  const QString phase = engine_words(progress.phase);
  return progress.total > 0
             ? FetchRow::tr("%1, %2 of %3").arg(phase, bytes_text(progress.done), bytes_text(progress.total))
             : phase;
}

FetchRow::FetchRow(const ModelProfile& profile, QWidget* parent) : QWidget(parent), profile_(profile) {
  const QString id = QStringLiteral("serve.fetch.") + QString::fromStdString(profile.name);
  const QString title = QString::fromStdString(profile.title);
  auto* name = column(title, kTitleUnits, Colour::text, this);
  name->set_role(FontRole::body);
  auto* size = column(bytes_text(profile.bytes), kSizeUnits, Colour::text, this);
  size->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  auto* licence = column(licence_text(profile), kLicenceUnits, Colour::muted, this);
  status_ = new ElidedLabel({}, FontRole::small, Colour::muted, this);
  status_->setObjectName(id + QStringLiteral(".status"));
  bar_ = new QProgressBar(this);
  bar_->setTextVisible(false);
  bar_->setFixedSize(units(kBarUnits), units(3));
  bar_->setAccessibleName(tr("Share of %1 that is fetched").arg(title));
  bar_->hide();
  button_ = new QPushButton(tr("Fetch"), this);
  button_->setObjectName(id);
  button_->setAccessibleName(tr("Fetch %1").arg(title));
  button_->setMinimumWidth(units(kButtonUnits));

  auto* line = new QHBoxLayout;
  line->setSpacing(units(3));
  line->addWidget(name);
  line->addWidget(size);
  line->addWidget(licence);
  line->addWidget(status_, 1);
  line->addWidget(bar_);
  line->addWidget(button_);

  terms_ = new QWidget(this);
  auto* link = new QLabel(
      tr("Its terms apply: <a href=\"%1\">%1</a>").arg(QString::fromStdString(profile.terms).toHtmlEscaped()),
      terms_);
  link->setObjectName(id + QStringLiteral(".terms"));
  link->setTextFormat(Qt::RichText);
  link->setOpenExternalLinks(true);
  link->setTextInteractionFlags(Qt::TextBrowserInteraction);
  link->setAccessibleName(tr("Terms of %1").arg(title));
  auto* agree = new QPushButton(tr("Agree and fetch"), terms_);
  agree->setObjectName(id + QStringLiteral(".agree"));
  auto* not_now = new QPushButton(tr("Not now"), terms_);
  not_now->setObjectName(id + QStringLiteral(".notNow"));
  auto* question = new QHBoxLayout(terms_);
  question->setContentsMargins(0, 0, 0, 0);
  question->setSpacing(units(2));
  question->addWidget(link, 1);
  question->addWidget(not_now);
  question->addWidget(agree);
  terms_->hide();

  auto* lines = new QVBoxLayout(this);
  lines->setContentsMargins(0, 0, 0, 0);
  lines->setSpacing(units(1));
  lines->addLayout(line);
  lines->addWidget(terms_);

  connect(button_, &QPushButton::clicked, this, &FetchRow::press);
  connect(not_now, &QPushButton::clicked, this, [this] {
    terms_->hide();
    button_->show();
  });
  connect(agree, &QPushButton::clicked, this, [this] {
    terms_->hide();
    button_->show();
    Q_EMIT wanted();
  });
}

void FetchRow::press() {
  if (running_) {
    button_->setEnabled(false);
    status_->setText(tr("Stopping"));
    Q_EMIT cancelled();
  } else if (profile_.terms.empty()) {
    Q_EMIT wanted();
  } else {
    button_->hide();  // the two of the question take its place
    terms_->show();
  }
}

void FetchRow::set_available(bool available) {
  if (running_) return;
  setEnabled(available);
}

void FetchRow::show_running(bool running) {
  running_ = running;
  bar_->setVisible(running);
  button_->setEnabled(true);
  status_->set_colour(Colour::muted);
  if (running) {
    button_->setText(tr("Cancel"));
    button_->setAccessibleName(tr("Cancel the fetch of %1").arg(QString::fromStdString(profile_.title)));
  }
}

void FetchRow::show_progress(const FetchProgress& progress) {
  if (!running_) show_running(true);
  if (!button_->isEnabled()) return;  // already stopping
  status_->setText(fetch_text(progress));
  bar_->setRange(0, progress.total > 0 ? kProgressSteps : 0);
  if (progress.total > 0) bar_->setValue(static_cast<int>(progress.done * kProgressSteps / progress.total));
}

void FetchRow::show_note(const QString& sentence) {
  status_->setText(sentence);
}

void FetchRow::show_ended(bool resumable, const QString& problem) {
  show_running(false);
  const QString title = QString::fromStdString(profile_.title);
  button_->setText(resumable ? tr("Resume") : tr("Fetch"));
  button_->setAccessibleName((resumable ? tr("Resume the fetch of %1") : tr("Fetch %1")).arg(title));
  status_->setText(problem);
  status_->set_colour(problem.isEmpty() ? Colour::muted : Colour::bad);
}

}  // namespace pitwall::ui
