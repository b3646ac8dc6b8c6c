// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/settings_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/library/models_folder.h"
#include "ui/shell/about_card.h"
#include "ui/shell/engine_controller.h"
#include "ui/shell/preferences.h"
#include "ui/shell/records_card.h"
#include "ui/shell/shortcut_card.h"
#include "ui/shell/theme.h"
#include "ui/widgets/card.h"

namespace pitwall::ui {

namespace {

constexpr int kRates[] = {4, 5, 6, 8, 10};
constexpr int kTextSizes[] = {100, 110, 125, 150};
constexpr double kFieldUnits = 50, kCardUnits = 220;

}  // namespace

SettingsPage::SettingsPage(EngineController& engine, Preferences& preferences, ActionRegistry& registry,
                           QWidget* parent)
    : Page(parent), engine_(engine), preferences_(preferences), records_(new RecordsCard(this)) {
  setObjectName(QStringLiteral("settings"));
  auto* inside = new QWidget;
  auto* column = new QVBoxLayout(inside);
  column->setContentsMargins(units(3), units(2.5), units(3), units(2.5));
  column->setSpacing(units(2.5));
  for (QWidget* card :
       {make_view_card(), make_folders_card(), static_cast<QWidget*>(new ShortcutCard(registry)),
        static_cast<QWidget*>(records_), static_cast<QWidget*>(new AboutCard)}) {
    card->setMaximumWidth(units(kCardUnits));
    column->addWidget(card);
  }
  column->addStretch(1);
  auto* scroll = new QScrollArea(this);
  scroll->setProperty("bare", true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setFocusPolicy(Qt::NoFocus);
  scroll->setWidget(inside);
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->addWidget(scroll);
}

void SettingsPage::activated() {
  records_->refresh();
}

QWidget* SettingsPage::make_view_card() {
  auto* card = new Card(tr("View"), {}, {}, this);
  auto* form = new QFormLayout;
  form->setHorizontalSpacing(units(4));
  form->setVerticalSpacing(units(2));
  form->setLabelAlignment(Qt::AlignLeft);
  form->setFormAlignment(Qt::AlignLeft | Qt::AlignTop);
  form->setFieldGrowthPolicy(QFormLayout::FieldsStayAtSizeHint);
  add_theme(form);
  add_language(form);
  add_text_size(form);
  add_refresh(form);
  add_send_key(form);
  add_notifications(form);
  auto* reset = new QPushButton(tr("Reset layout"), this);
  reset->setObjectName(QStringLiteral("settings.resetLayout"));
  reset->setAccessibleDescription(tr("Window size, dividers, tabs and columns as shipped"));
  reset->setToolTip(reset->accessibleDescription());
  form->addRow(tr("Layout"), reset);
  connect(reset, &QPushButton::clicked, this, &SettingsPage::layout_reset_requested);
  card->body()->addLayout(form);
  return card;
}

void SettingsPage::add_theme(QFormLayout* form) {
  auto* theme = new QComboBox(this);
  theme->setObjectName(QStringLiteral("settings.theme"));
  theme->setAccessibleName(tr("Theme"));
  theme->addItems({tr("As the system"), tr("Light"), tr("Dark")});
  theme->setCurrentIndex(static_cast<int>(Theme::current().mode()));
  theme->setMinimumWidth(units(kFieldUnits));
  connect(theme, &QComboBox::activated, this, [this](int index) {
    const auto mode = static_cast<ThemeMode>(index);
    preferences_.set_theme(mode);
    Theme::current().set_mode(mode);
  });
  form->addRow(tr("&Theme"), theme);
}

void SettingsPage::add_text_size(QFormLayout* form) {
  auto* size = new QComboBox(this);
  size->setObjectName(QStringLiteral("settings.textSize"));
  size->setAccessibleName(tr("Text size"));
  size->setAccessibleDescription(tr("Of the system's text size, from the next start"));
  for (const int percent : kTextSizes) size->addItem(tr("%1 % of the system's").arg(percent), percent);
  size->setCurrentIndex(std::max(0, size->findData(preferences_.text_percent())));
  size->setMinimumWidth(units(kFieldUnits));
  connect(size, &QComboBox::activated, this, [this, size] {
    preferences_.set_text_percent(size->currentData().toInt());
    Q_EMIT banner_requested(
        {Banner::Severity::good, tr("The text size changes at the next start."), {}, {}, {}});
  });
  form->addRow(tr("Text &size"), size);
}

void SettingsPage::add_refresh(QFormLayout* form) {
  auto* rate = new QComboBox(this);
  rate->setObjectName(QStringLiteral("settings.refresh"));
  rate->setAccessibleName(tr("Refresh"));
  for (const int hz : kRates) rate->addItem(tr("%1 times a second").arg(hz), hz);
  rate->setCurrentIndex(std::max(0, rate->findData(preferences_.refresh_hz())));
  rate->setMinimumWidth(units(kFieldUnits));
  connect(rate, &QComboBox::activated, this, [this, rate] {
    preferences_.set_refresh_hz(rate->currentData().toInt());
    engine_.set_refresh_hz(rate->currentData().toInt());
  });
  form->addRow(tr("&Refresh"), rate);
}

void SettingsPage::add_send_key(QFormLayout* form) {
  auto* send = new QComboBox(this);
  send->setObjectName(QStringLiteral("settings.sendKey"));
  send->setAccessibleName(tr("Send messages with"));
  send->addItems({tr("Ctrl+Enter"), tr("Enter")});
  send->setCurrentIndex(static_cast<int>(preferences_.send_key()));
  send->setMinimumWidth(units(kFieldUnits));
  connect(send, &QComboBox::activated, this,
          [this](int index) { preferences_.set_send_key(static_cast<SendKey>(index)); });
  form->addRow(tr("Send &messages with"), send);
}

void SettingsPage::add_notifications(QFormLayout* form) {
  auto* box = new QCheckBox(tr("When a sweep, a load or a checklist ends in the background"), this);
  box->setObjectName(QStringLiteral("settings.notifications"));
  box->setAccessibleName(tr("Notifications"));
  box->setAccessibleDescription(box->text());
  box->setChecked(preferences_.notifications());
  connect(box, &QCheckBox::toggled, this, [this](bool on) { preferences_.set_notifications(on); });
  form->addRow(tr("&Notifications"), box);
}

void SettingsPage::add_language(QFormLayout* form) {
  auto* language = new QComboBox(this);
  language->setObjectName(QStringLiteral("settings.language"));
  language->setAccessibleName(tr("Language"));
  language->setMinimumWidth(units(kFieldUnits));
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
  add->setObjectName(QStringLiteral("settings.folders.add"));
  remove_ = new QPushButton(tr("Remove"), this);
  remove_->setObjectName(QStringLiteral("settings.folders.remove"));
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
  folders_->addItem(QString::fromStdString(default_models_folder().string()));
  folders_->addItems(preferences_.model_folders());
  folders_->setCurrentRow(0);
  remove_->setEnabled(false);
}

}  // namespace pitwall::ui
