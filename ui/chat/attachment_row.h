// SPDX-License-Identifier: GPL-3.0-or-later
// AttachmentRow: a message's files as chips; those not yet sent can be taken away.
#pragma once
#include <QWidget>
#include <string>
#include <vector>

#include "engine/store/store.h"

class QVBoxLayout;

namespace pitwall::ui {

class Label;

class AttachmentRow : public QWidget {
  Q_OBJECT

 public:
  explicit AttachmentRow(bool removable, QWidget* parent = nullptr);
  /// Hidden where there are none. Chips of the same files stay, with the focus.
  void set_files(const std::vector<Attachment>& files);

 Q_SIGNALS:
  void remove_requested(std::size_t file);

 private:
  struct Chip {
    std::string name;
    QWidget* widget;
    Label* text;
  };
  Chip make_chip(const Attachment& file, std::size_t index);
  void clear();
  bool removable_;
  QVBoxLayout* layout_;
  std::vector<Chip> chips_;
};

}  // namespace pitwall::ui
