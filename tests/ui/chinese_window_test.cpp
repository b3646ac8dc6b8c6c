// SPDX-License-Identifier: GPL-3.0-or-later
// The whole window in 简体中文, with a model that has served: whatever a widget shows, says in a tooltip or
// tells a screen reader is Chinese, but for names and the words that the field keeps.
#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAccessible>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QFontDatabase>
#include <QFontInfo>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QRegularExpression>
#include <QSet>
#include <QTabBar>
#include <QTest>
#include <QTextDocumentFragment>
#include <QTimer>

#include "engine/bench/checklist_template.h"
#include "engine/bench/workload.h"
#include "engine/library/model_profile.h"
#include "engine/plan/deployment.h"
#include "engine/plan/deployment_plan.h"
#include "engine/plan/engine_profile.h"
#include "engine/plan/engine_settings.h"
#include "tests/support/tiny_model.h"
#include "tests/ui/serve_session.h"
#include "ui/plan/command_dialog.h"
#include "ui/plan/engine_flags.h"
#include "ui/plan/plan_page.h"
#include "ui/plan/recipe_dialog.h"
#include "ui/reports/reports_page.h"
#include "ui/serve/load_dialog.h"
#include "ui/shell/language.h"
#include "ui/shell/shortcut_sheet.h"
#include "ui/tune/checklist_dialog.h"
#include "ui/tune/item_dialog.h"
#include "ui/tune/recommended_flags_dialog.h"
#include "ui/tune/tune_page.h"
#include "ui/widgets/engine_words.h"
#include "ui/widgets/line_height.h"

using namespace pitwall;
using namespace pitwall::ui;

namespace {

QString u8(const char* text) {
  return QString::fromUtf8(text);
}

/// Words that Chinese texts of the field keep. Names of settings and their values are added.
QSet<QString> kept_words() {
  const QString words = u8(
      "TTFT TPOT ITL E2E SLO MTP token tokens rank logits logprobs salt Top Min GPU CPU CUDA GiB MiB KiB tok "
      "Pitwall vLLM llama cpp TensorRT LLM SGLang LMDeploy TGI Docker compose Kubernetes YAML "
      "PNG SVG CSV JSON HTML PDF PEM TCP TLS HTTPS API Authorization Bearer KEY NAME SIGTERM SIGINT SHA "
      "Hub kubectl apply create secret generic Markdown Ctrl Shift Alt Enter Esc Home End Ins Delete Del Tab "
      "Space auto curl docker run "
      "serve bench check simulate pitwallctl ttft tpot mlperf English AWQ awq gptq safetensors NVIDIA GGUF "
      "OOM Copilot MLP ShareGPT PyTorch Kwon Zheng "
      "simulator inf unlimited imported Release GNU tiny "
      "Qt Charts Boost SQLite SQLiteCpp OpenSSL ICU fmt spdlog nlohmann blessing MIT");
  QSet<QString> kept;
  for (const QString& word : words.split(QLatin1Char(' '))) kept << word;
  static const QRegularExpression parts(u8("[^A-Za-z]+"));
  for (const ModelProfile& profile : model_profiles())
    if (const QString title = QString::fromStdString(profile.title); engine_words(profile.title) == title)
      for (const QString& word : title.split(parts)) kept << word;
  for (const Workload& workload : workloads()) kept << QString::fromStdString(workload.name);
  for (const EngineSettingInfo& info : engine_setting_table())
    for (const QString& word : u8(std::string(info.name).c_str()).split(parts)) kept << word;
  for (const SettingInfo& info : setting_table())
    for (const std::string_view text : {info.name, info.choices, info.default_text})
      for (const QString& word : u8(std::string(text).c_str()).split(parts)) kept << word;
  return kept;
}

/// The words of a text that are none of the kept ones; names, with digits or strokes in them, and paths are
/// left out.
QStringList foreign_words(const QString& text) {
  static const QSet<QString> kept = kept_words();
  static const QRegularExpression word(u8("[A-Za-z]{3,}"));
  static const QRegularExpression space(u8("[^\\x21-\\x7e]+"));  // Chinese parts words as well
  QStringList foreign;
  static const QString paper = u8("Efficient Memory Management for LLM Serving with PagedAttention");
  for (const QString& piece : QString(text).remove(paper).split(space, Qt::SkipEmptyParts)) {
    if (QRegularExpression(u8("[A-Za-z]\\S*[0-9/_@-]|[0-9/_@-]\\S*[A-Za-z]|\\.[a-z]"))
            .match(piece)
            .hasMatch())
      continue;
    auto each = word.globalMatch(piece);
    while (each.hasNext())
      if (const QString found = each.next().captured(); !kept.contains(found)) foreign << found;
  }
  return foreign;
}

class Reader {
 public:
  void read(QWidget& root) {
    for (QWidget* widget : root.findChildren<QWidget*>()) read_widget(*widget);
    for (QAction* action : root.findChildren<QAction*>())
      if (!action->objectName().isEmpty()) check(action, action->text());
  }
  const QStringList& foreign() const { return foreign_; }
  int texts() const { return texts_; }

