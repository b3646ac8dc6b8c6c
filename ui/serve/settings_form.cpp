// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/settings_form.h"

#include <QAbstractItemView>
#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QScrollArea>
#include <QStyle>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/serve/engine.h"
#include "ui/shell/theme.h"
#include "ui/widgets/engine_words.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

constexpr double kNameUnits = 28, kFieldUnits = 25.5;
constexpr double kLeastHeight = 48;  // units, of the list: six settings

QString qs(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// The model has its own selector in the top bar.
bool shown(const SettingInfo& info) {
  return info.name != "model";
}

QString tip_of(const SettingInfo& info) {
  QStringList lines{engine_words(info.help)};
  if (info.minimum != 0 || info.maximum != 0) {
    const auto bound = [&](double value) {
      return info.type == SettingType::size ? bytes_text(static_cast<Bytes>(value))
                                            : count_text(static_cast<qint64>(value));
    };
    lines << SettingsForm::tr("From %1 to %2 %3.")
                 .arg(bound(info.minimum), bound(info.maximum),
                      info.type == SettingType::size ? QString() : engine_words(info.unit));
  }
  if (!info.default_text.empty()) lines << SettingsForm::tr("Default: %1.").arg(qs(info.default_text));
  return lines.join(QLatin1Char('\n'));
}

bool is_count(const SettingInfo& info) {
  const bool whole = info.type == SettingType::integer && info.name != "port";
  return whole || (info.type == SettingType::real && info.unit == "ms");
}

/// "16777216" of a size setting reads "16.0 MiB", a count gets its thousands.
QString effective_text(const SettingInfo& info, const std::string& value) {
  if (info.type == SettingType::size) {
    const Result<Bytes> bytes = parse_size(value);
    return bytes ? bytes_text(*bytes) : QString::fromStdString(value);
  }
  bool number = false;
  const qint64 whole = QString::fromStdString(value).toLongLong(&number);
  return number && is_count(info) ? count_text(whole) : QString::fromStdString(value);
}

/// What the settings read, also of a count as people write it.
std::string plain_text(const SettingInfo& info, const QString& text) {
  const QString bare = QString(text).remove(QLocale().groupSeparator());
  const bool decimal = info.type == SettingType::real && count_text(bare.toLongLong()) != text;
  return (is_count(info) && !decimal ? bare : text).toStdString();
}

}  // namespace

SettingsForm::SettingsForm(QWidget* parent) : Card(tr("Settings"), {}, {}, parent) {
  setObjectName(QStringLiteral("serve.settings"));
  changes_ = new Label({}, FontRole::small, Colour::muted, this);
  add_header_widget(changes_);
  defaults_ = new QPushButton(tr("Defaults"), this);
  defaults_->setObjectName(QStringLiteral("serve.settings.defaults"));
  defaults_->setProperty("compact", true);
  defaults_->setToolTip(tr("Sets all settings back to their defaults."));
  connect(defaults_, &QPushButton::clicked, this, &SettingsForm::reset);
  add_header_widget(defaults_);

  inside_ = new QWidget;
  scroll_ = new QScrollArea(this);
  scroll_->setProperty("bare", true);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setWidgetResizable(true);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->setFocusPolicy(Qt::NoFocus);
  scroll_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Ignored);
  scroll_->setMinimumHeight(units(kLeastHeight));
  scroll_->viewport()->setBackgroundRole(QPalette::Base);
  scroll_->setWidget(inside_);
  inside_->setBackgroundRole(QPalette::Base);
  inside_->setAutoFillBackground(true);
  body()->addWidget(scroll_, 1);
  body()->addWidget(make_buttons());

  for (const SettingInfo& info : setting_table())
    if (shown(info)) add_row(info);
  arrange();
  show_changes();
  connect(&Theme::current(), &Theme::changed, this, &SettingsForm::show_changes);  // after the labels' own
}

