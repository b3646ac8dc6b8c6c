// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/chat_page.h"

#include <QAction>
#include <QCoreApplication>
#include <QDesktopServices>
#include <QDir>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMimeData>
#include <QResizeEvent>
#include <QScrollArea>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "engine/base/file.h"
#include "engine/store/store.h"
#include "ui/chat/attachment.h"
#include "ui/chat/chat_export.h"
#include "ui/chat/chat_list.h"
#include "ui/chat/chat_list_model.h"
#include "ui/chat/chat_preferences.h"
#include "ui/chat/chat_session.h"
#include "ui/chat/conversation_view.h"
#include "ui/chat/deletions.h"
#include "ui/chat/draft.h"
#include "ui/chat/find_bar.h"
#include "ui/chat/link_banner.h"
#include "ui/chat/message_box.h"
#include "ui/chat/message_input.h"
#include "ui/chat/preset_box.h"
#include "ui/chat/request_card.h"
#include "ui/chat/sampling_panel.h"
#include "ui/shell/engine_controller.h"
#include "ui/shell/preferences.h"
#include "ui/shell/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/local_files.h"
#include "ui/widgets/narrow_tabs.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/page_action.h"
#include "ui/widgets/text_key.h"

namespace pitwall::ui {

namespace {

constexpr int kCountDelayMs = 300;                // after the last key in the system prompt
constexpr double kLongestLine = 260, kGaps = 16;  // units

}  // namespace

struct ChatPage::State {
  ChatPage* page;
  EngineController& engine;
  const Preferences& window_preferences;
  ChatPreferences preferences;
  ChatSession session;
  ChatList* list;
  Card* card;
  ConversationView* view;
  FindBar* find;
  MessageBox* box;
  SamplingPanel* sampling;
  QWidget* side;
  QToolButton* show_sampling;
  Draft* draft;
  bool sending = false;                  // the conversation changes by what is sent: an edit goes on
  bool waiting = false;                  // the message goes when the model has loaded
  bool visited = false, chosen = false;  // ever; since it was shown last
  qint64 written_tokens = 0;             // of what is being written
  qint64 wanted = 0;                     // message to be shown when its chat is open
  Deletions* deletions;
  QTimer count_timer;
  QString phase;        // of a load
  QString not_written;  // banner of a message that the store refused, until one is written

  State(ChatPage* owner, EngineController& controller, Store& store, const Preferences& of_window)
      : page(owner), engine(controller), window_preferences(of_window), session(controller, store) {}

  void build();
  void lay_out();
  void keep_lines_short();
  QToolButton* add_tool(const char* id, const char* icon_name, const QString& text, const QString& tip);
  void connect_session();
  void connect_engine();
  void connect_list();
  void connect_view();
  void connect_box();
  void connect_sampling();
  void add_keys();

