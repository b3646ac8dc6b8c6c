// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/link_banner.h"

#include <QCoreApplication>
#include <QDesktopServices>

namespace pitwall::ui {

namespace {

struct Links {
  Q_DECLARE_TR_FUNCTIONS(Links)
};

}  // namespace

Banner link_banner(const QUrl& link) {
  QUrl url = link;
  if (url.scheme() == QLatin1String("mailto")) url.setQuery(QString());  // it could attach a file
  static const QStringList known{QStringLiteral("http"), QStringLiteral("https"), QStringLiteral("mailto")};
  const QString shown = url.toDisplayString(QUrl::FullyEncoded);
  Banner banner;
  banner.severity = Banner::Severity::warn;
  if (!known.contains(url.scheme())) {
    banner.text = Links::tr("Pitwall does not open this kind of link: %1").arg(shown);
    return banner;
  }
  banner.text = Links::tr("The reply links to %1").arg(shown);
  banner.verb = Links::tr("Open in browser");
  banner.action = [url] { QDesktopServices::openUrl(url); };
  return banner;
}

}  // namespace pitwall::ui
