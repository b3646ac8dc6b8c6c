// SPDX-License-Identifier: GPL-3.0-or-later
// MessageView: one message of the conversation: who, what can be done with it, its text, and a reply's
// timings.
#pragma once
#include <QFrame>
#include <QString>

#include "engine/store/store.h"

class QHBoxLayout;
class QPushButton;
class QToolButton;

namespace pitwall::ui {

class Label;
class MarkdownView;
class Tag;
class TimingsStrip;

class MessageView : public QFrame {
  Q_OBJECT

 public:
  /// `last` replies can be regenerated; `live` ones are being written.
  MessageView(const ChatMessage& message, bool last, bool live, QWidget* parent = nullptr);
  void show_message(const ChatMessage& message, bool live);  ///< text, state and timings anew
  void grow(const QString& text);
  MarkdownView* text_view() const { return text_; }

 Q_SIGNALS:
  void edit_requested();
  void regenerate_requested();
  void serve_requested();
  void link_activated(const QUrl& url);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void add_header(const QString& who);
  QToolButton* add_action(const QString& icon, const QString& text, const QString& name);
  void show_state(bool live);
  void show_prompt(bool whole);

  ChatMessage message_;
  bool own_;  // the user's
  QHBoxLayout* header_;
  Tag* tag_;
  Label* trouble_;
  QWidget* trouble_row_;
  MarkdownView* text_;
  QPushButton* show_all_;
  TimingsStrip* timings_;
};

}  // namespace pitwall::ui
