// SPDX-License-Identifier: GPL-3.0-or-later
// `pitwall --screenshots DIR`: each page as a PNG, after a short real run of the engine. Needs no display.
#pragma once
#include <QSize>
#include <QString>
#include <QStringList>

#include "engine/base/result.h"

namespace pitwall::ui {

class EngineController;
class MainWindow;

struct ScreenshotOptions {
  QString folder;
  QSize size{1440, 900};
  QString model;  ///< served for a while before the pictures; empty: nothing is started
  qint64 run =
      0;  ///< of the user's store, shown by the reports page, and nothing is measured; 0: that of `model`
  int seconds = 18;  ///< of traffic
};

/// Runs an event loop of its own. Returns the files written, one a page: serve.png, chat.png …
Result<QStringList> take_screenshots(MainWindow& window, EngineController& engine,
                                     const ScreenshotOptions& options);

}  // namespace pitwall::ui
