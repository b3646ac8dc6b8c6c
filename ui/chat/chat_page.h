// SPDX-License-Identifier: GPL-3.0-or-later
// The chat page: chats on the left, the conversation in the middle, sampling and system prompt on the right.
#pragma once
#include <memory>

#include "engine/telemetry/records.h"
#include "ui/shell/page.h"

namespace pitwall {
class Store;
}

namespace pitwall::ui {

class EngineController;
class Preferences;

/// UI thread only. All references outlive the page.
class ChatPage : public Page {
  Q_OBJECT

 public:
  ChatPage(EngineController& engine, Store& store, const Preferences& preferences, QWidget* parent = nullptr);
  ~ChatPage() override;  ///< ends the reply in progress; what it has written so far is stored
  QString id() const override;
  QString title() const override;
  void activated() override;
  std::vector<PaletteEntry> palette_entries() override;
  void open_chat(qint64 chat);  ///< id in the store
  void export_to(
      const QString& path);  ///< the open chat, by suffix .md, .json, .html; a banner tells how it went
  void attach(const QStringList& paths);  ///< to the message being written; a banner names what is refused

 Q_SIGNALS:
  void page_requested(const QString& page);  ///< id of the page that has the next action: "serve"
  void steps_requested(const pitwall::RequestRecord& request);  ///< to be shown on the serve page

 protected:
  bool event(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pitwall::ui
