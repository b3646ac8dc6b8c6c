// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/command_palette.h"

#include <QCoreApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMouseEvent>
#include <QVBoxLayout>
#include <algorithm>
#include <numeric>
#include <optional>

#include "ui/shell/fuzzy_match.h"
#include "ui/shell/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/data_table.h"

namespace pitwall::ui {

namespace {

constexpr std::size_t kMostRows = 100;
constexpr double kNoteWeight = 0.5;
constexpr double kWidth = 150, kHeight = 96, kFromTop = 12, kAside = 3;  // units
constexpr double kWidestNote = 48;  // units: the names, which tell entries apart, have the room

struct KindWords {
  const char* id;
  QString shown;
};

KindWords words_of(PaletteEntry::Kind kind) {
  switch (kind) {
    case PaletteEntry::Kind::page:
      return {"page", CommandPalette::tr("page")};
    case PaletteEntry::Kind::action:
      return {"action", CommandPalette::tr("action")};
    case PaletteEntry::Kind::setting:
      return {"setting", CommandPalette::tr("setting")};
    case PaletteEntry::Kind::run:
      return {"run", CommandPalette::tr("run")};
    case PaletteEntry::Kind::chat:
      return {"chat", CommandPalette::tr("chat")};
    case PaletteEntry::Kind::checklist:
      return {"checklist", CommandPalette::tr("checklist")};
    case PaletteEntry::Kind::model:
      return {"model", CommandPalette::tr("model")};
  }
  return {};
}

std::optional<double> score_of(const PaletteEntry& entry, const QString& typed) {
  const auto by_text = fuzzy_score(typed, entry.text);
  const auto with_note = fuzzy_score(typed, entry.text + QLatin1Char(' ') + entry.note);
  if (!by_text) return with_note ? std::optional(kNoteWeight * *with_note) : std::nullopt;
  return with_note ? std::max(*by_text, kNoteWeight * *with_note) : *by_text;
}

std::vector<PaletteEntry> recent_first(std::vector<PaletteEntry> entries, const QStringList& recent) {
  const auto rank = [&](const PaletteEntry& entry) {
    const qsizetype at = recent.indexOf(full_id(entry));
    return at < 0 ? recent.size() : at;
  };
  std::stable_sort(entries.begin(), entries.end(),
                   [&](const PaletteEntry& a, const PaletteEntry& b) { return rank(a) < rank(b); });
  return entries;
}

}  // namespace

QString full_id(const PaletteEntry& entry) {
  return QStringLiteral("%1:%2").arg(QLatin1String(words_of(entry.kind).id), entry.id);
}

std::vector<std::size_t> matches(const std::vector<PaletteEntry>& entries, const QString& typed) {
  std::vector<std::size_t> order;
  if (typed.trimmed().isEmpty()) {
    order.resize(entries.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
  }
  std::vector<double> scores(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (const auto score = score_of(entries[i], typed.trimmed())) {
      scores[i] = *score;
      order.push_back(i);
    }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  return order;
}

CommandPalette::CommandPalette(std::vector<PaletteEntry> entries, const QStringList& recent, QWidget* window)
    : QWidget(window), entries_(recent_first(std::move(entries), recent)) {
  setObjectName(QStringLiteral("shell.palette"));
  setAccessibleName(tr("Commands"));
  setAttribute(Qt::WA_DeleteOnClose);
  card_ = new Card(tr("Commands"), {}, {}, this);
  field_ = new QLineEdit(this);
  field_->setObjectName(QStringLiteral("shell.palette.field"));
  field_->setAccessibleName(tr("Command"));
  field_->setPlaceholderText(tr("A page, an action, a setting, a run, a chat, a checklist or a model"));
  field_->installEventFilter(this);
  table_ = new DataTable(tr("Commands"), {{tr("Command")}, {tr("Where")}, {tr("Kind")}, {tr("Key")}}, this);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setSortingEnabled(false);  // the best first
  table_->setFocusPolicy(Qt::NoFocus);
  table_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  table_->horizontalHeader()->hide();
  table_->set_stretch_column(0);
  nothing_ = new Label(tr("Nothing matches"), FontRole::body, Colour::muted, this);
  nothing_->setObjectName(QStringLiteral("shell.palette.nothing"));
  card_->body()->setSpacing(units(1.5));
  card_->body()->addWidget(field_);
  card_->body()->addWidget(nothing_);
  card_->body()->addWidget(table_, 1);
  connect(field_, &QLineEdit::textChanged, this, &CommandPalette::show_matches);
  connect(field_, &QLineEdit::returnPressed, this, &CommandPalette::accept);
  connect(table_, &DataTable::opened, this, &CommandPalette::accept);
  window->installEventFilter(this);
  show_matches({});
}

void CommandPalette::open() {
  focus_before_ = window()->focusWidget();
  cover_window();
  show();
  raise();
  field_->setFocus();
}

/// What lies behind it is in sight, and out of reach.
void CommandPalette::cover_window() {
  setGeometry(parentWidget()->rect());
  const QSize room = size() - QSize(2 * units(kAside), units(kFromTop) + units(kAside));
  const QSize wanted = QSize(units(kWidth), units(kHeight)).boundedTo(room);
  card_->setGeometry((width() - wanted.width()) / 2, units(kFromTop), wanted.width(), wanted.height());
}

void CommandPalette::accept() {
  if (!chosen()) return;
  const PaletteEntry entry = *chosen();
  leave();
  Q_EMIT accepted(entry);
}

void CommandPalette::leave() {
  field_->removeEventFilter(this);
  if (focus_before_) focus_before_->setFocus();
  close();
}

const PaletteEntry* CommandPalette::chosen() const {
  const qint64 key = table_->current_key();
  return key >= 0 ? &entries_[static_cast<std::size_t>(key)] : nullptr;
}

void CommandPalette::show_matches(const QString& typed) {
  const QFontMetrics metrics(table_->font());
  std::vector<TableRow> rows;
  for (const std::size_t at : matches(entries_, typed)) {
    if (rows.size() == kMostRows) break;
    const PaletteEntry& entry = entries_[at];
    rows.push_back({static_cast<qint64>(at),
                    {{entry.text},
                     {metrics.elidedText(entry.note, Qt::ElideMiddle, units(kWidestNote)), 0, Colour::muted},
                     {words_of(entry.kind).shown, 0, Colour::muted},
                     {entry.key, 0, Colour::muted}}});
  }
  table_->set_rows(std::move(rows));
  table_->setCurrentIndex({});
  table_->selectRow(0);
  nothing_->setVisible(chosen() == nullptr);
  field_->setAccessibleDescription(chosen() ? tr("Enter: %1").arg(chosen()->text) : nothing_->text());
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (watched == parentWidget()) {
    if (event->type() == QEvent::Resize) cover_window();
    return false;
  }
  switch (event->type()) {
    case QEvent::ShortcutOverride:
      event->accept();  // no key is a shortcut meanwhile
      return true;
    case QEvent::KeyPress:
      return take_key(static_cast<QKeyEvent&>(*event));
    case QEvent::FocusOut:
      if (const auto reason = static_cast<QFocusEvent*>(event)->reason();
          reason != Qt::ActiveWindowFocusReason && reason != Qt::PopupFocusReason)
        close();  // something else wants the keys
      return false;
    default:
      return false;
  }
}

bool CommandPalette::take_key(QKeyEvent& event) {
  switch (event.key()) {
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
      QCoreApplication::sendEvent(table_, &event);
      return true;
    case Qt::Key_Tab:
      if (chosen()) field_->setText(chosen()->text);
      return true;
    case Qt::Key_Backtab:
      return true;
    default:
      return false;
  }
}

void CommandPalette::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) leave();
}

void CommandPalette::mousePressEvent(QMouseEvent* event) {
  if (!card_->geometry().contains(event->position().toPoint())) leave();
}

}  // namespace pitwall::ui
