// SPDX-License-Identifier: GPL-3.0-or-later
// What the window remembers between starts: config_folder()/window.ini, and the engine settings beside it.
#pragma once
#include <QByteArray>
#include <QSettings>
#include <QStringList>
#include <filesystem>

#include "engine/settings/settings.h"
#include "ui/shell/language.h"
#include "ui/shell/theme.h"

namespace pitwall::ui {

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
  QByteArray geometry() const;
  void set_geometry(const QByteArray& geometry);
  QString last_page() const;
  void set_last_page(const QString& id);

  QStringList recent_models() const;  ///< newest first, at most 8; files that are gone are left out
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
