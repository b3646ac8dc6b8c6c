// SPDX-License-Identifier: GPL-3.0-or-later
// MessageView: one message of the conversation: who, which version, what can be done with it, its text and
// files, and a reply's timings.
#pragma once
#include <QFrame>
#include <QString>

#include "ui/chat/conversation_tree.h"
#include "ui/chat/reply_timings.h"

class QHBoxLayout;
class QPushButton;
class QToolButton;

namespace pitwall::ui {

class AttachmentRow;
class Label;
class MarkdownView;
class Tag;
class TimingsStrip;

class MessageView : public QFrame {
  Q_OBJECT

 public:
  /// `live`: being written.
  explicit MessageView(const ShownMessage& message, bool live, QWidget* parent = nullptr);
  void show_message(const ShownMessage& message, bool live);  ///< text, state and timings anew
  void set_busy(bool busy);  ///< a reply is being written: nothing may change the branch
  void grow(const QString& text);
  void show_timings(const ReplyTimings& timings);
  void unfold();  ///< a long prompt as a whole
  MarkdownView* text_view() const { return text_; }

 Q_SIGNALS:
  void version_requested(int step);
  void edit_requested();
  void regenerate_requested();
  void shorten_requested();
  void delete_requested();
  void serve_requested();
  void steps_requested(const pitwall::RequestRecord& record);  ///< of the reply's request
  void link_activated(const QUrl& url);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void add_header(const QString& who);
  void add_versions();
  void add_actions();
  void add_trouble();
  QToolButton* add_action(const QString& icon, const QString& text, const QString& name);
  void show_state(bool live);
  void show_prompt(bool whole);

  ShownMessage message_;
  bool own_;  // the user's
  bool busy_ = false;
  QHBoxLayout* header_;
  QWidget* versions_;
  QToolButton *earlier_, *later_;
  Label* version_;
  Tag* tag_;
  QList<QToolButton*> changes_;  // what a live reply forbids
  QWidget* trouble_row_;
  Label* trouble_;
  QPushButton *retry_, *shorten_;
  MarkdownView* text_;
  QPushButton* show_all_;
  AttachmentRow* files_;
  TimingsStrip* timings_;
};

}  // namespace pitwall::ui