 private:
  void read_widget(QWidget& widget) {
    check(&widget, widget.toolTip());
    check(&widget, widget.accessibleName());
    check(&widget, widget.accessibleDescription());
    if (const auto* label = qobject_cast<QLabel*>(&widget)) check(label, plain(label->text()));
    if (const auto* button = qobject_cast<QAbstractButton*>(&widget)) check(button, button->text());
    if (const auto* edit = qobject_cast<QLineEdit*>(&widget)) check(edit, edit->placeholderText());
    if (const auto* edit = qobject_cast<QPlainTextEdit*>(&widget)) check(edit, edit->placeholderText());
    if (const auto* box = qobject_cast<QComboBox*>(&widget))
      for (int i = 0; i < box->count(); ++i) check(box, box->itemText(i));
    if (const auto* bar = qobject_cast<QTabBar*>(&widget))
      for (int i = 0; i < bar->count(); ++i) check(bar, bar->tabText(i));
    if (const auto* view = qobject_cast<QAbstractItemView*>(&widget);
        view && view->model() && !qobject_cast<const QHeaderView*>(view))
      read_model(*view);
  }
  void read_model(const QAbstractItemView& view) {
    const QAbstractItemModel& model = *view.model();
    for (int column = 0; column < model.columnCount(); ++column) {
      for (const auto role : {Qt::DisplayRole, Qt::ToolTipRole})
        check(&view, model.headerData(column, Qt::Horizontal, role).toString());
      for (int row = 0; row < model.rowCount(); ++row)
        for (const auto role : {Qt::DisplayRole, Qt::ToolTipRole, Qt::AccessibleDescriptionRole})
          check(&view, model.index(row, column).data(role).toString());
    }
  }
  static QString plain(const QString& text) {
    return Qt::mightBeRichText(text) ? QTextDocumentFragment::fromHtml(text).toPlainText() : text;
  }
  void check(const QObject* where, const QString& text) {
    ++texts_;
    const QStringList words = foreign_words(text);
    if (words.isEmpty()) return;
    foreign_ << u8("%1 “%2”: %3 in “%4”")
                    .arg(QLatin1String(where->metaObject()->className()), where->objectName(),
                         words.join(QLatin1Char(' ')), text);
  }

  QStringList foreign_;
  int texts_ = 0;
};

void check(QWidget& root, int at_least) {
  Reader reader;
  reader.read(root);
  QStringList foreign = reader.foreign();
  foreign.removeDuplicates();
  for (const QString& line : foreign) qWarning("%s", qPrintable(line));
  QVERIFY(foreign.isEmpty());
  QVERIFY2(reader.texts() >= at_least, qPrintable(QString::number(reader.texts())));
}

}  // namespace

class ChineseWindowTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void cleanupTestCase() { session_.reset(); }
  void the_reader_sees_english();
  void a_fresh_window();
  void plans();
  void memory_of_engines();
  void commands_of_engines();
  void checklists();
  void a_model_that_serves();
  void its_run();
  void dialogs();
  void the_language_is_remembered();
  void typefaces();

 private:
  std::unique_ptr<test::TemporaryFolder> home_, data_;
  std::unique_ptr<test::ServeSession> session_;
};

void ChineseWindowTest::initTestCase() {
  home_ = std::make_unique<test::TemporaryFolder>();
  qputenv("PITWALL_HOME", QByteArray::fromStdString(home_->path().string()));
  data_ = std::make_unique<test::TemporaryFolder>();
  speak(Language::chinese);
  Theme::current().set_mode(ThemeMode::light);
  session_ = std::make_unique<test::ServeSession>(data_->path());
}

void ChineseWindowTest::the_reader_sees_english() {
  QVERIFY(!foreign_words(u8("Start engine")).isEmpty());
  QVERIFY(!foreign_words(u8("启动 engine")).isEmpty());
  QVERIFY(foreign_words(u8("max-num-seqs 24 → 32，TTFT p50 14 ms，/tmp/folder/model.gguf")).isEmpty());
  QWidget root;
  new QLabel(u8("Loading"), &root);
  Reader reader;
  reader.read(root);
  QCOMPARE(reader.foreign().size(), 1);
}

