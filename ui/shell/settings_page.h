// SPDX-License-Identifier: GPL-3.0-or-later
// The window's own settings: theme, refresh rate, folders with models. Those of the engine are on the serve
// page.
#pragma once
#include "ui/shell/page.h"

class QComboBox;
class QFormLayout;
class QListWidget;
class QPushButton;

namespace pitwall::ui {

class EngineController;
class Preferences;

class SettingsPage : public Page {
  Q_OBJECT

 public:
  SettingsPage(EngineController& engine, Preferences& preferences, QWidget* parent = nullptr);
  QString id() const override { return QStringLiteral("settings"); }
  QString title() const override { return tr("Settings"); }

 private:
  QWidget* make_view_card();
  void add_language(QFormLayout* form);
  QWidget* make_folders_card();
  QWidget* make_about_card();
  void show_folders();
  EngineController& engine_;
  Preferences& preferences_;
  QListWidget* folders_ = nullptr;
  QPushButton* remove_ = nullptr;
};

}  // namespace pitwall::ui
