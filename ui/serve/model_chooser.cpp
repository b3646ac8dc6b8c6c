// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/model_chooser.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>

#include "ui/serve/listed_model.h"
#include "ui/serve/model_facts.h"
#include "ui/serve/model_list.h"
#include "ui/shell/model_path.h"
#include "ui/shell/preferences.h"
#include "ui/shell/theme.h"

namespace pitwall::ui {

ModelChooser::ModelChooser(Preferences& preferences, QWidget* page)
    : QObject(page),
      preferences_(preferences),
      page_(page),
      box_(new QComboBox(page)),
      list_(new ModelList(page)),
      card_(new ModelCard(page)) {
  box_->setObjectName(QStringLiteral("serve.model"));
  box_->setAccessibleName(tr("Model"));
  box_->setAccessibleDescription(tr("The model to serve."));
  box_->setMinimumWidth(units(48));
  box_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  connect(box_, &QComboBox::activated, this, [this](int index) {
    const QString path = box_->itemData(index).toString();
    fill_box();
    path.isEmpty() ? open_file() : choose(path);
  });
  connect(list_, &ModelList::chosen, this, &ModelChooser::choose);
  connect(list_, &ModelList::open_requested, this, &ModelChooser::open_file);
  connect(list_, &ModelList::fetched, this, [this](const QString& path) {
    scan();
    choose(path);
  });
}

void ModelChooser::choose(const QString& path) {
  if (path.isEmpty() || path == model_) return;
  model_ = path;
  fill_box();
  read_facts();
  Q_EMIT chosen();
}

void ModelChooser::scan() {
  errands_.send([this, scan = ++scans_, model = model_, recent = preferences_.remembered_models(),
                 folders = preferences_.model_folders()]() -> Errands::Answer {
    auto models = find_models(recent, folders);
    const bool there = QFileInfo::exists(model);
    return [this, scan, model, there, models = std::move(models)] {
      if (scan != scans_) return;
      list_->set_models(models);
      fill_box();
      if (!model.isEmpty() && model == model_ && there != was_there_) read_facts();
    };
  });
}

void ModelChooser::fill_box() {
  list_->set_current(model_);
  const QSignalBlocker quiet(box_);
  box_->clear();
  QStringList paths = list_->paths();
  if (!model_.isEmpty() && !paths.contains(model_)) paths.prepend(model_);
  for (const QString& path : paths) box_->addItem(model_name(path), path);
  box_->addItem(tr("Open…"));
  box_->setCurrentIndex(static_cast<int>(paths.indexOf(model_)));
  box_->setPlaceholderText(tr("No model chosen"));
}

void ModelChooser::read_facts() {
  card_->show_reading(model_);
  errands_.send([this, path = model_, asked = ++asked_]() -> Errands::Answer {
    const bool there = QFileInfo::exists(path);
    auto facts = read_model_facts(path);
    return [this, path, asked, there, facts = std::move(facts)] {
      if (asked != asked_) return;
      was_there_ = there;
      if (facts)
        card_->show_facts(path, *facts);
      else
        card_->show_error(path, QString::fromStdString(facts.error().text()));
    };
  });
}

void ModelChooser::open_file() {
  const QString path =
      QFileDialog::getOpenFileName(page_, tr("Open a model"), QFileInfo(model_).absolutePath(),
                                   tr("Models (*.gguf config.json);;All files (*)"));
  if (path.isEmpty()) return;
  const QFileInfo file(path);
  choose(file.fileName() == QLatin1String("config.json") ? file.absolutePath() : path);
}

}  // namespace pitwall::ui
