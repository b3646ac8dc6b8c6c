// SPDX-License-Identifier: GPL-3.0-or-later
// The window: command line, composition, event loop.
#include <QApplication>
#include <QCommandLineParser>
#include <QFileInfo>
#include <QTemporaryDir>
#include <cstdio>
#include <cstring>
#include <optional>

#include "app/common/backend_factory.h"
#include "app/common/this_machine.h"
#include "app/pitwall/quit_on_signal.h"
#include "engine/base/file.h"
#include "engine/library/models_folder.h"
#include "engine/report/export_formats.h"
#include "engine/store/store.h"
#include "ui/reports/report_reader.h"
#include "ui/reports/store_damage.h"
#include "ui/serve/serve_page.h"
#include "ui/shell/compose.h"
#include "ui/shell/engine_controller.h"
#include "ui/shell/language.h"
#include "ui/shell/model_path.h"
#include "ui/shell/preferences.h"
#include "ui/shell/records_trouble.h"
#include "ui/shell/screenshots.h"
#include "ui/shell/single_instance.h"
#include "ui/shell/start_wish.h"
#include "ui/shell/theme.h"

namespace {

using namespace pitwall;

constexpr int kDone = 0, kFailed = 1, kWrongUsage = 2;

int fail(const Error& error, int code = kFailed) {
  std::fprintf(stderr, "error: %s\n", error.text().c_str());
  return code;
}

/// Pictures and help need no display; the platform is chosen before the application exists.
bool needs_display(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    for (const char* flag : {"--screenshots", "--report", "--help", "-h", "--version", "-v"})
      if (std::strncmp(argv[i], flag, std::strlen(flag)) == 0) return false;
  return true;
}

struct Options {
  ui::StartWish wish;
  QString theme, screenshots;
  std::optional<ui::Language> language;
  QSize size{1440, 900};
  qint64 run = 0, report = 0;
  QString format, output;  // of the report
  int text_percent = 0;    // 0 = as the preferences say
  bool new_instance = false, report_paint = false;
};

void add_options(QCommandLineParser& parser) {
  parser.setApplicationDescription(QStringLiteral("Plan, serve and watch language models."));
  parser.addHelpOption();
  parser.addVersionOption();
  parser.addPositionalArgument(
      QStringLiteral("files"),
      QStringLiteral("Models, config.json files or exported runs to open in the window."),
      QStringLiteral("[files…]"));
  parser.addOptions({
      {QStringLiteral("model"),
       QStringLiteral("A .gguf file, a folder with config.json and safetensors, or a fetched model's name."),
       QStringLiteral("M")},
      {QStringLiteral("serve"), QStringLiteral("Start the engine with --model at once.")},
      {QStringLiteral("port"), QStringLiteral("TCP port to serve on, for this session."),
       QStringLiteral("N")},
      {QStringLiteral("theme"), QStringLiteral("light, dark or auto, for this session."),
       QStringLiteral("NAME")},
      {QStringLiteral("text-size"),
       QStringLiteral("Per cent of the system's text size, 100 to 150, for this session."),
       QStringLiteral("N")},
      {QStringLiteral("new-instance"),
       QStringLiteral("Open a window of its own, where one is open already.")},
      {QStringLiteral("report-first-paint"),
       QStringLiteral("Write a line to stderr when the window has been painted, and end. Implies "
                      "--new-instance.")},
      {QStringLiteral("language"), QStringLiteral("auto, en or zh_CN, for this session."),
       QStringLiteral("NAME")},
      {QStringLiteral("screenshots"),
       QStringLiteral("Render each page to a PNG in DIR, without a display, and end."),
       QStringLiteral("DIR")},
      {QStringLiteral("size"), QStringLiteral("Size of the pictures."), QStringLiteral("WxH"),
       QStringLiteral("1440x900")},
      {QStringLiteral("run"), QStringLiteral("The run that the picture of the reports page shows."),
       QStringLiteral("ID")},
      {QStringLiteral("report"), QStringLiteral("Write a run as a document, without a display, and end."),
       QStringLiteral("ID")},
      {QStringLiteral("format"), QStringLiteral("Of --report: pdf, or any that pitwallctl has."),
       QStringLiteral("NAME"), QStringLiteral("pdf")},
      {QStringLiteral("output"), QStringLiteral("File of --report; default: R-ID in this folder."),
       QStringLiteral("FILE")},
  });
}

/// What is asked of the window, with paths that another process understands.
Result<ui::StartWish> parse_wish(const QCommandLineParser& parser) {
  ui::StartWish wish;
  wish.activation_token = qEnvironmentVariable(ui::kActivationToken);
  wish.model = parser.value(QStringLiteral("model"));
  wish.port = parser.value(QStringLiteral("port"));
  wish.serve = parser.isSet(QStringLiteral("serve"));
  for (const QString& file : parser.positionalArguments())
    wish.files << (ui::is_web_address(file) ? file : QFileInfo(file).absoluteFilePath());
  if (wish.serve && wish.model.isEmpty())
    return Error{Error::Kind::invalid_input, "--serve names no model", "",
                 "Add --model with a file, folder or name", "model"};
  if (!wish.model.isEmpty()) {
    auto path = resolve_model(wish.model.toStdString());
    if (!path) return path.error();
    wish.model = QString::fromStdString(std::filesystem::absolute(*path).string());
  }
  return wish;
}

Result<Options> parse(const QCoreApplication& app) {
  QCommandLineParser parser;
  add_options(parser);
  parser.process(app);
  Options options;
  options.theme = parser.value(QStringLiteral("theme"));
  options.screenshots = parser.value(QStringLiteral("screenshots"));
  options.report_paint = parser.isSet(QStringLiteral("report-first-paint"));
  options.new_instance = parser.isSet(QStringLiteral("new-instance")) || options.report_paint;
  options.run = parser.value(QStringLiteral("run")).remove(QStringLiteral("R-")).toLongLong();
  options.report = parser.value(QStringLiteral("report")).remove(QStringLiteral("R-")).toLongLong();
  options.format = parser.value(QStringLiteral("format"));
  options.output = parser.value(QStringLiteral("output"));
  if (parser.isSet(QStringLiteral("report")) && options.report <= 0)
    return Error{Error::Kind::invalid_input, "--report is no run's number", "",
                 "See `pitwallctl runs list` for the numbers", "report"};
  if (parser.isSet(QStringLiteral("run")) && options.run <= 0)
    return Error{Error::Kind::invalid_input, "--run is no run's number", "",
                 "See `pitwallctl runs list` for the numbers", "run"};
  if (parser.isSet(QStringLiteral("screenshots")) && options.screenshots.isEmpty())
    return Error{Error::Kind::invalid_input, "--screenshots names no folder", "", "", "screenshots"};
  if (find_export_format(options.format.toStdString()) == nullptr) {
    std::string names;
    for (const ExportFormat& format : export_formats())
      names.append(names.empty() ? "" : ", ").append(format.name);
    return Error{Error::Kind::invalid_input, "--format names no format that a run can be written in", "",
                 "Write one of " + names, "format"};
  }
  const QStringList sides = parser.value(QStringLiteral("size")).split(QLatin1Char('x'));
  if (sides.size() == 2) options.size = QSize(sides[0].toInt(), sides[1].toInt());
  if (sides.size() != 2 || options.size.isEmpty() || options.size.width() > 16384 ||
      options.size.height() > 16384)
    return Error{Error::Kind::invalid_input, "--size is not two numbers of pixels", "",
                 "Write it as 1440x900", "size"};
  static const QStringList themes{QString(), QStringLiteral("auto"), QStringLiteral("light"),
                                  QStringLiteral("dark")};
  if (!themes.contains(options.theme))
    return Error{Error::Kind::invalid_input, "--theme is none of light, dark and auto", "", "", "theme"};
  if (parser.isSet(QStringLiteral("text-size"))) {
    options.text_percent = parser.value(QStringLiteral("text-size")).toInt();
    if (options.text_percent < 100 || options.text_percent > 150)
      return Error{Error::Kind::invalid_input, "--text-size is no number from 100 to 150", "",
                   "Write it as 125", "text-size"};
  }
  if (const QString code = parser.value(QStringLiteral("language")); !code.isEmpty()) {
    options.language = ui::language_of(code);
    if (!options.language)
      return Error{Error::Kind::invalid_input, "--language is none of auto, en and zh_CN", "", "",
                   "language"};
  }
  auto wish = parse_wish(parser);
  if (!wish) return wish.error();
  options.wish = *wish;
  return options;
}

ui::ThemeMode theme_of(const Options& options, const ui::Preferences& preferences) {
  if (options.theme.isEmpty()) return preferences.theme();
  if (options.theme == QStringLiteral("light")) return ui::ThemeMode::light;
  return options.theme == QStringLiteral("dark") ? ui::ThemeMode::dark : ui::ThemeMode::automatic;
}

int take_pictures(ui::MainWindow& window, ui::EngineController& engine, const Options& options) {
  ui::ScreenshotOptions pictures;
  pictures.folder = options.screenshots;
  pictures.size = options.size;
  pictures.model = options.wish.model;
  pictures.run = options.run;
  const auto files = ui::take_screenshots(window, engine, pictures);
  if (!files) return fail(files.error());
  for (const QString& file : *files) std::printf("%s\n", qPrintable(file));
  return kDone;
}

Result<void> begin_session(ui::MainWindow& window, const ui::StartWish& wish) {
  auto* serve = static_cast<ui::ServePage*>(window.page(QStringLiteral("serve")));
  if (!wish.port.isEmpty())
    if (auto set = serve->set_setting("port", wish.port.toStdString()); !set) return set;
  if (!wish.model.isEmpty()) serve->choose_model(wish.model);
  if (wish.serve) serve->start();
  if (!wish.model.isEmpty()) window.show_page(QStringLiteral("serve"));
  for (const QString& file : wish.files) window.open_path(file);
  return {};
}

/// What a later start asked of this one.
void take_wish(ui::MainWindow& window, const QByteArray& message) {
  const auto wish = ui::StartWish::from_message(message);
  if (wish && !wish->activation_token.isEmpty())
    qputenv(ui::kActivationToken, wish->activation_token.toUtf8());
  window.bring_to_front();
  const Result<void> begun = wish ? begin_session(window, *wish) : Result<void>(wish.error());
  if (!begun) window.post(ui::banner_of(begun.error()));
}

int write_report(const Store& store, const Options& options) {
  const ExportFormat& format = *find_export_format(options.format.toStdString());
  const QString path =
      options.output.isEmpty() ? ui::export_file_name(options.report, format) : options.output;
  if (auto written = ui::export_to_file(store, {RunId{options.report}}, format, path); !written)
    return fail(written.error());
  std::printf("%s\n", qPrintable(path));
  return kDone;
}

int run(QApplication& app, const Options& options) {
  const bool apart = options.new_instance || !options.screenshots.isEmpty() || options.report > 0;
  ui::SingleInstance instance(apart ? QString() : ui::SingleInstance::runtime_folder(),
                              QString::fromStdString(config_folder().string()));
  if (instance.claim(options.wish.to_message()) == ui::SingleInstance::Role::second) return kDone;
  // Pictures of a run that is made for them leave the user's own records alone.
  QTemporaryDir scratch;
  const bool aside = !options.screenshots.isEmpty() && options.run == 0;
  const std::filesystem::path place = scratch.path().toStdString();
  ui::Preferences preferences(aside ? place : config_folder());
  ui::Theme::current().set_text_percent(options.text_percent > 0 ? options.text_percent
                                                                 : preferences.text_percent());
  ui::speak(options.language.value_or(preferences.language()));
  ui::Theme::current().set_mode(theme_of(options, preferences));
  const std::filesystem::path file = aside ? place / "pitwall.db" : Store::default_file();
  auto store = Store::open(file);
  std::optional<Error> trouble;
  if (!store) {
    trouble = store.error();
    store = Store::stand_in(file);
    const bool needs_runs = options.report > 0 || options.run > 0;
    if (!store || aside || (needs_runs && (*store)->access() == Store::Access::unkept)) return fail(*trouble);
  }
  if (options.report > 0) return write_report(**store, options);
  if (options.run > 0) {
    if (const auto found = (*store)->run(RunId{options.run}); !found) return fail(found.error(), kWrongUsage);
  }
  ui::EngineController engine(backend_factory(), trouble ? nullptr : store->get());
  engine.set_refresh_hz(preferences.refresh_hz());
  const auto window = ui::compose_window(engine, **store, preferences, [](const std::string& name) {
    return find_gpu_or_this_machine({name, 1});
  });
  if (!options.screenshots.isEmpty()) return take_pictures(*window, engine, options);

  QObject::connect(&instance, &ui::SingleInstance::wish_received, window.get(),
                   [&window = *window](const QByteArray& wish) { take_wish(window, wish); });
  if (options.report_paint)
    QObject::connect(window.get(), &ui::MainWindow::painted, &app, [] {
      std::fprintf(stderr, "painted\n");
      QApplication::quit();
    });
  window->restore();
  if (trouble) window->post(ui::records_trouble(*trouble, (*store)->access()), true);
  if (const auto& damage = (*store)->damage())
    window->post({ui::Banner::Severity::warn, ui::damage_text(*damage), {}, {}, {}});
  if (auto begun = begin_session(*window, options.wish); !begun) return fail(begun.error(), kWrongUsage);
  window->show();
  const QuitOnSignal quit;
  const int code = app.exec();
  engine.stop();  // before the pages go, which may wait for what they have asked of it
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  if (!needs_display(argc, argv)) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication app(argc, argv);
  QApplication::setApplicationName(QStringLiteral("Pitwall"));
  QApplication::setApplicationVersion(QStringLiteral(PITWALL_VERSION));
  QApplication::setDesktopFileName(QStringLiteral("pitwall"));
  const auto options = parse(app);
  return options ? run(app, *options) : fail(options.error(), kWrongUsage);
}
