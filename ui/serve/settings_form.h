// SPDX-License-Identifier: GPL-3.0-or-later
// The engine's settings as a form, made from the one table: name, requested, effective.
#pragma once
#include <vector>

#include "engine/settings/settings.h"
#include "ui/widgets/card.h"

class QGridLayout;
class QScrollArea;

namespace pitwall {
class Engine;
}

namespace pitwall::ui {

class SettingsForm : public Card {
  Q_OBJECT

 public:
  explicit SettingsForm(QWidget* parent = nullptr);

  const Settings& settings() const { return settings_; }
  void set_settings(const Settings& settings);
  Result<void> set(std::string_view name, std::string_view text);  ///< as if typed
  bool complete();  ///< false: a field holds a value that is not understood; it gets the focus
  void focus_setting(std::string_view name);

  /// While serving: only live settings can be edited, effective values are shown; `port`: the one listened
  /// on.
  void lock(const Engine* engine, int port);
  /// The engine's answer to change_asked().
  void show_answer(const std::string& name, const std::string& text, const Result<void>& result);
  void lock_while_loading();
  void unlock();  ///< the last effective values stay

 Q_SIGNALS:
  void edited();
  void change_asked(const std::string& name, const std::string& text);  ///< of a live setting while serving

 private:
  struct Row {
    const SettingInfo* info;
    QWidget* field;
    Label *effective, *trouble;
  };
  void add_group(const QString& name);
  void add_row(const SettingInfo& info);
  QWidget* make_field(const SettingInfo& info, std::size_t row);
  void show_value(const Row& row);
  void take(std::size_t row, const QString& text);
  enum class Lock { open, all, all_but_live };
  void set_lock(Lock lock);
  void show_changes();
  void show_trouble(Row& row, const Result<void>& result);

  Settings settings_;
  Lock lock_ = Lock::open;
  std::vector<Row> rows_;
  QGridLayout* grid_;
  QScrollArea* scroll_;
  Label *changes_, *lock_note_;
};

}  // namespace pitwall::ui