QWidget* SettingsForm::make_buttons() {
  buttons_ = new QWidget(this);
  auto* column = new QVBoxLayout(buttons_);
  column->setContentsMargins(0, units(1), 0, 0);
  column->setSpacing(units(1));
  restart_note_ =
      new Label(tr("△ Some of them wait for a restart."), FontRole::small, Colour::warn, buttons_);
  column->addWidget(restart_note_);
  auto* row = new QHBoxLayout;
  row->setSpacing(units(2));
  const auto button = [&](const char* name, const QString& text, void (SettingsForm::*act)()) {
    auto* made = new QPushButton(text, buttons_);
    made->setObjectName(QString::fromLatin1(name));
    made->setProperty("compact", true);
    connect(made, &QPushButton::clicked, this, act);
    row->addWidget(made);
    return made;
  };
  apply_ = button("serve.settings.apply", {}, &SettingsForm::apply);
  apply_->setProperty("primary", true);
  apply_->setToolTip(tr("In force from the next step; a line on every chart marks it. Ctrl+Enter"));
  restart_ = button("serve.settings.restart", tr("Restart with this"), &SettingsForm::restart_asked);
  restart_->setToolTip(tr("Stops the engine, which ends its run, and starts it with these settings."));
  revert_ = button("serve.settings.revert", tr("Revert"), &SettingsForm::revert);
  revert_->setToolTip(tr("The fields say again what is in force."));
  row->addStretch(1);
  column->addLayout(row);
  return buttons_;
}

void SettingsForm::add_row(const SettingInfo& info) {
  const std::size_t index = rows_.size();
  auto* name = new Label(qs(info.name), FontRole::small, Colour::text, inside_);
  name->setWordWrap(true);  // at its hyphens
  name->setMinimumWidth(units(kNameUnits));
  auto* lock = new Label({}, FontRole::small, Colour::muted, inside_);
  const int size = QFontMetrics(lock->font()).height();
  lock->setPixmap(icon(QStringLiteral("lock"), Colour::muted).pixmap(size, size));
  lock->setToolTip(tr("Changes with a restart."));
  QSizePolicy keeps_its_room = lock->sizePolicy();
  keeps_its_room.setRetainSizeWhenHidden(true);
  lock->setSizePolicy(keeps_its_room);
  auto* trouble = new Label({}, FontRole::small, Colour::bad, inside_);
  trouble->setWordWrap(true);
  trouble->hide();
  auto* effective = new ElidedLabel({}, FontRole::small, Colour::muted, inside_);
  rows_.push_back({&info, name, nullptr, lock, effective, trouble});
  QWidget* field = rows_[index].field = make_field(info, index);
  field->setObjectName(QStringLiteral("serve.setting.") + qs(info.name));
  field->setAccessibleName(qs(info.name));
  field->setAccessibleDescription(engine_words(info.help));
  field->installEventFilter(this);
  for (QWidget* widget : {static_cast<QWidget*>(name), field}) widget->setToolTip(tip_of(info));
  name->setBuddy(field);
  show_value(rows_[index]);
}

void SettingsForm::add_heading(const QString& name) {
  const int row = grid_->rowCount();
  const auto head = [&](const QString& text, int column, Qt::Alignment side) {
    auto* label = new Label(text, FontRole::small, Colour::muted, inside_);
    QFont font = label->font();
    font.setWeight(QFont::DemiBold);
    label->setFont(font);
    grid_->addWidget(label, row, column, 1, column == 0 ? 2 : 1, side | Qt::AlignBottom);
    headings_.push_back(label);
    label->show();
  };
  const bool first = headings_.empty();
  grid_->setRowMinimumHeight(row, first ? 0 : units(7));
  head(name, 0, Qt::AlignLeft);
  if (!first) return;
  head(tr("requested"), 2, Qt::AlignRight);
  head(tr("effective"), 3, Qt::AlignRight);
}

