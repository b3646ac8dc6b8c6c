// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/chat_page.h"

#include <QAction>
#include <QDesktopServices>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QResizeEvent>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

#include "engine/base/file.h"
#include "engine/store/store.h"
#include "ui/chat/chat_export.h"
#include "ui/chat/chat_list.h"
#include "ui/chat/chat_list_model.h"
#include "ui/chat/chat_preferences.h"
#include "ui/chat/chat_session.h"
#include "ui/chat/conversation_view.h"
#include "ui/chat/message_box.h"
#include "ui/chat/message_input.h"
#include "ui/chat/reply_stream.h"
#include "ui/chat/sampling_panel.h"
#include "ui/shell/engine_controller.h"
#include "ui/shell/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/page_action.h"

namespace pitwall::ui {

namespace {

constexpr int kDraftDelayMs = 1000;  // after the last key
constexpr double kNarrow = 299;      // units: the page in a window of 320, less the rail

}  // namespace

struct ChatPage::State {
  ChatPage* page;
  EngineController& engine;
  ChatPreferences preferences;
  ChatSession session;
  ChatList* list;
  Card* card;
  ConversationView* view;
  QLineEdit* find;
  MessageBox* box;
  SamplingPanel* sampling;
  QToolButton* show_sampling;
  std::optional<std::size_t> editing;  // message whose text is in the input
  QString before_edit;                 // what was in the input then
  bool input_kept = false;             // the next conversation change must not touch the input
  bool visited = false;
  QTimer draft_timer;
  QString phase;  // of a load

  State(ChatPage* owner, EngineController& controller, Store& store)
      : page(owner), engine(controller), session(controller, store) {}

  void build();
  void connect_session();
  void connect_widgets();
  void add_key(const QString& id, const QString& name, const QList<QKeySequence>& keys,
               std::function<void()> action);
  void add_keys();

