// SPDX-License-Identifier: GPL-3.0-or-later
// The window: command line, composition, event loop.
#include <QApplication>
#include <QCommandLineParser>
#include <QMessageBox>
#include <QTemporaryDir>
#include <cstdio>
#include <cstring>
#include <optional>

#include "app/common/backend_factory.h"
#include "app/common/this_machine.h"
#include "app/pitwall/quit_on_signal.h"
#include "engine/base/file.h"
#include "engine/library/models_folder.h"
#include "engine/store/store.h"
#include "ui/serve/serve_page.h"
#include "ui/shell/compose.h"
#include "ui/shell/engine_controller.h"
#include "ui/shell/language.h"
#include "ui/shell/preferences.h"
#include "ui/shell/screenshots.h"
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
    for (const char* flag : {"--screenshots", "--help", "-h", "--version", "-v"})
      if (std::strncmp(argv[i], flag, std::strlen(flag)) == 0) return false;
  return true;
}

struct Options {
  QString model, port, theme, screenshots;
  std::optional<ui::Language> language;
  QSize size{1440, 900};
  qint64 run = 0;
  bool serve = false;
};

Result<Options> parse(const QCoreApplication& app) {
  QCommandLineParser parser;
  parser.setApplicationDescription(QStringLiteral("Plan, serve and watch language models."));
  parser.addHelpOption();
  parser.addVersionOption();
  parser.addOptions({
      {QStringLiteral("model"),
       QStringLiteral("A .gguf file, a folder with config.json and safetensors, or a fetched model's name."),
       QStringLiteral("M")},
      {QStringLiteral("serve"), QStringLiteral("Start the engine with --model at once.")},
      {QStringLiteral("port"), QStringLiteral("TCP port to serve on, for this session."),
       QStringLiteral("N")},
      {QStringLiteral("theme"), QStringLiteral("light, dark or auto, for this session."),
       QStringLiteral("NAME")},
      {QStringLiteral("language"), QStringLiteral("auto, en or zh_CN, for this session."),
       QStringLiteral("NAME")},
      {QStringLiteral("screenshots"),
       QStringLiteral("Render each page to a PNG in DIR, without a display, and end."),
       QStringLiteral("DIR")},
      {QStringLiteral("size"), QStringLiteral("Size of the pictures."), QStringLiteral("WxH"),
       QStringLiteral("1440x900")},
      {QStringLiteral("run"), QStringLiteral("The run that the picture of the reports page shows."),
       QStringLiteral("ID")},
  });
  parser.process(app);
  Options options;
  options.model = parser.value(QStringLiteral("model"));
  options.port = parser.value(QStringLiteral("port"));
  options.theme = parser.value(QStringLiteral("theme"));
  options.screenshots = parser.value(QStringLiteral("screenshots"));
  options.serve = parser.isSet(QStringLiteral("serve"));
  options.run = parser.value(QStringLiteral("run")).remove(QStringLiteral("R-")).toLongLong();
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
  if (const QString code = parser.value(QStringLiteral("language")); !code.isEmpty()) {
    options.language = ui::language_of(code);
    if (!options.language)
      return Error{Error::Kind::invalid_input, "--language is none of auto, en and zh_CN", "", "",
                   "language"};
  }
  if (options.serve && options.model.isEmpty())
    return Error{Error::Kind::invalid_input, "--serve names no model", "",
                 "Add --model with a file, folder or name", "model"};
  if (!options.model.isEmpty()) {
    auto path = resolve_model(options.model.toStdString());
    if (!path) return path.error();
    options.model = QString::fromStdString(path->string());
  }
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
  pictures.model = options.model;
  pictures.run = options.run;
  const auto files = ui::take_screenshots(window, engine, pictures);
  if (!files) return fail(files.error());
  for (const QString& file : *files) std::printf("%s\n", qPrintable(file));
  return kDone;
}

Result<void> begin_session(ui::MainWindow& window, const Options& options) {
  auto* serve = static_cast<ui::ServePage*>(window.page(QStringLiteral("serve")));
  if (!options.port.isEmpty())
    if (auto set = serve->set_setting("port", options.port.toStdString()); !set) return set;
  if (!options.model.isEmpty()) serve->choose_model(options.model);
  if (options.serve) serve->start();
  if (!options.model.isEmpty()) window.show_page(QStringLiteral("serve"));
  return {};
}

int run(QApplication& app, const Options& options) {
  // Pictures of a run that is made for them leave the user's own records alone.
  QTemporaryDir scratch;
  const bool aside = !options.screenshots.isEmpty() && options.run == 0;
  const std::filesystem::path place = scratch.path().toStdString();
  ui::Preferences preferences(aside ? place : config_folder());
  ui::speak(options.language.value_or(preferences.language()));
  ui::Theme::current().set_mode(theme_of(options, preferences));
  auto store = Store::open(aside ? place / "pitwall.db" : Store::default_file());
  if (!store) {
    if (options.screenshots.isEmpty())
      QMessageBox::critical(nullptr, QStringLiteral("Pitwall"), QString::fromStdString(store.error().text()));
    return fail(store.error());
  }
  if (options.run > 0) {
    if (const auto found = (*store)->run(RunId{options.run}); !found) return fail(found.error(), kWrongUsage);
  }
  ui::EngineController engine(backend_factory(), store->get());
  engine.set_refresh_hz(preferences.refresh_hz());
  const auto window = ui::compose_window(engine, **store, preferences, [](const std::string& name) {
    return find_gpu_or_this_machine({name, 1});
  });
  if (!options.screenshots.isEmpty()) return take_pictures(*window, engine, options);

  window->restore();
  if (!(*store)->notice().empty())
    window->post({ui::Banner::Severity::warn, QString::fromStdString((*store)->notice()), {}, {}, {}});
  if (auto begun = begin_session(*window, options); !begun) return fail(begun.error(), kWrongUsage);
  window->show();
  const QuitOnSignal quit;
  return app.exec();
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
