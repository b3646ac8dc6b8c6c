// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of the plan page without the window around them.
#include <QFileInfo>
#include <QTest>
#include <cmath>
#include <set>

#include "engine/plan/engine_profile.h"
#include "engine/plan/flag_writer.h"
#include "tests/support/test_support.h"
#include "ui/plan/alternatives.h"
#include "ui/plan/engine_flags.h"
#include "ui/plan/fix_list.h"
#include "ui/plan/length_slider.h"
#include "ui/plan/plan_charts.h"
#include "ui/plan/rank_bars.h"
#include "ui/plan/rank_bars_view.h"
#include "ui/plan/serve_settings.h"
#include "ui/shell/theme.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/number_format.h"

using namespace pitwall;
using namespace pitwall::ui;

namespace {

QString u8(const char* text) {
  return QString::fromUtf8(text);
}

std::shared_ptr<const DeploymentPlan> documents_plan() {
  for (const Deployment& deployment : shipped_deployments())
    if (deployment.name == "Chat with long documents")
      return std::make_shared<const DeploymentPlan>(
          *plan_deployment(deployment, *read_outline(deployment.model), *find_gpu(deployment.gpu)));
  return nullptr;
}

}  // namespace

class PlanPartsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void a_change_to_a_pinned_one_makes_one_draft();
  void a_fix_for_a_setting_without_a_field_is_an_error();
  void limits_of_any_meaning_are_served_as_bytes();
  void a_pasted_model_keeps_its_name();
  void a_file_can_be_pasted();
  void titles_say_what_differs();
  void frontiers_end_with_what_the_model_can();
  void length_slider_is_round();
  void measured_stands_beside_planned();
  void a_label_keeps_off_the_limit();
  void bars_are_a_table_too();
};

void PlanPartsTest::initTestCase() {
  QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
  Theme::current().set_mode(ThemeMode::light);
}

void PlanPartsTest::a_change_to_a_pinned_one_makes_one_draft() {
  Alternatives alternatives;
  QVERIFY(alternatives.subject() == nullptr && !alternatives.pin());
  Deployment deployment;
  alternatives.start(deployment);
  QVERIFY(alternatives.pin() && !alternatives.pin());
  for (const char* gpu : {"L40S", "L4", "H100"}) {
    deployment.gpu = gpu;
    alternatives.edit(deployment);
    QCOMPARE(alternatives.all().size(), std::size_t{2});
    QCOMPARE(alternatives.subject()->deployment.gpu, std::string(gpu));
  }
  QCOMPARE(alternatives.all().front().deployment.gpu, std::string("H200"));
  deployment.requests = 9;  // a demand is no set-up: nobody is left behind
  alternatives.edit(deployment);
  QCOMPARE(alternatives.all().size(), std::size_t{2});
  for (const Alternative& one : alternatives.all()) QCOMPARE(one.deployment.requests, 9);
  alternatives.move(-1);
  deployment = alternatives.subject()->deployment;
  deployment.requests = 10;
  alternatives.edit(deployment);
  QVERIFY(alternatives.subject()->pinned);
  alternatives.unpin();  // it is the draft now
  QCOMPARE(alternatives.all().size(), std::size_t{1});
}

void PlanPartsTest::a_fix_for_a_setting_without_a_field_is_an_error() {
  Deployment deployment;
  deployment.requests = 48;
  const auto slots = with_fix(deployment, {"max-num-seqs", "48", "1,043", 0, true, "", {}});
  PW_VERIFY(slots);
  QCOMPARE(slots->max_num_seqs, 1043);
  QCOMPARE(slots->requests, 48);
  const auto fewer = with_fix(deployment, {"requests", "48", "21", 0, true, "", {}});
  PW_VERIFY(fewer);
  QCOMPARE(fewer->requests, 21);
  QCOMPARE(fewer->max_num_seqs, deployment.max_num_seqs);  // the change names requests alone
  const auto ranks = with_fix(deployment, {"tensor-parallel-size", "1", "4", 0, true, "", {}});
  PW_VERIFY(ranks);
  QCOMPARE(ranks->gpus, 4);
  deployment.budget.share = 0.95;
  const auto share = with_fix(deployment, {"gpu-memory-utilization", "0.95", "0.87", 0, true, "", {}});
  PW_VERIFY(share);
  QCOMPARE(share->budget.share, 0.87);
  const auto unknown = with_fix(deployment, {"no-such-setting", "1", "2", 0, true, "", {}});
  QVERIFY(!unknown.ok());
  QCOMPARE(unknown.error().param, std::string("no-such-setting"));
  QVERIFY(!with_fix(deployment, {"max-model-len", "8192", "few", 0, true, "", {}}).ok());
}

