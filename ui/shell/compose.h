// SPDX-License-Identifier: GPL-3.0-or-later
// The one place that knows all pages: for the program, the screenshots and the tests alike.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "engine/plan/gpu_profile.h"
#include "ui/shell/main_window.h"

namespace pitwall {
class Store;
}

namespace pitwall::ui {

/// All three outlive the window. `find_gpu` gives profiles by name, this machine's too; it may take seconds
/// and is called on another thread.
std::unique_ptr<MainWindow> compose_window(
    EngineController& engine, Store& store, Preferences& preferences,
    std::function<Result<GpuProfile>(const std::string& name)> find_gpu);

}  // namespace pitwall::ui
