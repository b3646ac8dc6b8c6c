// SPDX-License-Identifier: GPL-3.0-or-later
// The include law, on this tree and on small trees that break it.
#include <QTest>
#include <fstream>

#include "tests/support/house_rules.h"
#include "tests/support/test_support.h"

using namespace pitwall::test;
namespace fs = std::filesystem;

namespace {

const std::string kSpdx = "// SPDX-License-Identifier: GPL-3.0-or-later\n";

/// A lawful house of three modules and a window: base ← model ← ui, base ← (private) tools ← ui.
class SmallHouse {
 public:
  SmallHouse() {
    put("engine/base/CMakeLists.txt", "pitwall_module(base LINKS Threads::Threads)");
    put("engine/model/CMakeLists.txt",
        "# a comment (with brackets)\npitwall_module(model LINKS pitwall_base)");
    put("engine/tools/CMakeLists.txt", "pitwall_module(tools PRIVATE_LINKS pitwall_base)");
    put("ui/CMakeLists.txt",
        "add_library(pitwall_ui STATIC a)\n"
        "target_link_libraries(pitwall_ui PUBLIC Qt6::Widgets\n  PRIVATE pitwall_tools)");
    put("engine/base/result.h", kSpdx);
    put("engine/model/model.cpp", kSpdx + "#include \"engine/base/result.h\"\n#include \"generated.inc\"\n");
    put("engine/tools/tool.h", kSpdx + "#include \"engine/base/result.h\"\n");
    put("ui/shell/window.h", kSpdx + "#include <QWidget>\n#include \"engine/tools/tool.h\"\n");
  }
  void put(const std::string& file, const std::string& content) const {
    fs::create_directories((folder_.path() / file).parent_path());
    std::ofstream(folder_.path() / file) << content;
  }
  std::vector<std::string> breaches() const { return house_breaches(folder_.path()); }

 private:
  TemporaryFolder folder_;
};

}  // namespace

class IncludeWalkTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void this_house_is_lawful();
  void small_house_is_lawful();
  void breaches_are_found_data();
  void breaches_are_found();
};

void IncludeWalkTest::this_house_is_lawful() {
  const std::vector<std::string> breaches = house_breaches(PITWALL_SOURCE_DIR);
  for (const std::string& breach : breaches) qWarning("%s", breach.c_str());
  QVERIFY(breaches.empty());
}

void IncludeWalkTest::small_house_is_lawful() {
  QCOMPARE(SmallHouse().breaches(), std::vector<std::string>{});
}

void IncludeWalkTest::breaches_are_found_data() {
  QTest::addColumn<std::string>("file");
  QTest::addColumn<std::string>("content");
  QTest::addColumn<std::string>("said");
  const auto row = [](const char* name, const std::string& file, const std::string& content,
                      const std::string& said) { QTest::newRow(name) << file << content << said; };
  row("against the arrow", "engine/base/bad.cpp", kSpdx + "#include \"engine/model/model.cpp\"\n",
      "engine/base/bad.cpp:2: includes engine/model/model.cpp, but pitwall_base does not link pitwall_model");
  row("beside the arrow", "engine/model/bad.cpp", kSpdx + "\n#include \"engine/tools/tool.h\"\n",
      "engine/model/bad.cpp:3: includes engine/tools/tool.h, but pitwall_model does not link pitwall_tools");
  row("through another's private link", "ui/shell/bad.cpp", kSpdx + "#include \"engine/base/result.h\"\n",
      "ui/shell/bad.cpp:2: includes engine/base/result.h, but pitwall_ui does not link pitwall_base");
  row("upwards", "engine/model/bad.h", kSpdx + "#include \"ui/shell/window.h\"\n",
      "engine/model/bad.h:2: includes ui/shell/window.h, but pitwall_model does not link pitwall_ui");
  row("Qt in the engine", "engine/base/bad.cpp", kSpdx + "#include <QString>\n",
      "engine/base/bad.cpp:2: includes QString; no Qt here");
  row("Qt linked in the engine", "engine/tools/CMakeLists.txt",
      "pitwall_module(tools LINKS Qt6::Core PRIVATE_LINKS pitwall_base)",
      "engine/tools/CMakeLists.txt:0: links Qt6::Core; no Qt here");
  row("JSON in a header", "engine/base/bad.h", kSpdx + "#include <nlohmann/json.hpp>\n",
      "engine/base/bad.h:2: includes nlohmann/json.hpp in a header");
  row("Boost in a header", "ui/shell/bad.h", kSpdx + "#include <boost/asio.hpp>\n",
      "ui/shell/bad.h:2: includes boost/asio.hpp in a header");
  row("not from the root", "engine/base/bad.cpp", kSpdx + "#include \"result.h\"\n",
      "engine/base/bad.cpp:2: write result.h from the root");
  row("missing file", "engine/base/bad.cpp", kSpdx + "#include \"engine/base/none.h\"\n",
      "engine/base/bad.cpp:2: includes engine/base/none.h, which does not exist");
  std::string long_file = kSpdx;
  for (int line = 0; line < 600; ++line) long_file += '\n';
  row("601 lines", "tests/unit/bad_test.cpp", long_file, "tests/unit/bad_test.cpp:601: is above 600 lines");
  row("no SPDX line", "engine/base/bad.cpp", "#include <string>\n",
      "engine/base/bad.cpp:1: does not begin with the SPDX line");
  row("empty file", "kernels/cuda/bad.cu", "", "kernels/cuda/bad.cu:1: does not begin with the SPDX line");
}

void IncludeWalkTest::breaches_are_found() {
  QFETCH(std::string, file);
  QFETCH(std::string, content);
  QFETCH(std::string, said);
  const SmallHouse house;
  house.put(file, content);
  QCOMPARE(house.breaches(), std::vector<std::string>{said});
}

QTEST_APPLESS_MAIN(IncludeWalkTest)
#include "include_walk_test.moc"
