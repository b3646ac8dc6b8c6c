// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/start_banners.h"

#include <QRegularExpression>

#include "engine/library/model_profile.h"
#include "engine/settings/settings.h"
#include "ui/serve/serve_page.h"
#include "ui/shell/model_path.h"

namespace pitwall::ui {

namespace {

/// The free port that the server's message offers, or 0: any.
int offered_port(const Error& error) {
  static const QRegularExpression number(QStringLiteral("\\b(\\d{2,5})\\b"));
  const auto match = number.match(QString::fromStdString(error.action));
  return match.hasMatch() ? match.captured(1).toInt() : 0;
}

}  // namespace

Banner failed_start_banner(const Error& error, const StartRepairs& repairs) {
  Banner banner = banner_of(error);
  if (error.kind == Error::Kind::busy && error.param == "port") {
    const int port = offered_port(error);
    banner.verb = port > 0 ? ServePage::tr("Use %1").arg(port) : ServePage::tr("Use any free port");
    banner.action = [use = repairs.use_port, port] { use(port); };
  } else if (const SettingInfo* setting = find_setting(error.param); setting && setting->name != "model") {
    banner.verb = ServePage::tr("Change %1").arg(QString::fromStdString(error.param));
    banner.action = [change = repairs.change_setting, name = std::string(setting->name)] { change(name); };
  } else {
    banner.verb = ServePage::tr("Open another model…");
    banner.action = repairs.open_model;
  }
  return banner;
}

Banner absent_model_banner(const QString& model, const Error& error, std::function<void(bool fetchable)> go) {
  const ModelProfile* profile = find_model_profile(model.toStdString());
  const bool fetchable = profile != nullptr && profile->fetchable();
  Banner banner = banner_of(error);
  if (profile != nullptr) {
    const QString title = QString::fromStdString(profile->title);
    banner.text = fetchable
                      ? ServePage::tr("%1 is not on this machine yet. It can be fetched on Serve.").arg(title)
                      : ServePage::tr("%1 has no weights on this machine. Open its .gguf file.").arg(title);
    banner.details = QString::fromStdString(error.text());
  }
  banner.verb = fetchable ? ServePage::tr("Go to Serve") : ServePage::tr("Open…");
  banner.action = [go = std::move(go), fetchable] { go(fetchable); };
  return banner;
}

Banner restart_banner(const QString& chosen, const QString& serving, std::function<void()> restart) {
  return {
      Banner::Severity::warn,
      ServePage::tr("%1 is chosen, and %2 is still serving.").arg(model_name(chosen), model_name(serving)),
      ServePage::tr("Restart with %1").arg(model_name(chosen)),
      std::move(restart),
      {}};
}

}  // namespace pitwall::ui
