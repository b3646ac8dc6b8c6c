// SPDX-License-Identifier: GPL-3.0-or-later
// What folds in the form: fields, the head that names what is not as usual, errors that unfold it.
#include <QCheckBox>
#include <QLabel>
#include <QSignalSpy>
#include <QToolButton>
#include <cmath>

#include "engine/plan/weight_format.h"
#include "tests/support/test_support.h"
#include "tests/ui/plan_session.h"
#include "ui/plan/more_fields.h"
#include "ui/shell/theme.h"
#include "ui/widgets/number_field.h"

using namespace pitwall;
using namespace pitwall::ui;
using pitwall::test::documents;
using pitwall::test::u8;

class PlanFormTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void it_folds_and_names_what_is_not_as_usual();
  void weights_engine_and_graphs_are_chosen();
  void untouched_fields_follow_the_engine();
  void stages_take_their_gpus_along();
  void switches_and_a_typical_request();
  void an_error_unfolds_its_field();
  void what_a_command_brings_is_shown();
  void limits_are_means();

 private:
  test::TemporaryFolder home_;
};

void PlanFormTest::initTestCase() {
  qputenv("PITWALL_HOME", QByteArray::fromStdString(home_.path().string()));
  QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
  Theme::current().set_mode(ThemeMode::light);
}

void PlanFormTest::it_folds_and_names_what_is_not_as_usual() {
  test::TemporaryFolder data;
  test::PlanSession session(data.path());
  session.plan->start(documents());
  QVERIFY(session.answers());
  auto* head = session.child<QToolButton>("plan.more");
  auto* weights = session.child<QComboBox>("plan.quantization");
  QVERIFY(session.child<QComboBox>("plan.engine")->isVisible());  // what decides most stands in sight
  QVERIFY(head->isVisible() && !weights->isVisible());
  QVERIFY(session.child<QLabel>("plan.more.unusual")->text().isEmpty());
  head->setFocus();
  QTest::keyClick(head, Qt::Key_Space);
  QVERIFY(weights->isVisible());
  session.choose("plan.quantization", u8("fp8"));
  QTest::keyClick(head, Qt::Key_Space);
  QVERIFY(!weights->isVisible());
  QCOMPARE(session.child<QLabel>("plan.more.unusual")->text(), u8("fp8 weights"));
  QCOMPARE(head->accessibleName(), u8("More: fp8 weights"));
}

void PlanFormTest::weights_engine_and_graphs_are_chosen() {
  test::TemporaryFolder data;
  test::PlanSession session(data.path());
  session.plan->start(documents());
  QVERIFY(session.answers());
  const auto before = session.answer();
  QCOMPARE(session.child<QComboBox>("plan.quantization")->count(),
           static_cast<int>(weight_format_names().size()) + 1);
  session.choose("plan.quantization", u8("fp8"));
  QVERIFY(session.answers());
  QCOMPARE(session.asked().quantization, std::string("fp8"));
  QVERIFY(session.answer()->worst_rank().of(Category::weights) >
          1.5 * static_cast<double>(before->worst_rank().of(Category::weights)));  // it was AWQ
  session.choose("plan.quantization", u8("as the model"));
  session.choose("plan.kvDtype", u8("auto"));  // fp8 is not told to every engine
  auto* box = session.child<QComboBox>("plan.engine");
  for (int at = box->count() - 1; at >= 0; --at) {  // "by the model" last
    const std::string engine = box->itemData(at).toString().toStdString();
    box->setCurrentIndex(at);
    Q_EMIT box->activated(at);
    QVERIFY(session.answers());
    QCOMPARE(session.asked().engine, engine);
    QCOMPARE(QString::fromStdString(session.answer()->engine),
             engine == "auto" ? u8("pitwall") : QString::fromStdString(engine));
  }
  const Bytes own = session.answer()->worst_rank().of(Category::graphs);
  QVERIFY(own > 0);
  session.choose("plan.graphs", u8("1, 2, 4 … 8"));
  QVERIFY(session.answers());
  QVERIFY(session.asked().graph_sizes == (std::vector<int>{1, 2, 4, 8}));
  const Bytes four = session.answer()->worst_rank().of(Category::graphs);
  QVERIFY(four < own);
  session.choose("plan.graphs", u8("off"));
  QVERIFY(session.answers());
  QVERIFY(!session.asked().graphs && session.asked().graph_sizes.empty());
  QVERIFY(session.answer()->worst_rank().of(Category::graphs) < four);
  session.choose("plan.graphs", u8("the engine's sizes"));
  QVERIFY(session.answers());
  QCOMPARE(session.answer()->worst_rank().of(Category::graphs), own);
}

