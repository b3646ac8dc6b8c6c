// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/engine_state.h"

#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {}  // namespace

QString state_word(EngineState state) {
  switch (state) {
    case EngineState::loading:
      return tr("Loading");
    case EngineState::serving:
      return tr("Serving");
    case EngineState::stopping:
      return tr("Stopping");
    case EngineState::failed:
      return tr("Failed");
    case EngineState::stopped:
      break;
  }
  return tr("Stopped");
}

QString state_sign(EngineState state) {
  switch (state) {
    case EngineState::serving:
      return QStringLiteral("●");
    case EngineState::loading:
    case EngineState::stopping:
      return QStringLiteral("◐");
    case EngineState::failed:
      return QStringLiteral("△");
    case EngineState::stopped:
      break;
  }
  return QStringLiteral("○");
}

Colour state_colour(EngineState state) {
  switch (state) {
    case EngineState::serving:
      return Colour::good;
    case EngineState::loading:
    case EngineState::stopping:
      return Colour::accent;
    case EngineState::failed:
      return Colour::bad;
    case EngineState::stopped:
      break;
  }
  return Colour::muted;
}

Tag::Kind state_tag(EngineState state) {
  switch (state) {
    case EngineState::serving:
      return Tag::Kind::good;
    case EngineState::loading:
    case EngineState::stopping:
      return Tag::Kind::accent;
    case EngineState::failed:
      return Tag::Kind::bad;
    case EngineState::stopped:
      break;
  }
  return Tag::Kind::neutral;
}

}  // namespace pitwall::ui
