// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/fetch_card.h"

#include <QVBoxLayout>
#include <limits>

#include "engine/library/models_folder.h"
#include "engine/library/package_fetch.h"
#include "ui/serve/fetch_row.h"
#include "ui/serve/model_fetcher.h"

namespace pitwall::ui {

namespace {

constexpr QLatin1String kJob("serve.fetch");

}  // namespace

FetchCard::FetchCard(const std::vector<ModelProfile>& profiles, QWidget* parent)
    : Card(tr("Models to fetch"), {}, tr("Which of these do you want on this machine?"), parent),
      fetcher_(new ModelFetcher(this)) {
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
  body()->setSpacing(units(1.5));
  for (const ModelProfile& profile : profiles) {
    if (!profile.fetchable()) continue;
    auto* row = new FetchRow(profile, this);
    rows_.push_back(row);
    body()->addWidget(row);
    connect(row, &FetchRow::wanted, this, [this, row] { start(row); });
    connect(row, &FetchRow::cancelled, fetcher_, &ModelFetcher::cancel);
  }
  connect(fetcher_, &ModelFetcher::progressed, this, &FetchCard::show_progress);
  connect(fetcher_, &ModelFetcher::noted, this,
          [this](const QString& sentence) { current_->show_note(sentence); });
  connect(fetcher_, &ModelFetcher::finished, this, &FetchCard::end);
  refresh();
}

void FetchCard::cancel() {
  fetcher_->cancel();
}

void FetchCard::show_progress(const FetchProgress& progress) {
  current_->show_progress(progress);
  Q_EMIT progressed(
      tr("Fetching %1: %2").arg(QString::fromStdString(current_->profile().title), fetch_text(progress)),
      progress.done, progress.total);
  const double share = progress.total > 0
                           ? static_cast<double>(progress.done) / static_cast<double>(progress.total)
                           : std::numeric_limits<double>::quiet_NaN();
  Q_EMIT job_went_on({kJob, tr("Fetch %1").arg(QString::fromStdString(current_->profile().title)), share,
                      [this] { fetcher_->cancel(); }});
}

void FetchCard::refresh() {
  bool any = false;
  for (FetchRow* row : rows_) {
    std::error_code failed;
    const bool here = std::filesystem::exists(default_models_folder() / row->profile().file, failed);
    row->setVisible(!here);
    any = any || !here;
  }
  setVisible(any);
}

void FetchCard::start(FetchRow* row) {
  if (fetcher_->running()) return;
  current_ = row;
  show_progress({"Preparing", 0, 0});
  for (FetchRow* other : rows_) other->set_available(other == row);
  fetcher_->start(
      [profile = row->profile()](const FetchOptions& options) { return fetch_package(profile, options); });
}

void FetchCard::end(const Result<std::filesystem::path>& result) {
  Q_EMIT job_ended(kJob);
  const bool cancelled = !result && result.error().kind == Error::Kind::cancelled;
  current_->show_ended(cancelled, result || cancelled ? QString() : tr("Not fetched"));
  for (FetchRow* row : rows_) row->set_available(true);
  refresh();
  Q_EMIT ended();
  if (result) {
    Q_EMIT fetched(QString::fromStdString(result->string()));
  } else if (!cancelled) {
    Q_EMIT failed(result.error());
  }
}

}  // namespace pitwall::ui
