// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/stagger.h"

#include <algorithm>
#include <utility>

namespace pitwall::ui {

namespace {

constexpr int kApartMs = 4;  // room for the paint of one and for what the user does

}  // namespace

Stagger::Stagger(std::vector<std::function<void()>> parts, QObject* parent)
    : QObject(parent), parts_(std::move(parts)), waits_(parts_.size(), false) {
  timer_.setInterval(kApartMs);
  connect(&timer_, &QTimer::timeout, this, [this] {
    if (!draw_next()) timer_.stop();
  });
}

void Stagger::ask() {
  std::fill(waits_.begin(), waits_.end(), true);
  if (!timer_.isActive()) timer_.start();
}

void Stagger::finish() {
  while (draw_next()) {
  }
}

bool Stagger::draw_next() {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const std::size_t part = std::exchange(next_, (next_ + 1) % parts_.size());
    if (!waits_[part]) continue;
    waits_[part] = false;
    parts_[part]();
    return true;
  }
  return false;
}

}  // namespace pitwall::ui