  ReplyOptions options() const {
    return {sampling_params(sampling->choice()), sampling->system_prompt().toStdString()};
  }
  void send();
  void begin_edit(std::size_t message);
  void end_edit(bool restore);
  void edit_last();
  void show_conversation();
  void show_context();
  void show_engine();
  void delete_chat(qint64 chat);
  void open_link(const QUrl& url);
  void toggle_find();
  void find_next(bool backward);
  void ask_export();
  void save_draft() { preferences.set_draft(editing ? before_edit : box->input()->toPlainText()); }
  void say(Banner::Severity severity, const QString& text, const QString& verb = {},
           std::function<void()> action = {}) {
    Q_EMIT page->banner_requested({severity, text, verb, std::move(action), {}});
  }
};

void ChatPage::State::build() {
  list = new ChatList(page);
  card = new Card(tr("New chat"), {}, {}, page);
  auto add_tool = [&](const char* id, const QString& icon_name, const QString& text, const QString& tip) {
    auto* button = new QToolButton;
    button->setObjectName(QLatin1String(id));
    button->setIcon(icon(icon_name, Colour::muted));
    button->setText(text);
    button->setFont(Theme::current().font(FontRole::small));
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setAutoRaise(true);
    button->setToolTip(tip);
    button->setAccessibleName(text);
    card->add_header_widget(button);
    return button;
  };
  auto* find_button = add_tool("chat.findButton", QStringLiteral("search"), tr("Find in chat"),
                               tr("Find in this chat (Ctrl+F)"));
  auto* export_button = add_tool("chat.export", QStringLiteral("export"), tr("Export…"),
                                 tr("Save this chat as Markdown (Ctrl+E)"));
  show_sampling = add_tool("chat.showSampling", QStringLiteral("settings"), tr("Sampling"),
                           tr("Sampling and system prompt"));
  show_sampling->setCheckable(true);
  find = new QLineEdit;
  find->setObjectName(QStringLiteral("chat.find"));
  find->setPlaceholderText(tr("Find in this chat"));
  find->setAccessibleName(tr("Find in this chat"));
  find->setAccessibleDescription(tr("Enter goes on, Shift+Enter goes back, Esc closes"));
  find->setProperty("compact", true);
  find->hide();
  view = new ConversationView;
  box = new MessageBox;
  card->body()->addWidget(find);
  card->body()->addWidget(view, 1);
  card->body()->addWidget(box);
  sampling = new SamplingPanel(page);
  sampling->setFixedWidth(units(58));

  auto* layout = new QHBoxLayout(page);
  layout->setContentsMargins(units(3), units(3), units(3), units(3));
  layout->setSpacing(units(3));
  layout->addWidget(list);
  layout->addWidget(card, 1);
  layout->addWidget(sampling);
  list->setFixedWidth(units(62));
  sampling->set_choice(preferences.sampling());
  box->input()->set_text(preferences.draft());
  connect(find_button, &QToolButton::clicked, page, [this] { toggle_find(); });
  connect(export_button, &QToolButton::clicked, page, [this] { ask_export(); });
  connect(show_sampling, &QToolButton::toggled, sampling, &QWidget::setVisible);
}

void ChatPage::State::connect_session() {
  connect(&session, &ChatSession::chats_changed, page, [this] {
    list->model()->set_chats(session.chats());
    list->set_current(session.chat());
    card->set_title(session.title().isEmpty() ? tr("New chat") : session.title());
  });
  connect(&session, &ChatSession::conversation_changed, page, [this] { show_conversation(); });
  connect(&session, &ChatSession::reply_grew, view, &ConversationView::grow_last);
  connect(&session, &ChatSession::reply_ended, page, [this] {
    view->update_last(session.messages().back(), false);
    show_context();
  });
  connect(&session, &ChatSession::generating_changed, box, &MessageBox::set_generating);
  connect(&session, &ChatSession::not_written, page, [this](const QString& text) {
    if (box->input()->document()->isEmpty()) box->input()->set_text(text);
  });
  connect(&session, &ChatSession::failed, page,
          [this](const Error& error) { Q_EMIT page->banner_requested(banner_of(error)); });
  connect(&engine, &EngineController::state_changed, page, [this] {
    phase.clear();
    show_engine();
  });
  connect(&engine, &EngineController::load_progress, page,
          [this](const QString& what, qint64 done, qint64 total) {
            phase = total > 0 ? tr("%1, %2 of %3").arg(what, bytes_text(done), bytes_text(total)) : what;
            show_engine();
          });
}

void ChatPage::State::connect_widgets() {
  connect(list, &ChatList::new_requested, page, [this] {
    session.new_chat();
    box->input()->setFocus();
  });
  connect(list, &ChatList::opened, page, [this](qint64 chat) {
    if (chat != session.chat()) session.open_chat(chat);
  });
  connect(list, &ChatList::delete_requested, page, [this](qint64 chat) { delete_chat(chat); });
  connect(list->model(), &ChatListModel::renamed, &session, &ChatSession::rename_chat);
  connect(view, &ConversationView::prompt_chosen, page, [this](const QString& prompt) {
    box->input()->set_text(prompt);
    box->input()->setFocus();
  });
  connect(view, &ConversationView::edit_requested, page,
          [this](std::size_t message) { begin_edit(message); });
  connect(view, &ConversationView::regenerate_requested, page, [this] { session.regenerate(options()); });
  connect(view, &ConversationView::link_activated, page, [this](const QUrl& url) { open_link(url); });
  connect(view, &ConversationView::serve_requested, page,
          [this] { Q_EMIT page->page_requested(QStringLiteral("serve")); });
  connect(box, &MessageBox::serve_requested, page,
          [this] { Q_EMIT page->page_requested(QStringLiteral("serve")); });
  connect(box, &MessageBox::send_requested, page, [this] { send(); });
  connect(box, &MessageBox::stop_requested, &session, &ChatSession::stop);
  connect(box, &MessageBox::edit_cancelled, page, [this] { end_edit(true); });
  connect(sampling, &SamplingPanel::changed, page, [this] {
    preferences.set_sampling(sampling->choice());
    if (session.messages().empty()) preferences.set_system_prompt(sampling->system_prompt());
  });
  connect(find, &QLineEdit::returnPressed, page,
          [this] { find_next(QGuiApplication::keyboardModifiers().testFlag(Qt::ShiftModifier)); });
  draft_timer.setSingleShot(true);
  draft_timer.setInterval(kDraftDelayMs);
  connect(box->input(), &MessageInput::textChanged, &draft_timer, qOverload<>(&QTimer::start));
  connect(&draft_timer, &QTimer::timeout, page, [this] { save_draft(); });
}

void ChatPage::State::add_key(const QString& id, const QString& name, const QList<QKeySequence>& keys,
                              std::function<void()> action) {
  add_page_action(page, id, name, keys, std::move(action));
}

void ChatPage::State::add_keys() {
  const auto key = [](const char* text) { return QList<QKeySequence>{QKeySequence(QLatin1String(text))}; };
  add_key(QStringLiteral("chat.action.new"), tr("New chat"), key("Ctrl+N"), [this] {
    session.new_chat();
    box->input()->setFocus();
  });
  add_key(QStringLiteral("chat.action.search"), tr("Search chats"), key("Ctrl+Shift+F"),
          [this] { list->focus_search(); });
  add_key(QStringLiteral("chat.action.find"), tr("Find in this chat"), key("Ctrl+F"),
          [this] { toggle_find(); });
  add_key(QStringLiteral("chat.action.send"), tr("Send"),
          {Qt::CTRL | Qt::Key_Return, Qt::CTRL | Qt::Key_Enter}, [this] { send(); });
  add_key(QStringLiteral("chat.action.regenerate"), tr("Write the last reply again"), key("Ctrl+R"),
          [this] { session.regenerate(options()); });
  add_key(QStringLiteral("chat.action.edit"), tr("Edit the last message"), key("E"), [this] { edit_last(); });
  add_key(QStringLiteral("chat.action.export"), tr("Export this chat"), key("Ctrl+E"),
          [this] { ask_export(); });
  add_key(QStringLiteral("chat.action.undo"), tr("Undo the deletion"), key("Ctrl+Z"),
          [this] { session.undo_delete(); });
}

void ChatPage::State::send() {
  const QString text = box->input()->toPlainText();
  if (session.generating() || text.trimmed().isEmpty() || text.size() > MessageInput::kLongestMessage) return;
  const std::optional<std::size_t> message = editing;
  const QString restored = before_edit;
  editing.reset();
  box->set_editing(false);
  input_kept = true;
  message ? session.edit(*message, text, options()) : session.send(text, options());
  input_kept = false;
  box->input()->set_text(message ? restored : QString());
  save_draft();
}

void ChatPage::State::begin_edit(std::size_t message) {
  if (session.generating() || message >= session.messages().size()) return;
  if (!editing) before_edit = box->input()->toPlainText();
  editing = message;
  box->input()->set_text(QString::fromStdString(session.messages()[message].content));
  box->set_editing(true);
  box->input()->setFocus();
}

void ChatPage::State::end_edit(bool restore) {
  if (!editing) return;
  editing.reset();
  box->set_editing(false);
  if (restore) box->input()->set_text(before_edit);
}

void ChatPage::State::edit_last() {
  for (std::size_t i = session.messages().size(); i-- > 0;)
    if (session.messages()[i].role == "user") return begin_edit(i);
}

void ChatPage::State::show_conversation() {
  if (!input_kept) end_edit(true);
  card->set_title(session.title().isEmpty() ? tr("New chat") : session.title());
  view->set_messages(session.messages(), session.generating());
  list->set_current(session.chat());
  sampling->set_system_prompt(session.messages().empty() ? preferences.system_prompt()
                                                         : QString::fromStdString(session.system_prompt()));
  show_context();
}

void ChatPage::State::show_context() {
  const Engine* running = engine.engine();
  qint64 used = 0;
  for (const ChatMessage& message : session.messages())
    if (const auto record = record_from_json(message.timings_json))
      used = record->prompt_tokens + record->output_tokens;
  box->set_context(used, running ? running->max_model_len() : 0);
}

void ChatPage::State::show_engine() {
  box->set_engine(engine.state(), phase);
  show_context();
}

void ChatPage::State::delete_chat(qint64 chat) {
  QString title;
  for (const ChatListItem& item : session.chats())
    if (item.id == chat) title = QString::fromStdString(item.title);
  session.delete_chat(chat);
  say(Banner::Severity::good, tr("Deleted the chat “%1”.").arg(title), tr("Undo"),
      [this] { session.undo_delete(); });
}

/// The model wrote this address: it is shown in full, and opened by a second action only.
void ChatPage::State::open_link(const QUrl& url) {
  static const QStringList known{QStringLiteral("http"), QStringLiteral("https"), QStringLiteral("mailto")};
  const QString shown = url.toDisplayString(QUrl::FullyEncoded);
  if (!known.contains(url.scheme())) {
    say(Banner::Severity::warn, tr("Pitwall does not open this kind of link: %1").arg(shown));
    return;
  }
  say(Banner::Severity::warn, tr("The reply links to %1").arg(shown), tr("Open in browser"),
      [url] { QDesktopServices::openUrl(url); });
}

void ChatPage::State::toggle_find() {
  find->setVisible(!find->isVisible() || !find->hasFocus());
  if (find->isVisible()) {
    find->setFocus();
    find->selectAll();
  }
}

void ChatPage::State::find_next(bool backward) {
  if (!view->find(find->text(), backward))
    say(Banner::Severity::warn, tr("“%1” is not in this chat.").arg(find->text()));
}

void ChatPage::State::ask_export() {
  if (session.messages().empty()) return;
  const QString path = QFileDialog::getSaveFileName(page, tr("Export this chat"),
                                                    file_name_of(session.title()) + QStringLiteral(".md"),
                                                    tr("Markdown (*.md)"));
  if (path.isEmpty()) return;
  const std::string text = chat_markdown(session.title(), session.system_prompt(), session.messages());
  if (auto result = write_file_atomic(path.toStdString(), text); !result) {
    Q_EMIT page->banner_requested(banner_of(result.error()));
    return;
  }
  say(Banner::Severity::good, tr("Saved to %1").arg(path), tr("Open folder"),
      [path] { QDesktopServices::openUrl(QUrl::fromLocalFile(QFileInfo(path).absolutePath())); });
}

ChatPage::ChatPage(EngineController& engine, Store& store, QWidget* parent)
    : Page(parent), state_(std::make_unique<State>(this, engine, store)) {
  setObjectName(id());
  state_->build();
  state_->connect_session();
  state_->connect_widgets();
  state_->add_keys();
  state_->show_conversation();
  state_->show_engine();
  state_->session.refresh_chats();
}

ChatPage::~ChatPage() {
  state_->save_draft();
}

QString ChatPage::id() const {
  return QStringLiteral("chat");
}
QString ChatPage::title() const {
  return tr("Chat");
}

void ChatPage::activated() {
  state_->session.refresh_chats();
  if (!std::exchange(state_->visited, true)) state_->box->input()->setFocus();
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
  const bool narrow = width() < units(kNarrow);
  state_->show_sampling->setVisible(narrow);
  state_->sampling->setVisible(!narrow || state_->show_sampling->isChecked());
}

/// Esc closes what is open, the nearest first. A shortcut would take the key from banners and menus.
void ChatPage::keyPressEvent(QKeyEvent* event) {
  if (event->key() != Qt::Key_Escape) return Page::keyPressEvent(event);
  if (state_->find->isVisible()) {
    state_->find->hide();
    state_->box->input()->setFocus();
  } else if (state_->session.generating()) {
    state_->session.stop();
  } else if (state_->editing) {
    state_->end_edit(true);
  } else {
    Page::keyPressEvent(event);
  }
}

}  // namespace pitwall::ui
