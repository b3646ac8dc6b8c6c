// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/icon.h"

#include <QFile>
#include <QHash>
#include <QIconEngine>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>
#include <optional>

namespace pitwall::ui {

namespace {

const QByteArray& svg_source(const QString& name) {
  static QHash<QString, QByteArray> sources;
  auto found = sources.find(name);
  if (found == sources.end()) {
    QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
    found = sources.insert(name, file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray());
  }
  return *found;
}

/// The drawings say "currentColor"; the colour is put in when a pixmap is asked for.
class ThemedIcon final : public QIconEngine {
 public:
  ThemedIcon(QString name, std::optional<Colour> colour) : name_(std::move(name)), colour_(colour) {}

  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override {
    QSvgRenderer(coloured(mode, state)).render(painter, rect);
  }
  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
    return scaledPixmap(size, mode, state, 1);
  }
  QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State state, qreal scale) override {
    const QString key = QStringLiteral("pitwall/%1/%2/%3x%4@%5")
                            .arg(name_, ink(mode, state).name())
                            .arg(size.width())
                            .arg(size.height())
                            .arg(scale);
    QPixmap pixmap;
    if (QPixmapCache::find(key, &pixmap)) return pixmap;
    pixmap = QPixmap(size);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    paint(&painter, QRect(QPoint(), size), mode, state);
    painter.end();
    QPixmapCache::insert(key, pixmap);
    return pixmap;
  }
  QIconEngine* clone() const override { return new ThemedIcon(name_, colour_); }
  QString iconName() override { return name_; }

 private:
  QColor ink(QIcon::Mode mode, QIcon::State state) const {
    Colour colour = colour_.value_or(state == QIcon::On ? Colour::accent : Colour::text);
    if (mode == QIcon::Disabled) colour = Colour::muted;
    return Theme::current().colour(colour);
  }
  QByteArray coloured(QIcon::Mode mode, QIcon::State state) const {
    QByteArray svg = svg_source(name_);
    return svg.replace("currentColor", ink(mode, state).name().toLatin1());
  }

  QString name_;
  std::optional<Colour> colour_;
};

}  // namespace

QIcon icon(const QString& name) {
  return QIcon(new ThemedIcon(name, std::nullopt));
}
QIcon icon(const QString& name, Colour colour) {
  return QIcon(new ThemedIcon(name, colour));
}

}  // namespace pitwall::ui
