// SPDX-License-Identifier: GPL-3.0-or-later
// What the window remembers between starts: config_folder()/window.ini, and the engine settings beside it.
#pragma once
#include <QByteArray>
#include <QKeySequence>
#include <QSettings>
#include <QStringList>
#include <filesystem>
#include <optional>

#include "engine/settings/settings.h"
#include "ui/shell/language.h"
#include "ui/shell/theme.h"

namespace pitwall::ui {

/// What sends a message of a chat. With `enter`, Shift+Enter begins a line; Ctrl+Enter sends always.
enum class SendKey { ctrl_enter, enter };

/// UI thread only. Writes through at each change.
class Preferences {
 public:
  Preferences();  ///< in config_folder()
  explicit Preferences(const std::filesystem::path& folder);

  ThemeMode theme() const;
  void set_theme(ThemeMode mode);
  Language language() const;
  void set_language(Language language);  ///< from the next start on
  int refresh_hz() const;                ///< 4 … 10
  void set_refresh_hz(int hz);
  SendKey send_key() const;
  void set_send_key(SendKey chosen);
  QByteArray geometry() const;
  void set_geometry(const QByteArray& geometry);
  QString last_page() const;
  void set_last_page(const QString& id);

  int text_percent() const;  ///< of the system's text size, 100 … 150
  void set_text_percent(int percent);
  bool notifications() const;  ///< by the desktop, while another window is in use
  void set_notifications(bool on);
  /// The user's key for an action; an empty one: none; nullopt: the usual ones.
  std::optional<QKeySequence> shortcut(const QString& action) const;
  void set_shortcut(const QString& action, const std::optional<QKeySequence>& key);
  QStringList recent_commands() const;  ///< of the palette, newest first, at most 8
  void add_recent_command(const QString& id);
  /// Of a splitter, table, tab bar or folded section, by its object name.
  QVariant layout(const QString& widget) const;
  void set_layout(const QString& widget, const QVariant& layout);
  void forget_layout();  ///< of all, and the window's geometry

  QStringList remembered_models() const;  ///< recent ones, newest first, at most 8
  QStringList recent_models() const;      ///< of them those whose files are there
  void add_recent_model(const QString& path);
  QStringList model_folders() const;  ///< beside the default one
  void set_model_folders(const QStringList& folders);
  QString last_deployment() const;  ///< name of the one that was planned last
  void set_last_deployment(const QString& name);

  QString objectives() const;  ///< of goodput, "ttft:200 tpot:50"; may be empty
  void set_objectives(const QString& words);

  /// Defaults where nothing was saved, or where the file cannot be read; `trouble` says why.
  Settings engine_settings(QString* trouble = nullptr) const;
  Result<void> set_engine_settings(const Settings& settings);  ///< secrets are not kept

 private:
  std::filesystem::path folder_;
  QSettings file_;
};

}  // namespace pitwall::ui
