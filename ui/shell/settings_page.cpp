// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/settings_page.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

#include "engine/base/file.h"
#include "engine/library/models_folder.h"
#include "engine/store/store.h"
#include "ui/shell/engine_controller.h"
#include "ui/shell/preferences.h"
#include "ui/shell/theme.h"
#include "ui/widgets/card.h"

namespace pitwall::ui {

namespace {

constexpr int kRates[] = {4, 5, 10};

QString path_text(const std::filesystem::path& path) {
  return QString::fromStdString(path.string());
}

}  // namespace

SettingsPage::SettingsPage(EngineController& engine, Preferences& preferences, QWidget* parent)
    : Page(parent), engine_(engine), preferences_(preferences) {
  setObjectName(QStringLiteral("settings"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(units(3), units(2.5), units(3), units(2.5));
  column->setSpacing(units(2.5));
  for (QWidget* card : {make_view_card(), make_folders_card(), make_about_card()}) {
    card->setMaximumWidth(units(180));
    column->addWidget(card);
  }
  column->addStretch(1);
}

QWidget* SettingsPage::make_view_card() {
  auto* card = new Card(tr("View"), {}, {}, this);
  auto* form = new QFormLayout;
  form->setHorizontalSpacing(units(4));
  form->setVerticalSpacing(units(2));
  form->setLabelAlignment(Qt::AlignLeft);
  form->setFormAlignment(Qt::AlignLeft | Qt::AlignTop);
  auto* theme = new QComboBox(this);
  theme->setObjectName(QStringLiteral("settings.theme"));
  theme->setAccessibleName(tr("Theme"));
  theme->addItems({tr("As the system"), tr("Light"), tr("Dark")});
  theme->setCurrentIndex(static_cast<int>(Theme::current().mode()));
  connect(theme, &QComboBox::activated, this, [this](int index) {
    const auto mode = static_cast<ThemeMode>(index);
    preferences_.set_theme(mode);
    Theme::current().set_mode(mode);
  });
  auto* rate = new QComboBox(this);
  rate->setObjectName(QStringLiteral("settings.refresh"));
  rate->setAccessibleName(tr("Refresh"));
  for (const int hz : kRates) rate->addItem(tr("%1 times a second").arg(hz), hz);
  rate->setCurrentIndex(std::max(0, rate->findData(preferences_.refresh_hz())));
  connect(rate, &QComboBox::activated, this, [this, rate] {
    preferences_.set_refresh_hz(rate->currentData().toInt());
    engine_.set_refresh_hz(rate->currentData().toInt());
  });
  for (QComboBox* box : {theme, rate}) box->setMinimumWidth(units(50));
  form->setFieldGrowthPolicy(QFormLayout::FieldsStayAtSizeHint);
  form->addRow(tr("&Theme"), theme);
  form->addRow(tr("&Refresh"), rate);
  add_language(form);
  card->body()->addLayout(form);
  return card;
}

void SettingsPage::add_language(QFormLayout* form) {
  auto* language = new QComboBox(this);
  language->setObjectName(QStringLiteral("settings.language"));
  language->setAccessibleName(tr("Language"));
  language->setMinimumWidth(units(50));
  for (const Language one : kLanguages) language->addItem(language_name(one));
  language->setCurrentIndex(static_cast<int>(preferences_.language()));
  auto* note =
      new Label(tr("A change takes effect at the next start."), FontRole::small, Colour::muted, this);
  language->setAccessibleDescription(note->text());
  connect(language, &QComboBox::activated, this,
          [this](int index) { preferences_.set_language(kLanguages[index]); });
  form->addRow(tr("&Language"), language);
  form->addRow(QString(), note);
}

QWidget* SettingsPage::make_folders_card() {
  auto* card = new Card(tr("Model folders"), {}, tr("Where does the list of models look?"), this);
  folders_ = new QListWidget(this);
  folders_->setObjectName(QStringLiteral("settings.folders"));
  folders_->setAccessibleName(tr("Model folders"));
  folders_->setMaximumHeight(units(30));
  auto* add = new QPushButton(tr("Add folder…"), this);
  remove_ = new QPushButton(tr("Remove"), this);
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(units(2));
  buttons->addWidget(add);
  buttons->addWidget(remove_);
  buttons->addStretch(1);
  card->body()->addWidget(folders_);
  card->body()->addLayout(buttons);
  connect(add, &QPushButton::clicked, this, [this] {
    const QString folder = QFileDialog::getExistingDirectory(this, tr("Add a folder with models"));
    QStringList all = preferences_.model_folders();
    if (folder.isEmpty() || all.contains(folder)) return;
    preferences_.set_model_folders(all << folder);
    show_folders();
  });
  connect(remove_, &QPushButton::clicked, this, [this] {
    QStringList all = preferences_.model_folders();
    all.removeAll(folders_->currentItem()->text());
    preferences_.set_model_folders(all);
    show_folders();
  });
  // The first row is the default folder, which stays.
  connect(folders_, &QListWidget::currentRowChanged, this, [this](int row) { remove_->setEnabled(row > 0); });
  show_folders();
  return card;
}

void SettingsPage::show_folders() {
  folders_->clear();
  folders_->addItem(path_text(default_models_folder()));
  folders_->addItems(preferences_.model_folders());
  folders_->setCurrentRow(0);
  remove_->setEnabled(false);
}

QWidget* SettingsPage::make_about_card() {
  auto* card = new Card(tr("Data"), {}, tr("Where are runs, chats and models kept?"), this);
  auto* form = new QFormLayout;
  form->setHorizontalSpacing(units(4));
  const auto row = [&](const QString& name, const std::filesystem::path& path) {
    auto* value = new Label(path_text(path), FontRole::small, Colour::muted, this);
    value->setTextInteractionFlags(Qt::TextSelectableByMouse);
    form->addRow(new Label(name, FontRole::body, Colour::text, this), value);
  };
  row(tr("Runs and chats"), Store::default_file());
  row(tr("Models"), default_models_folder());
  row(tr("Window settings"), config_folder());
  card->body()->addLayout(form);
  return card;
}

}  // namespace pitwall::ui
