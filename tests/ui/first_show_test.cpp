// SPDX-License-Identifier: GPL-3.0-or-later
// Reports as it is first seen, with a banner up, on a machine that is busy: each card is in its place and no
// button is cut, from the first paint on.
#include <QTest>

#include "tests/support/made_up_run.h"
#include "tests/ui/overlap_watch.h"
#include "tests/ui/serve_session.h"

using namespace pitwall;
using namespace pitwall::ui;

class FirstShowTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { fixture_.begin(); }
  void reports_under_a_banner_data();
  void reports_under_a_banner();

 private:
  test::ServeFixture fixture_;
};

void FirstShowTest::reports_under_a_banner_data() {
  QTest::addColumn<QSize>("size");
  QTest::addColumn<int>("sentences");
  QTest::addColumn<bool>("read_before");
  for (const QSize size : {QSize(1040, 640), QSize(1280, 800), QSize(1440, 900), QSize(1920, 1080)})
    for (const int sentences : {1, 5})
      for (const bool read_before : {false, true})
        QTest::addRow("%d px, %d sentences, runs read %s", size.width(), sentences,
                      read_before ? "before" : "then")
            << size << sentences << read_before;
}

void FirstShowTest::reports_under_a_banner() {
  QFETCH(QSize, size);
  QFETCH(int, sentences);
  QFETCH(bool, read_before);
  const test::TemporaryFolder data;
  {
    const auto store = Store::open(data.path() / "pitwall.db");
    PW_VERIFY(store);
    PW_VERIFY((*store)->import_run(test::made_up_run({.requests = 200})));
  }
  test::ServeSession session(data.path());
  session.window->resize(size);
  const auto* headline = session.child<QLabel>("report.headline");
  if (read_before) QTRY_VERIFY(!headline->text().isEmpty());
  QTRY_VERIFY(session.window->windowHandle()->isExposed());
  test::OverlapWatch watch(*session.window);
  session.window->show_page(QStringLiteral("reports"));
  session.window->post({Banner::Severity::warn,
                        QStringLiteral("A sweep was cut off; its runs are kept. ").repeated(sentences),
                        QStringLiteral("Go on with it"),
                        [] {},
                        {}});
  watch.expose();
  QTRY_VERIFY(headline->isVisible());
  QTRY_VERIFY(watch.paints > 5);
  QVERIFY2(watch.faults.isEmpty(), qPrintable(watch.faults.join(QStringLiteral(", "))));
}

QTEST_MAIN(FirstShowTest)
#include "first_show_test.moc"
