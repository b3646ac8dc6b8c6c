// SPDX-License-Identifier: GPL-3.0-or-later
// The models that can be fetched and are not here yet.
#pragma once
#include <filesystem>
#include <vector>

#include "engine/base/result.h"
#include "engine/library/fetch.h"
#include "engine/library/model_profile.h"
#include "ui/shell/job_list.h"
#include "ui/widgets/card.h"

namespace pitwall::ui {

class FetchRow;
class ModelFetcher;

/// UI thread only. One fetch at a time; it goes on while the card is hidden and is cancelled with it.
class FetchCard : public Card {
  Q_OBJECT

 public:
  explicit FetchCard(const std::vector<ModelProfile>& profiles, QWidget* parent = nullptr);
  void cancel();
  void refresh();  ///< rows of models that are here now go, the others stand; hidden when none is left

 Q_SIGNALS:
  void fetched(const QString& path);
  void failed(const pitwall::Error& error);
  void job_went_on(const pitwall::ui::Job& job);
  void job_ended(const QString& id);
  void progressed(const QString& text, qint64 done, qint64 total);  ///< bytes
  void ended();                                                     ///< in any way

 private:
  void start(FetchRow* row);
  void show_progress(const FetchProgress& progress);
  void end(const Result<std::filesystem::path>& result);
  std::vector<FetchRow*> rows_;
  FetchRow* current_ = nullptr;
  ModelFetcher* fetcher_;
};

}  // namespace pitwall::ui
