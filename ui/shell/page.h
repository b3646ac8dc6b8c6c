// SPDX-License-Identifier: GPL-3.0-or-later
// What every page of the window offers to the frame around it.
#pragma once
#include <QAction>
#include <QList>
#include <QString>
#include <QWidget>
#include <functional>
#include <vector>

#include "engine/base/result.h"
#include "ui/shell/job_list.h"
#include "ui/shell/palette_entry.h"

namespace pitwall::ui {

/// One line under the top bar: what happened with its number, and a button that does the next thing.
struct Banner {
  enum class Severity { good, warn, bad };
  Severity severity = Severity::bad;
  QString text;
  QString verb;                  ///< empty = no button
  std::function<void()> action;  ///< on the UI thread
  QString details;               ///< for Copy details; empty = text
  bool finished =
      false;            ///< something long has ended: the desktop tells it too while another window is in use
  bool undoes = false;  ///< its action takes back what was just done: older banners wait behind it
};
Banner banner_of(const Error& error);  ///< bad, with the error's text; the caller adds the verb
/// Good: `text` says what was done, and the button takes it back.
Banner undo_banner(const QString& text, std::function<void()> undo);

/// The count beside a page's name in the rail; 0 = none.
struct Badge {
  int count = 0;
  QString words;  ///< "3 items to decide"
};

class Page : public QWidget {
  Q_OBJECT

 public:
  using QWidget::QWidget;
  virtual QString id() const = 0;     ///< "serve": object name of the page and its rail button
  virtual QString title() const = 0;  ///< translated
  virtual QList<QWidget*> context_widgets() { return {}; }  ///< selectors beside the title, created once
  virtual QList<QAction*> page_actions() {
    return {};
  }                                  ///< buttons at the right end, with ids, keys and names
  virtual void activated() {}        ///< the page becomes visible
  virtual void records_changed() {}  ///< a job of any page has ended, perhaps with a run
  virtual Badge badge() const { return {}; }
  /// What the palette offers beside the page's actions: settings, runs, chats; the newest first.
  virtual std::vector<PaletteEntry> palette_entries() { return {}; }
  /// Whether a file or folder that was dropped, or named at the start, is this page's. Looks at little.
  virtual bool accepts(const QString& path) const {
    (void)path;
    return false;
  }
  virtual void open(const QString& path) { (void)path; }  ///< one that it accepts; the page is shown already
  virtual bool opens_several() const { return false; }    ///< files that were dropped together

 Q_SIGNALS:
  void banner_requested(const pitwall::ui::Banner& banner);
  void banner_outdated(const QString& text);  ///< what that banner offers was taken another way: it goes
  void badge_changed();
  void job_went_on(const pitwall::ui::Job& job);  ///< began, or has news
  void job_ended(const QString& id);
};

}  // namespace pitwall::ui
