// SPDX-License-Identifier: GPL-3.0-or-later
// The window's one handle on the engine: starts and stops it off the UI thread, and hands out snapshots at 4
// Hz.
#pragma once
#include <QObject>
#include <QString>
#include <memory>

#include "engine/serve/engine.h"
#include "engine/serve/http_server.h"

namespace pitwall::ui {

/// UI thread only; signals come on the UI thread. The engine never waits for the UI.
class EngineController : public QObject {
  Q_OBJECT

 public:
  EngineController(BackendFactory make_backend, RunSink* runs, QObject* parent = nullptr);
  ~EngineController() override;  ///< stops the engine; returns within 5 s

  void start(const QString& model_path, const Settings& settings);  ///< stops a running engine first
  void stop();                                                      ///< also cancels a load
  /// Changes a live setting of the serving engine; setting_changed() brings the answer.
  void change(const std::string& name, const std::string& text);
  EngineState state() const;
  Engine* engine() const;  ///< null unless serving
  /// The same for another thread: it does not go away while that is held. Let go of it soon after a stop.
  std::shared_ptr<Engine> hold() const;
  RunSink* runs() const;  ///< may be null
  std::shared_ptr<const Snapshot> snapshot()
      const;                                      ///< the last one; kept after a stop; null before the first
  QString url() const;                            ///< "http://127.0.0.1:8080"; empty unless serving
  QString model_path() const;                     ///< of the last start
  const Settings& settings() const;               ///< of the last start
  const BackendFactory& backend_factory() const;  ///< for engines beside this one
  const Error& last_error() const;                ///< in state failed
  void set_refresh_hz(int hz);                    ///< 4 … 10
  /// While nobody sees the window a snapshot comes once a second: taking one costs the engine, too.
  void set_watched(bool watched);
  bool watched() const;

 Q_SIGNALS:
  void state_changed(pitwall::EngineState state);
  void load_progress(const QString& phase, qint64 done, qint64 total);  ///< bytes
  void snapshot_ready();
  void setting_changed(const std::string& name, const std::string& text, const pitwall::Result<void>& result);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pitwall::ui
