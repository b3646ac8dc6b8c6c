// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/preferences.h"

#include <QFileInfo>
#include <algorithm>

#include "engine/base/file.h"

namespace pitwall::ui {

namespace {

constexpr int kRecentModels = 8, kRecentCommands = 8;
constexpr const char* kThemeNames[] = {"auto", "light", "dark"};

QString key(const char* name) {
  return QString::fromLatin1(name);
}

}  // namespace

Preferences::Preferences() : Preferences(config_folder()) {}

Preferences::Preferences(const std::filesystem::path& folder)
    : folder_(folder),
      file_(QString::fromStdString((folder / "window.ini").string()), QSettings::IniFormat) {}

ThemeMode Preferences::theme() const {
  const QString name = file_.value(key("theme")).toString();
  for (int i = 0; i < 3; ++i)
    if (name == QLatin1String(kThemeNames[i])) return static_cast<ThemeMode>(i);
  return ThemeMode::automatic;
}

void Preferences::set_theme(ThemeMode mode) {
  file_.setValue(key("theme"), QLatin1String(kThemeNames[static_cast<int>(mode)]));
}

Language Preferences::language() const {
  return language_of(file_.value(key("language")).toString()).value_or(Language::automatic);
}
void Preferences::set_language(Language language) {
  file_.setValue(key("language"), language_code(language));
}

int Preferences::refresh_hz() const {
  return std::clamp(file_.value(key("refresh_hz"), 4).toInt(), 4, 10);
}
void Preferences::set_refresh_hz(int hz) {
  file_.setValue(key("refresh_hz"), hz);
}
SendKey Preferences::send_key() const {
  return file_.value(key("send_key")).toString() == key("enter") ? SendKey::enter : SendKey::ctrl_enter;
}
void Preferences::set_send_key(SendKey chosen) {
  file_.setValue(key("send_key"), chosen == SendKey::enter ? key("enter") : key("ctrl_enter"));
}
QByteArray Preferences::geometry() const {
  return file_.value(key("geometry")).toByteArray();
}
void Preferences::set_geometry(const QByteArray& geometry) {
  file_.setValue(key("geometry"), geometry);
}
QString Preferences::last_page() const {
  return file_.value(key("page")).toString();
}
void Preferences::set_last_page(const QString& id) {
  file_.setValue(key("page"), id);
}

int Preferences::text_percent() const {
  return std::clamp(file_.value(key("text_percent"), 100).toInt(), 100, 150);
}
void Preferences::set_text_percent(int percent) {
  file_.setValue(key("text_percent"), percent);
}
bool Preferences::notifications() const {
  return file_.value(key("notifications"), true).toBool();
}
void Preferences::set_notifications(bool on) {
  file_.setValue(key("notifications"), on);
}
std::optional<QKeySequence> Preferences::shortcut(const QString& action) const {
  const QVariant kept = file_.value(key("shortcuts/") + action);
  if (!kept.isValid()) return std::nullopt;
  return QKeySequence(kept.toString(), QKeySequence::PortableText);
}
void Preferences::set_shortcut(const QString& action, const std::optional<QKeySequence>& sequence) {
  if (sequence)
    file_.setValue(key("shortcuts/") + action, sequence->toString(QKeySequence::PortableText));
  else
    file_.remove(key("shortcuts/") + action);
}

QStringList Preferences::recent_commands() const {
  return file_.value(key("recent_commands")).toStringList();
}
void Preferences::add_recent_command(const QString& id) {
  QStringList commands = recent_commands();
  commands.removeAll(id);
  commands.prepend(id);
  file_.setValue(key("recent_commands"), QStringList(commands.mid(0, kRecentCommands)));
}

QVariant Preferences::layout(const QString& widget) const {
  return file_.value(key("layout/") + widget);
}
void Preferences::set_layout(const QString& widget, const QVariant& layout) {
  file_.setValue(key("layout/") + widget, layout);
}
void Preferences::forget_layout() {
  file_.remove(key("layout"));
  file_.remove(key("geometry"));
}

QStringList Preferences::remembered_models() const {
  return file_.value(key("recent_models")).toStringList();
}

QStringList Preferences::recent_models() const {
  QStringList models = remembered_models();
  models.removeIf([](const QString& path) { return !QFileInfo::exists(path); });
  return models;
}

void Preferences::add_recent_model(const QString& path) {
  QStringList models = remembered_models();
  models.removeAll(path);
  models.prepend(path);
  file_.setValue(key("recent_models"), QStringList(models.mid(0, kRecentModels)));
}

QString Preferences::objectives() const {
  return file_.value(key("objectives")).toString();
}
void Preferences::set_objectives(const QString& words) {
  file_.setValue(key("objectives"), words);
}

QStringList Preferences::model_folders() const {
  return file_.value(key("model_folders")).toStringList();
}
void Preferences::set_model_folders(const QStringList& folders) {
  file_.setValue(key("model_folders"), folders);
}

QString Preferences::last_deployment() const {
  return file_.value(key("last_deployment")).toString();
}
void Preferences::set_last_deployment(const QString& name) {
  file_.setValue(key("last_deployment"), name);
}

Settings Preferences::engine_settings(QString* trouble) const {
  Settings settings;
  const std::filesystem::path path = folder_ / "settings.json";
  if (!std::filesystem::exists(path)) return settings;
  const auto json = read_file(path);
  const Result<void> loaded = json ? settings.load_json(*json) : Result<void>(json.error());
  if (!loaded && trouble) *trouble = QString::fromStdString(loaded.error().text());
  return loaded ? settings : Settings();
}

Result<void> Preferences::set_engine_settings(const Settings& settings) {
  return write_file_atomic(folder_ / "settings.json", settings.to_json());
}

}  // namespace pitwall::ui
