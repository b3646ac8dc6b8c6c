// SPDX-License-Identifier: GPL-3.0-or-later
// The engine's settings as a form, made from the one table: name, requested, effective.
#pragma once
#include <QPointer>
#include <vector>

#include "engine/settings/settings.h"
#include "ui/widgets/card.h"

class QGridLayout;
class QPushButton;
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

  /// While serving: live settings stand first, an edit waits for Apply, and the others ask for a restart;
  /// effective values are shown. `port`: the one listened on.
  void serve(const Engine& engine, int port);
  /// What is in force has changed, perhaps not from here. `lap`: that the next change begins.
  void follow(const Engine& engine, int lap);
  /// The engine's answer to change_asked().
  void show_answer(const std::string& name, const std::string& text, const Result<void>& result);
  void lock_while_loading();
  void unlock();  ///< the last effective values stay
  void clear_effective();
  int pending() const;                     ///< edits that wait for Apply or a restart
  void apply();                            ///< asks for what is pending and live
  void revert();                           ///< the fields say again what is in force
  void reset();                            ///< to the defaults, while nothing serves
  void restore(const Settings& settings);  ///< after a reset, as if each were typed

 Q_SIGNALS:
  void was_reset(const pitwall::Settings& before);
  void edited();
  void change_asked(const std::string& name, const std::string& text);  ///< of a live setting while serving
  void restart_asked();                                                 ///< with settings()

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;  ///< of the fields: Ctrl+Enter, Enter

 private:
  struct Row {
    const SettingInfo* info;
    Label* name;
    QWidget* field;
    Label *lock, *effective, *trouble;
  };
  enum class Lock { open, loading, serving };
  void add_row(const SettingInfo& info);
  void arrange();  ///< rows under their groups; while serving the live ones first
  void add_heading(const QString& name);
  QWidget* make_field(const SettingInfo& info, std::size_t row);
  QWidget* make_buttons();
  void show_value(const Row& row);
  void show_effective(Row& row, const Engine& engine, int port);
  void type(std::size_t row, const QString& text);  ///< while it is typed
  void take(std::size_t row, const QString& text);
  bool is_pending(const Row& row) const;
  void set_lock(Lock lock);
  void give_focus_back();
  QString description_of(const Row& row) const;
  void show_changes();
  void show_change(const Row& row);
  void show_trouble(Row& row, const Result<void>& result);

  Settings settings_;  ///< as the fields say
  Settings in_force_;  ///< while serving
  Lock lock_ = Lock::open;
  int lap_ = 2, port_ = 0;
  std::vector<Row> rows_;
  std::vector<QWidget*> headings_;
  QWidget* inside_;
  QGridLayout* grid_ = nullptr;
  QScrollArea* scroll_;
  Label *changes_, *restart_note_;
  QWidget* buttons_;
  QPushButton *apply_, *restart_, *revert_, *defaults_;
  QPointer<QWidget> held_;  ///< had the focus when a load locked the fields
};

}  // namespace pitwall::ui
