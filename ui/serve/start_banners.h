// SPDX-License-Identifier: GPL-3.0-or-later
// What banners say and offer about a start: why it failed, which model is not here, what a restart would end.
#pragma once
#include <functional>
#include <string>

#include "ui/shell/page.h"

namespace pitwall::ui {

struct StartRepairs {
  std::function<void(int port)> use_port;  ///< 0: any
  std::function<void(const std::string& setting)> change_setting;
  std::function<void()> open_model;
};
/// Offers what mends the error.
Banner failed_start_banner(const Error& error, const StartRepairs& repairs);

/// A plan's model that is not on this machine, by its name. `go`: where it can be fetched, or opened.
Banner absent_model_banner(const QString& model, const Error& error, std::function<void(bool fetchable)> go);

/// Both are paths.
Banner restart_banner(const QString& chosen, const QString& serving, std::function<void()> restart);

}  // namespace pitwall::ui