  ReplyOptions options(bool shorten = false) const {
    return {sampling_params(sampling->choice()), sampling->system_prompt().toStdString(), shorten};
  }
  void new_chat();
  void send();
  void set_waiting(bool wait);
  void regenerate(std::size_t message, bool shorten);
  void regenerate_last();
  void edit_last();
  void step_version(int step);
  void refresh();
  void show_conversation();
  void show_request();
  void show_engine();
  void count_prompt_tokens();
  void ask_files();
  void ask_export();
  void fail(const Error& error) { Q_EMIT page->banner_requested(banner_of(error)); }
  void say(Banner::Severity severity, const QString& text, const QString& verb = {},
           std::function<void()> action = {}) {
    Q_EMIT page->banner_requested({severity, text, verb, std::move(action), {}});
  }
};

QToolButton* ChatPage::State::add_tool(const char* id, const char* icon_name, const QString& text,
                                       const QString& tip) {
  auto* button = new QToolButton;
  button->setObjectName(QLatin1String(id));
  button->setIcon(icon(QLatin1String(icon_name), Colour::muted));
  button->setText(text);
  button->setFont(Theme::current().font(FontRole::small));
  button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  button->setAutoRaise(true);
  button->setToolTip(tip);
  button->setAccessibleName(QString(text).remove(QChar(0x2026)));
  card->add_header_widget(button);
  return button;
}

void ChatPage::State::build() {
  list = new ChatList(page);
  card = new Card(tr("New chat"), {}, {}, page);
  auto* find_button =
      add_tool("chat.findButton", "search", tr("Find in chat"), tr("Find in this chat (Ctrl+F)"));
  auto* export_button = add_tool("chat.export", "export", tr("Export…"),
                                 tr("Save this chat as Markdown, JSON or HTML (Ctrl+E)"));
  show_sampling = add_tool("chat.showSampling", "settings", tr("Sampling"), tr("Sampling and system prompt"));
  show_sampling->setCheckable(true);
  find = new FindBar;
  view = new ConversationView;
  box = new MessageBox;
  card->body()->addWidget(find);
  card->body()->addWidget(view, 1);
  card->body()->addWidget(box);
  sampling = new SamplingPanel;
  sampling->set_choice(preferences.sampling());
  sampling->presets()->set_presets(preferences.presets());
  lay_out();
  draft = new Draft(*box, session, preferences, page);
  deletions = new Deletions(session, *sampling->presets(), preferences, page);
  connect(deletions, &Deletions::banner_requested, page, &Page::banner_requested);
  connect(deletions, &Deletions::banner_outdated, page, &Page::banner_outdated);
  connect(find_button, &QToolButton::clicked, page, [this] { find->open(); });
  connect(export_button, &QToolButton::clicked, page, [this] { ask_export(); });
  connect(show_sampling, &QToolButton::toggled, side, &QWidget::setVisible);
}

void ChatPage::State::lay_out() {
  auto* scroll = new QScrollArea(page);
  scroll->setProperty("bare", true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setFocusPolicy(Qt::NoFocus);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidgetResizable(true);
  scroll->setWidget(sampling);
  scroll->viewport()->setAutoFillBackground(false);
  sampling->setAutoFillBackground(false);
  scroll->setFixedWidth(units(60));
  side = scroll;
  auto* layout = new QHBoxLayout(page);
  layout->setContentsMargins(units(3), units(3), units(3), units(3));
  layout->setSpacing(units(3));
  layout->addWidget(list);
  layout->addWidget(card, 1);
  layout->addWidget(side);
  list->setFixedWidth(units(60));
}

/// On a very wide screen: longer lines are hard to read.
void ChatPage::State::keep_lines_short() {
  const int taken = list->width() + side->width() + units(kGaps);
  const int aside = std::max(0, page->width() - taken - units(kLongestLine)) / 2;
  card->body()->setContentsMargins(aside, 0, aside, 0);
}

void ChatPage::State::connect_session() {
  connect(&session, &ChatSession::chats_changed, page, [this] {
    list->show_chats(session.chats(), session.chat());
    card->set_title(session.title().isEmpty() ? tr("New chat") : session.title());
  });
  connect(&session, &ChatSession::searched, list, &ChatList::show_hits);
  connect(&session, &ChatSession::conversation_changed, page, [this] { show_conversation(); });
  connect(&session, &ChatSession::reply_grew, view, &ConversationView::grow_last);
  connect(&session, &ChatSession::reply_timed, view, &ConversationView::time_last);
  connect(&session, &ChatSession::reply_ended, page, [this] {
    view->update_last(session.messages().back(), false);
    show_request();
  });
  connect(&session, &ChatSession::generating_changed, box, &MessageBox::set_generating);
  connect(&session, &ChatSession::not_written, draft, &Draft::give_back);
  connect(&session, &ChatSession::not_written, page, [this](qint64, const QString&, const Error& error) {
    not_written = banner_of(error).text;
    fail(error);
  });
  connect(&session, &ChatSession::message_written, page, [this] {
    if (!not_written.isEmpty()) Q_EMIT page->banner_outdated(std::exchange(not_written, {}));
  });
  connect(&session, &ChatSession::failed, page, [this](const Error& error) { fail(error); });
}

void ChatPage::State::connect_engine() {
  connect(&engine, &EngineController::state_changed, page, [this](EngineState state) {
    phase.clear();
    show_engine();
    count_prompt_tokens();
    draft->count();
    if (!waiting || state == EngineState::loading) return;
    set_waiting(false);
    if (state == EngineState::serving) send();
  });
  connect(&engine, &EngineController::load_progress, page,
          [this](const QString& what, qint64 done, qint64 total) {
            phase = total > 0 ? tr("%1, %2 of %3").arg(what, bytes_text(done), bytes_text(total)) : what;
            show_engine();
          });
}

void ChatPage::State::connect_list() {
  connect(list, &ChatList::new_requested, page, [this] { new_chat(); });
  connect(list, &ChatList::opened, page, [this](qint64 chat) {
    if (chat != session.chat()) session.open_chat(chat);
  });
  connect(list, &ChatList::hit_opened, page, [this](qint64 chat, qint64 message) {
    wanted = message;
    session.open_chat(chat, message);
  });
  connect(list, &ChatList::search_requested, &session, &ChatSession::search);
  connect(list, &ChatList::delete_requested, deletions, &Deletions::delete_chat);
  connect(list->model(), &ChatListModel::renamed, &session, &ChatSession::rename_chat);
}

void ChatPage::State::connect_view() {
  connect(view, &ConversationView::prompt_chosen, page, [this](const QString& prompt) {
    box->input()->set_text(prompt);
    box->input()->setFocus();
  });
  connect(view, &ConversationView::version_requested, page, [this](std::size_t message, int step) {
    session.show_version(message, step);
    view->reveal(message);
  });
  connect(view, &ConversationView::edit_requested, draft, &Draft::begin_edit);
  connect(view, &ConversationView::regenerate_requested, page,
          [this](std::size_t message) { regenerate(message, false); });
  connect(view, &ConversationView::shorten_requested, page,
          [this](std::size_t message) { regenerate(message, true); });
  connect(view, &ConversationView::delete_requested, deletions, &Deletions::delete_message);
  connect(view, &ConversationView::link_activated, page,
          [this](const QUrl& url) { Q_EMIT page->banner_requested(link_banner(url)); });
  connect(view, &ConversationView::steps_requested, page, &ChatPage::steps_requested);
  connect(view, &ConversationView::serve_requested, page,
          [this] { Q_EMIT page->page_requested(QStringLiteral("serve")); });
  connect(find, &FindBar::text_changed, view, &ConversationView::set_search);
  connect(find, &FindBar::step_requested, view, &ConversationView::step_hit);
  connect(find, &FindBar::closed, box->input(), qOverload<>(&QWidget::setFocus));
  connect(view, &ConversationView::hits_changed, find, &FindBar::show_hits);
}

void ChatPage::State::connect_box() {
  connect(box, &MessageBox::serve_requested, page,
          [this] { Q_EMIT page->page_requested(QStringLiteral("serve")); });
  connect(box, &MessageBox::send_requested, page, [this] { send(); });
  connect(box, &MessageBox::stop_requested, &session, &ChatSession::stop);
  connect(box, &MessageBox::wait_cancelled, page, [this] { set_waiting(false); });
  connect(box, &MessageBox::attach_requested, page, [this] { ask_files(); });
  connect(box, &MessageBox::files_given, page, &ChatPage::attach);
  connect(draft, &Draft::chat_changed, page, [this] { set_waiting(false); });
  connect(draft, &Draft::refused, page,
          [this](const Error& error) { box->say(QString::fromStdString(error.text())); });
  connect(draft, &Draft::counted, page, [this](qint64 tokens) {
    written_tokens = tokens;
    show_request();
  });
}

void ChatPage::State::connect_sampling() {
  count_timer.setSingleShot(true);
  count_timer.setInterval(kCountDelayMs);
  connect(&count_timer, &QTimer::timeout, page, [this] { count_prompt_tokens(); });
  connect(sampling, &SamplingPanel::changed, page, [this] {
    preferences.set_sampling(sampling->choice());
    if (session.chat() == 0) preferences.set_system_prompt(sampling->system_prompt());
    count_timer.start();
  });
  connect(sampling->presets(), &PresetBox::presets_changed, page,
          [this] { preferences.set_presets(sampling->presets()->presets()); });
  connect(sampling->presets(), &PresetBox::delete_requested, deletions, &Deletions::delete_preset);
}

void ChatPage::State::add_keys() {
  const auto add = [this](const char* id, const QString& name, const QList<QKeySequence>& keys,
                          std::function<void()> action) {
    add_page_action(page, QLatin1String(id), name, keys, std::move(action));
  };
  const auto key = [](const char* text) { return QList<QKeySequence>{QKeySequence(QLatin1String(text))}; };
  add("chat.action.new", tr("New chat"), key("Ctrl+N"), [this] { new_chat(); });
  add("chat.action.search", tr("Search all chats"), key("Ctrl+Shift+F"), [this] { list->focus_search(); });
  add("chat.action.find", tr("Find in this chat"), key("Ctrl+F"), [this] { find->open(); });
  add("chat.action.send", tr("Send"), {Qt::CTRL | Qt::Key_Return, Qt::CTRL | Qt::Key_Enter},
      [this] { send(); });
  add("chat.action.regenerate", tr("Write the last reply again"), key("Ctrl+R"),
      [this] { regenerate_last(); });
  add("chat.action.edit", tr("Edit the last message"), key("E"), [this] { edit_last(); });
  add("chat.action.earlierVersion", tr("Earlier version"), key("Alt+Left"), [this] { step_version(-1); });
  add("chat.action.laterVersion", tr("Later version"), key("Alt+Right"), [this] { step_version(1); });
  add("chat.action.attach", tr("Attach text files"), {}, [this] { ask_files(); });
  add("chat.action.export", tr("Export this chat"), key("Ctrl+E"), [this] { ask_export(); });
  add("chat.action.undo", tr("Undo the deletion"), key("Ctrl+Z"), [this] { deletions->undo_last(); });
}

void ChatPage::State::new_chat() {
  session.new_chat();
  box->input()->setFocus();
}

void ChatPage::State::set_waiting(bool wait) {
  waiting = wait;
  box->set_waiting(wait);
}

void ChatPage::State::send() {
  if (session.generating()) return;
  if (engine.state() == EngineState::loading) {
    if (!box->input()->document()->isEmpty() || !box->files().empty()) set_waiting(true);
    return;
  }
  auto content = draft->take();
  if (!content) return;
  sending = true;
  if (content->message) {
    session.edit(*content->message, content->text, std::move(content->files), options());
  } else {
    session.send(content->text, std::move(content->files), options());
  }
  sending = false;
}

/// The button that asked for it goes with the reply: its focus would land anywhere.
void ChatPage::State::regenerate(std::size_t message, bool shorten) {
  session.regenerate(message, options(shorten));
  box->input()->setFocus();
}

void ChatPage::State::regenerate_last() {
  if (!session.messages().empty()) regenerate(session.messages().size() - 1, false);
}

void ChatPage::State::edit_last() {
  const auto& messages = session.messages();
  for (std::size_t i = messages.size(); i-- > 0;)
    if (messages[i].role == "user") return draft->begin_edit(i);
}

/// Of the message with the focus, else of the last one that has several.
void ChatPage::State::step_version(int step) {
  const auto& messages = session.messages();
  std::size_t message = view->focused().value_or(messages.size());
  if (message >= messages.size() || messages[message].versions <= 1) {
    message = messages.size();
    while (message > 0 && messages[message - 1].versions <= 1) --message;
    if (message-- == 0) return;
  }
  session.show_version(message, step);
  view->reveal(message);
}

/// Another window may have changed what is shown here. An edit of it goes on.
void ChatPage::State::refresh() {
  session.refresh_chats();
  if (!draft->editing()) session.refresh_conversation();
}

void ChatPage::State::show_conversation() {
  if (!sending) draft->follow_chat();
  card->set_title(session.title().isEmpty() ? tr("New chat") : session.title());
  view->set_messages(session.messages(), session.generating());
  list->set_current(session.chat());
  if (session.chat() == 0 && session.messages().empty()) {
    sampling->set_system_prompt(preferences.system_prompt());
  } else {
    sampling->set_system_prompt(QString::fromStdString(session.system_prompt()));
  }
  for (std::size_t i = 0; wanted != 0 && i < session.messages().size(); ++i)
    if (session.messages()[i].id == wanted) view->reveal(i);
  wanted = 0;
  show_request();
}

/// What the last reply cost, and how much of the context is used.
void ChatPage::State::show_request() {
  const Engine* running = engine.engine();
  std::optional<ReplyTimings> last;
  for (const ShownMessage& message : session.messages())
    if (auto timings = timings_from_json(message.timings_json)) last = std::move(timings);
  box->set_context(last ? last->record.prompt_tokens + last->record.output_tokens : 0,
                   running ? written_tokens : 0, running ? running->max_model_len() : 0);
  if (last) {
    const auto snapshot = running ? engine.snapshot() : nullptr;
    sampling->request()->show_request(last->record, snapshot.get());
  } else {
    sampling->request()->show_nothing();
  }
}

void ChatPage::State::show_engine() {
  box->set_engine(engine.state(), phase);
  show_request();
}

void ChatPage::State::count_prompt_tokens() {
  const QString prompt = sampling->system_prompt();
  sampling->set_prompt_tokens(0);
  if (prompt.isEmpty()) return;
  session.count_tokens(prompt.toStdString(), [this, prompt](qint64 tokens) {
    if (prompt == sampling->system_prompt()) sampling->set_prompt_tokens(tokens);
  });
}

void ChatPage::State::ask_files() {
  page->attach(QFileDialog::getOpenFileNames(
      page, tr("Attach text files, each up to %1").arg(bytes_text(kLargestAttachment))));
}

void ChatPage::State::ask_export() {
  if (session.messages().empty()) return;
  const QStringList filters{tr("Markdown (*.md)"), tr("All versions with timings (*.json)"),
                            tr("Web page (*.html)")};
  const QString name = QDir::home().filePath(file_name_of(session.title()) + QStringLiteral(".md"));
  const QString path =
      QFileDialog::getSaveFileName(page, tr("Export this chat"), name, filters.join(QStringLiteral(";;")));
  if (!path.isEmpty()) page->export_to(path);
}

void ChatPage::export_to(const QString& path) {
  const auto format = chat_file_format(path);
  if (!format) {
    state_->say(Banner::Severity::bad,
                tr("“%1” does not say what to write. Its name must end in .md, .json or .html.")
                    .arg(QFileInfo(path).fileName()));
    return;
  }
  const ChatSession& session = state_->session;
  const std::string text = chat_text(
      {session.title().toStdString(), session.system_prompt(), session.messages(), session.versions()},
      *format);
  if (auto result = write_file_atomic(path.toStdString(), text); !result) {
    state_->fail(result.error());
    return;
  }
  state_->say(Banner::Severity::good, tr("Saved to %1").arg(path), tr("Open folder"),
              [path] { QDesktopServices::openUrl(QUrl::fromLocalFile(QFileInfo(path).absolutePath())); });
}

void ChatPage::attach(const QStringList& paths) {
  state_->draft->attach(paths);
}

ChatPage::ChatPage(EngineController& engine, Store& store, const Preferences& preferences, QWidget* parent)
    : Page(parent), state_(std::make_unique<State>(this, engine, store, preferences)) {
  setObjectName(id());
  setAcceptDrops(true);
  state_->build();
  state_->connect_session();
  state_->connect_engine();
  state_->connect_list();
  state_->connect_view();
  state_->connect_box();
  state_->connect_sampling();
  state_->add_keys();
  state_->show_conversation();
  state_->show_engine();
  state_->session.refresh_chats();
}

ChatPage::~ChatPage() {
  delete state_->draft;  // it saves what is in the input, which goes with the widgets
}

QString ChatPage::id() const {
  return QStringLiteral("chat");
}
QString ChatPage::title() const {
  return tr("Chat");
}

void ChatPage::activated() {
  state_->refresh();
  state_->box->set_send_key(state_->window_preferences.send_key());
  const bool again = std::exchange(state_->chosen, true);  // its key on itself: somebody wants to write
  if (!std::exchange(state_->visited, true) || again) state_->box->input()->setFocus();
}

std::vector<PaletteEntry> ChatPage::palette_entries() {
  std::vector<PaletteEntry> entries;
  for (const ChatListItem& chat : state_->session.chats())
    entries.push_back({PaletteEntry::Kind::chat,
                       QString::number(chat.id),
                       QString::fromStdString(chat.title),
                       {},
                       {},
                       [this, id = chat.id] { open_chat(id); }});
  return entries;
}

void ChatPage::open_chat(qint64 chat) {
  state_->session.open_chat(chat);
}

void ChatPage::resizeEvent(QResizeEvent* event) {
  Page::resizeEvent(event);
  const bool narrow = width() < units(kNarrowPageUnits);
  state_->show_sampling->setVisible(narrow);
  state_->side->setVisible(!narrow || state_->show_sampling->isChecked());
  state_->keep_lines_short();
}

bool ChatPage::event(QEvent* event) {
  if (event->type() == QEvent::WindowActivate) state_->refresh();
  return Page::event(event);
}

void ChatPage::hideEvent(QHideEvent* event) {
  state_->chosen = false;
  Page::hideEvent(event);
}

/// What nothing else takes. Esc closes what is open, the nearest first: a shortcut would take the key from
/// banners and menus. Letters are for the message.
void ChatPage::keyPressEvent(QKeyEvent* event) {
  if (is_text(*event)) {
    state_->box->input()->setFocus();
    QCoreApplication::sendEvent(state_->box->input(), event);
    return;
  }
  if (event->key() != Qt::Key_Escape) return Page::keyPressEvent(event);
  if (state_->find->isVisible()) {
    state_->find->close();
  } else if (state_->session.generating()) {
    state_->session.stop();
  } else if (state_->waiting) {
    state_->set_waiting(false);
  } else if (state_->draft->editing()) {
    state_->draft->end_edit();
  } else {
    Page::keyPressEvent(event);
  }
}

void ChatPage::dragEnterEvent(QDragEnterEvent* event) {
  if (holds_text_files(*event->mimeData())) event->acceptProposedAction();
}

void ChatPage::dropEvent(QDropEvent* event) {
  event->acceptProposedAction();
  attach(local_files(*event->mimeData()));
}

}  // namespace pitwall::ui
