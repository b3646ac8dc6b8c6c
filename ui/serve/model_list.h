// SPDX-License-Identifier: GPL-3.0-or-later
// What the serve page shows before anything is loaded: the models at hand, Open…, a place to drop one, those
// that can be fetched; and how far a load is.
#pragma once
#include <QPointer>
#include <QStringList>
#include <QWidget>

#include "engine/base/result.h"
#include "ui/serve/listed_model.h"
#include "ui/shell/job_list.h"
#include "ui/widgets/card.h"
#include "ui/widgets/data_table.h"

class QProgressBar;
class QPushButton;

namespace pitwall::ui {

class FetchCard;

class ModelList : public QWidget {
  Q_OBJECT

 public:
  explicit ModelList(QWidget* parent = nullptr);
  void set_models(const std::vector<ListedModel>& models);  ///< before: they are looked for
  QStringList paths() const { return paths_; }
  void set_current(const QString& path);  ///< none of the list: no row is selected

  void show_loading(const QString& model, const QString& phase, qint64 done, qint64 total);
  void show_idle();
  void cancel_fetch();

 Q_SIGNALS:
  void chosen(const QString& path);  ///< the selection moved
  void serve_requested();            ///< Enter, double click or the button
  void open_requested();
  void cancel_requested();
  void fetched(const QString& path);
  void fetch_failed(const pitwall::Error& error);
  void job_went_on(const pitwall::ui::Job& job);
  void job_ended(const QString& id);
  void fetch_progressed(const QString& text, qint64 done, qint64 total);  ///< bytes
  void fetch_ended();                                                     ///< in any way

 private:
  void show_table(bool shown);
  DataTable* table_;
  Card *list_card_, *load_card_;
  Label *phase_, *empty_;
  QProgressBar* progress_;
  QPushButton *serve_, *cancel_;
  QPointer<QWidget> focus_before_;  // the load
  FetchCard* fetch_card_;
  QStringList paths_;
};

}  // namespace pitwall::ui
