// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/records_trouble.h"

#include <QCoreApplication>
#include <QDesktopServices>
#include <QUrl>

namespace pitwall::ui {

namespace {

struct RecordsTrouble {
  Q_DECLARE_TR_FUNCTIONS(RecordsTrouble)
};

}  // namespace

Banner records_trouble(const Error& why, Store::Access access) {
  const QString reason = QString::fromStdString(why.text());
  Banner banner;
  banner.text =
      access == Store::Access::read_only
          ? RecordsTrouble::tr(
                "%1 Until the next start, what is there can be read. Runs are not recorded, and what you "
                "change in chats ends with the window.")
                .arg(reason)
          : RecordsTrouble::tr(
                "%1 Until the next start, Pitwall works without records: runs and chats end "
                "with the window.")
                .arg(reason);
  banner.verb = RecordsTrouble::tr("Open folder");
  banner.action = open_records_folder;
  return banner;
}

void open_records_folder() {
  QDesktopServices::openUrl(
      QUrl::fromLocalFile(QString::fromStdString(Store::default_file().parent_path().string())));
}

}  // namespace pitwall::ui