void PlanPartsTest::limits_of_any_meaning_are_served_as_bytes() {
  DeploymentPlan plan = *documents_plan();
  plan.asked.budget.meaning = MemoryBudget::Meaning::share_of_total;
  plan.asked.budget.share = 0.9;
  plan.ranks[static_cast<std::size_t>(plan.worst)].limit = 7 * kGiB;
  const auto value = [&](const std::string& name) -> std::string {
    for (const auto& [setting, text] : serve_settings(plan))
      if (setting == name) return text;
    return {};
  };
  QCOMPARE(value("memory-limit"), std::to_string(7 * kGiB));
  QCOMPARE(value("kv-cache-memory-bytes"), std::string("auto"));
  plan.asked.budget.meaning = MemoryBudget::Meaning::kv_bytes;
  plan.asked.budget.bytes = 3 * kGiB;
  QCOMPARE(value("memory-limit"), std::string("auto"));
  QCOMPARE(value("kv-cache-memory-bytes"), std::to_string(3 * kGiB));
}

/// Planned by the profile of its shape, and told to engines as it was pasted.
void PlanPartsTest::a_pasted_model_keeps_its_name() {
  const std::string pasted = "mistralai/Mistral-7B-Instruct-v0.3";
  const auto reading = read_pasted("vllm serve " + pasted + " --max-model-len 8192", nullptr);
  QVERIFY(reading.ok());
  Deployment now;
  now.model = "llama-3.1-8b";
  const Deployment read = deployment_from(*reading, now, std::nullopt);
  QCOMPARE(read.model, std::string("mistral-7b"));
  const auto model = read_outline(read.model);
  const auto plan = plan_memory(read, *model, find_gpu("H200").value());
  QVERIFY(plan.ok());
  QVERIFY(command_text(write_flags(**find_engine("sglang"), *plan)).find("--model-path " + pasted) !=
          std::string::npos);
}

/// A file is told from a command, also behind lines of comment.
void PlanPartsTest::a_file_can_be_pasted() {
  for (const char* text : {"# docker-compose.yml\n\nservices:\n  chat:\n    image: vllm/vllm-openai:v0.11.0\n"
                           "    command: --model M --max-num-seqs 8\n",
                           "# how it is started\nvllm serve M --max-num-seqs 8\n"}) {
    const auto reading = read_pasted(text, nullptr);
    QVERIFY2(reading.ok(), text);
    QCOMPARE(*reading->settings.find("model"), std::string("M"));
    QCOMPARE(*reading->settings.find("max-num-seqs"), std::string("8"));
  }
}

void PlanPartsTest::titles_say_what_differs() {
  Deployment plain, packed, longer, other;
  packed.kv_cache_dtype = "int8";
  longer.max_model_len = 4096;
  other.gpu = "L40S";
  const std::vector<QString> titles = alternative_titles({plain, packed, longer, other});
  QCOMPARE(titles[3], u8("1 × L40S"));
  QCOMPARE(titles[1], u8("1 × H200 · KV int8 · max as the model"));
  QCOMPARE(titles[2], u8("1 × H200 · KV as the model · max 4,096"));
  Deployment uncached = plain, theirs = plain;
  uncached.prefix_caching = false;
  theirs.engine = "vllm";
  QCOMPARE(alternative_titles({plain, uncached})[1], u8("1 × H200 · no prefix cache"));
  QCOMPARE(alternative_titles({plain, theirs})[1], u8("1 × H200 · rules vLLM"));
  QCOMPARE(std::set<QString>(titles.begin(), titles.end()).size(), std::size_t{4});
}

void PlanPartsTest::frontiers_end_with_what_the_model_can() {
  Alternatives alternatives;
  QVERIFY(frontier_marks(alternatives).empty());
  const auto plan = documents_plan();
  alternatives.start(plan->asked);
  alternatives.all().front().plan = plan;
  const std::int64_t end = plan->model.context_length;
  QVERIFY(end > plan->max_model_len);
  FrontierLines lines;
  const ChartSeries line = lines.series(alternatives).front();
  QCOMPARE(line.x.back(), static_cast<double>(end));
  QVERIFY(line.y.back() > 0);
  const std::vector<ChartMark> marks = frontier_marks(alternatives);
  QCOMPARE(marks.size(), std::size_t{3});
  QVERIFY(marks[1].text.contains(count_text(plan->max_model_len)));
  QVERIFY(marks[2].text.contains(count_text(end)));
  // Beside a model that goes further the line ends where its own does.
  auto further = std::make_shared<DeploymentPlan>(*plan);
  further->model.context_length = 4 * end;
  Deployment other = plan->asked;
  other.gpu = "A100-80G";
  alternatives.pin();
  alternatives.edit(other);
  alternatives.all().back().plan = further;
  const std::vector<ChartSeries> both = lines.series(alternatives);
  QCOMPARE(both.size(), std::size_t{2});
  QVERIFY(both[0].x == both[1].x && both[0].x.back() == static_cast<double>(4 * end));
  for (std::size_t i = 0; i < both[0].x.size(); ++i)
    QCOMPARE(std::isfinite(both[0].y[i]), both[0].x[i] <= static_cast<double>(end));
}