void SettingsForm::arrange() {
  for (QWidget* heading : headings_) delete heading;
  headings_.clear();
  delete grid_;  // a grid never forgets the rows it had
  grid_ = new QGridLayout(inside_);
  grid_->setContentsMargins(0, 0, units(1), 0);
  grid_->setHorizontalSpacing(units(1.5));
  grid_->setVerticalSpacing(units(1));
  grid_->setColumnStretch(0, 1);
  grid_->setColumnMinimumWidth(2, units(kFieldUnits));
  const bool serving = lock_ == Lock::serving;
  const QFontMetrics metrics(Theme::current().font(FontRole::small));
  grid_->setColumnMinimumWidth(3, metrics.horizontalAdvance(QStringLiteral("continuous")) + units(0.5));
  const auto place = [this](const Row& row) {
    const int at = grid_->rowCount();
    grid_->addWidget(row.name, at, 0);
    grid_->addWidget(row.lock, at, 1);
    grid_->addWidget(row.field, at, 2);
    grid_->addWidget(row.effective, at, 3, Qt::AlignRight | Qt::AlignVCenter);
    grid_->addWidget(row.trouble, at + 1, 0, 1, 4);
    row.lock->setVisible(lock_ == Lock::serving && !row.info->live);
  };
  QWidget* before = nullptr;
  const auto pass = [&](bool live, bool all) {
    std::string_view group;
    for (const Row& row : rows_) {
      if (!all && row.info->live != live) continue;
      if (!live && row.info->group != group) add_heading(engine_words(group = row.info->group));
      place(row);
      if (before) QWidget::setTabOrder(before, row.field);
      before = row.field;
    }
  };
  if (serving) {
    add_heading(tr("Change while it serves"));
    pass(true, false);
  }
  pass(false, !serving);
  for (QWidget* button : {apply_, restart_, revert_}) {
    QWidget::setTabOrder(before, button);
    before = button;
  }
  grid_->setRowStretch(grid_->rowCount(), 1);
  // Only the height scrolls.
  scroll_->setMinimumWidth(grid_->minimumSize().width() + style()->pixelMetric(QStyle::PM_ScrollBarExtent));
}

QWidget* SettingsForm::make_field(const SettingInfo& info, std::size_t row) {
  if (info.type == SettingType::flag) {
    auto* box = new QCheckBox(inside_);
    connect(box, &QCheckBox::toggled, this,
            [=, this](bool on) { take(row, on ? QStringLiteral("true") : QStringLiteral("false")); });
    return box;
  }
  if (!info.choices.empty()) {
    auto* box = new QComboBox(inside_);
    box->setProperty("compact", true);
    for (const QString& choice : qs(info.choices).split(QLatin1Char('|'))) box->addItem(choice);
    box->setFont(Theme::current().font(FontRole::small));
    box->setMinimumContentsLength(1);  // the longest choices are cut, and whole in the list
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->view()->setMinimumWidth(box->view()->sizeHintForColumn(0) + units(3));
    connect(box, &QComboBox::textActivated, this, [=, this](const QString& text) { take(row, text); });
    return box;
  }
  auto* edit = new QLineEdit(inside_);
  edit->setProperty("compact", true);
  if (info.type != SettingType::text) edit->setAlignment(Qt::AlignRight);
  if (info.secret) edit->setEchoMode(QLineEdit::Password);
  connect(edit, &QLineEdit::textEdited, this, [=, this](const QString& text) { type(row, text.trimmed()); });
  connect(edit, &QLineEdit::editingFinished, this, [=, this] { take(row, edit->text().trimmed()); });
  return edit;
}

void SettingsForm::show_value(const Row& row) {
  const QString text = QString::fromStdString(settings_.display(row.info->name));
  const QSignalBlocker quiet(row.field);
  if (auto* box = qobject_cast<QCheckBox*>(row.field)) box->setChecked(settings_.flag(row.info->name));
  if (auto* combo = qobject_cast<QComboBox*>(row.field)) combo->setCurrentText(text);
  if (auto* edit = qobject_cast<QLineEdit*>(row.field); edit && !row.info->secret)
    edit->setText(is_count(*row.info) ? effective_text(*row.info, text.toStdString()) : text);
}

/// What can be applied is offered at once. Half a value is none yet: the one in force stands meanwhile.
void SettingsForm::type(std::size_t index, const QString& text) {
  const SettingInfo& info = *rows_[index].info;
  if (lock_ != Lock::serving || info.secret) return;
  if (!settings_.set(info.name, plain_text(info, text)))
    if (!settings_.set(info.name, in_force_.display(info.name))) settings_.reset(info.name);
  show_changes();
}

void SettingsForm::take(std::size_t index, const QString& text) {
  Row& row = rows_[index];
  const QString before = QString::fromStdString(settings_.display(row.info->name));
  const Result<void> result = settings_.set(row.info->name, plain_text(*row.info, text));
  show_trouble(row, result);
  if (!result) return;
  show_value(row);
  if (QString::fromStdString(settings_.display(row.info->name)) == before && !row.info->secret) return;
  if (lock_ != Lock::serving) row.effective->clear();
  show_changes();
  if (lock_ != Lock::serving) Q_EMIT edited();
}