/// What nobody typed is the engine's own, and the plan names it; the demand stays as it was.
void PlanFormTest::untouched_fields_follow_the_engine() {
  test::TemporaryFolder data;
  test::PlanSession session(data.path());
  Deployment plain;
  plain.model = "llama-3.1-8b";
  session.plan->start(plain);
  QVERIFY(session.answers());
  const auto shown = [&](const char* field) { return session.child<NumberField>(field)->value(); };
  session.choose("plan.engine", u8("vLLM"));
  QVERIFY(session.answers());
  QCOMPARE(shown("plan.maxSequences"), 1024.0);
  QCOMPARE(shown("plan.stepTokens"), 8192.0);
  QCOMPARE(shown("plan.requests"), 32.0);
  QCOMPARE(session.asked().block_size, 16);
  QVERIFY(
      session.child<QLabel>("plan.note")
          ->text()
          .contains(u8(
              "By the defaults of vLLM: max-num-seqs 1,024, max-num-batched-tokens 8,192, block-size 16.")));
  session.type("plan.stepTokens", "4,096");
  session.choose("plan.gpu", u8("L40S"));  // a smaller card, where it runs fewer at once
  QVERIFY(session.answers());
  QCOMPARE(shown("plan.maxSequences"), 256.0);
  QCOMPARE(shown("plan.stepTokens"), 4096.0);
  session.choose("plan.engine", u8("by the model"));
  QVERIFY(session.answers());
  QCOMPARE(shown("plan.maxSequences"), 32.0);
  QCOMPARE(shown("plan.stepTokens"), 4096.0);
}

void PlanFormTest::stages_take_their_gpus_along() {
  test::TemporaryFolder data;
  test::PlanSession session(data.path());
  Deployment large = documents();
  large.gpus = large.tensor_parallel = 2;
  session.plan->start(large);
  QVERIFY(session.answers());
  session.type("plan.pipelineParallel", "2");
  QVERIFY(session.answers());
  QCOMPARE(session.asked().gpus, 4);
  QCOMPARE(session.asked().tensor_parallel, 2);
  QCOMPARE(session.answer()->ranks.size(), std::size_t{4});
  // Ranks that took all GPUs of their stage take all of them afterwards.
  session.type("plan.gpus", "8");
  QVERIFY(session.answers());
  QCOMPARE(session.asked().tensor_parallel, 4);
  QCOMPARE(session.answer()->replicas, 1);
  session.type("plan.blockSize", "16");
  QVERIFY(session.answers());
  QCOMPARE(session.answer()->asked.block_size, 16);
}

