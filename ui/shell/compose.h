// SPDX-License-Identifier: GPL-3.0-or-later
// The one place that knows all pages: for the program, the screenshots and the tests alike.
#pragma once
#include <memory>

#include "ui/shell/main_window.h"

namespace pitwall {
class Store;
}

namespace pitwall::ui {

/// All three outlive the window.
std::unique_ptr<MainWindow> compose_window(EngineController& engine, Store& store, Preferences& preferences);

}  // namespace pitwall::ui
