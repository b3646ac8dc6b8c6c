// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/import_reader.h"

#include <QFileInfo>
#include <QTimer>

#include "engine/base/file.h"

namespace pitwall::ui {

namespace {

constexpr int kLateMs = 5000;

}  // namespace

void ImportReader::read(const QString& path, std::function<void(const Text& text)> done) {
  auto* late = new QTimer(this);
  late->setSingleShot(true);
  const QString trouble = tr("%1 is still being read. Its disk may not answer; everything else goes on.")
                              .arg(QFileInfo(path).fileName());
  connect(late, &QTimer::timeout, this, [this, trouble] {
    Q_EMIT banner_requested({Banner::Severity::warn, trouble, {}, {}, {}});
  });
  late->start(kLateMs);
  errands_.send([this, path, done = std::move(done), trouble, late]() -> Errands::Answer {
    auto text = std::make_shared<const Result<std::string>>(read_file(path.toStdString()));
    return [this, text = std::move(text), done, trouble, late] {
      late->deleteLater();
      Q_EMIT banner_outdated(trouble);
      done(text);
    };
  });
}

}  // namespace pitwall::ui