bool SettingsForm::is_pending(const Row& row) const {
  return lock_ == Lock::serving && settings_.display(row.info->name) != in_force_.display(row.info->name);
}

int SettingsForm::pending() const {
  return static_cast<int>(
      std::count_if(rows_.begin(), rows_.end(), [this](const Row& row) { return is_pending(row); }));
}

void SettingsForm::apply() {
  for (const Row& row : rows_)
    if (row.info->live && is_pending(row))
      Q_EMIT change_asked(std::string(row.info->name), settings_.display(row.info->name));
}

void SettingsForm::revert() {
  set_settings(Settings(in_force_));
}

void SettingsForm::reset() {
  const Settings before = settings_;
  restore(Settings());
  Q_EMIT was_reset(before);
}

void SettingsForm::restore(const Settings& settings) {
  set_settings(settings);
  Q_EMIT edited();
}

bool SettingsForm::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress) {
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
    if (enter && (key->modifiers() & Qt::ControlModifier) && lock_ == Lock::serving) {
      if (auto* edit = qobject_cast<QLineEdit*>(watched)) Q_EMIT edit->editingFinished();
      apply();
      return true;
    }
    if (enter && qobject_cast<QLineEdit*>(watched)) {
      Q_EMIT static_cast<QLineEdit*>(watched)->editingFinished();
      focusNextChild();
      return true;
    }
  }
  return Card::eventFilter(watched, event);
}

void SettingsForm::show_trouble(Row& row, const Result<void>& result) {
  row.trouble->setVisible(!result.ok());
  if (!result) row.trouble->setText(QString::fromStdString(result.error().text()));
  row.field->setAccessibleDescription(result ? description_of(row) : row.trouble->text());
}

void SettingsForm::show_answer(const std::string& name, const std::string& text, const Result<void>& result) {
  const auto row =
      std::find_if(rows_.begin(), rows_.end(), [&](const Row& each) { return each.info->name == name; });
  if (row == rows_.end()) return;
  show_trouble(*row, result);
  if (!result || !in_force_.set(name, text)) return;
  row->effective->setText(effective_text(*row->info, in_force_.display(name)));
  row->effective->set_colour(Colour::text);
  show_changes();
  Q_EMIT edited();
}

Result<void> SettingsForm::set(std::string_view name, std::string_view text) {
  Settings changed = settings_;
  if (Result<void> result = changed.set(name, text); !result) return result;
  set_settings(changed);
  return {};
}

void SettingsForm::set_settings(const Settings& settings) {
  settings_ = settings;
  for (Row& row : rows_) {
    row.trouble->hide();
    show_value(row);
  }
  show_changes();
}

bool SettingsForm::complete() {
  // A field that still has the focus has not been read yet.
  if (auto* edit = qobject_cast<QLineEdit*>(focusWidget()); edit && isAncestorOf(edit))
    Q_EMIT edit->editingFinished();
  for (const Row& row : rows_)
    if (!row.trouble->isHidden()) {
      focus_setting(row.info->name);
      return false;
    }
  return true;
}

void SettingsForm::focus_setting(std::string_view name) {
  for (const Row& row : rows_)
    if (row.info->name == name) {
      scroll_->ensureWidgetVisible(row.field);
      row.field->setFocus(Qt::OtherFocusReason);
    }
}

void SettingsForm::show_effective(Row& row, const Engine& engine, int port) {
  const QString wished = QString::fromStdString(in_force_.display(row.info->name));
  if (row.info->secret || wished.isEmpty()) return;
  const bool is_port = row.info->name == "port";
  const QString text =
      is_port ? QString::number(port) : effective_text(*row.info, engine.effective(row.info->name));
  const bool any_port = is_port && in_force_.integer("port") == 0;
  const bool differs = !any_port && !in_force_.is_auto(row.info->name) &&
                       text != effective_text(*row.info, wished.toStdString());
  row.effective->setText(differs ? QStringLiteral("△ ") + text : text);
  row.effective->set_colour(differs ? Colour::warn : Colour::text);
}

void SettingsForm::serve(const Engine& engine, int port) {
  in_force_ = engine.settings();
  port_ = port;
  lap_ = 2;
  set_lock(Lock::serving);
  for (Row& row : rows_) show_effective(row, engine, port);
}

