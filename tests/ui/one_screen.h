// SPDX-License-Identifier: GPL-3.0-or-later
// The main of tests that need a screen of a certain size.
#pragma once
#include <QApplication>
#include <QTest>
#include <fstream>
#include <string>

#include "tests/support/test_support.h"

namespace pitwall::test {

/// A whole test on one screen of so many pixels at 96 dots an inch.
template <class Test>
int run_on_screen(int width, int height, int argc, char** argv) {
  const TemporaryFolder folder;
  const auto screens = folder.path() / "screens.json";
  std::ofstream(screens) << R"({"screens": [{"name": "one", "x": 0, "y": 0, "width": )" << width
                         << R"(, "height": )" << height
                         << R"(, "logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1}]})";
  qputenv("QT_QPA_PLATFORM", "offscreen:configfile=" + QByteArray::fromStdString(screens.string()));
  QApplication app(argc, argv);
  Test test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace pitwall::test