void PlanFormTest::switches_and_a_typical_request() {
  test::TemporaryFolder data;
  test::PlanSession session(data.path());
  session.plan->start(documents());
  QVERIFY(session.answers());
  const double before = session.answer()->predicted.asked.ttft_ms;
  session.child<QToolButton>("plan.more")->click();
  session.child<QCheckBox>("plan.prefixCaching")->click();
  QVERIFY(session.answers());
  QVERIFY(!session.asked().prefix_caching);
  QVERIFY(session.answer()->predicted.asked.ttft_ms > before);
  session.child<QCheckBox>("plan.promptLogprobs")->click();
  session.child<QCheckBox>("plan.draftLayers")->click();
  session.child<QCheckBox>("plan.expertParallel")->click();
  session.type("plan.promptTokens", "4,000");
  session.type("plan.replyTokens", "10");
  session.type("plan.others", "2");
  QVERIFY(session.answers());
  QVERIFY(session.asked().prompt_logprobs && session.asked().draft_layers && session.asked().expert_parallel);
  QCOMPARE(session.asked().prompt_tokens, 4000);
  QCOMPARE(session.asked().output_tokens, 10);
  QCOMPARE(session.asked().budget.other_processes, 2 * kGiB);
  session.type("plan.promptTokens", "");
  QCOMPARE(session.asked().prompt_tokens, 0);
  QCOMPARE(unusual_text(session.asked()), u8("– + 10 tokens, others hold 2.00 GiB, no prefix cache, prompt "
                                             "logprobs, draft layers, expert parallel"));
}

void PlanFormTest::an_error_unfolds_its_field() {
  test::TemporaryFolder data;
  test::PlanSession session(data.path());
  session.plan->start(documents());
  QVERIFY(session.answers());
  auto* stages = session.child<NumberField>("plan.pipelineParallel");
  QVERIFY(!stages->isVisible());
  Deployment deep = documents();
  deep.pipeline_parallel = deep.gpus = 81;  // of 80 layers
  session.plan->start(deep);
  QVERIFY(session.answers());
  QVERIFY(stages->isVisible());
  QVERIFY(stages->property("wrong").toBool());
  QVERIFY(stages->trouble().contains(u8("80 layers")));
}

void PlanFormTest::what_a_command_brings_is_shown() {
  test::TemporaryFolder data;
  test::PlanSession session(data.path());
  Deployment odd = documents();
  odd.graph_sizes = {3, 5};
  odd.engine = "llama.cpp";
  odd.quantization = "q4_k";
  odd.prompt_tokens = 100;
  session.plan->start(odd);
  QVERIFY(session.answers());
  QCOMPARE(session.child<QComboBox>("plan.graphs")->currentText(), u8("3, 5"));
  QCOMPARE(session.child<QComboBox>("plan.engine")->currentText(), u8("llama.cpp"));
  QCOMPARE(session.child<QComboBox>("plan.quantization")->currentText(), u8("q4_k"));
  QCOMPARE(session.child<QLabel>("plan.more.unusual")->text(),
           u8("q4_k weights, graphs 3, 5, 100 + – tokens"));
  session.type("plan.requests", "12");  // another field leaves them alone
  QVERIFY(session.answers());
  QVERIFY(session.asked().graph_sizes == (std::vector<int>{3, 5}));
  QCOMPARE(session.asked().quantization, std::string("q4_k"));
}

// What is compared with a limit is a predicted mean, and both say so.
void PlanFormTest::limits_are_means() {
  test::TemporaryFolder data;
  test::PlanSession session(data.path());
  session.plan->start(documents());
  QVERIFY(session.answers());
  for (const char* field : {"plan.ttft", "plan.tpot"}) {
    QVERIFY(session.child<QLineEdit>(field)->accessibleName().startsWith(u8("Mean ")));
    QVERIFY(!session.child<QLineEdit>(field)->accessibleName().contains(u8("p99")));
  }
  const OperatingPoint at = session.answer()->predicted.asked;
  const auto over = [&] {
    QVERIFY(session.answers());
    QCOMPARE(session.answer()->predicted.asked.tpot_ms, at.tpot_ms);
  };
  const auto cell = [&] {
    return session.child<DataTable>("plan.alternatives.table")->table()->rows().front().cells[6].text;
  };
  session.type("plan.tpot", QByteArray::number(std::ceil(at.tpot_ms)).constData());
  over();
  QVERIFY2(!cell().contains(u8("△")), qPrintable(cell()));
  session.type("plan.tpot", QByteArray::number(std::floor(at.tpot_ms)).constData());
  over();
  QVERIFY2(cell().contains(u8("△")), qPrintable(cell()));
}

QTEST_MAIN(PlanFormTest)
#include "plan_form_test.moc"