void ChineseWindowTest::a_fresh_window() {
  for (const QString& page : session_->window->page_ids()) session_->window->show_page(page);
  check(*session_->window, 500);
}

void ChineseWindowTest::plans() {
  auto* page = static_cast<PlanPage*>(session_->window->page(u8("plan")));
  session_->window->show_page(u8("plan"));
  std::vector<Deployment> shipped = shipped_deployments();
  for (Deployment& one : shipped) one.requests = 500;  // more than fit: there are changes to offer
  page->compare(shipped);
  QVERIFY(QTest::qWaitFor([&] { return page->answered(); }, test::kPatienceMs));
  check(*page, 200);
}

/// What each engine takes of a card by its own rule, what is said where that is too little, and what the
/// model adds to it.
void ChineseWindowTest::memory_of_engines() {
  auto* page = static_cast<PlanPage*>(session_->window->page(u8("plan")));
  using Meaning = MemoryBudget::Meaning;
  const MemoryBudget budgets[] = {{},
                                  {.meaning = Meaning::share_static, .share = 0.99},
                                  {.meaning = Meaning::share_of_total, .share = 0.2},
                                  {.meaning = Meaning::bytes, .bytes = 400 * kGiB},
                                  {.meaning = Meaning::kv_bytes, .bytes = 4 * kMiB},
                                  {.meaning = Meaning::kv_bytes, .bytes = 400 * kGiB}};
  std::vector<std::string> engines = {""};
  for (const EngineProfile& engine : engine_profiles())
    if (!engine.study) engines.push_back(engine.name);
  for (const std::string& engine : engines) {
    for (const MemoryBudget& budget : budgets) {
      Deployment asked;
      asked.name = "x";
      asked.model = engine == "pitwall" ? "llama-3-8b" : "qwen3.5-27b";
      asked.gpu = "L40S";
      asked.gpus = 2;
      asked.engine = engine;
      asked.kv_cache_dtype = "fp8";
      asked.requests = 2000;
      asked.prompt_tokens = 300'000;
      asked.budget = budget;
      page->compare({asked});
      QVERIFY(QTest::qWaitFor([&] { return page->answered(); }, test::kPatienceMs));
      check(*page, 100);
    }
  }
}

/// The same number in the words of all engines, and one engine's flags as another's.
void ChineseWindowTest::commands_of_engines() {
  const auto model = read_outline("llama-3.1-8b");
  const auto card = find_gpu("H200");
  PW_VERIFY(model);
  PW_VERIFY(card);
  CommandDialog dialog({}, [&](const EngineReading& reading) { return terms_of(reading, *model, *card); });
  auto* text = dialog.findChild<QPlainTextEdit*>();
  const char* const commands[] = {
      "vllm serve llama-3.1-8b --gpu-memory-utilization 0.9 --port 1 --port 2",
      "vllm serve llama-3.1-8b --gpu-memory-utilization 0.01",
      "vllm serve llama-3.1-8b --num-gpu-blocks-override 4096",
      "vllm serve llama-3.1-8b --kv-cache-memory-bytes 12g",
      "python -m sglang.launch_server --model-path llama-3.1-8b --max-total-tokens 65536",
      "trtllm-serve llama-3.1-8b --free_gpu_memory_fraction 0.8",
      "lmdeploy serve api_server llama-3.1-8b",
      "text-generation-launcher --model-id llama-3.1-8b",
      "llama-server -m llama-3.1-8b.gguf -c 8192 -np 4 -fitt 2048",
      "pitwallctl serve --model llama-3.1-8b --memory-limit 40GiB"};
  for (const char* command : commands) {
    text->setPlainText(u8(command));
    QVERIFY2(dialog.deployment(), command);
    check(dialog, 10);
  }
  Deployment asked;
  asked.model = "llama-3.1-8b";
  asked.gpus = asked.tensor_parallel = 2;
  asked.max_model_len = 8192;
  asked.engine = "vllm";
  asked.kv_cache_dtype = "nvfp4";
  for (const double share : {0.0, 0.9}) {
    if (share > 0) asked.budget = {.meaning = MemoryBudget::Meaning::share_of_total, .share = share};
    const auto plan = plan_deployment(asked, *model, *card);
    PW_VERIFY(plan);
    QTimer::singleShot(0, this, [] {
      QWidget* flags = QApplication::activeModalWidget();
      auto* engine = flags->findChild<QComboBox*>(u8("plan.flags.engine"));
      auto* form = flags->findChild<QComboBox*>(u8("plan.flags.form"));
      for (int i = 0; i < engine->count(); ++i) {
        const bool image = engine_profiles()[static_cast<std::size_t>(i)].container.has_value();
        for (int j = 0; j < (image ? form->count() : 1); ++j) {
          engine->setCurrentIndex(i);
          form->setCurrentIndex(j);
          check(*flags, 10);
        }
      }
      flags->close();
    });
    show_engine_flags(*plan, session_->window.get());
  }
}

