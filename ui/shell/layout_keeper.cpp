// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/layout_keeper.h"

#include <QAbstractButton>
#include <QSplitter>
#include <QTabBar>
#include <QTabWidget>
#include <algorithm>

#include "ui/shell/preferences.h"
#include "ui/widgets/data_table.h"

namespace pitwall::ui {

namespace {

constexpr const char* kFolds = "folds";
constexpr const char* kFirstLook = "firstLook";  // of a button: whether it was checked

QVariantMap kept(int count, const QVariant& value) {
  return {{QStringLiteral("count"), count}, {QStringLiteral("value"), value}};
}

/// Invalid where nothing was kept, or for another count.
QVariant value_of(const QVariant& layout, int count) {
  const QVariantMap map = layout.toMap();
  return map.value(QStringLiteral("count")).toInt() == count ? map.value(QStringLiteral("value"))
                                                             : QVariant();
}

QVariantList sizes_of(const QSplitter& splitter) {
  QVariantList sizes;
  for (const int size : splitter.sizes()) sizes << size;
  return sizes;
}

/// The first part that the user's hand does not fix is what Qt makes of the sizes: they are shares.
void set_sizes(QSplitter& splitter, const QVariantList& list) {
  QList<int> sizes;
  for (const QVariant& size : list) sizes << std::max(0, size.toInt());
  if (sizes.size() != splitter.count() || std::count(sizes.begin(), sizes.end(), 0) == sizes.size()) return;
  splitter.setSizes(sizes);
  Q_EMIT splitter.splitterMoved(sizes.front(), 1);  // by the user, the last time: its page leaves it alone
}

}  // namespace

template <class Widget>
QList<Widget*> LayoutKeeper::named() const {
  QList<Widget*> all = root_.findChildren<Widget*>();
  all.removeIf([](const Widget* one) {
    return one->objectName().isEmpty() || one->objectName().startsWith(QLatin1String("qt_"));
  });
  return all;
}

LayoutKeeper::LayoutKeeper(QWidget& root, Preferences& preferences, QObject* parent)
    : QObject(parent), root_(root), preferences_(preferences) {
  for (QAbstractButton* button : named<QAbstractButton>())
    if (button->property(kFolds).toBool()) button->setProperty(kFirstLook, button->isChecked());
}

void LayoutKeeper::restore() {
  for (QSplitter* splitter : named<QSplitter>())
    set_sizes(*splitter, value_of(preferences_.layout(splitter->objectName()), splitter->count()).toList());
  for (QTabWidget* tabs : named<QTabWidget>())
    if (const QVariant at = value_of(preferences_.layout(tabs->objectName()), tabs->count()); at.isValid())
      tabs->setCurrentIndex(at.toInt());
  for (QTabBar* tabs : named<QTabBar>())
    if (const QVariant at = value_of(preferences_.layout(tabs->objectName()), tabs->count()); at.isValid())
      tabs->setCurrentIndex(at.toInt());
  for (DataTable* table : named<DataTable>())
    table->set_user_widths(
        value_of(preferences_.layout(table->objectName()), table->model()->columnCount()).toMap());
  for (QAbstractButton* button : named<QAbstractButton>())
    if (const QVariant on = value_of(preferences_.layout(button->objectName()), 1);
        on.isValid() && button->property(kFolds).toBool())
      button->setChecked(on.toBool());
  watch();
}

void LayoutKeeper::watch() {
  const auto keep = [this](const QWidget* widget, int count, const QVariant& value) {
    preferences_.set_layout(widget->objectName(), kept(count, value));
  };
  for (QSplitter* splitter : named<QSplitter>())
    connect(splitter, &QSplitter::splitterMoved, this,
            [keep, splitter] { keep(splitter, splitter->count(), sizes_of(*splitter)); });
  for (QTabWidget* tabs : named<QTabWidget>())
    connect(tabs, &QTabWidget::currentChanged, this,
            [keep, tabs](int index) { keep(tabs, tabs->count(), index); });
  for (QTabBar* tabs : named<QTabBar>())
    connect(tabs, &QTabBar::currentChanged, this,
            [keep, tabs](int index) { keep(tabs, tabs->count(), index); });
  for (DataTable* table : named<DataTable>())
    connect(table, &DataTable::columns_resized, this,
            [keep, table] { keep(table, table->model()->columnCount(), table->user_widths()); });
  for (QAbstractButton* button : named<QAbstractButton>())
    if (button->property(kFolds).toBool())
      connect(button, &QAbstractButton::toggled, this, [keep, button](bool on) { keep(button, 1, on); });
}

void LayoutKeeper::forget() {
  for (QTabWidget* tabs : named<QTabWidget>()) tabs->setCurrentIndex(0);
  for (QTabBar* tabs : named<QTabBar>()) tabs->setCurrentIndex(0);
  for (DataTable* table : named<DataTable>()) table->set_user_widths({});
  for (QAbstractButton* button : named<QAbstractButton>())
    if (button->property(kFolds).toBool()) button->setChecked(button->property(kFirstLook).toBool());
  preferences_.forget_layout();  // last: what was put back is not an arrangement
}

}  // namespace pitwall::ui
