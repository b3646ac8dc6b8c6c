// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/records_card.h"

#include <QFormLayout>
#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

#include "engine/base/file.h"
#include "engine/library/models_folder.h"
#include "engine/store/store.h"
#include "ui/shell/records_trouble.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

namespace {

QString path_text(const std::filesystem::path& path) {
  return QString::fromStdString(path.string());
}

/// The file and its write-ahead log.
Bytes store_bytes() {
  Bytes sum = 0;
  for (const char* suffix : {"", "-wal"}) {
    std::error_code missing;
    const auto bytes = std::filesystem::file_size(Store::default_file().string() + suffix, missing);
    if (!missing) sum += static_cast<Bytes>(bytes);
  }
  return sum;
}

}  // namespace

RecordsCard::RecordsCard(QWidget* parent)
    : Card(tr("Records"), {}, tr("Where are runs, chats and models kept?"), parent) {
  setObjectName(QStringLiteral("settings.records"));
  auto* form = new QFormLayout;
  form->setHorizontalSpacing(units(4));
  form->setVerticalSpacing(units(1.5));
  const auto row = [&](const QString& name, const QString& text) {
    auto* value = new Label(text, FontRole::small, Colour::muted, this);
    value->setTextInteractionFlags(Qt::TextSelectableByMouse);
    value->setWordWrap(true);
    form->addRow(new Label(name, FontRole::body, Colour::text, this), value);
    return value;
  };
  row(tr("Runs, checklists, chats"), path_text(Store::default_file()));
  size_ = row(tr("Their size"), {});
  size_->setObjectName(QStringLiteral("settings.records.size"));
  row(tr("Models"), path_text(default_models_folder()));
  row(tr("Settings"), path_text(config_folder()));
  auto* open = new QPushButton(icon(QStringLiteral("folder")), tr("Open folder"), this);
  open->setObjectName(QStringLiteral("settings.records.open"));
  open->setAccessibleName(tr("Open the folder of the records"));
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(open);
  buttons->addStretch(1);
  body()->setSpacing(units(2));
  body()->addLayout(form);
  body()->addLayout(buttons);
  connect(open, &QPushButton::clicked, this, open_records_folder);
  refresh();
}

void RecordsCard::refresh() {
  size_->setText(bytes_text(store_bytes()));
}

}  // namespace pitwall::ui
