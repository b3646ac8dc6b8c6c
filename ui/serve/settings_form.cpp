// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/settings_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QLineEdit>
#include <QScrollArea>
#include <QStyle>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/serve/engine.h"
#include "ui/shell/theme.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

namespace {

QString qs(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// The model has its own selector in the top bar.
bool shown(const SettingInfo& info) {
  return info.name != "model";
}

QString tip_of(const SettingInfo& info) {
  QStringList lines{qs(info.help)};
  if (info.minimum != 0 || info.maximum != 0) {
    const auto bound = [&](double value) {
      return info.type == SettingType::size ? bytes_text(static_cast<Bytes>(value))
                                            : count_text(static_cast<qint64>(value));
    };
    lines << SettingsForm::tr("From %1 to %2 %3.")
                 .arg(bound(info.minimum), bound(info.maximum),
                      info.type == SettingType::size ? QString() : qs(info.unit));
  }
  if (!info.default_text.empty()) lines << SettingsForm::tr("Default: %1.").arg(qs(info.default_text));
  return lines.join(QLatin1Char('\n'));
}

/// "16777216" of a size setting reads "16.0 MiB", a count gets its thousands.
QString effective_text(const SettingInfo& info, const std::string& value) {
  if (info.type == SettingType::size) {
    const Result<Bytes> bytes = parse_size(value);
    return bytes ? bytes_text(*bytes) : QString::fromStdString(value);
  }
  bool number = false;
  const qint64 whole = QString::fromStdString(value).toLongLong(&number);
  if (!number) return QString::fromStdString(value);
  return info.name == "port" ? QString::number(whole) : count_text(whole);
}

}  // namespace

SettingsForm::SettingsForm(QWidget* parent) : Card(tr("Settings"), {}, {}, parent) {
  setObjectName(QStringLiteral("serve.settings"));
  changes_ = new Label({}, FontRole::small, Colour::muted, this);
  add_header_widget(changes_);
  lock_note_ = new Label(tr("Grey settings are locked until the engine stops; the others change at once."),
                         FontRole::small, Colour::muted, this);
  lock_note_->setWordWrap(true);
  lock_note_->hide();
  body()->addWidget(lock_note_);

  auto* inside = new QWidget;
  grid_ = new QGridLayout(inside);
  grid_->setContentsMargins(0, 0, units(1), 0);
  grid_->setHorizontalSpacing(units(2));
  grid_->setVerticalSpacing(units(1));
  grid_->setColumnStretch(0, 1);
  grid_->setColumnMinimumWidth(1, units(19));
  grid_->setColumnMinimumWidth(
      2,
      QFontMetrics(Theme::current().font(FontRole::small)).horizontalAdvance(QStringLiteral("000.00 GiB")));
  scroll_ = new QScrollArea(this);
  scroll_->setProperty("bare", true);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setWidgetResizable(true);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->setFocusPolicy(Qt::NoFocus);
  scroll_->viewport()->setBackgroundRole(QPalette::Base);
  scroll_->setWidget(inside);
  inside->setBackgroundRole(QPalette::Base);
  inside->setAutoFillBackground(true);
  body()->addWidget(scroll_, 1);

  std::string_view group;
  for (const SettingInfo& info : setting_table()) {
    if (!shown(info)) continue;
    if (info.group != group) add_group(qs(group = info.group));
    add_row(info);
  }
  grid_->setRowStretch(grid_->rowCount(), 1);
  // Only the height scrolls.
  scroll_->setMinimumWidth(inside->minimumSizeHint().width() +
                           style()->pixelMetric(QStyle::PM_ScrollBarExtent));
  show_changes();
}

void SettingsForm::add_group(const QString& name) {
  const int row = grid_->rowCount();
  auto head = [&](const QString& text) {
    auto* label = new Label(text, FontRole::small, Colour::muted, this);
    QFont font = label->font();
    font.setWeight(QFont::DemiBold);
    label->setFont(font);
    return label;
  };
  const bool first = rows_.empty();
  if (!first) grid_->setRowMinimumHeight(row, units(7));
  grid_->addWidget(head(name), row, 0, Qt::AlignBottom);
  if (!first) return;
  grid_->addWidget(head(tr("requested")), row, 1, Qt::AlignRight);
  grid_->addWidget(head(tr("effective")), row, 2, Qt::AlignRight);
}

void SettingsForm::add_row(const SettingInfo& info) {
  const int at = grid_->rowCount();
  const std::size_t index = rows_.size();
  auto* name = new Label(qs(info.name), FontRole::small, Colour::text, this);
  auto* trouble = new Label({}, FontRole::small, Colour::bad, this);
  trouble->setWordWrap(true);
  trouble->hide();
  auto* effective = new Label({}, FontRole::small, Colour::muted, this);
  rows_.push_back({&info, nullptr, effective, trouble});
  QWidget* field = rows_[index].field = make_field(info, index);
  field->setObjectName(QStringLiteral("serve.setting.") + qs(info.name));
  field->setAccessibleName(qs(info.name));
  field->setAccessibleDescription(qs(info.help));
  for (QWidget* widget : {static_cast<QWidget*>(name), field}) widget->setToolTip(tip_of(info));
  name->setBuddy(field);
  grid_->addWidget(name, at, 0);
  grid_->addWidget(field, at, 1);
  grid_->addWidget(effective, at, 2, Qt::AlignRight | Qt::AlignVCenter);
  grid_->addWidget(trouble, at + 1, 0, 1, 3);
  show_value(rows_[index]);
}

QWidget* SettingsForm::make_field(const SettingInfo& info, std::size_t row) {
  if (info.type == SettingType::flag) {
    auto* box = new QCheckBox(this);
    connect(box, &QCheckBox::toggled, this,
            [=, this](bool on) { take(row, on ? QStringLiteral("true") : QStringLiteral("false")); });
    return box;
  }
  if (!info.choices.empty()) {
    auto* box = new QComboBox(this);
    box->setProperty("compact", true);
    for (const QString& choice : qs(info.choices).split(QLatin1Char('|'))) box->addItem(choice);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    connect(box, &QComboBox::textActivated, this, [=, this](const QString& text) { take(row, text); });
    return box;
  }
  auto* edit = new QLineEdit(this);
  edit->setProperty("compact", true);
  if (info.type != SettingType::text) edit->setAlignment(Qt::AlignRight);
  if (info.secret) edit->setEchoMode(QLineEdit::Password);
  connect(edit, &QLineEdit::editingFinished, this, [=, this] { take(row, edit->text().trimmed()); });
  return edit;
}

void SettingsForm::show_value(const Row& row) {
  const QString text = QString::fromStdString(settings_.display(row.info->name));
  const QSignalBlocker quiet(row.field);
  if (auto* box = qobject_cast<QCheckBox*>(row.field)) box->setChecked(settings_.flag(row.info->name));
  if (auto* combo = qobject_cast<QComboBox*>(row.field)) combo->setCurrentText(text);
  if (auto* edit = qobject_cast<QLineEdit*>(row.field); edit && !row.info->secret) edit->setText(text);
}

void SettingsForm::take(std::size_t index, const QString& text) {
  Row& row = rows_[index];
  const QString before = QString::fromStdString(settings_.display(row.info->name));
  if (lock_ == Lock::all_but_live) {
    Settings wanted = settings_;
    const Result<void> readable = wanted.set(row.info->name, text.toStdString());
    show_trouble(row, readable);
    if (readable && wanted.display(row.info->name) != settings_.display(row.info->name))
      Q_EMIT change_asked(std::string(row.info->name), text.toStdString());
    return;
  }
  const Result<void> result = settings_.set(row.info->name, text.toStdString());
  show_trouble(row, result);
  if (!result) return;
  show_value(row);
  if (QString::fromStdString(settings_.display(row.info->name)) == before && !row.info->secret) return;
  row.effective->clear();
  show_changes();
  Q_EMIT edited();
}

void SettingsForm::show_trouble(Row& row, const Result<void>& result) {
  row.trouble->setVisible(!result.ok());
  if (!result) row.trouble->setText(QString::fromStdString(result.error().text()));
  row.field->setAccessibleDescription(result ? qs(row.info->help) : row.trouble->text());
}

void SettingsForm::show_answer(const std::string& name, const std::string& text, const Result<void>& result) {
  const auto row =
      std::find_if(rows_.begin(), rows_.end(), [&](const Row& each) { return each.info->name == name; });
  if (row == rows_.end()) return;
  show_trouble(*row, result);
  if (!result || !settings_.set(name, text)) return;
  show_value(*row);
  row->effective->setText(effective_text(*row->info, settings_.display(name)));
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

void SettingsForm::lock(const Engine* engine, int port) {
  set_lock(Lock::all_but_live);
  for (Row& row : rows_) {
    const QString wished = QString::fromStdString(settings_.display(row.info->name));
    if (row.info->secret || wished.isEmpty()) continue;
    const bool is_port = row.info->name == "port";
    const QString text =
        is_port ? QString::number(port) : effective_text(*row.info, engine->effective(row.info->name));
    const bool any_port = is_port && settings_.integer("port") == 0;
    const bool differs = !any_port && !settings_.is_auto(row.info->name) &&
                         text != effective_text(*row.info, wished.toStdString());
    row.effective->setText(differs ? QStringLiteral("△ ") + text : text);
    row.effective->set_colour(differs ? Colour::warn : Colour::text);
  }
}

void SettingsForm::lock_while_loading() {
  set_lock(Lock::all);
}
void SettingsForm::unlock() {
  set_lock(Lock::open);
}

void SettingsForm::set_lock(Lock lock) {
  if (lock == Lock::open && lock_ == Lock::all_but_live)
    set_settings(Settings(settings_));  // what was refused goes
  lock_ = lock;
  for (const Row& row : rows_)
    row.field->setEnabled(lock == Lock::open || (lock == Lock::all_but_live && row.info->live));
  lock_note_->setVisible(lock != Lock::open);
}

void SettingsForm::show_changes() {
  const auto changed = std::count_if(rows_.begin(), rows_.end(),
                                     [&](const Row& row) { return settings_.changed(row.info->name); });
  changes_->setText(changed == 0 ? tr("all defaults") : tr("%n changed", nullptr, static_cast<int>(changed)));
}

}  // namespace pitwall::ui
