// SPDX-License-Identifier: GPL-3.0-or-later
// AttachmentRow: a message's files as chips; those not yet sent can be taken away.
#pragma once
#include <QWidget>
#include <vector>

#include "engine/store/store.h"

class QVBoxLayout;

namespace pitwall::ui {

class AttachmentRow : public QWidget {
  Q_OBJECT

 public:
  explicit AttachmentRow(bool removable, QWidget* parent = nullptr);
  void set_files(const std::vector<Attachment>& files);  ///< hidden where there are none

 Q_SIGNALS:
  void remove_requested(std::size_t file);

 private:
  QWidget* make_chip(const Attachment& file, std::size_t index);
  bool removable_;
  QVBoxLayout* layout_;
};

}  // namespace pitwall::ui
