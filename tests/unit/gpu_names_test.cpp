// SPDX-License-Identifier: GPL-3.0-or-later
// GPUs are found by the names that drivers and people use.
#include <QTest>

#include "engine/plan/gpu_profile.h"

using namespace pitwall;

class GpuNamesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void found_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("profile");
    for (const auto& [name, profile] : {std::pair{"NVIDIA H200", "H200"},
                                        {"NVIDIA GeForce RTX 4090", "RTX-4090"},
                                        {"rtx 4090", "RTX-4090"},
                                        {"4090", "RTX-4090"},
                                        {"H100-80GB", "H100"},
                                        {"H200-141G", "H200"},
                                        {"NVIDIA A100-SXM4-80GB", "A100-80G"},
                                        {"NVIDIA A100-PCIE-40GB", "A100-40G"},
                                        {"NVIDIA L40S", "L40S"},
                                        {"NVIDIA L4", "L4"}})
      QTest::newRow(name) << name << profile;
  }
  void found() {
    QFETCH(QString, name);
    QFETCH(QString, profile);
    const auto gpu = find_gpu(name.toStdString());
    QVERIFY2(gpu.ok(), gpu.ok() ? "" : gpu.error().text().c_str());
    QCOMPARE(QString::fromStdString(gpu->name), profile);
  }

  void not_guessed() {
    for (const char* name : {"A100", "L40", "H100-40G", "90", "NVIDIA", "RTX"})
      QVERIFY2(!find_gpu(name), name);
  }
};

QTEST_GUILESS_MAIN(GpuNamesTest)
#include "gpu_names_test.moc"
