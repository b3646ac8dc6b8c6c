// SPDX-License-Identifier: GPL-3.0-or-later
// Fetching from the serve page's cards, with an index of demo packages.
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include "engine/base/file.h"
#include "engine/library/models_folder.h"
#include "tests/support/accessible_names.h"
#include "tests/support/fake_index.h"
#include "ui/serve/fetch_card.h"
#include "ui/serve/listed_model.h"
#include "ui/serve/model_list.h"
#include "ui/widgets/data_table.h"

using namespace pitwall;
using namespace pitwall::ui;

namespace {

constexpr int kPatienceMs = 60'000;
// printf 'the weights of a demo model' | sha256sum
constexpr const char* kSum = "ab0dba40b8c12240711d999edc5938b243b1b578ad5eeaaac43200253a04878c";

}  // namespace

class FetchCardTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void cleanup();
  void fetches_with_one_press();
  void cancel_leaves_a_resume();
  void failure_is_said_and_can_be_tried_again();
  void terms_come_first();
  void one_at_a_time();
  void closing_while_fetching();
  void list_offers_what_the_profiles_have();

 private:
  void show(ModelProfile profile);
  QPushButton* button(const char* name = "demo") {
    return card_->findChild<QPushButton*>(QStringLiteral("serve.fetch.%1").arg(QLatin1String(name)));
  }
  QString status() { return card_->findChild<QLabel*>(QStringLiteral("serve.fetch.demo.status"))->text(); }
  bool becomes(const char* text) {
    return QTest::qWaitFor([&] { return button()->isEnabled() && button()->text() == QLatin1String(text); },
                           kPatienceMs);
  }
  static void press(QPushButton* button) { QTest::mouseClick(button, Qt::LeftButton); }

  std::unique_ptr<test::FakeIndex> index_;
  std::unique_ptr<FetchCard> card_;
  ModelProfile demo_;
};

void FetchCardTest::init() {
  QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
  index_ = std::make_unique<test::FakeIndex>();
  demo_ = index_->profile({"the weights ", "of a demo model"}, kSum);
  show(demo_);
}

void FetchCardTest::cleanup() {
  card_.reset();
  index_.reset();
}

void FetchCardTest::show(ModelProfile profile) {
  ModelProfile other = demo_;
  other.name = "other";
  other.file = "other.gguf";
  card_ = std::make_unique<FetchCard>(std::vector<ModelProfile>{profile, other, ModelProfile{}});
  card_->resize(1000, 300);
  card_->show();
}

void FetchCardTest::fetches_with_one_press() {
  QSignalSpy fetched(card_.get(), &FetchCard::fetched);
  press(button());
  QCOMPARE(button()->text(), QStringLiteral("Cancel"));
  QVERIFY(card_->findChild<QProgressBar*>()->isVisible());
  QVERIFY(fetched.wait(kPatienceMs));
  const auto file = default_models_folder() / "demo.gguf";
  QCOMPARE(fetched.front().front().toString(), QString::fromStdString(file.string()));
  QCOMPARE(read_file(file).value(), "the weights of a demo model");
  QVERIFY(!button()->isVisible());  // the row of what is here goes
  QVERIFY(button("other")->isVisible());
}

void FetchCardTest::cancel_leaves_a_resume() {
  index_->pip_does("hang", "demo-2");
  press(button());
  QVERIFY(QTest::qWaitFor([&] { return status().startsWith(QStringLiteral("Downloading part 2 of 2, ")); },
                          kPatienceMs));
  QVERIFY2(status().contains(QStringLiteral(" of ")), qPrintable(status()));
  QSignalSpy failed(card_.get(), &FetchCard::failed);
  press(button());
  QVERIFY(becomes("Resume"));
  QVERIFY(failed.isEmpty());
  QVERIFY(!card_->findChild<QProgressBar*>()->isVisible());

  index_->pip_does("wheel");
  index_->forget_log();
  QSignalSpy fetched(card_.get(), &FetchCard::fetched);
  press(button());
  QVERIFY(fetched.wait(kPatienceMs));
  QVERIFY(index_->log().find("demo==1.0") == std::string::npos);  // the first part was kept
}

void FetchCardTest::failure_is_said_and_can_be_tried_again() {
  index_->pip_does("offline");
  QSignalSpy failed(card_.get(), &FetchCard::failed);
  press(button());
  QVERIFY(failed.wait(kPatienceMs));
  const auto error = failed.front().front().value<Error>();
  QVERIFY2(error.what.starts_with("No network"), error.what.c_str());
  QCOMPARE(button()->text(), QStringLiteral("Fetch"));
  QCOMPARE(status(), QStringLiteral("Not fetched"));
  index_->pip_does("wheel");
  QSignalSpy fetched(card_.get(), &FetchCard::fetched);
  press(button());
  QVERIFY(fetched.wait(kPatienceMs));
}

void FetchCardTest::terms_come_first() {
  demo_.terms = "https://example.org/terms";
  show(demo_);
  press(button());
  QVERIFY(!button()->isVisible());
  auto* link = card_->findChild<QLabel*>(QStringLiteral("serve.fetch.demo.terms"));
  QVERIFY(link->isVisible());
  QVERIFY(link->text().contains(QStringLiteral("href=\"https://example.org/terms\"")));
  press(button("demo.notNow"));
  QVERIFY(!link->isVisible());
  QCOMPARE(index_->log(), std::string());

  press(button());
  QSignalSpy fetched(card_.get(), &FetchCard::fetched);
  press(button("demo.agree"));
  QVERIFY(fetched.wait(kPatienceMs));
}

void FetchCardTest::one_at_a_time() {
  index_->pip_does("hang");
  press(button());
  QVERIFY(!button("other")->isEnabled());
  press(button());
  QVERIFY(becomes("Resume"));
  QVERIFY(button("other")->isEnabled());
}

void FetchCardTest::closing_while_fetching() {
  index_->pip_does("hang");
  press(button());
  card_.reset();
}

void FetchCardTest::list_offers_what_the_profiles_have() {
  ModelList list;
  list.resize(1000, 700);
  list.show();
  for (const char* name : {"smollm2", "qwen2.5-coder-0.5b", "gemma3-270m"}) {
    auto* fetch = list.findChild<QPushButton*>(QStringLiteral("serve.fetch.%1").arg(QLatin1String(name)));
    QVERIFY2(fetch && fetch->isVisible(), name);
  }
  QCOMPARE(test::nameless_focusable_widget(list), QString());

  const auto starter = default_models_folder() / find_model_profile("smollm2")->file;
  std::filesystem::create_directories(starter.parent_path());
  PW_VERIFY(write_file_atomic(starter, "weights"));
  std::filesystem::create_symlink("nowhere", default_models_folder() / "gone.gguf");
  list.set_models(find_models({}, {}));
  QVERIFY(!list.findChild<QPushButton*>(QStringLiteral("serve.fetch.smollm2"))->isVisible());
  QCOMPARE(list.paths().size(), 2);
  const auto& rows = list.findChild<DataTable*>()->table()->rows();
  QVERIFY2(rows[1].cells[3].text.contains(QStringLiteral("nowhere, which is missing")),
           qPrintable(rows[1].cells[3].text));
}

QTEST_MAIN(FetchCardTest)
#include "fetch_card_test.moc"
