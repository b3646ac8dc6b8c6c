// SPDX-License-Identifier: GPL-3.0-or-later
// One model that can be fetched: what it is, its licence, and how far the fetch is.
#pragma once
#include <QWidget>

#include "engine/library/fetch.h"
#include "engine/library/model_profile.h"
#include "ui/widgets/card.h"

class QProgressBar;
class QPushButton;

namespace pitwall::ui {

QString fetch_text(const FetchProgress& progress);  ///< "Fetching, 9.1 of 15.0 GiB"

/// Terms that are not permissive are shown with their link and agreed to before `wanted` is emitted.
class FetchRow : public QWidget {
  Q_OBJECT

 public:
  explicit FetchRow(const ModelProfile& profile, QWidget* parent = nullptr);
  const ModelProfile& profile() const { return profile_; }

  void set_available(bool available);  ///< false while another model is being fetched
  void show_progress(const FetchProgress& progress);
  void show_note(const QString& sentence);
  void show_ended(bool resumable, const QString& problem);  ///< cancelled or failed; `problem` may be empty

 Q_SIGNALS:
  void wanted();
  void cancelled();

 private:
  void press();
  void show_running(bool running);
  ModelProfile profile_;
  ElidedLabel* status_;
  QProgressBar* bar_;
  QPushButton* button_;
  QWidget* terms_;
  bool running_ = false;
};

}  // namespace pitwall::ui
