// SPDX-License-Identifier: GPL-3.0-or-later
// MessageBox: the foot of the conversation: the input with its files, a hint while no model serves, what is
// used of the context, and Send or Stop.
#pragma once
#include <QWidget>
#include <vector>

#include "engine/store/store.h"
#include "engine/telemetry/snapshot.h"
#include "ui/shell/preferences.h"

class QPushButton;

namespace pitwall::ui {

class AttachmentRow;
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
  void set_waiting(bool waiting);  ///< the message goes when the model has loaded
  void set_send_key(SendKey key);
  void set_files(std::vector<Attachment> files);
  const std::vector<Attachment>& files() const { return files_; }
  void say(const QString& notice);                           ///< until the text changes
  void set_engine(EngineState state, const QString& phase);  ///< the hint
  /// Tokens of the conversation and of what is being written; 0 = not known.
  void set_context(qint64 used, qint64 written, qint64 available);

 Q_SIGNALS:
  void send_requested();
  void stop_requested();
  void wait_cancelled();
  void attach_requested();
  void files_given(const QStringList& paths);  ///< dropped or pasted
  void files_changed();                        ///< one was taken away
  void edit_cancelled();
  void serve_requested();

 protected:
  void paintEvent(QPaintEvent* event) override;  ///< a hairline under the conversation

 private:
  void refresh();
  MessageInput* input_;
  QWidget* hint_row_;
  AttachmentRow* chips_;
  std::vector<Attachment> files_;
  Label *hint_, *context_, *keys_, *notice_;
  QPushButton *serve_, *attach_, *cancel_, *send_;
  SendKey send_key_ = SendKey::ctrl_enter;
  bool generating_ = false, editing_ = false, waiting_ = false;
};

}  // namespace pitwall::ui