void ChineseWindowTest::checklists() {
  auto* page = static_cast<TunePage*>(session_->window->page(u8("tune")));
  session_->window->show_page(u8("tune"));
  for (Checklist checklist : checklist_templates()) {
    checklist.num_prompts = 8;
    page->start(checklist);
    page->session().run(open_items(checklist));
    QVERIFY(QTest::qWaitFor([&] { return !page->session().running(); }, test::kPatienceMs));
    for (int item = 0; item < static_cast<int>(checklist.items.size()); ++item) {
      page->choose(item);
      check(*page, 100);
    }
  }
}

void ChineseWindowTest::a_model_that_serves() {
  session_->window->show_page(u8("serve"));
  session_->serve_model(test::write_tiny_model(data_->path()));
  for (int i = 0; i < 4; ++i) session_->generate(20, 40);
  QTRY_VERIFY(session_->engine.engine()->snapshot()->totals.requests_finished >= 4);
  check(*session_->window, 800);
}

void ChineseWindowTest::its_run() {
  const qint64 run = session_->engine.engine()->run().value;
  session_->engine.stop();
  QVERIFY(session_->reaches(EngineState::stopped));
  auto* page = static_cast<ReportsPage*>(session_->window->page(u8("reports")));
  session_->window->show_page(u8("reports"));
  page->open_run(run);
  QTRY_VERIFY(!session_->child<QLabel>("report.headline")->text().isEmpty());
  check(*session_->window, 800);
}

void ChineseWindowTest::dialogs() {
  ShortcutSheet sheet(session_->window->actions(), session_->window->current_page(), session_->window.get());
  check(sheet, 20);
  LoadDialog load({}, 32, true);
  check(load, 20);
  const Checklist& checklist = checklist_templates().front();
  ChecklistDialog fresh(checklist.origin, u8("tiny"));
  check(fresh, 40);
  ItemDialog item(checklist, Settings(), &checklist.items.front());
  check(item, 20);
  QTimer::singleShot(0, this, [this] {
    QWidget* recommended = QApplication::activeModalWidget();
    auto* form = recommended->findChild<QComboBox*>(u8("tune.flags.engine"));
    for (int i = 0; i < form->count(); ++i) {
      form->setCurrentIndex(i);
      check(*recommended, 10);
    }
    recommended->close();
  });
  show_recommended_flags(checklist, std::vector<ItemResult>(checklist.items.size()), session_->window.get());
  RecipeDialog recipe;
  check(recipe, 20);
  CommandDialog command({}, [](const auto&...) { return std::nullopt; });
  check(command, 10);
}

void ChineseWindowTest::the_language_is_remembered() {
  auto* box = session_->child<QComboBox>("settings.language");
  QCOMPARE(box->count(), static_cast<int>(std::size(kLanguages)));
  QCOMPARE(box->currentIndex(), static_cast<int>(Language::automatic));
  for (const Language language : {Language::english, Language::chinese}) {
    box->setCurrentIndex(static_cast<int>(language));
    Q_EMIT box->activated(box->currentIndex());
    QCOMPARE(Preferences(data_->path()).language(), language);
    QCOMPARE(spoken(), Language::chinese);  // until the next start
  }
}

/// Latin and digits stay in the system's typefaces, code in its own of one width; Chinese comes after them.
void ChineseWindowTest::typefaces() {
  for (const FontRole role : {FontRole::body, FontRole::section, FontRole::code}) {
    const QFont font = Theme::current().font(role);
    QCOMPARE(font.families().last(), u8("Noto Sans CJK SC"));
    QVERIFY(QFontInfo(font).family() != font.families().last());
    QVERIFY(line_height(font) > QFontMetrics(font).height());
  }
  const QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  QCOMPARE(QFontInfo(Theme::current().font(FontRole::code)).family(), QFontInfo(fixed).family());
}

QTEST_MAIN(ChineseWindowTest)
#include "chinese_window_test.moc"