void SettingsForm::follow(const Engine& engine, int lap) {
  if (lock_ != Lock::serving) return;
  lap_ = lap;
  const Settings now = engine.settings();
  for (Row& row : rows_) {
    const std::string_view name = row.info->name;
    if (row.info->secret || now.display(name) == in_force_.display(name)) continue;
    if (!is_pending(row) && settings_.set(name, now.display(name))) show_value(row);
  }
  in_force_ = now;
  for (Row& row : rows_) show_effective(row, engine, port_);
  show_changes();
}

void SettingsForm::lock_while_loading() {
  set_lock(Lock::loading);
}
void SettingsForm::unlock() {
  set_lock(Lock::open);
}

void SettingsForm::clear_effective() {
  for (Row& row : rows_) row.effective->clear();
}

void SettingsForm::set_lock(Lock lock) {
  if (lock == lock_) return;
  lock_ = lock;
  if (lock == Lock::open) set_settings(Settings(settings_));  // what was not understood goes
  // All of them in one: a field that is locked alone hands its focus to the next, which scrolls to it.
  if (QWidget* focused = window()->focusWidget(); lock == Lock::loading && inside_->isAncestorOf(focused))
    held_ = focused;
  inside_->setEnabled(lock != Lock::loading);
  set_title(lock == Lock::serving ? tr("Live settings") : tr("Settings"));
  arrange();
  if (lock == Lock::serving) scroll_->ensureVisible(0, 0);
  show_changes();
  if (lock != Lock::loading && held_) give_focus_back();
}

/// Unless somebody took it elsewhere meanwhile.
void SettingsForm::give_focus_back() {
  QWidget* field = held_;
  held_ = nullptr;
  if (window()->focusWidget() != nullptr) return;
  field->setFocus(Qt::OtherFocusReason);
  grid_->activate();
  scroll_->ensureWidgetVisible(field);
}

/// A dot and the weight mark what is not at its default.
void SettingsForm::show_change(const Row& row) {
  const bool changed = settings_.changed(row.info->name);
  const QString name = qs(row.info->name);
  row.name->setText(changed ? name + QStringLiteral(" •") : name);
  QFont font = Theme::current().font(FontRole::small);
  if (changed) font.setWeight(QFont::DemiBold);
  row.name->setFont(font);
  if (row.trouble->isHidden()) row.field->setAccessibleDescription(description_of(row));
}

QString SettingsForm::description_of(const Row& row) const {
  const QString help = engine_words(row.info->help);
  if (!settings_.changed(row.info->name)) return help;
  const QString usual = qs(row.info->default_text);
  return told({help, usual.isEmpty() ? tr("Changed; it is empty by default.")
                                     : tr("Changed; the default is %1.").arg(usual)});
}

void SettingsForm::show_changes() {
  int live = 0;
  QStringList changed;
  for (const Row& row : rows_) {
    show_change(row);
    if (settings_.changed(row.info->name)) changed << qs(row.info->name);
    const bool waits = is_pending(row);
    live += waits && row.info->live ? 1 : 0;
    if (row.field->property("pending").toBool() == waits) continue;
    row.field->setProperty("pending", waits);
    row.field->update();
  }
  const int waiting = pending();
  buttons_->setVisible(lock_ == Lock::serving && waiting > 0);
  apply_->setText(tr("Apply as lap %1").arg(lap_));
  apply_->setVisible(live > 0);
  restart_->setVisible(waiting > live);
  restart_note_->setVisible(waiting > live);
  defaults_->setVisible(lock_ == Lock::open && !changed.isEmpty());
  changes_->setText(waiting > 0         ? tr("%n pending", nullptr, waiting)
                    : changed.isEmpty() ? tr("all defaults")
                                        : tr("%n changed", nullptr, static_cast<int>(changed.size())));
  changes_->setToolTip(changed.join(QLatin1Char('\n')));
}

/// Cards that come beside it take of its height: the field in use stays in sight.
void SettingsForm::resizeEvent(QResizeEvent* event) {
  Card::resizeEvent(event);
  QMetaObject::invokeMethod(
      this,
      [this] {
        QWidget* field = window()->focusWidget();
        if (field != nullptr && scroll_->widget()->isAncestorOf(field)) scroll_->ensureWidgetVisible(field);
      },
      Qt::QueuedConnection);
}

}  // namespace pitwall::ui