void PlanPartsTest::length_slider_is_round() {
  for (const std::int64_t context : {2048, 32768, 131072, 10'485'760}) {
    std::int64_t before = 0;
    for (int position = 0; position <= kLengthSliderEnd; ++position) {
      const std::int64_t length = length_at(position, context);
      QVERIFY(length >= before && length <= context);
      QVERIFY(length % 64 == 0);
      before = length;
    }
    QCOMPARE(before, context);
    QCOMPARE(slider_position(context, context), kLengthSliderEnd);
  }
}

void PlanPartsTest::measured_stands_beside_planned() {
  const auto plan = documents_plan();
  const RankPlan& rank = plan->worst_rank();
  MeasuredMemory measured{u8("R-0001"), {}};
  measured.ledger.bytes = rank.bytes;
  measured.ledger.kv_used = rank.of(Category::kv) / 4;
  measured.ledger.kv_free = rank.of(Category::kv) - measured.ledger.kv_used;
  measured.ledger.device_total = rank.device_total;
  measured.ledger.measured = rank.total();
  QCOMPARE(difference_text(*plan, measured), QString());
  const Bytes more = rank.device_total / 40;  // 2.5 % of the device
  measured.ledger.bytes[static_cast<std::size_t>(Category::activations)] += more;
  const QString said = difference_text(*plan, measured);
  QVERIFY2(said.startsWith(u8("△ Activations +")), qPrintable(said));
  RankBars bars;
  bars.set_entries({{1, u8("1 × H200"), true, plan, measured}});
  bars.resize(1000, 300);
  bars.show();
  QVERIFY(!bars.grab().isNull());
  bars.show_table(true);
  const QString csv = bars.findChild<DataTable*>()->to_csv();
  QVERIFY2(csv.contains(u8("Measured GiB")) && csv.contains(u8("Unaccounted")), qPrintable(csv));
}

void PlanPartsTest::a_label_keeps_off_the_limit() {
  const QRectF segment(100, 0, 400, 30);
  const double wide = 120, apart = units(1);
  QCOMPARE(label_rect(segment, wide, 600).center().x(), segment.center().x());
  for (const double limit : {180.0, 270.0, 300.0, 310.0, 420.0}) {
    const QRectF label = label_rect(segment, wide, limit);
    QVERIFY2(!label.isEmpty() && segment.contains(label), qPrintable(QString::number(limit)));
    QVERIFY2(label.right() + apart <= limit || label.left() - apart >= limit,
             qPrintable(QString::number(limit)));
  }
  QVERIFY(label_rect(segment, 250, segment.center().x()).isEmpty());
  QVERIFY(label_rect(segment, segment.width(), 600).isEmpty());
}

void PlanPartsTest::bars_are_a_table_too() {
  const auto plan = documents_plan();
  test::TemporaryFolder folder;
  RankBars bars;
  bars.set_entries({{1, u8("1 × H200"), true, plan, std::nullopt}});
  bars.resize(1000, 200);
  bars.show();
  QVERIFY2(bars.summary().startsWith(u8("1 × H200: total ")), qPrintable(bars.summary()));
  Bytes sum = 0;
  for (const MemoryPart& part : planned_parts(plan->worst_rank())) sum += part.bytes;
  QCOMPARE(sum, plan->worst_rank().total() + plan->worst_rank().other_processes);
  bars.show_table(true);
  auto* table = bars.findChild<DataTable*>(u8("plan.rankBars.table"));
  QVERIFY(table->to_csv().contains(u8("Weights,")));
  const QString base = QString::fromStdString((folder.path() / "bars").string());
  for (const char* suffix : {".csv", ".svg", ".png"}) {
    QCOMPARE(bars.export_to(base + u8(suffix)), QString());
    QVERIFY(QFileInfo(base + u8(suffix)).size() > 0);
  }
}

QTEST_MAIN(PlanPartsTest)
#include "plan_parts_test.moc"
