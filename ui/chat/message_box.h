// SPDX-License-Identifier: GPL-3.0-or-later
// MessageBox: the foot of the conversation: the input, a hint while no model serves, what is used of the
// context, and Send or Stop.
#pragma once
#include <QWidget>

#include "engine/telemetry/snapshot.h"

class QPushButton;

namespace pitwall::ui {

class Label;
class MessageInput;

class MessageBox : public QWidget {
  Q_OBJECT

 public:
  explicit MessageBox(QWidget* parent = nullptr);
  MessageInput* input() const { return input_; }
  void set_generating(bool generating);  ///< Send or Stop
  void set_editing(bool editing);        ///< the text is that of an earlier message
  bool editing() const { return editing_; }
  void set_engine(EngineState state, const QString& phase);  ///< the hint
  void set_context(qint64 used, qint64 available);           ///< tokens; 0 = not known

 Q_SIGNALS:
  void send_requested();
  void stop_requested();
  void edit_cancelled();
  void serve_requested();

 protected:
  void paintEvent(QPaintEvent* event) override;  ///< a hairline under the conversation

 private:
  void refresh();
  MessageInput* input_;
  QWidget* hint_row_;
  Label *hint_, *context_, *keys_, *notice_;
  QPushButton *serve_, *cancel_, *send_;
  bool generating_ = false, editing_ = false;
};

}  // namespace pitwall::ui
