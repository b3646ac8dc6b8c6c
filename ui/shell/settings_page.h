// SPDX-License-Identifier: GPL-3.0-or-later
// The window's own settings: look, notifications, folders with models, shortcuts, records. Those of the
// engine are on the serve page.
#pragma once
#include "ui/shell/page.h"

class QFormLayout;
class QListWidget;
class QPushButton;

namespace pitwall::ui {

class ActionRegistry;
class EngineController;
class Preferences;
class RecordsCard;

class SettingsPage : public Page {
  Q_OBJECT

 public:
  SettingsPage(EngineController& engine, Preferences& preferences, ActionRegistry& registry,
               QWidget* parent = nullptr);
  QString id() const override { return QStringLiteral("settings"); }
  QString title() const override { return tr("Settings"); }
  void activated() override;

 Q_SIGNALS:
  void layout_reset_requested();

 private:
  QWidget* make_view_card();
  void add_theme(QFormLayout* form);
  void add_text_size(QFormLayout* form);
  void add_refresh(QFormLayout* form);
  void add_send_key(QFormLayout* form);
  void add_notifications(QFormLayout* form);
  void add_language(QFormLayout* form);
  QWidget* make_folders_card();
  void show_folders();
  EngineController& engine_;
  Preferences& preferences_;
  QListWidget* folders_ = nullptr;
  QPushButton* remove_ = nullptr;
  RecordsCard* records_;
};

}  // namespace pitwall::ui
