// SPDX-License-Identifier: GPL-3.0-or-later
// ImportReader: reads files that are imported, off the UI thread, and says so when a disk does not answer.
#pragma once
#include <QObject>
#include <functional>
#include <memory>
#include <string>

#include "ui/shell/errands.h"
#include "ui/shell/page.h"

namespace pitwall::ui {

/// UI thread only. Files are read side by side: one that never ends holds up no other.
class ImportReader : public QObject {
  Q_OBJECT

 public:
  using Text = std::shared_ptr<const Result<std::string>>;  ///< large ones are not copied
  using QObject::QObject;
  void read(const QString& path, std::function<void(const Text& text)> done);

 Q_SIGNALS:
  void banner_requested(const pitwall::ui::Banner& banner);
  void banner_outdated(const QString& text);

 private:
  Errands errands_;
};

}  // namespace pitwall::ui
