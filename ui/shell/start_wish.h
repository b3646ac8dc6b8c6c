// SPDX-License-Identifier: GPL-3.0-or-later
// What a start asks of the window, so that a second start can hand it to the first.
#pragma once
#include <QByteArray>
#include <QStringList>

#include "engine/base/result.h"

namespace pitwall::ui {

/// In the environment, what a desktop gives to whoever may come to the front; Qt takes it from there.
inline constexpr const char* kActivationToken = "XDG_ACTIVATION_TOKEN";

struct StartWish {
  QString model;  ///< absolute path; empty: none
  QString port;   ///< as typed; empty: the settings' own
  bool serve = false;
  QStringList files;  ///< absolute paths to open; an address stays as it is
  QString activation_token;

  QByteArray to_message() const;
  static Result<StartWish> from_message(const QByteArray& message);
};

}  // namespace pitwall::ui
