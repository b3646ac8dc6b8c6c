// SPDX-License-Identifier: GPL-3.0-or-later
// Stagger: drawings one after another, each in a turn of the event loop of its own, so that no turn is long.
#pragma once
#include <QTimer>
#include <functional>
#include <vector>

namespace pitwall::ui {

class Stagger : public QObject {
  Q_OBJECT

 public:
  Stagger(std::vector<std::function<void()>> parts, QObject* parent);
  void ask();     ///< each part once from now on; one that already waits keeps its place
  void finish();  ///< those that wait, at once

 private:
  bool draw_next();  ///< false: none waits
  std::vector<std::function<void()>> parts_;
  std::vector<bool> waits_;
  std::size_t next_ = 0;
  QTimer timer_;
};

}  // namespace pitwall::ui
