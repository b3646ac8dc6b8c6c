// SPDX-License-Identifier: GPL-3.0-or-later
// The window with a real engine on a tiny model, on data folders of its own, for tests of the serve page.
#pragma once
#include <QTest>
#include <future>

#include "app/common/backend_factory.h"
#include "engine/plan/gpu_profile.h"
#include "engine/store/store.h"
#include "tests/support/test_support.h"
#include "tests/support/tiny_model.h"
#include "ui/serve/serve_page.h"
#include "ui/shell/banner_bar.h"
#include "ui/shell/compose.h"
#include "ui/shell/engine_controller.h"
#include "ui/shell/preferences.h"
#include "ui/shell/theme.h"

namespace pitwall::test {

constexpr int kPatienceMs = 60'000;

/// Everything a session has, on data folders of its own.
struct ServeSession {
  explicit ServeSession(const std::filesystem::path& folder)
      : preferences(folder),
        store(*Store::open(folder / "pitwall.db")),
        engine(backend_factory(), store.get()) {
    window = ui::compose_window(engine, *store, preferences,
                                [](const std::string& name) { return find_gpu(name); });
    window->resize(1440, 900);
    window->show_page(QStringLiteral("serve"));
    window->show();
    serve = static_cast<ui::ServePage*>(window->page(QStringLiteral("serve")));
    banner = window->findChild<ui::BannerBar*>();
  }
  bool reaches(EngineState state) {
    return QTest::qWaitFor([&] { return engine.state() == state; }, kPatienceMs);
  }
  template <class T>
  T* child(const char* name) {
    return window->findChild<T*>(QString::fromLatin1(name));
  }

  /// Chooses the model, and starts it on a free port with a small KV cache.
  void serve_model(const std::filesystem::path& model) {
    PW_VERIFY(serve->set_setting("port", "0"));
    PW_VERIFY(serve->set_setting("kv-cache-memory-bytes", "16MiB"));
    serve->choose_model(QString::fromStdString(model.string()));
    serve->start();
    QVERIFY(reaches(EngineState::serving));
  }
  /// One request, to its end.
  RequestRecord generate(int tokens, int prompt = 3) {
    GenerationRequest request;
    for (int i = 0; i < prompt; ++i) request.prompt.push_back(70 + i % 90);
    request.sampling.max_tokens = tokens;
    request.ignore_eos = true;
    std::promise<RequestRecord> ended;
    const auto id = engine.engine()->submit(std::move(request), [&](OutputEvent&& event) {
      if (event.finished) ended.set_value(event.record);
    });
    if (!id) qFatal("%s", id.error().text().c_str());
    return ended.get_future().get();
  }

  ui::Preferences preferences;
  std::unique_ptr<Store> store;
  ui::EngineController engine;
  std::unique_ptr<ui::MainWindow> window;
  ui::ServePage* serve = nullptr;
  ui::BannerBar* banner = nullptr;
};

/// What the tests of the serve page have in common: a tiny model, and a session for each test function.
class ServeFixture {
 public:
  /// Once, before all.
  void begin() {
    home_ = std::make_unique<TemporaryFolder>();
    qputenv("PITWALL_HOME", QByteArray::fromStdString(home_->path().string()));
    model_ = write_tiny_model(home_->path());
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    ui::Theme::current().set_mode(ui::ThemeMode::light);
  }
  void open() {
    data_ = std::make_unique<TemporaryFolder>();
    session_ = std::make_unique<ServeSession>(data_->path());
  }
  void close_window() { session_.reset(); }
  void close() {
    close_window();
    data_.reset();
  }
  ServeSession* operator->() { return session_.get(); }
  const std::filesystem::path& model() const { return model_; }
  const std::filesystem::path& data() const { return data_->path(); }
  void serve() { session_->serve_model(model_); }

 private:
  std::unique_ptr<TemporaryFolder> home_, data_;
  std::filesystem::path model_;
  std::unique_ptr<ServeSession> session_;
};

}  // namespace pitwall::test
