// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl+C and SIGTERM close the window as its button does: the run ends with its summary.
#pragma once
#include <QObject>

class QSocketNotifier;

/// One for the program, made on the UI thread after the application.
class QuitOnSignal : public QObject {
  Q_OBJECT

 public:
  QuitOnSignal();

 private:
  QSocketNotifier* notifier_;
};
